import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { inRoot, root } from './paths.mjs'
import { createProgressLine } from './progress-line.mjs'
import { projectEnv } from './project-node.mjs'

/**
 * Decides where the window opens.
 *
 * Shape: `{ executable }` for Electron, else `{ reason }`: the key of the sentence that says why not.
 */
export async function chooseHost({ say }, node, { isBrowserWanted }) {
  if (isBrowserWanted) return { reason: 'browserWanted' }
  if (!hasDisplay(process.platform, process.env)) return { reason: 'noDisplay' }
  if (process.platform === 'linux' && process.getuid?.() === 0) return { reason: 'asRoot' }
  const present = findElectron()
  if (present !== undefined) return { executable: present }
  const isFetched = await fetchElectron(say, node)
  const fetched = isFetched ? findElectron() : undefined
  return fetched === undefined ? { reason: 'noRuntime' } : { executable: fetched }
}

/** Systems other than Linux always have a desktop for the one who is logged in. */
export function hasDisplay(platform, env) {
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/** Electron's own package says where its executable is once it is unpacked. */
function findElectron() {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH
  const pathFile = inRoot('node_modules/electron/path.txt')
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : 'electron'
  const file = path.join(override ?? inRoot('node_modules/electron/dist'), name)
  return existsSync(file) ? file : undefined
}

/** `fetch-electron.mjs` reports a line of JSON for each step and exits with 0 once the runtime is unpacked. */
function fetchElectron(say, node) {
  const line = createProgressLine()
  return new Promise((resolve) => {
    const script = inRoot('scripts/setup/fetch-electron.mjs')
    const child = spawn(node, [script], {
      cwd: root,
      env: projectEnv(node),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let rest = ''
    child.stdout.on('data', (chunk) => {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const each of lines) {
        const { received, total } = JSON.parse(each)
        line.show(say('fetchingElectron', { received: megabytes(received), total: megabytes(total) }))
      }
    })
    child.on('error', () => resolve(false))
    child.on('close', (code) => {
      line.end()
      resolve(code === 0)
    })
  })
}

function megabytes(bytes) {
  return Math.round(bytes / 1e6)
}

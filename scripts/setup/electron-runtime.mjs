import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { inRoot, root } from './paths.mjs'
import { createProgressLine } from './progress-line.mjs'
import { projectEnv } from './project-node.mjs'

/**
 * Decides where the window opens.
 *
 * Shape: `{ executable }` for Electron, else `{ reason, values }`: the key of the sentence that says why not.
 */
export async function chooseHost({ say }, node, { isBrowserWanted }) {
  if (isBrowserWanted) return { reason: 'browserWanted' }
  if (!hasDisplay(process.platform, process.env)) return { reason: 'noDisplay' }
  if (process.platform === 'linux' && process.getuid?.() === 0) return { reason: 'asRoot' }
  const present = findElectron()
  const isFetched = present === undefined && (await fetchElectron(say, node))
  const executable = isFetched ? findElectron() : present
  if (executable === undefined) return { reason: 'noRuntime' }
  const sandbox = path.join(path.dirname(executable), 'chrome-sandbox')
  return canUseSandbox(sandbox) ? { executable } : { reason: 'noSandbox', values: { sandbox } }
}

const userNamespaceLimit = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns'

/**
 * Returns whether Chromium's sandbox can start: Ubuntu since 23.10 lets only known programs make user namespaces, and
 * then Electron needs its `chrome-sandbox` to belong to root with the setuid bit.
 */
export function canUseSandbox(sandbox, limitFile = userNamespaceLimit) {
  if (process.platform !== 'linux' || !existsSync(limitFile)) return true
  if (readFileSync(limitFile, 'utf8').trim() !== '1' || !existsSync(sandbox)) return true
  const { uid, mode } = statSync(sandbox)
  return uid === 0 && (mode & 0o4000) !== 0
}

/** Systems other than Linux always have a desktop for the one who is logged in. */
export function hasDisplay(platform, env) {
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/**
 * The runtime's executable, or undefined where it is missing or was not unpacked to its end: Electron's installer
 * writes `path.txt` last, and `dist/version` names what was unpacked.
 */
export function findElectron(folder = inRoot('node_modules/electron'), env = process.env) {
  const dist = env.ELECTRON_OVERRIDE_DIST_PATH ?? path.join(folder, 'dist')
  const name = textOf(path.join(folder, 'path.txt'))
  if (env.ELECTRON_OVERRIDE_DIST_PATH === undefined) {
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    if (name === undefined || textOf(path.join(dist, 'version'))?.replace(/^v/, '') !== version)
      return undefined
  }
  const file = path.join(dist, name ?? 'electron')
  return existsSync(file) ? file : undefined
}

function textOf(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
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

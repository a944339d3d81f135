import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inRoot, root } from './paths.mjs'
import { projectEnv } from './project-node.mjs'
import { runQuietly } from './run-child.mjs'
import { SetupError } from './words.mjs'

const inputs = ['src', 'electron', 'electron.vite.config.ts', 'tsconfig.base.json', 'package-lock.json']
/** The file that identifies the sources from which `out/` was built. */
export const stampFile = 'out/.built-from'

/** Builds the bundles where `out/` was not built from the present sources. */
export async function ensureBuild({ say }, node) {
  const stamp = hashSources()
  if (existsSync(inRoot(stampFile)) && readFileSync(inRoot(stampFile), 'utf8') === stamp) return
  console.error(say('building'))
  const script = inRoot('node_modules/electron-vite/bin/electron-vite.js')
  const { code, output } = await runQuietly(node, [script, 'build'], {
    cwd: root,
    env: projectEnv(node, { NO_COLOR: '1' }),
  })
  if (code !== 0) {
    console.error(output.trimEnd())
    throw new SetupError(say('buildFailed'))
  }
  writeFileSync(inRoot(stampFile), stamp)
}

/** Tests beside the code do not go into a bundle. */
function hashSources() {
  const hash = createHash('sha256')
  for (const file of inputs.flatMap(filesOf).sort()) {
    if (/\.test\.tsx?$/.test(file)) continue
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(inRoot(file)))
      .update('\0')
  }
  return hash.digest('hex')
}

function filesOf(name) {
  if (!existsSync(inRoot(name))) return []
  if (!statSync(inRoot(name)).isDirectory()) return [name]
  return readdirSync(inRoot(name)).flatMap((child) => filesOf(path.posix.join(name, child)))
}

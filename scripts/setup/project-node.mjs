import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { inRoot } from './paths.mjs'
import { SetupError } from './words.mjs'

/** Below it a native library crashes before it can say why. The same number stands in package.json's engines. */
const least = [22, 22, 2]

/**
 * The Node that runs the project: the one that its packages brought, else the machine's where it is new enough.
 *
 * Shape: an absolute path. Errors: `SetupError` that says which Node to install.
 */
export function findProjectNode({ say }) {
  const file = process.platform === 'win32' ? 'node.exe' : 'bin/node'
  const own = inRoot(`node_modules/node-${process.platform}-${process.arch}/${file}`)
  if (existsSync(own) && runs(own)) return own
  if (isNewEnough(process.versions.node)) return process.execPath
  throw new SetupError(
    say('noNode', {
      wanted: least.join('.'),
      version: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    }),
  )
}

/** @param {string} version */
export function isNewEnough(version) {
  const parts = version.split('.').map(Number)
  for (const [index, wanted] of least.entries()) {
    if (parts[index] !== wanted) return (parts[index] ?? 0) > wanted
  }
  return true
}

/** The environment in which `node` and the project's tools mean the project's own. */
export function projectEnv(node, extra = {}) {
  const folders = [path.dirname(node), inRoot('node_modules/.bin'), process.env.PATH ?? '']
  return { ...process.env, PATH: folders.join(path.delimiter), ...extra }
}

/** A binary for another C library exists but does not run. */
function runs(node) {
  try {
    execFileSync(node, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { inRoot } from './paths.mjs'
import { SetupError } from './words.mjs'

/** Lowest version that works: below it a native library crashes without a message. The same as in package.json. */
const least = [22, 22, 2]

/**
 * Finds the Node that runs the project: the one of its packages, else the machine's where it is new enough.
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

/** Returns an environment whose search path begins with the project's Node and tools. */
export function projectEnv(node, extra = {}) {
  const folders = [path.dirname(node), inRoot('node_modules/.bin'), process.env.PATH ?? '']
  return { ...process.env, PATH: folders.join(path.delimiter), ...extra }
}

/** Returns whether a Node runs: a binary for another C library exists but does not run. */
function runs(node) {
  try {
    execFileSync(node, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

import { ensureBuild } from './build.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { findProjectNode } from './project-node.mjs'
import { readWords, SetupError } from './words.mjs'

/**
 * Prepares a checkout for running: packages, the project's Node, and the bundles unless `needsBuild` is false.
 *
 * Shape: `{ words, node }`.
 */
export async function prepare({ needsBuild = true } = {}) {
  const words = readWords()
  await ensureDependencies(words)
  const node = findProjectNode(words)
  if (needsBuild) await ensureBuild(words, node)
  return { words, node }
}

/** Runs a script's body; a `SetupError` becomes its sentence and exit code 1. */
export async function runScript(body) {
  try {
    process.exitCode = await body()
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

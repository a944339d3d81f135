import type { TestProject } from 'vitest/node'
import { ensureBuild } from '../../../scripts/setup/build.mjs'
import { readWords } from '../../../scripts/setup/words.mjs'

/** Builds the app before tests that start it as it is built, where `out/` was not made from these sources. */
export async function setup({ vitest }: TestProject): Promise<void> {
  const isNeeded = vitest.state.getPaths().some((path) => path.includes('/tests/faults/'))
  if (isNeeded) await ensureBuild(readWords(), process.execPath)
}

import { ensureBuild } from '../../../scripts/setup/build.mjs'
import { readWords } from '../../../scripts/setup/words.mjs'

/** Builds the app before the first of these tests, where `out/` was not made from these sources. */
export async function setup(): Promise<void> {
  await ensureBuild(readWords(), process.execPath)
}

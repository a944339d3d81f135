import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a folder for this test, as a real path; it is removed at the end of the test. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tsugi-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of this test's own, as a real path; it is gone when the test has ended. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tsugi-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

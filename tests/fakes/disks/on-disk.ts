import { afterAll } from 'vitest'

/**
 * Puts the temporary folders of a test file on the disk, where those of users are: the gates take a folder under `/dev`,
 * where folders in memory are, for a part of the system. Call this before anything else in the file.
 */
export function placeOnDisk(): void {
  const { TMPDIR: inMemory, TSUGI_TEST_DISK: disk } = process.env
  if (inMemory === undefined || disk === undefined) return
  process.env.TMPDIR = disk
  afterAll(() => {
    process.env.TMPDIR = inMemory
  })
}

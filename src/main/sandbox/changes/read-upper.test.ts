/** Limits of a command's changes. With `TSUGI_SOAK` the tests make as many changes as are allowed, and one more. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { limitEntries, readUpper, TooManyChanges } from './read-upper.ts'

/** Creates the folders of a run without changes. */
function emptyRun() {
  const [folder, project] = [tempFolder(), tempFolder()]
  const upper = join(folder, 'upper')
  mkdirSync(upper)
  // The merged view is the upper folder alone: in folders of both, the project's files count as deleted.
  const merged = { program: 'env', args: ['-C', upper] }
  return { run: { folder, project, merged }, upper, project }
}

describe('what a command left', () => {
  it.each<[string, (upper: string, project: string, name: string) => void]>([
    ['files', (upper, _, name) => writeFileSync(join(upper, name), 'x')],
    ['empty folders', (upper, _, name) => mkdirSync(join(upper, name))],
    ['links', (upper, _, name) => symlinkSync('nowhere', join(upper, name))],
    ['pipes', (upper, _, name) => void execFileSync('mkfifo', [join(upper, name)])],
    [
      'names that are no text',
      (upper, _, name) =>
        writeFileSync(Buffer.concat([Buffer.from(`${upper}/${name}`), Buffer.of(0xff)]), ''),
    ],
  ])('is taken over up to the limit and not beyond: %s', async (_kind, leave) => {
    const { run, upper, project } = emptyRun()
    for (let i = 0; i < 9; i += 1) leave(upper, project, `n${i}`)
    const { changes, dropped, newFolders } = await readUpper(run, 9)
    expect(changes.length + dropped.length + newFolders.length).toBe(9)
    leave(upper, project, 'more')
    await expect(readUpper(run, 9)).rejects.toThrow(TooManyChanges)
  })

  it('counts what is gone beneath a file that took a folder’s place', async () => {
    const { run, upper, project } = emptyRun()
    mkdirSync(join(project, 'd/e'), { recursive: true })
    for (let i = 0; i < 7; i += 1) writeFileSync(join(project, `d/e/${i}`), '')
    writeFileSync(join(upper, 'd'), 'a file now')
    // The file, the folder in it, and seven that are gone.
    expect((await readUpper(run, 9)).changes).toHaveLength(8)
    await expect(readUpper(run, 8)).rejects.toThrow(TooManyChanges)
  })

  it('counts what is gone from a folder that was made anew', async () => {
    const { run, upper, project } = emptyRun()
    mkdirSync(join(project, 'd'))
    mkdirSync(join(upper, 'd'))
    for (let i = 0; i < 8; i += 1) writeFileSync(join(project, `d/${i}`), '')
    expect((await readUpper(run, 9)).changes).toHaveLength(8)
    await expect(readUpper(run, 8)).rejects.toThrow(TooManyChanges)
  })

  it('has a folder in the place of a link, and nothing of what lies behind that link', async () => {
    const { run, upper, project } = emptyRun()
    const outside = tempFolder()
    mkdirSync(join(outside, 'deep'))
    for (const path of ['private', 'deep/private']) writeFileSync(join(outside, path), '')
    symlinkSync(outside, join(project, 'd'))
    mkdirSync(join(upper, 'd/deep'), { recursive: true })
    writeFileSync(join(upper, 'd/deep/new'), 'x')
    const { changes, newFolders } = await readUpper(run)
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['gone d', 'file d/deep/new'])
    expect(newFolders).toEqual(['d', 'd/deep'])
  })

  it.skipIf(process.env.TSUGI_SOAK === undefined)('is 200,000 files and folders at most', async () => {
    const { run, upper } = emptyRun()
    for (let folder = 0; folder < limitEntries / 1_000; folder += 1) {
      mkdirSync(join(upper, `${folder}`))
      for (let i = 0; i < 999; i += 1) writeFileSync(join(upper, `${folder}/${i}`), '')
    }
    expect((await readUpper(run)).changes).toHaveLength(limitEntries - limitEntries / 1_000)
    writeFileSync(join(upper, 'one more'), '')
    await expect(readUpper(run)).rejects.toThrow(TooManyChanges)
    rmSync(upper, { recursive: true })
  })
})

import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { noAnswers } from '../../../src/main/speculation/accept/acceptable-link.ts'
import { makeSpecial, outsideText, type SpecialKind, specialSources } from '../../fakes/disks/special-file.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { acceptanceRig } from '../../fakes/rigs/acceptance-rig.ts'
import { overlayRig, remove, write } from '../../fakes/rigs/overlay-rig.ts'

/** Ways to tamper with a private file of a speculation; `other` is a second private file. */
const tampers: Record<string, (file: string, other: string) => void> = {
  'other bytes of the same length': (file) => writeFileSync(file, 'owned\n'),
  'more bytes': (file) => appendFileSync(file, 'owned'),
  'a byte less': (file) => truncateSync(file, statSync(file).size - 1),
  'no bytes': (file) => truncateSync(file, 0),
  'a size without end': (file) => truncateSync(file, 2 ** 41),
  'the bytes of another file of the run': (file, other) => copyFileSync(other, file),
  'a link to another file of the run': (file, other) => {
    rmSync(file)
    symlinkSync(other, file)
  },
  'nothing in its place': (file) => rmSync(file),
}

const inPlace = [
  'pipe',
  'socket',
  'device',
  'folder',
  'circle',
  'link outside',
  'hard link outside',
  'huge',
] satisfies SpecialKind[]

/** Creates an ended speculation that has edited, created and deleted files of a folder. */
async function ended() {
  const rig = overlayRig()
  for (const name of ['a.txt', 'gone.txt']) rig.write(name, 'before\n')
  const overlay = await rig.open()
  await write(overlay.operations, 'a.txt', 'after\n')
  await write(overlay.operations, 'new.txt', 'new\n')
  await remove(overlay.operations, 'gone.txt')
  const { acceptance, play, into, session, store } = acceptanceRig({ dataDir: tempFolder(), root: rig.root })
  onTestFinished(async () => {
    await overlay.discard()
    store.close()
  })
  const privateFiles = bytesIn(rig.dataDir)
  const fileOf = (text: string): string => {
    const file = privateFiles.find((path) => readFileSync(path, 'utf8') === text)
    if (file === undefined) throw new Error(`no private file with ${text}`)
    return file
  }
  return {
    ...rig,
    session,
    privateFiles,
    fileOf,
    accept: () => acceptance.accept({ ...play({ files: {} }), overlay }, into, noAnswers),
    isUntouched: () =>
      rig.text('a.txt') === 'before\n' &&
      existsSync(join(rig.root, 'gone.txt')) &&
      !existsSync(join(rig.root, 'new.txt')),
  }
}

function bytesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.endsWith('bytes'))
    .map((entry) => join(entry.parentPath, entry.name))
}

describe('private files of a speculation that somebody changed before it is accepted', () => {
  it.each(Object.entries(tampers))('are not applied: %s', async (_what, tamper) => {
    for (const text of ['after\n', 'new\n', 'before\n']) {
      const { accept, fileOf, isUntouched, session } = await ended()
      tamper(fileOf(text), fileOf(text === 'new\n' ? 'after\n' : 'new\n'))
      await expect(accept()).rejects.toMatchObject({ info: { code: 'speculation/files-gone' } })
      expect([isUntouched(), session.turn]).toEqual([true, 1])
    }
  })

  it.each(inPlace)('are not applied: %s', async (kind) => {
    const outside = tempFolder()
    const sources = specialSources(outside)
    const { accept, fileOf, isUntouched, session } = await ended()
    const file = fileOf('after\n')
    rmSync(file)
    makeSpecial(kind, file, sources)
    await expect(accept()).rejects.toMatchObject({ info: { code: 'speculation/files-gone' } })
    expect([isUntouched(), session.turn]).toEqual([true, 1])
    expect(readFileSync(sources.secret, 'utf8')).toBe(outsideText)
  })

  it('give their permissions and times to no file of the folder', async () => {
    const { accept, privateFiles, root, session } = await ended()
    const { mode } = lstatSync(join(root, 'a.txt'))
    for (const file of privateFiles) {
      chmodSync(file, 0o6777)
      utimesSync(file, 1, 1)
    }
    expect(await accept()).toMatchObject({ step: 'accepted' })
    expect([readFileSync(join(root, 'a.txt'), 'utf8'), session.turn]).toEqual(['after\n', 2])
    expect(lstatSync(join(root, 'a.txt')).mode).toBe(mode)
    expect(lstatSync(join(root, 'new.txt')).mode & 0o7111).toBe(0)
  })
})

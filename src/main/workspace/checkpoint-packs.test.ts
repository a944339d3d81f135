import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { diskWith, systemError } from '../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { type Disk, nodeDisk } from '../platform/files/disk.ts'
import { systemRandom } from '../platform/random.ts'
import { type CheckpointStore, createCheckpointStore } from './checkpoint-store.ts'

function storeIn(folder: string, disk: Disk = nodeDisk): CheckpointStore {
  return createCheckpointStore({ disk, folder, hostId: systemRandom.id(), random: systemRandom })
}

const texts = (count: number, name = 'text'): Buffer[] =>
  Array.from({ length: count }, (_, at) => Buffer.from(`${name} ${at}`))

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

async function read(store: CheckpointStore, hashes: readonly string[]): Promise<string[]> {
  return Promise.all(hashes.map(async (hash) => (await store.get(hash)).toString()))
}

it('keeps many small contents in one file, for this host and the next', async () => {
  const folder = join(tempFolder(), 'checkpoints')
  const store = storeIn(folder)
  const contents = [...texts(100), Buffer.alloc(0)]
  const hashes = await store.putAll(contents)
  expect(filesIn(folder)).toEqual([expect.stringMatching(/^[0-9a-f]+\.pack$/)])
  for (const one of [store, storeIn(folder)])
    expect(await read(one, hashes)).toEqual(contents.map((bytes) => bytes.toString()))
})

it('keeps few or large contents in files of their own, and nothing twice', async () => {
  const folder = join(tempFolder(), 'checkpoints')
  const store = storeIn(folder)
  const large = Buffer.alloc(1024 * 1024 + 1, 'x')
  const few = await store.putAll(texts(2))
  const all = await store.putAll([...texts(20), large])
  expect(filesIn(folder)).toHaveLength(2 + 1 + 1)
  await storeIn(folder).putAll([...texts(20), large])
  expect(filesIn(folder)).toHaveLength(2 + 1 + 1)
  expect(all.slice(0, 2)).toEqual(few)
  expect(statSync(join(folder, 'packs', filesIn(join(folder, 'packs'))[0] ?? '')).mode & 0o777).toBe(0o600)
})

it('removes a file of many once nothing in it is needed', async () => {
  const folder = join(tempFolder(), 'checkpoints')
  const store = storeIn(folder)
  const [old, now] = [await store.putAll(texts(9, 'old')), await store.putAll(texts(9, 'new'))]
  writeFileSync(join(folder, 'packs', `.tsugi-${systemRandom.id()}-000000000000.tmp`), 'half')
  expect(await store.sweep(new Set(now.slice(0, 1)))).toBe(2)
  await expect(store.get(old[0] ?? '')).rejects.toThrow('file/not-found')
  expect(await read(store, now)).toEqual(texts(9, 'new').map((bytes) => bytes.toString()))
  expect(await store.sweep(new Set())).toBe(1)
  expect(filesIn(folder)).toEqual([])
  await store.putAll(texts(9, 'old'))
  expect(await read(storeIn(folder), old)).toHaveLength(9)
})

it('gives no bytes that do not have their hash', async () => {
  const folder = join(tempFolder(), 'checkpoints')
  const hashes = await storeIn(folder).putAll(texts(9))
  const [name = ''] = filesIn(folder)
  const path = join(folder, 'packs', name)
  const bytes = await nodeDisk.read(path, 1_000_000)
  writeFileSync(path, Buffer.concat([bytes.subarray(0, -1), Buffer.from('!')]))
  await expect(storeIn(folder).get(hashes.at(-1) ?? '')).rejects.toThrow('file/failed')
  expect(await read(storeIn(folder), hashes.slice(0, 1))).toEqual(['text 0'])
})

it('leaves nothing half-written on a full disk', async () => {
  const folder = join(tempFolder(), 'checkpoints')
  const disk = diskWith({
    async writeNew(path, bytes, options) {
      await nodeDisk.writeNew(path, bytes.subarray(0, 10), options)
      throw systemError('ENOSPC')
    },
  })
  await expect(storeIn(folder, disk).putAll(texts(9))).rejects.toThrow('file/disk-full')
  expect(filesIn(folder)).toEqual([])
})

it.each([
  ['cut short', (bytes: Buffer) => bytes.subarray(0, 200)],
  ['empty', () => Buffer.alloc(0)],
  ['of zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
  [
    'with another index',
    (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('[[', '{"'), 'latin1'),
  ],
  [
    'with sizes that are none',
    (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/,6\]/, ',-'), 'latin1'),
  ],
])(
  'passes a file of many over that is %s, and keeps it: the others are read, and what it had is stored anew',
  async (_what, damage) => {
    const folder = join(tempFolder(), 'checkpoints')
    const lost = await storeIn(folder).putAll(texts(9, 'lost'))
    const [name = ''] = filesIn(folder)
    const pack = join(folder, 'packs', name)
    const kept = await storeIn(folder).putAll(texts(9, 'kept'))
    writeFileSync(pack, damage(readFileSync(pack)))
    const store = storeIn(folder)
    await expect(store.get(lost[0] ?? '')).rejects.toThrow('file/not-found')
    expect(await read(store, kept)).toHaveLength(9)
    await store.sweep(new Set(kept))
    expect(filesIn(folder)).toContain(name)
    expect(await store.putAll(texts(9, 'lost'))).toEqual(lost)
    expect(await read(store, lost)).toEqual(texts(9, 'lost').map(String))
  },
)

it('a folder in the place of a pack keeps no content from being stored or read', async () => {
  const folder = join(tempFolder(), 'checkpoints')
  const hashes = await storeIn(folder).putAll(texts(10))
  mkdirSync(join(folder, 'packs', 'a.pack'))
  const next = storeIn(folder)
  expect(await read(next, hashes)).toHaveLength(10)
  expect(await next.putAll(texts(10, 'other'))).toHaveLength(10)
})

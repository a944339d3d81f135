import { existsSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { type StateFiles, type StateLimits, stateFiles } from './state-files.ts'

const roomy: StateLimits = { totalBytes: 1_000_000, filesPerModel: 4, freeBytes: 0 }
const bytes = Buffer.from('what the engine writes, whatever it is')

function open(
  options: { folder?: string; file?: string; identity?: string; limits?: Partial<StateLimits> } = {},
) {
  const { folder = join(tempFolder(), 'states'), file = '/m.gguf', identity = 'one', limits = {} } = options
  return { folder, files: stateFiles(folder, { file, identity }, { ...roomy, ...limits }) }
}

const write = async (path: string) => {
  writeFileSync(path, bytes)
  return { fileSize: bytes.length }
}

/** What is read back, as the engine would see it: its own bytes first. */
async function loaded(files: StateFiles, conversation: string): Promise<string> {
  let text = ''
  await files.load(conversation, async (path) => {
    text = readFileSync(path).subarray(0, bytes.length).toString()
  })
  return text
}

function only(folder: string): string {
  const names = readdirSync(folder)
  expect(names).toHaveLength(1)
  return join(folder, names[0] ?? '')
}

describe('StateFiles', () => {
  it('gives back the bytes and the tokens of a conversation, again and again', async () => {
    const { files } = open()
    expect(await files.tokens('a')).toEqual([])
    expect(await files.save('a', [1, 70_000, 3], bytes.length, write)).toBe(true)
    expect(await files.save('b', [], bytes.length, write)).toBe(true)
    expect(await files.tokens('a')).toEqual([1, 70_000, 3])
    for (const _ of [1, 2]) expect(await loaded(files, 'a')).toBe(bytes.toString())
    expect(await files.tokens('b')).toEqual([])
    expect(await loaded(files, 'b')).toBe(bytes.toString())
  })

  it('keeps the states of other models and other identities apart', async () => {
    const { folder, files } = open()
    await files.save('a', [1], bytes.length, write)
    expect(await open({ folder, file: '/other.gguf' }).files.tokens('a')).toEqual([])
    expect(await open({ folder, identity: 'two' }).files.tokens('a')).toEqual([])
  })

  it.each([
    ['changed', (file: string) => writeFileSync(file, readFileSync(file).fill('x', 3, 4))],
    ['changed in its tokens', (file: string) => writeFileSync(file, readFileSync(file).fill('x', 40, 41))],
    ['cut short', (file: string) => truncateSync(file, 30)],
    ['empty', (file: string) => truncateSync(file, 0)],
    ['longer', (file: string) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(9)]))],
  ])('never gives out a file that is %s, and removes it', async (_, spoil) => {
    const { folder, files } = open()
    await files.save('a', [1, 2], bytes.length, write)
    spoil(only(folder))
    const use = files.tokens('a').then(() => loaded(files, 'a'))
    await expect(use).rejects.toThrow('damaged')
    expect(readdirSync(folder)).toEqual([])
  })

  it('removes what the engine could not read; where the process died of it nobody finds it again', async () => {
    const { folder, files } = open()
    await files.save('a', [1], bytes.length, write)
    const reading = files.load('a', async () => {
      expect(await files.tokens('a')).toEqual([])
      throw new Error('not mine')
    })
    await expect(reading).rejects.toThrow('not mine')
    expect(readdirSync(folder)).toEqual([])
  })

  it('keeps the old state where a new one was not written whole', async () => {
    const { folder, files } = open()
    await files.save('a', [1], bytes.length, write)
    const cut = async (path: string) => {
      writeFileSync(path, 'half')
      return { fileSize: bytes.length }
    }
    await expect(files.save('a', [1, 2], bytes.length, cut)).rejects.toThrow('not written whole')
    only(folder)
    expect(await files.tokens('a')).toEqual([1])
  })

  it('writes nothing where there is no room for it', async () => {
    const { folder, files } = open({ limits: { totalBytes: 10 } })
    expect(await files.save('a', [1], 11, write)).toBe(false)
    const full = open({ folder, limits: { freeBytes: Number.MAX_SAFE_INTEGER } })
    expect(await full.files.save('a', [1], 1, write)).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })

  it('keeps the newest of a model, those that were read last among them', async () => {
    const { folder, files } = open({ limits: { filesPerModel: 2 } })
    const other = open({ folder, file: '/other.gguf' })
    await other.files.save('z', [9], bytes.length, write)
    for (const name of ['a', 'b']) {
      await files.save(name, [1], bytes.length, write)
      for (const file of readdirSync(folder)) makeOlder(join(folder, file))
    }
    await loaded(files, 'a')
    await files.save('c', [1], bytes.length, write)
    const kept = await Promise.all(['a', 'b', 'c'].map((name) => files.tokens(name)))
    expect(kept).toEqual([[1], [], [1]])
    expect(await other.files.tokens('z')).toEqual([9])
  })

  it('keeps all models together within the limit', async () => {
    const { folder, files } = open()
    await files.save('a', [1], bytes.length, write)
    makeOlder(only(folder))
    const other = open({ folder, file: '/other.gguf', limits: { totalBytes: 100 } })
    await other.files.save('b', [2], bytes.length, write)
    expect(await other.files.tokens('b')).toEqual([2])
    expect(await files.tokens('a')).toEqual([])
  })

  it('sweeps what a process left in the middle of writing, once it is old', async () => {
    const { folder, files } = open()
    await files.save('a', [1], bytes.length, write)
    const [old, young] = [join(folder, 'x.state.1.tmp'), join(folder, 'x.state.2.tmp')]
    for (const path of [old, young]) writeFileSync(path, '')
    makeOlder(old)
    await files.save('a', [1, 2], bytes.length, write)
    expect([existsSync(old), existsSync(young)]).toEqual([false, true])
  })
})

function makeOlder(path: string): void {
  const past = new Date(Date.now() - 100_000)
  utimesSync(path, past, past)
}

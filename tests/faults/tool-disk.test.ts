/** A disk that is full, a folder that nobody may write to: a sentence for the model, and nothing half done. */
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Disk, nodeDisk } from '../../src/main/platform/disk.ts'
import { diskWith, systemError } from '../fakes/failing-disk.ts'
import { type ToolBench, toolBench } from '../fakes/tool-bench.ts'

const reason = 'because'
const changes: [name: string, args: object][] = [
  ['edit', { path: 'a.txt', old_text: 'one', new_text: 'ONE', reason }],
  ['write_file', { path: 'a.txt', content: 'new\n', reason }],
  ['write_file', { path: 'sub/new.txt', content: 'new\n', reason }],
  ['move_file', { path: 'a.txt', to: 'sub/b.txt', reason }],
]

async function benchOn(disk: Disk): Promise<ToolBench> {
  const bench = await toolBench({ disk })
  bench.write('a.txt', 'one\n')
  await bench.run('read_file', { path: 'a.txt' })
  return bench
}

function expectUntouched(bench: ToolBench): void {
  expect(bench.text('a.txt')).toBe('one\n')
  expect(readdirSync(bench.root)).toEqual(['a.txt'])
}

describe.each(changes)('%s %j', (name, args) => {
  it('says that the disk is full, and leaves everything as it was', async () => {
    const bench = await benchOn(diskWith({ freeBytes: async () => 10 }))
    expect(await bench.run(name, args)).toMatchObject({
      isOk: false,
      text: expect.stringContaining('disk is full'),
    })
    expectUntouched(bench)
  })

  it('says so where the space ends while it is written', async () => {
    let isFull = false
    const disk = diskWith({
      writeNew: async (...all) => {
        if (isFull) throw systemError('ENOSPC')
        return nodeDisk.writeNew(...all)
      },
    })
    const bench = await benchOn(disk)
    isFull = true
    expect((await bench.run(name, args)).text).toContain('disk is full')
    expectUntouched(bench)
    isFull = false
    expect((await bench.run(name, args)).isOk).toBe(true)
  })

  it('says that a folder is closed', async () => {
    const bench = await benchOn(diskWith({ canWrite: async () => false }))
    expect((await bench.run(name, args)).text).toContain('denies it')
    expectUntouched(bench)
  })
})

describe('a read-only file', () => {
  it('is read, and stays as it is', async () => {
    const bench = await toolBench()
    bench.write('a.txt', 'one\n')
    chmodSync(join(bench.root, 'a.txt'), 0o444)
    expect((await bench.run('read_file', { path: 'a.txt' })).isOk).toBe(true)
    expect(
      (await bench.run('edit', { path: 'a.txt', old_text: 'one', new_text: 'x', reason })).text,
    ).toContain('is read-only')
    expect(bench.text('a.txt')).toBe('one\n')
  })
})

describe('a file that cannot be read', () => {
  it.each([
    ['EACCES', 'denies it'],
    ['EIO', 'did not work (EIO)'],
    ['ENOENT', 'does not exist'],
  ])('by %s is told as a result', async (code, sentence) => {
    const bench = await toolBench({
      disk: diskWith({ readPlain: () => Promise.reject(systemError(code)) }),
    })
    bench.write('a.txt', 'one\n')
    const result = await bench.run('read_file', { path: 'a.txt' })
    expect(result).toMatchObject({ isOk: false, text: expect.stringContaining(sentence) })
    expect(result.text).not.toContain(bench.root)
  })

  it('is told where the folder is gone altogether', async () => {
    const bench = await toolBench()
    const { rmSync } = await import('node:fs')
    rmSync(bench.root, { recursive: true })
    for (const [name, args] of [
      ...changes,
      ['read_file', { path: 'a.txt' }],
      ['grep', { pattern: 'x' }],
    ] as const) {
      expect((await bench.run(name, args)).isOk, name).toBe(false)
    }
    expect(existsSync(bench.root)).toBe(false)
  })
})

/** A full disk or a read-only folder: the model gets an explanation, and no change is half done. */
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { diskWith, systemError } from '../../fakes/disks/failing-disk.ts'
import { type ToolRig, toolRig } from '../../fakes/rigs/tool-rig.ts'

const reason = 'because'
const changes: [name: string, args: object][] = [
  ['edit', { path: 'a.txt', old_text: 'one', new_text: 'ONE', reason }],
  ['write_file', { path: 'a.txt', content: 'new\n', reason }],
  ['write_file', { path: 'sub/new.txt', content: 'new\n', reason }],
  ['move_file', { path: 'a.txt', to: 'sub/b.txt', reason }],
]

async function rigOn(disk: Disk): Promise<ToolRig> {
  const rig = await toolRig({ disk })
  rig.write('a.txt', 'one\n')
  await rig.run('read_file', { path: 'a.txt' })
  return rig
}

function expectUntouched(rig: ToolRig): void {
  expect(rig.text('a.txt')).toBe('one\n')
  expect(readdirSync(rig.root)).toEqual(['a.txt'])
}

describe.each(changes)('%s %j', (name, args) => {
  it('says that the disk is full, and leaves everything as it was', async () => {
    const rig = await rigOn(diskWith({ freeBytes: async () => 10 }))
    expect(await rig.run(name, args)).toMatchObject({
      isOk: false,
      text: expect.stringContaining('disk is full'),
    })
    expectUntouched(rig)
  })

  it('says so where the space ends while it is written', async () => {
    let isFull = false
    const disk = diskWith({
      writeNew: async (...all) => {
        if (isFull) throw systemError('ENOSPC')
        return nodeDisk.writeNew(...all)
      },
    })
    const rig = await rigOn(disk)
    isFull = true
    expect((await rig.run(name, args)).text).toContain('disk is full')
    expectUntouched(rig)
    isFull = false
    expect((await rig.run(name, args)).isOk).toBe(true)
  })

  it('says that a folder is closed', async () => {
    const rig = await rigOn(diskWith({ canWrite: async () => false }))
    expect((await rig.run(name, args)).text).toContain('denies it')
    expectUntouched(rig)
  })
})

describe('a read-only file', () => {
  it('is read, and stays as it is', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'one\n')
    chmodSync(join(rig.root, 'a.txt'), 0o444)
    expect((await rig.run('read_file', { path: 'a.txt' })).isOk).toBe(true)
    expect((await rig.run('edit', { path: 'a.txt', old_text: 'one', new_text: 'x', reason })).text).toContain(
      'is read-only',
    )
    expect(rig.text('a.txt')).toBe('one\n')
  })
})

describe('a file that cannot be read', () => {
  it.each([
    ['EACCES', 'denies it'],
    ['EIO', 'did not work (EIO)'],
    ['ENOENT', 'does not exist'],
  ])('by %s is told as a result', async (code, sentence) => {
    const rig = await toolRig({
      disk: diskWith({ readPlain: () => Promise.reject(systemError(code)) }),
    })
    rig.write('a.txt', 'one\n')
    const result = await rig.run('read_file', { path: 'a.txt' })
    expect(result).toMatchObject({ isOk: false, text: expect.stringContaining(sentence) })
    expect(result.text).not.toContain(rig.root)
  })

  it('is told where the folder is gone altogether', async () => {
    const rig = await toolRig()
    const { rmSync } = await import('node:fs')
    rmSync(rig.root, { recursive: true })
    for (const [name, args] of [
      ...changes,
      ['read_file', { path: 'a.txt' }],
      ['grep', { pattern: 'x' }],
    ] as const) {
      expect((await rig.run(name, args)).isOk, name).toBe(false)
    }
    expect(existsSync(rig.root)).toBe(false)
  })
})

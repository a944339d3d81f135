import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { diskWith, systemError } from '../../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { changeSetRig } from '../../../../tests/fakes/rigs/change-set-rig.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import type { ChangeSetEntry } from '../../store/works/change-set-repository.ts'
import type { ApplyStep } from '../apply-change-set.ts'

const link = (target: string) => ({ kind: 'link', target }) as const
const folder = (mode = 0o755) => ({ kind: 'folder', mode }) as const

/** Creates a folder with links and an empty folder, and a change of all of them. */
function stage(options: Parameters<typeof changeSetRig>[1] & { dataDir?: string } = {}) {
  const root = tempFolder()
  symlinkSync('one', join(root, 'turned'))
  symlinkSync('one', join(root, 'gone'))
  mkdirSync(join(root, 'old'), { mode: 0o700 })
  const rig = changeSetRig(options.dataDir ?? tempFolder(), options)
  onTestFinished(() => rig.store.close())
  const entries: ChangeSetEntry[] = [
    { path: 'turned', before: link('one'), after: link('two') },
    { path: 'gone', before: link('one'), after: null },
    { path: 'new/deep', before: null, after: folder(0o775) },
    { path: 'new', before: null, after: folder() },
    { path: 'old', before: folder(0o700), after: null },
    { path: 'new/link', before: null, after: link('../a.txt') },
  ]
  const changes = [{ kind: 'write', path: 'a.txt', baseHash: null, bytes: Buffer.from('a') }] as const
  return { root, ...rig, request: { root, changes, entries } }
}

const before = ['gone', 'old', 'turned']
const after = ['a.txt', 'new', 'turned']

describe('folders and links of a change set', () => {
  it('are made, changed and removed, and taken back as they were', async () => {
    const { root, changeSets, request } = stage()
    const { id, conflicts } = await changeSets.apply(request)
    expect(conflicts).toEqual([])
    expect(readdirSync(root)).toEqual(after)
    expect([readlinkSync(join(root, 'turned')), readlinkSync(join(root, 'new/link'))]).toEqual([
      'two',
      '../a.txt',
    ])
    expect(lstatSync(join(root, 'new/deep')).mode & 0o777).toBe(0o775)
    await changeSets.undo(id)
    expect(readdirSync(root)).toEqual(before)
    expect([readlinkSync(join(root, 'turned')), lstatSync(join(root, 'old')).mode & 0o777]).toEqual([
      'one',
      0o700,
    ])
  })

  it('are carried out by the next start, wherever the host ended', async () => {
    for (let end = 0; end <= 6; end++) {
      let changed = 0
      const dataDir = tempFolder()
      const onStep = (step: ApplyStep): void => {
        if (step === 'committed' && end === 0) throw new Error('ended')
        if (step === 'entry-changed' && ++changed === end) throw new Error('ended')
      }
      const { root, changeSets, request } = stage({ dataDir, onStep })
      await expect(changeSets.apply(request)).rejects.toThrow('ended')
      const next = changeSetRig(dataDir)
      onTestFinished(() => next.store.close())
      await next.changeSets.recover()
      expect(readdirSync(root), `${end}`).toEqual(after)
      expect(readlinkSync(join(root, 'turned')), `${end}`).toBe('two')
    }
  })

  it.runIf(process.platform === 'linux')('are taken back where a file finds no room', async () => {
    const disk = diskWith({
      writeNew: async (path, ...rest) => {
        if (path.startsWith('/proc/self/fd/')) throw systemError('ENOSPC')
        return nodeDisk.writeNew(path, ...rest)
      },
    })
    const { root, changeSets, request } = stage({ disk })
    await expect(changeSets.apply(request)).rejects.toMatchObject({ info: { code: 'file/disk-full' } })
    expect(readdirSync(root)).toEqual(before)
    expect(readlinkSync(join(root, 'turned'))).toBe('one')
  })

  it('leave what somebody put in their place', async () => {
    const { root, changeSets, request } = stage()
    writeFileSync(join(root, 'new'), 'theirs')
    await expect(changeSets.apply(request)).rejects.toMatchObject({ info: { code: 'file/changed' } })
    const late = stage({
      onStep: (step) => {
        if (step !== 'committed') return
        writeFileSync(join(late.root, 'old/theirs'), 'theirs')
        mkdirSync(join(late.root, 'new'))
        writeFileSync(join(late.root, 'new/link'), 'theirs')
      },
    })
    const { conflicts } = await late.changeSets.apply(late.request)
    expect(conflicts).toEqual(['new/link'])
    expect(readdirSync(late.root)).toEqual(['a.txt', 'new', 'old', 'turned'])
  })
})

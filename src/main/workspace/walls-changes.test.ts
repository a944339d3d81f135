import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { changeSetRig } from '../../../tests/fakes/rigs/change-set-rig.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, nodeDisk } from '../platform/files/disk.ts'
import type { ChangeSetEntry, ChangeSetFile } from '../store/works/change-set-repository.ts'
import type { FileChange } from './change-plan.ts'

function rig(options: Parameters<typeof changeSetRig>[1] = {}) {
  const made = changeSetRig(tempFolder(), options)
  onTestFinished(() => made.store.close())
  return made
}

const write = (path: string, base: string | null, text: string, mode?: number): FileChange => ({
  kind: 'write',
  path,
  baseHash: base === null ? null : contentHash(base),
  bytes: Buffer.from(text),
  ...(mode === undefined ? {} : { mode }),
})

/** What lies in a folder, with kinds and permissions. */
function contentsOf(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => `${name} ${lstatSync(join(folder, name)).mode.toString(8)}`)
}

const link = (target: string) => ({ kind: 'link' as const, target })
const folder = { kind: 'folder' as const, mode: 0o755 }

describe('a folder that becomes a link while a change set is carried out', () => {
  const cases: {
    name: string
    /** What lies in the folder, and in the one that the link leads to. */
    make: (at: string) => void
    changes?: FileChange[]
    entries?: ChangeSetEntry[]
  }[] = [
    { name: 'a file in a new folder', make: () => undefined, changes: [write('a/b/c.txt', null, 'x')] },
    {
      name: 'a file that is replaced',
      make: (at) => writeFileSync(join(at, 'e'), 'x', { mode: 0o640 }),
      changes: [write('a/e', 'x', 'y')],
    },
    {
      name: 'permissions',
      make: (at) => writeFileSync(join(at, 'e'), 'x', { mode: 0o640 }),
      changes: [write('a/e', 'x', 'x', 0o777)],
    },
    {
      name: 'a file that goes',
      make: (at) => writeFileSync(join(at, 'e'), 'x'),
      changes: [{ kind: 'delete', path: 'a/e', baseHash: contentHash('x') }],
    },
    { name: 'a new link', make: () => undefined, entries: [{ path: 'a/e', before: null, after: link('t') }] },
    {
      name: 'a link that goes',
      make: (at) => symlinkSync('t', join(at, 'e')),
      entries: [{ path: 'a/e', before: link('t'), after: null }],
    },
    {
      name: 'a link that leads elsewhere',
      make: (at) => symlinkSync('t', join(at, 'e')),
      entries: [{ path: 'a/e', before: link('t'), after: link('u') }],
    },
    { name: 'a new folder', make: () => undefined, entries: [{ path: 'a/e', before: null, after: folder }] },
    {
      name: 'a folder that goes',
      make: (at) => mkdirSync(join(at, 'e')),
      entries: [{ path: 'a/e', before: folder, after: null }],
    },
  ]

  it.each(cases)('leads $name nowhere, at whichever look it happens', async ({ make, changes, entries }) => {
    for (const [look, when] of lookTimes()) {
      const [root, outside] = [tempFolder(), tempFolder()]
      mkdirSync(join(root, 'a'))
      for (const at of [join(root, 'a'), outside]) make(at)
      const before = contentsOf(outside)
      let looks = Number.NaN
      const swap = (): void => {
        looks += 1
        if (looks !== when) return
        renameSync(join(root, 'a'), join(root, 'was'))
        symlinkSync(outside, join(root, 'a'))
      }
      const disk: Disk = {
        ...nodeDisk,
        async [look](path: string) {
          const found = await nodeDisk[look](path)
          swap()
          return found
        },
      }
      const onStep = (step: string): void => {
        if (step === 'committed') looks = 0
      }
      const { changeSets } = rig({ disk, onStep })
      await changeSets
        .apply({ root, changes: changes ?? [], entries: entries ?? [] })
        .catch((error: unknown) => error)
      expect(contentsOf(outside), `after ${look} ${when}`).toEqual(before)
    }
  })

  function lookTimes(): ['stat' | 'lstat', number][] {
    return (['stat', 'lstat'] as const).flatMap((look) =>
      [1, 2, 3, 4, 5].map((when): ['stat' | 'lstat', number] => [look, when]),
    )
  }
})

it.each(['folder', 'pipe'])(
  'a %s in the place of a file is left alone and holds up no other',
  async (kind) => {
    const root = tempFolder()
    writeFileSync(join(root, 'a'), 'x')
    writeFileSync(join(root, 'b'), 'y')
    const onStep = (step: string): void => {
      if (step !== 'committed') return
      rmSync(join(root, 'a'))
      if (kind === 'pipe') execFileSync('mkfifo', [join(root, 'a')])
      else mkdirSync(join(root, 'a'))
    }
    const { changeSets } = rig({ onStep })
    const applied = await changeSets.apply({ root, changes: [write('a', 'x', '1'), write('b', 'y', '2')] })
    expect(applied).toMatchObject({ conflicts: ['a'], waiting: [] })
    expect(readFileSync(join(root, 'b'), 'utf8')).toBe('2')
    expect(statSync(join(root, 'a')).isFile()).toBe(false)
    expect(await changeSets.recover()).toEqual([])
  },
)

it('two new names that differ by composition alone are refused before anything is touched', async () => {
  const root = tempFolder()
  const { changeSets } = rig()
  const changes = [write('が'.normalize('NFC'), null, '1'), write('が'.normalize('NFD'), null, '2')]
  await expect(changeSets.apply({ root, changes })).rejects.toThrow('file/exists')
  expect(readdirSync(root)).toEqual([])
})

it('a journal with hostile paths leads nowhere and holds up no other file', async () => {
  const paths = ['../x', '/etc/x', 'a\0b', '', '.', '..', 'd/..', 'out/x', './b', 'd/../b', 'x'.repeat(300)]
  for (const path of paths) {
    for (const kind of ['file', 'folder that goes', 'new link']) {
      const base = tempFolder()
      const [root, outside] = [join(base, 'root'), join(base, 'outside')]
      for (const one of [root, outside, join(root, 'd')]) mkdirSync(one)
      symlinkSync(outside, join(root, 'out'))
      writeFileSync(join(root, 'b'), 'y')
      const { changeSets, checkpoints, store } = rig()
      const [newHash = ''] = await checkpoints.putAll([Buffer.from('2')])
      const plain = { mode: null, oldMode: null, newHash }
      const files: ChangeSetFile[] = [{ ...plain, path: 'b', oldHash: contentHash('y') }]
      const entries: ChangeSetEntry[] = []
      if (kind === 'file') files.unshift({ ...plain, path, oldHash: null })
      else if (kind === 'new link') entries.push({ path, before: null, after: link('t') })
      else entries.push({ path, before: folder, after: null })
      const names = readdirSync(base, { recursive: true }).sort()
      store.changeSets.commit({ id: 'one', root, at: 1, state: 'committed', note: '', files, entries })
      const [recovered] = await changeSets.recover()
      const about = `${kind} ${JSON.stringify(path.slice(0, 20))}`
      expect(recovered, about).toMatchObject({ conflicts: [path], waiting: [] })
      expect(readFileSync(join(root, 'b'), 'utf8'), about).toBe('2')
      expect(readdirSync(base, { recursive: true }).sort(), about).toEqual(names)
      expect(existsSync('/etc/x')).toBe(false)
    }
  }
})

import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countingDisk } from '../../../tests/fakes/disks/counting-disk.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { type ToolRig, toolRig } from '../../../tests/fakes/rigs/tool-rig.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'
import { createChangedFiles } from './changed-files.ts'
import { chosenEncodings } from './read-reference.ts'
import { resolveReferences } from './resolve-references.ts'

function resolve(rig: ToolRig, text: string, memory: () => unknown = () => undefined) {
  return resolveReferences([{ kind: 'text', text }], {
    encodings: chosenEncodings({ get: memory, set: () => undefined }),
    operations: rig.operations,
    images: async () => null,
    openText: (path) => rig.documents.service.openText(join(rig.root, path)),
    isSecret: async () => false,
    answers: {},
    budget: async () => ({ contextTokens: null, limitBytes: 16_384, count: async () => 0 }),
  })
}

function messageOf(rig: ToolRig, count: number): string {
  const paths = Array.from({ length: count }, (_, at) => `named/第${at}章.md`)
  for (const path of paths) rig.write(path, path)
  return paths.map((path) => `@${path}を読んで。`).join('')
}

/** Calls `act` after the path was located and before it is looked up again and read. */
function beforeRead(act: (path: string) => void) {
  return {
    wrap: (real: ToolOperations): ToolOperations => ({
      ...real,
      read: (path, limit, lookups) => {
        act(path)
        return real.read(path, limit, lookups)
      },
    }),
  }
}

describe('what a message with many references asks of the file system', () => {
  it('is four looks at each path and one reading, whatever the folder holds', async () => {
    const counting = countingDisk()
    const rig = await toolRig({ disk: counting.disk })
    const text = messageOf(rig, 50)
    for (let at = 0; at < 100; at++) rig.write(`named/other-${at}.md`, '')
    counting.reset()
    const { files } = await resolve(rig, text)
    expect(files.filter(({ file }) => file.state === 'ok')).toHaveLength(50)
    const { counts } = counting
    expect(counts.readPlain).toBe(50)
    // Located, before the reading, after it, and the pinned folder itself; then the root and the listed folder.
    expect(counts.realPath).toBeLessThanOrEqual(4 * 50 + 5)
    expect(counts.lstat).toBeLessThanOrEqual(50 + 3)
    expect(counts).toMatchObject({ pinFolder: 1, list: 1 })
    expect((counts.read ?? 0) + (counts.stat ?? 0)).toBe(0)
  })

  it('is done for several files at once, but not for all', async () => {
    const counting = countingDisk()
    const rig = await toolRig({ disk: counting.disk })
    const text = messageOf(rig, 40)
    counting.reset()
    const { files } = await resolve(rig, text)
    expect(files.map(({ file }) => file.path)).toEqual(
      Array.from({ length: 40 }, (_, at) => `named/第${at}章.md`),
    )
    expect(counting.most.readPlain).toBeGreaterThan(1)
    expect(counting.most.readPlain).toBeLessThanOrEqual(8)
  })

  it('is no look at earlier choices of encodings where every file is plain', async () => {
    const rig = await toolRig()
    let asked = 0
    await resolve(rig, messageOf(rig, 20), () => void asked++)
    expect(asked).toBe(0)
  })

  it('is one look at the root for all files that were attached before, and reads none of them twice', async () => {
    const counting = countingDisk()
    const rig = await toolRig({ disk: counting.disk })
    messageOf(rig, 20)
    for (let at = 0; at < 20; at++) rig.ledger.heard(`named/第${at}章.md`, 'another')
    const changedFiles = createChangedFiles(rig)
    counting.reset()
    expect(await changedFiles()).toHaveLength(20)
    expect(counting.counts).toMatchObject({ pinFolder: 1, readPlain: 20 })
    counting.reset()
    expect(await changedFiles()).toHaveLength(20)
    expect(counting.counts).toEqual({ realPath: 21, lstat: 20 })
  })
})

describe('a folder that is swapped while a message is read', () => {
  it.runIf(process.platform === 'linux')('is not left by a link in its place', async () => {
    const outside = tempFolder()
    writeFileSync(join(outside, 'b.md'), 'outside')
    const rig: ToolRig = await toolRig(
      beforeRead((path) => {
        if (path !== 'sub/b.md') return
        renameSync(join(rig.root, 'sub'), join(rig.root, 'moved'))
        symlinkSync(outside, join(rig.root, 'sub'))
      }),
    )
    rig.write('sub/a.md', 'a')
    rig.write('sub/b.md', 'b')
    const { files } = await resolve(rig, '@sub/a.md @sub/b.md')
    expect(files[1]?.file).toMatchObject({ state: 'out-of-scope', text: '' })
  })

  it.runIf(process.platform === 'linux')('is read anew where another folder is in its place', async () => {
    const rig: ToolRig = await toolRig(
      beforeRead((path) => {
        if (path !== 'sub/b.md') return
        renameSync(join(rig.root, 'sub'), join(rig.root, 'moved'))
        mkdirSync(join(rig.root, 'sub'))
        writeFileSync(join(rig.root, 'sub/b.md'), 'new b')
      }),
    )
    rig.write('sub/a.md', 'a')
    rig.write('sub/b.md', 'b')
    const { files } = await resolve(rig, '@sub/a.md @sub/b.md')
    expect(files[1]?.file.text).toBe('[File: sub/b.md]\nnew b')
  })
})

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { entryAt } from '../../workspace/entries/place-entry.ts'
import { type AskedRun, createCommandChanges, finishMoves, type PendingMoves } from './command-changes.ts'

/** The changes of a command that left these empty folders in its copy. */
function rig(made: readonly string[]) {
  const [folder, project, dataDir] = [tempFolder(), tempFolder(), tempFolder()]
  for (const path of made) mkdirSync(join(folder, 'upper', path), { recursive: true })
  const wall = { program: 'false', args: [] }
  const beganAtNs = BigInt(Date.now() + 60_000) * 1_000_000n
  const run = { runId: '0', folder, project, wall, merged: wall, environment: {}, beganAtNs }
  const asked = new Map<string, AskedRun>()
  const pending = new Map<string, PendingMoves>()
  const logged: string[] = []
  const removed: string[] = []
  const commandChanges = createCommandChanges(run, {
    dataDir,
    environment: { PATH: process.env.PATH ?? '' },
    isAsked: () => false,
    log: { write: (_, event) => void logged.push(event) },
    disk: nodeDisk,
    folder: {
      look: async () => ({ kind: 'file', bytes: Buffer.from('a'), hash: 'hash' }),
      problemOf: async () => null,
      entryAt: (path) => entryAt(nodeDisk, project, path),
      entryProblemOf: async () => null,
      async apply({ alsoWrite }) {
        alsoWrite?.('change-set')
        return { id: 'change-set', conflicts: [], waiting: [] }
      },
    },
    asked: { keep: (id, run) => void asked.set(id, run), done: (id) => void asked.delete(id) },
    moves: {
      begin: (id, moves) => void pending.set(id, moves),
      done: (id) => void pending.delete(id),
      isBegun: (id) => pending.has(id),
    },
    remove: async (id) => void removed.push(id),
  })
  return { upper: join(folder, 'upper'), project, commandChanges, asked, pending, logged, removed }
}

it('leaves a file or a link where it is whose place an empty folder took, and names it', async () => {
  const { project, commandChanges } = rig(['a.txt', 'link', 'new'])
  writeFileSync(join(project, 'a.txt'), 'a')
  symlinkSync('a.txt', join(project, 'link'))
  const { files, entries, left } = await commandChanges.plan()
  expect(files).toEqual([])
  expect(entries.map(({ path }) => path)).toEqual(['new'])
  expect(left.map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual(['place a.txt', 'place link'])
})

it('names ignored files that cannot be moved, moves the others, and tries none of them again', async () => {
  const { upper, project, commandChanges, pending, logged, removed } = rig(['deps'])
  writeFileSync(join(upper, 'deps/ok'), 'ok')
  // A move that fails: the name is longer than any system allows.
  const long = `deps/${'x'.repeat(300)}`
  const changes = [
    { kind: 'link' as const, path: long, target: 'a' },
    { kind: 'file' as const, path: 'deps/ok', sizeBytes: 2, mode: 0o644, lowerMode: null },
  ]
  const ignored = [{ top: 'deps', changes, files: 2, sizeBytes: 2, leadsOut: false }]
  const files = [{ path: 'a.txt', oldBytes: null, newBytes: Buffer.from('a'), mode: null }]
  expect(await commandChanges.apply({ files, entries: [], ignored }, 'run')).toEqual({
    changeSetId: 'change-set',
    left: [],
    failed: [long],
  })
  expect(readFileSync(join(project, 'deps/ok'), 'utf8')).toBe('ok')
  expect([pending.size, removed, logged]).toEqual([0, ['0'], ['sandbox.moves-failed']])
  // The same without a change set.
  const alone = await commandChanges.apply({ files: [], entries: [], ignored }, 'run')
  expect([alone.failed, pending.size]).toEqual([[long], 0])
})

it('is recorded while the user is asked, until the changes are taken over or dropped', async () => {
  const { project, commandChanges, asked, removed } = rig([])
  const result = { isOk: true, text: 'ran', view: { kind: 'text' as const } }
  const run = { callId: 'call', command: { line: 'npm test', folder: '.' }, result }
  const files = [{ path: 'a.txt', oldBytes: null, newBytes: Buffer.from('a'), mode: null }]
  const ends = [
    () => commandChanges.drop(),
    () => commandChanges.apply({ files, entries: [], ignored: [] }, 'run'),
    () => commandChanges.apply({ files: [], entries: [], ignored: [] }, 'run'),
  ]
  for (const end of ends) {
    commandChanges.keep(run)
    expect(asked.get('0')).toEqual({ ...run, project, beganAtNs: expect.stringMatching(/^\d+$/) })
    await end()
    expect(asked.size).toBe(0)
  }
  expect(removed).toEqual(['0', '0', '0'])
})

it('moves nothing over what somebody changed since the command began, also after a restart', async () => {
  const [folder, project] = [tempFolder(), tempFolder()]
  mkdirSync(join(folder, 'upper'))
  writeFileSync(join(folder, 'upper/notes.log'), 'command')
  writeFileSync(join(project, 'notes.log'), 'mine')
  writeFileSync(join(project, 'removed.log'), 'mine')
  const changes = [
    { kind: 'file' as const, path: 'notes.log', sizeBytes: 7, mode: 0o644, lowerMode: 0o644 },
    { kind: 'gone' as const, path: 'removed.log' },
  ]
  const parts = [{ top: 'notes.log', changes, files: 2, sizeBytes: 7, leadsOut: false }]
  const movedFrom = (ms: number) => {
    const beganAtNs = String(BigInt(Date.now() + ms) * 1_000_000n)
    return finishMoves({ disk: nodeDisk }, folder, { project, parts, beganAtNs })
  }
  expect(await movedFrom(-60_000)).toEqual({ left: ['notes.log', 'removed.log'], failed: [] })
  expect(readFileSync(join(project, 'notes.log'), 'utf8')).toBe('mine')
  expect(await movedFrom(60_000)).toEqual({ left: [], failed: [] })
  expect(readFileSync(join(project, 'notes.log'), 'utf8')).toBe('command')
})

it('puts a file in the place of a folder that a killed host had emptied', async () => {
  const [folder, project] = [tempFolder(), tempFolder()]
  mkdirSync(join(folder, 'upper'))
  writeFileSync(join(folder, 'upper/two'), 'command')
  mkdirSync(join(project, 'two'))
  const changes = [
    { kind: 'file' as const, path: 'two', sizeBytes: 7, mode: 0o644, lowerMode: null },
    { kind: 'gone' as const, path: 'two/a/b' },
  ]
  const parts = [{ top: 'two', changes, files: 2, sizeBytes: 7, leadsOut: false }]
  const beganAtNs = String(BigInt(Date.now() - 60_000) * 1_000_000n)
  expect(await finishMoves({ disk: nodeDisk }, folder, { project, parts, beganAtNs })).toEqual({
    left: [],
    failed: [],
  })
  expect(readFileSync(join(project, 'two'), 'utf8')).toBe('command')
})

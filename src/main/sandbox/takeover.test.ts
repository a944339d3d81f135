import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/temp-folder.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import { entryAt } from '../workspace/entries/place-entry.ts'
import { createTakeover, type PendingMoves } from './takeover.ts'

/** The takeover of a command that left these empty folders in its copy. */
function rig(made: readonly string[]) {
  const [folder, project, dataDir] = [tempFolder(), tempFolder(), tempFolder()]
  for (const path of made) mkdirSync(join(folder, 'upper', path), { recursive: true })
  const wall = { program: 'false', args: [] }
  const beganAtNs = BigInt(Date.now() + 60_000) * 1_000_000n
  const run = { runId: '0', folder, project, wall, merged: wall, environment: {}, beganAtNs }
  const pending = new Map<string, PendingMoves>()
  const logged: string[] = []
  const takeover = createTakeover(run, {
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
    moves: { begin: (id, moves) => void pending.set(id, moves), done: (id) => void pending.delete(id) },
    remove: async () => undefined,
  })
  return { project, takeover, pending, logged }
}

it('leaves a file or a link where it is whose place an empty folder took, and names it', async () => {
  const { project, takeover } = rig(['a.txt', 'link', 'new'])
  writeFileSync(join(project, 'a.txt'), 'a')
  symlinkSync('a.txt', join(project, 'link'))
  const { files, entries, left } = await takeover.plan()
  expect(files).toEqual([])
  expect(entries.map(({ path }) => path)).toEqual(['new'])
  expect(left.map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual(['place a.txt', 'place link'])
})

it('keeps the change set, so that it can be undone, where ignored files cannot be moved yet', async () => {
  const { takeover, pending, logged } = rig([])
  // A move that fails: the name is longer than any system allows.
  const changes = [{ kind: 'link' as const, path: `deps/${'x'.repeat(300)}`, target: 'a' }]
  const ignored = [{ top: 'deps', changes, files: 1, sizeBytes: 0, leadsOut: false }]
  const files = [{ path: 'a.txt', oldBytes: null, newBytes: Buffer.from('a'), mode: null }]
  expect(await takeover.apply({ files, entries: [], ignored }, 'run')).toEqual({
    changeSetId: 'change-set',
    left: [],
    waiting: ['deps'],
  })
  expect([...pending.keys()]).toEqual(['0'])
  expect(logged).toEqual(['sandbox.moves-wait'])
  // Without a change set there is nothing to undo: the failure is told.
  await expect(takeover.apply({ files: [], entries: [], ignored }, 'run')).rejects.toThrow('ENAMETOOLONG')
})

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/temp-folder.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import { entryAt } from '../workspace/entries/place-entry.ts'
import { createTakeover } from './takeover.ts'

it('leaves a file or a link where it is whose place an empty folder took, and names it', async () => {
  const [folder, project, dataDir] = [tempFolder(), tempFolder(), tempFolder()]
  for (const path of ['a.txt', 'link', 'new']) mkdirSync(join(folder, 'upper', path), { recursive: true })
  writeFileSync(join(project, 'a.txt'), 'a')
  symlinkSync('a.txt', join(project, 'link'))
  const wall = { program: 'false', args: [] }
  const beganAtNs = BigInt(Date.now() + 60_000) * 1_000_000n
  const run = { runId: '0', folder, project, wall, merged: wall, environment: {}, beganAtNs }
  const takeover = createTakeover(run, {
    dataDir,
    environment: { PATH: process.env.PATH ?? '' },
    isAsked: () => false,
    disk: nodeDisk,
    folder: {
      look: async () => ({ kind: 'file', bytes: Buffer.from('a'), hash: 'hash' }),
      problemOf: async () => null,
      entryAt: (path) => entryAt(nodeDisk, project, path),
      entryProblemOf: async () => null,
      apply: () => Promise.reject(new Error('applied')),
    },
    moves: { begin: () => undefined, done: () => undefined },
    remove: async () => undefined,
  })
  const { files, entries, left } = await takeover.plan()
  expect(files).toEqual([])
  expect(entries.map(({ path }) => path)).toEqual(['new'])
  expect(left.map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual(['place a.txt', 'place link'])
})

import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import type { Work } from '../../shared/domain/work/work.ts'
import { AppError } from '../../shared/errors.ts'
import type { DocumentService } from '../documents/document-service.ts'
import { type Disk, nodeDisk } from '../platform/files/disk.ts'
import { createLoreService } from './lore-service.ts'

const source = '---\nkeys: [雨]\n---\n　雨の国。\n'

/** A service over real files. `failing`: what `stat` does for a path, and `read` throws, instead. */
function rig(paths: readonly string[], failing: { stat?: Disk['stat']; read?: Record<string, Error> } = {}) {
  const root = tempFolder()
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), source)
  }
  const listed = [...paths]
  const reads: string[] = []
  const stat: Disk['stat'] = async (path) =>
    (path.endsWith('壊.md') ? failing.stat?.(path) : undefined) ?? nodeDisk.stat(path)
  const lstatAll: Disk['lstatAll'] = (paths) => Promise.all(paths.map(stat))
  const lore = createLoreService({
    disk: { ...nodeDisk, stat, lstatAll },
    works: {
      rootOf: () => root,
      get: () => ({ files: listed.map((path) => ({ path, kind: 'material' })) }) as Work,
    },
    documents: {
      flush: async () => undefined,
      read: async ({ path }) => {
        reads.push(path)
        const error = failing.read?.[path]
        if (error !== undefined) throw error
        return { text: source } as Awaited<ReturnType<DocumentService['read']>>
      },
      edit: () => Promise.reject(new Error('nothing is edited')),
    },
    stallMs: 20,
  })
  return { lore, root, listed, reads }
}

const scan = { text: '雨が降る。\n', note: '', path: '001.txt', isRecursive: false, files: [] }
const denied = () => Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES' }))
const silent = () => Promise.withResolvers<never>().promise

it.each<[string, Parameters<typeof rig>[1], object]>([
  ['without permission', { stat: denied }, { code: 'file/denied' }],
  ['on a disk that does not answer', { stat: silent }, { code: 'file/failed', reason: 'no answer' }],
  [
    'of an unknown encoding',
    { read: { '資料/壊.md': new AppError({ code: 'file/not-text', path: '/elsewhere/壊.md' }) } },
    { code: 'file/not-text' },
  ],
])('a material %s is named with the reason, and the others are read', async (_, failing, error) => {
  const { lore } = rig(['資料/壊.md', '資料/雨.md'], failing)
  const unread = [{ path: '資料/壊.md', error: { path: '資料/壊.md', ...error } }]
  const listed = await lore.list('w')
  expect(listed.entries.map(({ name }) => name)).toEqual(['雨'])
  expect(listed.unread).toEqual(unread)
  const matched = await lore.match('w', scan)
  expect([...matched.reasons.keys()]).toEqual(['資料/雨.md'])
  expect(matched.unread).toEqual(unread)
})

it('a material that is too large, or a link to nothing, is named with the reason; one that is gone is not', async () => {
  const { lore, root, listed } = rig(['資料/大.md', '資料/雨.md'])
  truncateSync(join(root, '資料/大.md'), 2_000_001)
  symlinkSync('無.md', join(root, '資料/糸.md'))
  listed.push('資料/糸.md', '資料/消.md')
  expect((await lore.list('w')).unread.map(({ path, error }) => [path, error])).toEqual([
    [
      '資料/大.md',
      { code: 'file/too-large', path: '資料/大.md', sizeBytes: 2_000_001, limitBytes: 2_000_000 },
    ],
    ['資料/糸.md', { code: 'file/not-found', path: '資料/糸.md' }],
  ])
})

it('a material is read again once it has changed, and each time while it cannot be read', async () => {
  const failing = {
    read: { '資料/壊.md': new AppError({ code: 'file/denied', path: '資料/壊.md' }) } as Record<
      string,
      Error
    >,
  }
  const { lore, root, reads } = rig(['資料/壊.md', '資料/雨.md'], failing)
  const [first, second] = [await lore.list('w'), await lore.list('w')]
  expect(second).toEqual(first)
  expect(reads.toSorted()).toEqual(['資料/壊.md', '資料/壊.md', '資料/雨.md'])

  failing.read = {}
  const readable = await lore.list('w')
  expect(readable.entries).toHaveLength(2)
  expect(readable.revision).not.toBe(first.revision)
  reads.length = 0
  expect(await lore.list('w')).toEqual(readable)
  expect(reads).toEqual([])
  writeFileSync(join(root, '資料/雨.md'), `${source}　雪の国。\n`)
  expect((await lore.list('w')).revision).not.toBe(readable.revision)
  expect(reads).toEqual(['資料/雨.md'])
})

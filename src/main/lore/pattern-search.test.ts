import { expect, it } from 'vitest'
import type { Work } from '../../shared/domain/work/work.ts'
import type { WorkFile } from '../../shared/domain/work/work-file.ts'
import { AppError } from '../../shared/errors.ts'
import type { DocumentService } from '../documents/document-service.ts'
import type { Disk } from '../platform/files/disk.ts'
import { startThread, type ThreadLimits } from '../platform/node/limited-thread.ts'
import { createLoreService, type LoreScan } from './lore-service.ts'

/** Lore over materials in memory, which counts the threads that it starts and what it asks them. */
function countedLore(materials: Record<string, string>, patternTimeoutMs = 5_000) {
  const asked: string[] = []
  let threads = 0
  const files = Object.keys(materials).map((path) => ({ path, kind: 'material' }) as WorkFile)
  const lore = createLoreService({
    disk: { stat: async () => ({ mtimeMs: 1, size: 1 }) } as unknown as Disk,
    works: { rootOf: () => '/w', get: () => ({ files }) as Work },
    documents: {
      flush: async () => undefined,
      read: async ({ path }: { path: string }) => ({ text: materials[path] ?? '' }),
      edit: () => Promise.reject(new AppError({ code: 'file/not-found', path: '' })),
    } as unknown as Pick<DocumentService, 'read' | 'edit' | 'flush'>,
    patternTimeoutMs,
    startThread(script: string, limits: ThreadLimits) {
      threads += 1
      const thread = startThread(script, limits)
      return {
        ...thread,
        ask: (question) => {
          asked.push((question as { source: string }).source)
          return thread.ask(question)
        },
      }
    },
  })
  const match = async (scan: Partial<LoreScan>) => {
    const whole = { text: '', note: '', path: '001.txt', isRecursive: false, files: [], ...scan }
    const { reasons, problems } = await lore.match('w', whole)
    return { found: [...reasons.keys()].sort(), problems: problems.map(({ problem }) => problem) }
  }
  return { match, asked, threads: () => threads }
}

const entry = (yaml: string, text = '本文') => `---\n${yaml}\n---\n${text}\n`

it('starts one thread for all expressions of a matching, and none for what it knows', async () => {
  const { match, asked, threads } = countedLore({
    'a.md': entry('keys: ["/雨.+傘/"]'),
    'b.md': entry('keys: ["/猫+/"]'),
    'c.md': entry('keys: ["/林[ぁ-ん]/"]'),
  })
  expect((await match({ text: '雨の日の傘。猫。', note: '林が来る。' })).found).toEqual([
    'a.md',
    'b.md',
    'c.md',
  ])
  expect(threads()).toBe(1)
  expect(asked).toHaveLength(3)
  await match({ text: '雨の日の傘。猫。', note: '林が来る。' })
  expect(threads()).toBe(1)
})

it('starts no thread for alternations of words, as the importer makes them of secondary keys', async () => {
  const { match, threads } = countedLore({
    'a.md': entry('keys: [雨]\nalso: ["/(?:傘|長\\\\.靴)/"]'),
    'b.md': entry('keys: [雨]\nalso: ["/(?:猫|犬)/"]'),
    'c.md': entry('keys: ["/Hayashi|林/"]'),
  })
  expect((await match({ text: '雨だ。長.靴だ。hayashi' })).found).toEqual(['a.md', 'c.md'])
  expect(threads()).toBe(0)
})

it('looks for conditions only where a key was found, and in no empty text', async () => {
  const { match, asked, threads } = countedLore({
    'a.md': entry('keys: [雨]\nalso: ["/傘+/"]'),
    'b.md': entry('keys: [雪]\nalso: ["/靴+/"]\nnever: ["/橇+/"]'),
  })
  expect((await match({ text: '雨と傘' })).found).toEqual(['a.md'])
  expect(asked).toEqual(['傘+'])
  expect(threads()).toBe(1)
  await match({ text: '', note: '' })
  expect(threads()).toBe(1)
})

it('names an expression that hangs, and starts a thread again for those behind it', {
  timeout: 60_000,
}, async () => {
  const { match, threads } = countedLore(
    { 'a.md': entry('keys: ["/(雨+)+1$/", "/猫+/", "/(/"]'), 'b.md': entry('keys: ["/犬+/"]') },
    1_000,
  )
  const { found, problems } = await match({ text: `${'雨'.repeat(60)}が降る。猫と犬。` })
  expect(found).toEqual(['a.md', 'b.md'])
  expect(problems).toEqual([
    { kind: 'slow-pattern', key: '/(雨+)+1$/' },
    { kind: 'bad-pattern', key: '/(/' },
  ])
  expect(threads()).toBe(2)
})

it('finds expressions in the text of entries that hold, also of one that always holds', async () => {
  const { match, threads } = countedLore({
    'a.md': entry('keys: [綾瀬]', '　綾瀬は林の姉である。'),
    'b.md': entry('keys: ["/林の./"]\nalso: ["/傘+/"]'),
    'c.md': entry('always: true', '　犬のいる町。'),
    'd.md': entry('keys: [犬]'),
    'e.md': entry('keys: ["/犬の?/"]\nnever: ["/傘+/"]'),
  })
  const text = '綾瀬の傘。'
  expect((await match({ text })).found).toEqual(['a.md', 'c.md'])
  expect((await match({ text, isRecursive: true })).found).toEqual(['a.md', 'b.md', 'c.md', 'd.md'])
  expect(threads()).toBe(2)
})

it('finds expressions in full width and in half width, as it finds words', async () => {
  const { match } = countedLore({
    'a.md': entry('keys: ["/AI+/"]'),
    'b.md': entry('keys: ["/ガ.ス/"]'),
    'c.md': entry('keys: ["/（仮.*）/"]'),
    'd.md': entry('keys: ["/AI|ＴＶ/"]'),
    'e.md': entry('keys: ["/\\\\bAI\\\\b/"]'),
  })
  expect((await match({ text: 'ＡＩとｶﾞﾗｽ、(仮の名)。' })).found).toEqual([
    'a.md',
    'b.md',
    'c.md',
    'd.md',
    'e.md',
  ])
  expect((await match({ text: '「tv」' })).found).toEqual(['d.md'])
})

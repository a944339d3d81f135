import { expect, it } from 'vitest'
import { LoreEntry, type LoreSettings, type UnreadLore } from '../../../shared/domain/lore/lore.ts'
import { startThread, type ThreadLimits } from '../../platform/node/limited-thread.ts'
import { checkChapter } from './chapter-check.ts'

const entryOf = (name: string, settings: Partial<LoreSettings>) =>
  LoreEntry.parse({ path: `資料/${name}.md`, name, text: '本文。', textFrom: 0, problems: [], ...settings })

/** Checks a chapter up to its first event; counts the threads that it starts and what it asks them. */
async function begunCheck(text: string, entries: LoreEntry[], unread: UnreadLore[] = []) {
  const asked: string[] = []
  let [threads, ended] = [0, 0]
  const deps = {
    isWriting: () => false,
    works: { rootOf: () => '/w', manuscripts: () => [{ path: '001.txt' }] },
    documents: { read: async () => ({ text, version: null }) },
    list: async () => ({ entries, unread }),
    startThread(script: string, limits: ThreadLimits) {
      threads += 1
      const thread = startThread(script, limits)
      return {
        ask: (question: unknown) => {
          asked.push((question as { source: string }).source)
          return thread.ask(question)
        },
        end: () => {
          ended += 1
          return thread.end()
        },
      }
    },
  } as unknown as Parameters<typeof checkChapter>[0]
  const events = []
  for await (const event of checkChapter(deps, 'w', '001.txt', new AbortController().signal))
    events.push(event)
  return { events, asked, threads, ended }
}

it('a check looks for each expression once, and for all of them in one thread', async () => {
  const entries = [
    entryOf('猫', { keys: ['/猫(が|は)歩/', '/三毛.猫/'], also: ['/傘[がを]/'] }),
    entryOf('犬', { keys: ['/犬(が|は)歩/', '/傘[がを]/'], never: ['/猫(が|は)歩/'] }),
    entryOf('無効', { keys: ['/使わない.式/'], enabled: false }),
    entryOf('別の章', { keys: ['/別の.章/'], range: { from: 2, to: null } }),
  ]
  const { events, asked, threads, ended } = await begunCheck('　雨が降っていた。\n', entries)
  expect(events).toEqual([{ type: 'begun', entries: 0, pairs: 0, failedKeys: [], off: [], unread: [] }])
  expect(asked.toSorted()).toEqual(['三毛.猫', '傘[がを]', '犬(が|は)歩', '猫(が|は)歩'].toSorted())
  expect([threads, ended]).toEqual([1, 1])
})

it('a check starts no thread where all keys are literal', async () => {
  expect(await begunCheck('　雨。\n', [entryOf('猫', { keys: ['猫'] })])).toMatchObject({ threads: 0 })
})

it('a check names an expression that never ends, and looks for the others in a new thread', async () => {
  const keys = ['/(雨|雨)+(雨+)+$x/', '/猫.?犬/', '/(/']
  const { events, threads } = await begunCheck(`　${'雨'.repeat(60)}\n`, [entryOf('雨', { keys })])
  expect(events).toEqual([
    { type: 'begun', entries: 0, pairs: 0, failedKeys: ['/(雨|雨)+(雨+)+$x/', '/(/'], off: [], unread: [] },
  ])
  expect(threads).toBe(2)
})

it('a check reads a long chapter once, however many entries there are', async () => {
  const text = '　雨が降っていた。\n'.repeat(10_000)
  const entries = Array.from({ length: 5_000 }, (_, at) => entryOf(String(at), { keys: [`名前${at}`] }))
  const { events } = await begunCheck(text, entries)
  expect(events).toEqual([{ type: 'begun', entries: 0, pairs: 0, failedKeys: [], off: [], unread: [] }])
})

it('a check names the entries whose settings cannot be read, and the files that cannot be read', async () => {
  const problem = { kind: 'front-matter' as const, reason: '値', line: 2, fields: ['range'] }
  const broken = { ...entryOf('壊', { keys: ['雨'], enabled: false }), problems: [problem] }
  const slow = { ...entryOf('式', {}), problems: [{ kind: 'slow-pattern' as const, key: '/x/' }] }
  const unread = [{ path: '資料/像.md', error: { code: 'file/not-text' as const, path: '資料/像.md' } }]
  const { events } = await begunCheck('　雨。\n', [broken, slow], unread)
  expect(events).toMatchObject([{ type: 'begun', entries: 0, off: ['資料/壊.md'], unread }])
})

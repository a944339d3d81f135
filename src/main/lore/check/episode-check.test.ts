import { expect, it } from 'vitest'
import { LoreEntry } from '../../../shared/domain/lore/lore.ts'
import { checkEpisode } from './episode-check.ts'

it('a check reads a long episode once, however many entries there are', async () => {
  const text = '　雨が降っていた。\n'.repeat(10_000)
  const entries = Array.from({ length: 5_000 }, (_, at) =>
    LoreEntry.parse({ path: `資料/${at}.md`, name: '', text: '本文。', problems: [], keys: [`名前${at}`] }),
  )
  const deps = {
    isWriting: () => false,
    works: { rootOf: () => '/w', manuscripts: () => [{ path: '001.txt' }] },
    documents: { read: async () => ({ text, version: null }) },
    entries: async () => entries,
  } as unknown as Parameters<typeof checkEpisode>[0]
  const events = []
  for await (const event of checkEpisode(deps, 'w', '001.txt', new AbortController().signal))
    events.push(event)
  expect(events).toEqual([{ type: 'begun', entries: 0, pairs: 0, failedKeys: [] }])
})

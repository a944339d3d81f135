import { expect, it } from 'vitest'
import type { CheckEvent } from '../../shared/domain/lore/mentions.ts'
import type { CompletionRequest, ModelEvent } from '../models/client/model-client.ts'
import { checkChapter } from './check/chapter-check.ts'
import { readEntry } from './read-materials.ts'
import { createSummaryService } from './summaries/summary-service.ts'

const texts: Record<string, string> = {
  '1.txt': '　綾瀬は黒い目を伏せた。\n',
  '2.txt': '　続き。\n',
  '資料/綾瀬.md': '---\nkeys: 綾瀬\n---\n目は青い。\n',
}

/** A model whose first request is ended by a request of the user; the second is answered. */
function rig(answer: string) {
  const asked: CompletionRequest[] = []
  const client = {
    capabilities: { constraints: [], hasTools: false },
    contextWindow: async () => ({ tokens: 4096, source: 'server' }),
    countTokens: null,
    async *complete(request: CompletionRequest): AsyncGenerator<ModelEvent> {
      asked.push(request)
      const isFirst = asked.length === 1
      yield { type: 'text', text: isFirst ? answer.slice(0, 5) : answer }
      yield { type: 'done', stopReason: isFirst ? 'aborted' : 'stop' }
    },
  }
  const words = {
    summary: { chapter: '{{text}}', next: '{{summary}}{{text}}', whole: '' },
    check: '{{text}}',
  }
  const stored = new Map<string, unknown>()
  const files = Object.keys(texts).map((path) => ({
    path,
    kind: path.endsWith('.md') ? 'material' : 'manuscript',
  }))
  const deps = {
    clock: { now: () => 0 },
    random: { next: () => 0 },
    works: {
      rootOf: () => '/w',
      get: () => ({ files }),
      manuscripts: () => files.filter(({ kind }) => kind === 'manuscript'),
    },
    documents: { read: async ({ path }: { path: string }) => ({ text: texts[path] ?? '' }) },
    state: {
      getState: (_: string, key: string) => stored.get(key),
      setState: (_: string, key: string, value: unknown) => void stored.set(key, value),
    },
    list: async () => ({
      entries: [readEntry('資料/綾瀬.md', texts['資料/綾瀬.md'] ?? '').entry],
      unread: [],
    }),
    activeModel: async () => ({
      client,
      template: { wrapper: '{{inner}}', stops: [] },
      sampler: {},
      modelName: 'm',
    }),
    isWriting: () => false,
    windowLanguage: () => 'ja',
    words: async () => ({ ja: words, en: words }),
  }
  return { asked, stored, deps: deps as never }
}

it('a pair whose question a request of the user preempted is judged anew', async () => {
  const judgement = { contradicts: 'yes', text: '黒い目', entry: '目は青い', reason: '色' }
  const { asked, deps } = rig(JSON.stringify(judgement))
  const events: CheckEvent[] = []
  for await (const event of checkChapter(deps, 'w', '1.txt', new AbortController().signal)) events.push(event)
  expect(asked.map(({ priority }) => priority)).toEqual(['background', 'background'])
  expect(events.map(({ type }) => type)).toEqual(['begun', 'pair', 'contradiction'])
})

it('a summary in the background that was preempted leaves nothing; the next one is an offer', async () => {
  const { asked, stored, deps } = rig('雨の夜。')
  const summaries = createSummaryService(deps)
  const make = () => summaries.makeInBackground('w', '1.txt', new AbortController().signal)
  expect(await make()).toBe('preempted')
  expect(stored.size).toBe(0)
  expect(await make()).toBe('made')
  expect(asked.map(({ priority }) => priority)).toEqual(['background', 'background'])
  expect([...stored.values()]).toEqual([{ '1.txt': expect.objectContaining({ text: '雨の夜。' }) }])
})

import { expect, it } from 'vitest'
import type { CheckEvent } from '../../shared/domain/lore/mentions.ts'
import type { CompletionRequest, ModelEvent } from '../models/client/model-client.ts'
import { checkChapter } from './check/chapter-check.ts'
import { readEntry } from './read-materials.ts'

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
  const words = { check: '{{text}}' }
  const files = Object.keys(texts).map((path) => ({
    path,
    kind: path.endsWith('.md') ? 'material' : 'manuscript',
  }))
  const deps = {
    random: { next: () => 0 },
    works: {
      rootOf: () => '/w',
      get: () => ({ files }),
      manuscripts: () => files.filter(({ kind }) => kind === 'manuscript'),
    },
    documents: { read: async ({ path }: { path: string }) => ({ text: texts[path] ?? '' }) },
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
  return { asked, deps: deps as never }
}

it('a pair whose question a request of the user preempted is judged anew', async () => {
  const judgement = { contradicts: 'yes', text: '黒い目', entry: '目は青い', reason: '色' }
  const { asked, deps } = rig(JSON.stringify(judgement))
  const events: CheckEvent[] = []
  for await (const event of checkChapter(deps, 'w', '1.txt', new AbortController().signal)) events.push(event)
  expect(asked.map(({ priority }) => priority)).toEqual(['background', 'background'])
  expect(events.map(({ type }) => type)).toEqual(['begun', 'pair', 'contradiction'])
})

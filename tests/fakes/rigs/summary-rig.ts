import { type ChangeSpec, Text } from '@codemirror/state'
import { onTestFinished } from 'vitest'
import { createTakeService } from '../../../src/main/drafting/takes/take-service.ts'
import { createSummaryService } from '../../../src/main/lore/summaries/summary-service.ts'
import type { CompletionRequest, ModelEvent } from '../../../src/main/models/client/model-client.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import { wholePath } from '../../../src/shared/domain/lore/summary-source.ts'
import type { CompletionEnd } from '../../../src/shared/domain/model/model-status.ts'
import { AppError } from '../../../src/shared/errors.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { openTestStore } from '../disks/test-store.ts'

/** `fails`: after its text. */
type Answer = { text: string; end?: CompletionEnd; fails?: boolean }

/**
 * A summary service over files in memory and a real store. Files under 資料 are materials, the others chapters in the order of
 * their names.
 */
export function summaryRig(texts: Record<string, string>, answers: Answer[] = [], contextTokens = 4096) {
  const store = openTestStore(`${tempFolder()}/tsugi.db`)
  onTestFinished(() => store.close())
  const { workId } = store.works.open('/w', 'w', 0)
  let now = 0
  const stop = new AbortController()
  const hooks: { onText?: (text: string) => unknown } = {}
  const asked: CompletionRequest[] = []
  const unreadable = new Set<string>()
  const silent = new Set<string>()
  const client = {
    contextWindow: async () => ({ tokens: contextTokens, source: 'server' }),
    countTokens: null,
    async *complete(request: CompletionRequest): AsyncGenerator<ModelEvent> {
      asked.push(request)
      const { text, end = 'stop', fails = false } = answers.shift() ?? { text: '話。' }
      let written = ''
      for (const char of text) {
        yield { type: 'text', text: char }
        written += char
        await hooks.onText?.(written)
      }
      if (fails) throw new AppError({ code: 'model/unreachable', address: 'http://127.0.0.1:1' })
      const usage = { promptTokens: 9, reusedTokens: 0, completionTokens: 3, tokensPerSecond: 5 }
      yield { type: 'usage', usage } as ModelEvent
      yield { type: 'done', stopReason: stop.signal.aborted ? 'aborted' : end }
    },
  }
  const summary = { chapter: '{{text}}', piece: '{{summary}}／{{text}}', none: '無', whole: '{{text}}' }
  const files = () =>
    Object.keys(texts)
      .toSorted()
      .map((path) => ({ path, kind: path.startsWith('資料/') ? 'material' : 'manuscript' }))
  const read = async ({ path }: { path: string }) => {
    const text = texts[path]
    if (text === undefined) throw new AppError({ code: 'file/not-found', path })
    if (silent.has(path)) await Promise.withResolvers<never>().promise
    if (unreadable.has(path)) throw new AppError({ code: 'file/not-text', path })
    return { text }
  }
  const deps = {
    clock: { now: () => now },
    random: { next: () => 0, id: systemRandom.id },
    works: {
      rootOf: () => '/w',
      get: () => ({ files: files() }),
      manuscripts: () => files().filter(({ kind }) => kind === 'manuscript'),
      createFile: async (_: string, path: string, text: string) => {
        texts[path] = text
      },
    },
    documents: {
      read,
      edit: async ({ path }: { path: string }, edit: (doc: Text) => ChangeSpec) => {
        const change = edit(Text.of((texts[path] ?? '').split('\n'))) as { insert: string }
        texts[path] = change.insert
      },
    },
    state: store.works,
    takes: createTakeService(store.takes),
    activeModel: async () => ({
      client,
      template: { wrapper: '<{{inner}}>', stops: [] },
      sampler: { temperature: 0.5 },
      modelName: 'm',
      isDemo: false,
    }),
    isWriting: () => false,
    windowLanguage: () => 'ja',
    words: async () => ({ ja: { summary }, en: { summary } }),
    stallMs: 20,
  } as never
  const service = createSummaryService(deps)
  const make = async (...targets: Parameters<typeof service.make>[1]) => {
    const events = []
    for await (const event of service.make(workId, targets, stop.signal)) events.push(event)
    return events
  }
  const list = () => service.list(workId)
  const offerOf = async (path: string) => {
    const { episodes, whole: together } = await list()
    return (path === wholePath ? together : episodes.find((one) => one.path === path))?.offer ?? null
  }
  /** All takes of a summary, newest first, as the window reads them. */
  const takesOf = (path: string) => store.takes.list({ workId, path, mode: 'summary', limit: 99 }).takes
  return Object.assign(hooks, {
    texts,
    asked,
    unreadable,
    silent,
    store,
    workId,
    stop,
    service,
    make,
    list,
    offerOf,
    takesOf,
    story: (path: string) => service.story(workId, path),
    accept: async (path: string, text: string, replaces: string) =>
      service.accept(workId, (await offerOf(path))?.takeId ?? '', text, replaces),
    pass: (ms: number) => {
      now += ms
    },
    /** The next host over the same store, where this one was killed. */
    restarted: () => createSummaryService(deps),
  })
}

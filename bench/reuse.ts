/** What the model reads again from page to page: the anchored body beside the sliding one. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createApp } from '../src/main/app.ts'
import type { Deps } from '../src/main/deps.ts'
import { forkWorkers } from '../src/main/engine/fork-worker.ts'
import { systemClock as clock } from '../src/main/platform/clock.ts'
import { silentLog as log } from '../src/main/platform/log.ts'
import { systemRandom as random } from '../src/main/platform/random.ts'
import type { Api } from '../src/shared/contract/index.ts'
import type { FitMode } from '../src/shared/domain/drafting/draft-settings.ts'
import type { RunFigures } from '../src/shared/domain/drafting/run.ts'
import { type ModelFile, temporaryFolder, tinyModels } from './model-files.ts'
import { type Prose, proseOf, readProse } from './prose.ts'
import { type BenchOptions, number, type Report, ratio } from './report.ts'
import { timed } from './timing.ts'

const contextTokens = 4_096
/** Short, since a tiny model writes noise; what is read does not depend on it. */
const outputTokens = 32
/** Before the first page; more than the context window holds. Units: characters. */
const startChars = 10_000
/** About 200 tokens. */
const pageChars = 240
const path = '001.txt'
const root = resolve(import.meta.dirname, '..')

type Reading = { promptTokens: number; readTokens: number; coldPages: number; ms: number }

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const prose = await readProse()
  const pages = isQuick ? 10 : 50
  const [model] = tinyModels()
  if (model === undefined) throw new Error('no model to measure with')
  const sliding = await writePages(model, prose, 'token_dynamic', pages)
  const anchored = await writePages(model, prose, 'anchored', pages)
  const row = (mode: string, one: Reading) => [
    mode,
    number(one.promptTokens),
    number(one.readTokens),
    number(one.readTokens / pages),
    String(one.coldPages),
    ratio(one.readTokens, sliding.readTokens),
    number(one.ms / 1000),
  ]
  return {
    title: 'Prompt tokens read again from page to page',
    about: [
      `${pages} pages through the whole app and its embedded engine (${model.name}, a window of ${number(contextTokens)} tokens): after each run the novel's next ${pageChars} characters are appended and the next run starts. Text: ${prose.source}, ${number(startChars)} characters before the first page. The figures are the engine's own. Baseline: the sliding body (\`token_dynamic\`), whose beginning moves with every page. A page is cold where more than half of its prompt was read.`,
    ],
    tables: [
      {
        title: `${pages} pages`,
        columns: ['mode', 'prompt tokens', 'read', 'read a page', 'cold pages', 'read, ratio', 'seconds'],
        rows: [row('sliding (baseline)', sliding), row('anchored', anchored)],
      },
    ],
  }
}

async function writePages(model: ModelFile, prose: Prose, fitMode: FitMode, pages: number): Promise<Reading> {
  const work = join(temporaryFolder(), 'work')
  await mkdir(work)
  await writeFile(join(work, path), proseOf(prose, startChars))
  const app = await createApp(ownDeps(temporaryFolder()), { version: 'bench', openPath: null })
  const stop = new AbortController()
  const context = { signal: stop.signal }
  const { api } = await app.load()
  try {
    const { profile } = await api['model.use']({ backend: 'embedded', file: model.file }, context)
    if (profile.backend !== 'embedded') throw new Error('not the embedded engine')
    await api['profile.save']({ profile: { ...profile, contextTokens } }, context)
    await api['profile.select']({ profileId: profile.id, role: 'main' }, context)
    await api['settings.update'](
      { patch: { drafting: { fitMode, outputTokensGenerate: outputTokens } } },
      context,
    )
    const { workId } = await api['work.open']({ path: work }, context)
    const text = await openText(api['document.watch']({ workId, path }, context))

    const reading: Reading = { promptTokens: 0, readTokens: 0, coldPages: 0, ms: 0 }
    for (let page = 0; page < pages; page++) {
      const { ms, result } = await timed(() => draft(api, workId, stop.signal))
      const readTokens = (result.promptTokens ?? 0) - (result.reusedTokens ?? 0)
      reading.promptTokens += result.promptTokens ?? 0
      reading.readTokens += readTokens
      reading.coldPages += readTokens * 2 > (result.promptTokens ?? 0) ? 1 : 0
      reading.ms += ms
      const from = startChars + page * pageChars
      const next = proseOf(prose, from + pageChars).slice(from)
      const changes = [[text.length, [0, ...next.split('\n')] as [number, ...string[]]]]
      const { documentId } = text
      const change = { documentId, clientId: 'bench', baseVersion: text.version, changes }
      text.version = (await api['document.change'](change, context)).version
      text.length += next.length
    }
    return reading
  } finally {
    stop.abort()
    await app.close()
  }
}

type Events = ReturnType<Api['document.watch']>

/** Keeps a document open as a window does. */
async function openText(events: Events): Promise<{ documentId: string; version: number; length: number }> {
  const iterator = events[Symbol.asyncIterator]()
  const { value } = await iterator.next()
  if (value?.kind !== 'snapshot') throw new Error('the watch began without a snapshot')
  void (async () => {
    while (!(await iterator.next()).done);
  })()
  const { documentId, version, text } = value.snapshot
  return { documentId, version, length: text.length }
}

/** One run from its start to its end. */
async function draft(api: Api, workId: string, signal: AbortSignal): Promise<RunFigures> {
  const input = { workId, path, mode: 'generate', ideaTarget: 'all', isEstimateAccepted: false } as const
  const { run } = await api['draft.start']({ ...input, seed: 1 }, { signal })
  let { figures } = run
  for await (const event of api['run.watch']({ runId: run.runId }, { signal })) {
    if (event.type === 'snapshot') figures = event.run.figures
    if (event.type === 'figures') figures = event.figures
    const ended = event.type === 'ended' ? event : event.type === 'snapshot' ? event.run : undefined
    if (ended?.state === 'finished') return figures
    if (ended !== undefined && ended.state !== 'running') throw new Error(JSON.stringify(ended.error))
  }
  throw new Error('the run was lost')
}

function ownDeps(dataDir: string): Deps {
  const secrets = new Map<string, string>()
  return {
    clock,
    random,
    log,
    fetch: globalThis.fetch,
    shell: {
      kind: 'web',
      reveal: async () => false,
      secrets: {
        isEncrypted: async () => false,
        get: async (name) => secrets.get(name),
        set: async (name, value) => void secrets.set(name, value),
        remove: async (name) => void secrets.delete(name),
      },
    },
    spawnWorker: forkWorkers({ engine: join(root, 'src/main/engine/engine-child.ts') }),
    resourcesDir: join(root, 'resources'),
    dataDir,
    locale: 'ja',
    hostId: random.id(),
  }
}

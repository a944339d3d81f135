import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { EngineProcess } from '../src/main/engine/engine-process.ts'
import type { ChatRequest } from '../src/main/models/client/model-client.ts'
import { createEmbeddedClient } from '../src/main/models/embedded/embedded-client.ts'
import { systemClock as clock } from '../src/main/platform/clock.ts'
import { dataFolderPath } from '../src/main/platform/files/data-folder.ts'
import { forkWorkers } from '../src/main/platform/node/fork-worker.ts'
import { prefetchContext } from '../src/main/sessions/runner/session-runner.ts'
import { loadToolWords } from '../src/main/tools/defining/tool-words.ts'
import { declareTools } from '../src/main/tools/tool-schema.ts'
import type { ModelUsage } from '../src/shared/domain/model/model-status.ts'
import { AgentTalk, activeModel, decisionText } from '../tests/fakes/agent/agent-talk.ts'
import { templatePack } from '../tests/fakes/rigs/fake-draft.ts'
import { silentLog as log } from '../tests/fakes/silent-log.ts'
import { type ModelFile, tinyModels } from './model-files.ts'
import { number, ratio, type Table } from './report.ts'
import { median, timed } from './timing.ts'

const root = resolve(import.meta.dirname, '..')
const contextTokens = 8_192
const message =
  'Look at the second chapter again: the bell rings thirteen times, but the letter says twelve. '
const reply = 'The letter was written before the bell was mended, so both are right; the date in it says so. '
const suggestion = 'run the tests again'
const ask = { role: 'main', isShort: false, isThinkingOff: true } as const

/** The cost of one kind of request, turn by turn. Units: ms, tokens. */
type Spent = { ms: number[]; prompt: number[]; read: number[] }
type Variant = 'shared' | 'standalone, cold' | 'standalone, warm' | 'decision' | 'decision, pre-read'

/** The starter model, where its file is. */
export function smolFile(): ModelFile | null {
  const { platform, env } = process
  const folder = env.TSUGI_TEST_MODELS ?? join(dataFolderPath({ platform, env, home: homedir() }), 'models')
  const file = join(folder, 'SmolLM2-135M-Instruct.Q4_1.gguf')
  return existsSync(file) ? { name: 'SmolLM2-135M-Instruct Q4_1', file } : null
}

/** The time from an answer to its ghost, and from a suggested message to the first word of what follows. */
export async function ghostTables(turns: number): Promise<Table[]> {
  const [tiny] = tinyModels()
  const models = [tiny, smolFile()].filter((model) => model !== null && model !== undefined)
  const tables: Table[] = []
  for (const model of models) tables.push(...(await measureModel(model, turns)))
  return tables
}

async function measureModel(model: ModelFile, turns: number): Promise<Table[]> {
  const engine = new EngineProcess(
    { spawnWorker: forkWorkers({ engine: join(root, 'src/main/engine/engine-child.ts') }), clock, log },
    { file: model.file, contextTokens },
  )
  const client = createEmbeddedClient({ clock, engine }, { template: templatePack('chatml'), contextTokens })
  const chat = client.chat.bind(client)
  client.chat = (request, signal) => {
    const grammar = `root ::= ${JSON.stringify(lineFor(request))}`
    return chat({ ...request, constraint: { kind: 'gbnf', grammar } }, signal)
  }
  try {
    const declarations = declareTools(await loadToolWords(join(root, 'resources'), 'en'))
    const toolbox = { declarations, callSchema: async () => ({}), filesInUse: () => [] }
    const spent = await play(new AgentTalk(activeModel(client), { toolbox }), turns)
    return tablesOf(model.name, spent)
  } finally {
    await client.dispose()
  }
}

/** Returns the answer that the model is made to write: the same in every variant, so that only reading differs. */
function lineFor({ constraint, priority, conversation }: ChatRequest): string {
  if (priority === 'background' && conversation !== 'one') return JSON.stringify({ suggestion })
  return constraint === undefined ? (priority === 'background' ? suggestion : reply) : decisionText()
}

async function play(talk: AgentTalk, turns: number): Promise<Record<Variant, Spent>> {
  const nothing = (): Spent => ({ ms: [], prompt: [], read: [] })
  const spent: Record<Variant, Spent> = {
    shared: nothing(),
    'standalone, cold': nothing(),
    'standalone, warm': nothing(),
    decision: nothing(),
    'decision, pre-read': nothing(),
  }
  const add = (variant: Variant, ms: number, usage: ModelUsage | null) => {
    if (usage === null) throw new Error('a request without figures')
    spent[variant].ms.push(ms)
    spent[variant].prompt.push(usage.promptTokens)
    spent[variant].read.push(usage.promptTokens - (usage.reusedTokens ?? 0))
  }
  const suggest = async (
    variant: 'forked' | 'standalone',
    as: Variant,
    sessionId = talk.context.sessionId,
  ) => {
    const { signal } = talk.signal
    const context = { ...talk.context, sessionId }
    const { ms, result } = await timed(() =>
      talk.model.suggest(context, { ...ask, strategy: variant }, signal),
    )
    if (result.kind === 'lack') throw new Error(result.lack)
    add(as, ms, result.usage)
  }
  for (let turn = 0; turn < turns; turn++) {
    const isPreRead = turn > 0 && turn % 2 === 0
    if (isPreRead) {
      const context = prefetchContext(talk.context, [], message)
      if (context !== null) await talk.model.preRead(context, talk.signal.signal)
    }
    talk.say(message)
    const { usage } = await talk.decide()
    if (turn > 0) add(isPreRead ? 'decision, pre-read' : 'decision', usage?.msPrompt ?? 0, usage)
    await talk.reply()
    await suggest('forked', 'shared')
    await suggest('standalone', 'standalone, cold', `unseen ${turn}`)
    await suggest('standalone', 'standalone, warm')
    // In the first turn this variant has nothing in its cache either.
    if (turn === 0) spent['standalone, warm'] = nothing()
  }
  return spent
}

function tablesOf(name: string, spent: Record<Variant, Spent>): Table[] {
  const row = (variant: Variant, baseline: Variant) => [
    variant === baseline ? `${variant} (baseline)` : variant,
    number(Math.round(median(spent[variant].prompt))),
    number(Math.round(median(spent[variant].read))),
    number(median(spent[variant].ms)),
    ratio(median(spent[variant].ms), median(spent[baseline].ms)),
  ]
  const columns = (ms: string) => ['variant', 'prompt tokens', 'read', ms, 'ratio']
  return [
    {
      title: `${name}: from the answer to the ghost`,
      columns: columns('ms to the ghost'),
      rows: (['standalone, cold', 'standalone, warm', 'shared'] as const).map((variant) =>
        row(variant, 'standalone, cold'),
      ),
    },
    {
      title: `${name}: from the suggested message to the first word of the decision`,
      columns: columns('ms to the first word'),
      rows: (['decision', 'decision, pre-read'] as const).map((variant) => row(variant, 'decision')),
    },
  ]
}

/** The tokens that a model reads again in a session of fifty turns, and the cost of the decision before each reply. */
import { join, resolve } from 'node:path'
import type { RequestContext, RequestHooks } from '../src/main/agent/model/agent-model.ts'
import { createAgentModel } from '../src/main/agent/model/create-agent-model.ts'
import type { PromptEntry } from '../src/main/agent/model/prompt/prompt-entry.ts'
import { EngineProcess } from '../src/main/engine/engine-process.ts'
import type { ChatRequest, ModelClient } from '../src/main/models/client/model-client.ts'
import { controlStringsOf } from '../src/main/models/completion/break-control-strings.ts'
import { RequestQueue } from '../src/main/models/completion/request-queue.ts'
import { createEmbeddedClient } from '../src/main/models/embedded/embedded-client.ts'
import { createOpenaiClient } from '../src/main/models/openai/openai-client.ts'
import type { ActiveModel } from '../src/main/models/profiles/active-model.ts'
import { systemClock as clock } from '../src/main/platform/clock.ts'
import { forkWorkers } from '../src/main/platform/node/fork-worker.ts'
import { systemRandom as random } from '../src/main/platform/random.ts'
import { loadPrompts } from '../src/main/prompts/load-prompts.ts'
import { loadToolWords } from '../src/main/tools/defining/tool-words.ts'
import { declareTools } from '../src/main/tools/tool-schema.ts'
import { defaultTimeouts } from '../src/shared/domain/model/model-profile.ts'
import type { ModelUsage } from '../src/shared/domain/model/model-status.ts'
import { newAgentState } from '../src/shared/domain/session/agent-state.ts'
import { templatePack } from '../tests/fakes/rigs/fake-draft.ts'
import { createFakeLlamaServer } from '../tests/fakes/servers/fake-llama-server.ts'
import { directTurns, playDirectTurn } from '../tests/fakes/sessions/direct-turns.ts'
import { silentLog as log } from '../tests/fakes/silent-log.ts'
import { temporaryFolder, tinyModels } from './model-files.ts'
import { playPlainLoop } from './plain-loop.ts'
import { type BenchOptions, number, type Report, ratio, type Table } from './report.ts'
import { timed } from './timing.ts'

const root = resolve(import.meta.dirname, '..')
const contextTokens = 32_768
const template = templatePack('chatml')
const sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
/** Number of turns after which a file is read. */
const workEvery = 5
const message =
  'Look at the second chapter again: the bell rings thirteen times, but the letter says twelve. '
const file = Array.from(
  { length: 40 },
  (_, line) => `${line + 1}\tThe bell of the old tower rang that night.`,
)
const reply = 'The letter was written before the bell was mended, so both are right; the date in it says so. '

const decided = JSON.stringify({
  rationale: 'the user asks about a passage that is already in view',
  goal_consistency: { answer: 'yes', reason: 'it is the goal itself' },
  constraint_check: { answer: 'yes', reason: 'nothing is changed' },
  next_step: 'continue',
  step: 'PLANNING',
  prompt_pattern: 'base_main',
  state_delta: null,
})
const called = '{"calls":[{"tool":"read_file","args":{"path":"002.txt"}}]}'

/** Returns the answer that the model is made to write: the figures are about reading and do not depend on it. */
function lineFor({ messages, constraint, toolChoice }: ChatRequest): string {
  const wanted = messages.at(-1)?.content ?? ''
  if (wanted.includes('# Carry') || wanted.includes('# Make a plan') || wanted.includes('Work on by'))
    return called
  return constraint === undefined && toolChoice !== 'auto' ? reply : decided
}

type Spent = { requests: number; promptTokens: number; readTokens: number; written: number; ms: number }
type Played = Record<'decision' | 'reply' | 'work', Spent> & { laterTurns: Spent }

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const turns = isQuick ? 10 : 50
  const tables = [await directPath(), await withEngine(turns), await withLlamaServer(turns)]
  return {
    title: 'Tokens read again in a session',
    about: [
      `${turns} turns, each a message, the model's decision and a reply; in every fifth a file is read before it. What the model says is prescribed by a grammar (embedded) or a script (llama-server as recorded), so that only reading differs from a real one; the counts are the backend's own. Baseline: each request's whole prompt, as without a cache. The overhead of deciding is what decisions read and wrote.`,
    ],
    tables,
  }
}

/** Whole turns of a scripted model that calls tools by itself, beside a plain loop that is played in the same run. */
async function directPath(): Promise<Table> {
  const rows: string[][] = []
  for (const turn of directTurns()) {
    const place = { root: temporaryFolder(), dataDir: temporaryFolder() }
    const { requests, promptTokens, head } = await playDirectTurn(turn, place)
    const plain = await playPlainLoop(turn, head, { root: temporaryFolder(), dataDir: temporaryFolder() })
    rows.push([
      turn.name,
      String(requests),
      String(plain.requests),
      number(promptTokens),
      number(plain.promptTokens),
      ratio(promptTokens, plain.promptTokens),
      `${turn.requests}, ≤ ${number(turn.promptTokens)}, ≤ ${turn.ratio} ×`,
    ])
  }
  return {
    title: 'direct path, llama-server as recorded',
    columns: ['turn', 'requests', 'plain loop', 'prompt tokens', 'plain loop (baseline)', 'ratio', 'goal'],
    rows,
  }
}

async function withEngine(turns: number): Promise<Table> {
  const [model] = tinyModels()
  if (model === undefined) throw new Error('no model to measure with')
  const engine = new EngineProcess(
    { spawnWorker: forkWorkers({ engine: join(root, 'src/main/engine/engine-child.ts') }), clock, log },
    { file: model.file, contextTokens },
  )
  const client = createEmbeddedClient({ clock, engine }, { template, contextTokens })
  const chat = client.chat.bind(client)
  const said: ModelClient['chat'] = (request, signal) => {
    const grammar = `root ::= ${JSON.stringify(lineFor(request))}`
    return chat({ ...request, constraint: { kind: 'gbnf', grammar } }, signal)
  }
  Object.assign(client, { chat: said })
  try {
    return table(`embedded engine, ${model.name}`, await play(client, 'embedded', turns))
  } finally {
    await client.dispose()
  }
}

async function withLlamaServer(turns: number): Promise<Table> {
  let next = ''
  const fake = await createFakeLlamaServer({
    contextTokens,
    template: 'no-tools',
    tokenMs: 0,
    answer: () => ({ text: next }),
  })
  const client = createOpenaiClient(
    { clock, queue: new RequestQueue() },
    {
      address: fake.address,
      model: 'smol.gguf',
      flavour: 'llama.cpp',
      timeouts: defaultTimeouts,
      canCallTools: false,
      contextTokens,
      key: async () => undefined,
      controls: controlStringsOf([template]),
    },
  )
  const chat = client.chat.bind(client)
  const said: ModelClient['chat'] = (request, signal) => {
    next = lineFor(request)
    return chat(request, signal)
  }
  Object.assign(client, { chat: said })
  try {
    return table('llama-server as recorded', await play(client, 'openai', turns))
  } finally {
    await client.dispose()
    await fake.close()
  }
}

async function play(client: ModelClient, backend: 'embedded' | 'openai', turns: number): Promise<Played> {
  const active = {
    client,
    template,
    sampler,
    profile: { backend } as ActiveModel['profile'],
    modelName: 'bench',
    isDemo: false,
    languages: [],
  }
  const declarations = declareTools(await loadToolWords(join(root, 'resources'), 'en'))
  const model = createAgentModel({
    activeModel: async () => active,
    prompts: await loadPrompts(join(root, 'resources/prompts')),
    toolbox: {
      declarations,
      callSchema: async () => ({ type: 'object', properties: {}, required: [] }),
      filesInUse: () => [],
    },
    readLines: async () => null,
    random,
  })
  const played: Played = { decision: nothing(), reply: nothing(), work: nothing(), laterTurns: nothing() }
  const { signal } = new AbortController()
  const entries: PromptEntry[] = []
  for (let turn = 1; turn <= turns; turn++) {
    const context = (): RequestContext => ({
      sessionId: 'bench',
      language: 'en',
      turn,
      log: entries,
      state: newAgentState(),
    })
    const spend = async (
      kind: 'decision' | 'reply' | 'work',
      ask: () => Promise<{ entries: PromptEntry[]; usage: ModelUsage | null }>,
    ) => {
      const { ms, result } = await timed(ask)
      entries.push(...result.entries)
      add(played[kind], result.usage, ms)
      if (turn > 1) add(played.laterTurns, result.usage, ms)
    }
    entries.push({ turn, role: 'user', kind: 'message', text: `${message}${turn}` })
    await spend('decision', () => model.decide(context(), silent, signal))
    if (turn % workEvery === 0) {
      await spend('work', () => model.work(context(), 'PLANNING', silent, signal))
      const [call] = entries.at(-1)?.calls ?? []
      const text = file.join('\n')
      if (call !== undefined) entries.push({ turn, role: 'tool', kind: 'result', callId: call.callId, text })
    }
    await spend('reply', () => model.reply(context(), { kind: 'plain', about: '' }, silent, signal))
  }
  return played
}

const silent: RequestHooks = {
  onPhase: () => undefined,
  onText: () => undefined,
  onReasoning: () => undefined,
  onReplace: () => undefined,
  onSent: () => undefined,
}

function nothing(): Spent {
  return { requests: 0, promptTokens: 0, readTokens: 0, written: 0, ms: 0 }
}

function add(spent: Spent, usage: ModelUsage | null, ms: number): void {
  if (usage === null) throw new Error('a request without figures')
  spent.requests += 1
  spent.promptTokens += usage.promptTokens
  spent.readTokens += usage.promptTokens - (usage.reusedTokens ?? 0)
  spent.written += usage.completionTokens
  spent.ms += ms
}

function table(title: string, played: Played): Table {
  const row = (name: string, one: Spent) => [
    name,
    String(one.requests),
    number(one.promptTokens / one.requests),
    number(one.readTokens / one.requests),
    ratio(one.readTokens, one.promptTokens),
    number(one.written / one.requests),
    number(one.ms / one.requests),
  ]
  return {
    title,
    columns: ['request', 'number', 'prompt (baseline)', 'read', 'read, ratio', 'written', 'ms'],
    rows: [
      row('decision', played.decision),
      row('work', played.work),
      row('reply', played.reply),
      row('all after the first turn', played.laterTurns),
    ],
  }
}

import { randomUUID } from 'node:crypto'
import type { AgentModel, RequestContext, RequestHooks } from '../../../src/main/agent/model/agent-model.ts'
import type { PromptEntry } from '../../../src/main/agent/model/prompt/prompt-entry.ts'
import type { Log } from '../../../src/main/deps.ts'
import { LiveSession } from '../../../src/main/sessions/live-session.ts'
import type { ConsentGates, RunnerDeps } from '../../../src/main/sessions/runner/runner-deps.ts'
import { SessionRunner } from '../../../src/main/sessions/runner/session-runner.ts'
import { openDatabase } from '../../../src/main/store/database/database.ts'
import { createSessionRepository } from '../../../src/main/store/sessions/session-repository.ts'
import { ReadLedger } from '../../../src/main/tools/edits/read-ledger.ts'
import type { CallResult, PreparedCall, RawCall, ReadCall } from '../../../src/main/tools/prepared-call.ts'
import type { AgentDecision } from '../../../src/shared/domain/session/agent-decision.ts'
import type { AgentMode } from '../../../src/shared/domain/session/agent-step.ts'
import type { GateView } from '../../../src/shared/domain/session/gate.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { placeEmptyStore } from '../disks/test-store.ts'
import { manualClock } from '../manual-clock.ts'
import { seededRandom } from '../seeded-random.ts'
import { decided } from './scripted-mind.ts'
import { newSessionRecord } from './session-record.ts'

/** The scripted model's reaction to a request: an answer, or an error to throw. */
export type Play = {
  decide?: Partial<AgentDecision> | Error
  /** Fields of the decision that were over their limits. */
  clipped?: string[]
  /** A reply or work: pieces of text, then optional calls. The promise `until` delays the answer. */
  say?: string[]
  calls?: { name: string; args: string }[]
  until?: Promise<void>
  error?: Error
}

/** A session with fake surroundings: the model is a script, the tools are a function. */
export type Stage = {
  session: LiveSession
  runner: SessionRunner
  /** The requests to the model, in order, each with its prompt. */
  asked: { kind: string; log: readonly PromptEntry[] }[]
  /** Calls that were carried out. */
  ran: string[]
  /** Gates that were closed without an answer. */
  withdrawn: string[]
  play(...plays: Play[]): void
  say(text: string, how?: 'send' | 'steer'): void
  idle(): Promise<void>
  logged: unknown[]
  /** Events of the log. */
  written: { event: string; fields: unknown }[]
  /** Restores gates as the gate service does after a crash: they ask about these calls. */
  restoreGates(calls: readonly PreparedCall[]): void
  /** A second host over the same store. */
  reopen(): Stage
}

export type StageOptions = {
  run?: (
    call: PreparedCall,
    hooks: { signal: AbortSignal; onOutput: (text: string) => void },
  ) => Promise<CallResult>
  /** What each call asks about after a restart, where its command ran in a copy. */
  reopened?: NonNullable<PreparedCall['reopened']>
  /** Which calls need a question; all others are granted. */
  isGated?: (call: PreparedCall, mode: AgentMode) => boolean
  /** The user is asked to run outside what failed in a copy of the folder. */
  asksOutside?: boolean
  /** Returns why a call that waited needs a question now. */
  revalidate?: (call: PreparedCall) => string | null
  isTrusted?: () => boolean
  /** The check of consent lasts until this promise resolves. */
  checksUntil?: Promise<void>
  /** Before every request the prompt is compacted to this many of 100 tokens. */
  compactsTo?: number
  /** The model's answers carry their own decisions. */
  isDirect?: boolean
  /** Error of a compaction in place of its summary. */
  compactFails?: Error
  store?: { path: string; sessionId: string }
  /** Real parts in place of the script. */
  parts?: Partial<
    Pick<RunnerDeps, 'model' | 'toolbox' | 'ledger' | 'changedFiles' | 'submit' | 'checks' | 'events'>
  >
}

export function setStage(options: StageOptions = {}): Stage {
  const path = options.store?.path ?? `${tempFolder()}/tsugi.db`
  placeEmptyStore(path)
  const db = openDatabase(path)
  const repository = createSessionRepository(db)
  const sessionId = options.store?.sessionId ?? 's1'
  if (options.store === undefined) {
    db.prepare("INSERT INTO works (id, root, name, opened_at) VALUES ('w', '/w', 'w', 0)").run()
    repository.add(newSessionRecord(sessionId, 'w'))
  }
  const clock = manualClock()
  const random = { next: seededRandom(7), id: () => randomUUID() }
  const deps = { clock, random, repository, onListed: () => undefined }
  const session = new LiveSession(deps, sessionId)
  const logged: unknown[] = []
  const written: Stage['written'] = []
  const log: Log = {
    write: (_level, event, fields) => void written.push({ event, fields }),
    bug(error) {
      logged.push(error)
      return 'bug'
    },
  }
  const plays: Play[] = []
  const asked: Stage['asked'] = []
  const ran: string[] = []
  const withdrawn: string[] = []
  const gates = new Map<string, readonly PreparedCall[]>()
  const runner = new SessionRunner({
    session,
    root: '/w',
    model: scriptedModel(plays, asked, options),
    toolbox: {
      declarations: [],
      callSchema: async () => ({}),
      prepare: async (calls) => calls.map((call) => prepared(call, ran, options)),
      filesInUse: () => [],
    },
    consent: scriptedConsent(options, gates, withdrawn),
    words: () => ({
      outcome: (outcome, reason) => (reason === null ? outcome : `${outcome}: ${reason}`),
      notice: ({ kind }) => kind,
      failure: (failure) => `failed: ${failure}`,
      loopQuestion: (title) => `again ${title}?`,
      checkMissing: () => 'say in conflicts',
      checkQuestion: (title, conflicts) => `${title} breaks ${conflicts}?`,
      checkReason: () => 'check',
      checkFound: ({ line, output }) => `${line} found ${output}`,
      checkRefused: (line, reason) => `${line} refused: ${reason}`,
      outsideRefused: (reason) => `not outside: ${reason}`,
      undone: (files) => `undone ${files.join()}`,
      redone: (files) => `redone ${files.join()}`,
      planAccepted: () => 'how a plan is carried out',
      replaced: ({ from, to }) => `${to}, not ${from}`,
      filesChanged: (files) => `changed ${files.join()}`,
    }),
    log,
    ledger: new ReadLedger(),
    changedFiles: async () => [],
    submit: async () => [],
    heardModel: () => undefined,
    events: { turnEnded: () => undefined, gateOpened: () => undefined },
    isTrusted: options.isTrusted ?? (() => true),
    instructions: async () => 'be kind',
    isFolderThere: async () => true,
    ...options.parts,
  })
  return {
    session,
    runner,
    asked,
    ran,
    withdrawn,
    logged,
    written,
    restoreGates(calls) {
      for (const { gateId } of session.state.gates) gates.set(gateId, calls)
    },
    play: (...more) => void plays.push(...more),
    say: (text, how = 'send') => runner.begin([{ kind: 'text', text }], how),
    async idle() {
      for (let round = 0; round < 20; round++) await runner.idle()
    },
    reopen: () => setStage({ ...options, store: { path, sessionId } }),
  }
}

function scriptedModel(
  plays: Play[],
  asked: Stage['asked'],
  {
    compactsTo,
    compactFails,
    isDirect = false,
  }: Pick<StageOptions, 'compactsTo' | 'compactFails' | 'isDirect'>,
): Omit<AgentModel, 'suggest' | 'preRead'> {
  const next = (kind: string, context: RequestContext): Play => {
    asked.push({ kind, log: context.log })
    const play = plays.shift()
    if (play === undefined) throw new Error(`the script has nothing for ${kind}`)
    if (play.error !== undefined) throw play.error
    return play
  }
  const answer = async (play: Play, hooks: RequestHooks, signal: AbortSignal): Promise<string> => {
    let text = ''
    hooks.onPhase('writing', null)
    for (const piece of play.say ?? []) {
      if (signal.aborted) break
      text += piece
      hooks.onText(piece)
    }
    if (play.until !== undefined)
      await Promise.race([
        play.until,
        new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
      ])
    return text
  }
  const common = { usage: null, modelName: 'script', isDemo: false, reasoning: '' }
  const prose = async (kind: string, context: RequestContext, hooks: RequestHooks, signal: AbortSignal) => {
    const play = next(kind, context)
    const text = await answer(play, hooks, signal)
    const end = signal.aborted ? ('stopped' as const) : ('finished' as const)
    const role = 'assistant' as const
    return {
      ...common,
      text,
      end,
      play,
      entries: [{ turn: context.turn, role, kind: 'reply' as const, text }],
    }
  }
  let calls = 0
  return {
    isDirect: async () => isDirect,
    async decide(context, hooks, signal) {
      const play = next('decide', context)
      await answer(play, hooks, signal)
      signal.throwIfAborted()
      if (play.decide instanceof Error) throw play.decide
      const decision: AgentDecision = { ...decided, next_step: 'pending_user', ...play.decide }
      const entry: PromptEntry = {
        turn: context.turn,
        role: 'assistant',
        kind: 'decision',
        text: JSON.stringify(decision.next_step),
      }
      return { ...common, decision, isRepaired: false, clipped: play.clipped ?? [], entries: [entry] }
    },
    reply: (context, _wanted, hooks, signal) => prose('reply', context, hooks, signal),
    async beside(context, opening, hooks, signal) {
      const outcome = await prose('beside', context, hooks, signal)
      return { ...outcome, entries: [...opening, ...outcome.entries] }
    },
    async work(context, _step, hooks, signal) {
      const { play, ...outcome } = await prose('work', context, hooks, signal)
      const made = signal.aborted ? [] : (play.calls ?? [])
      const numbered = made.map((call) => ({ ...call, callId: `call-${++calls}` }))
      const entry: PromptEntry = {
        turn: context.turn,
        role: 'assistant',
        kind: 'work',
        text: outcome.text,
        calls: numbered,
      }
      return { ...outcome, calls: numbered, entries: [entry], isDirect }
    },
    async compact(context) {
      asked.push({ kind: 'compact', log: context.log })
      if (compactFails !== undefined) throw compactFails
      const { turn } = context
      const said = context.log.filter((entry) => entry.kind === 'message' && entry.turn === turn)
      const log: PromptEntry[] = [{ turn, role: 'user', kind: 'summary', text: 'short' }, ...said]
      return { log, summary: 'short', tokensBefore: 100, tokensAfter: compactsTo ?? 10, usage: null }
    },
    needsCompaction: async () => compactsTo !== undefined,
  }
}

/** Prepares calls of the script's tools: `read` reads, `write` changes, `run` executes, `ask` asks; no others exist. */
function prepared(raw: RawCall, ran: string[], { run, reopened }: StageOptions): ReadCall {
  const { callId, name, args } = raw
  if (name === 'ask')
    return { kind: 'session', title: args, options: [], call: { kind: 'question', callId, question: args } }
  const access = { read: 'read', write: 'write', run: 'execute' }[name] as PreparedCall['access'] | undefined
  if (access === undefined)
    return { kind: 'invalid', callId, title: name, reason: `no tool ${name}`, error: null }
  const call: PreparedCall = {
    callId,
    tool: access === 'read' ? 'read_file' : access === 'write' ? 'write_file' : 'run_command',
    access,
    isReadOnly: access === 'read',
    hash: `hash of ${args}`,
    title: args,
    reason: null,
    alternatives: [],
    facts: { kind: 'read', paths: [args] },
    without: () => call,
    renew: async () => call,
    changes: [],
    ...(reopened === undefined ? {} : { reopened }),
    async run(hooks) {
      ran.push(args)
      return run?.(call, hooks) ?? { isOk: true, text: `result of ${args}`, view: { kind: 'text' } }
    },
  }
  return { kind: 'world', call }
}

/** Grants, or opens one gate over everything that needs a question. */
function scriptedConsent(
  { isGated = () => false, asksOutside = false, checksUntil, revalidate }: StageOptions,
  gates: Map<string, readonly PreparedCall[]>,
  withdrawn: string[],
): ConsentGates {
  const view = (gateId: string): GateView => ({
    gateId,
    kind: 'calls',
    risk: { level: 'low', reasons: [] },
    calls: (gates.get(gateId) ?? []).map(({ callId, tool, hash }) => ({
      callId,
      tool,
      hash,
      intent: '',
      reason: '',
      isReasonFromDecision: true,
      alternatives: [],
      risk: { level: 'low', reasons: [] },
      patterns: [],
      files: [],
      command: null,
      reads: [],
      plan: null,
    })),
  })
  return {
    async ask({ mode }, calls) {
      await checksUntil
      const asked = calls.filter((call) => isGated(call, mode))
      const gateId = `gate-${gates.size + 1}`
      if (asked.length > 0) gates.set(gateId, asked)
      const items = asked.map(({ callId, hash }) => ({ callId, hash }))
      return {
        records: calls
          .filter((call) => !asked.includes(call))
          .map(({ callId, hash }) => ({ callId, hash, by: 'rule' as const, name: 'scope' })),
        denied: [],
        gates: items.length === 0 ? [] : [{ gateId, kind: 'calls' as const, items }],
      }
    },
    revalidate: async (_context, call) => revalidate?.(call) ?? null,
    askPlan: async () => ({ records: [], denied: [], gates: [] }),
    askEffects: async () => ({ records: [], denied: [], gates: [] }),
    async askOutside(_context, call) {
      const { callId, hash } = call
      const gate = { gateId: `gate-${gates.size + 1}`, kind: 'calls' as const, items: [{ callId, hash }] }
      if (asksOutside) gates.set(gate.gateId, [call])
      return { records: [], denied: [], gates: asksOutside ? [gate] : [] }
    },
    view: (_sessionId, gateId) => view(gateId),
    async answer(_context, { gateId, verdict, reason }) {
      const calls = gates.get(gateId) ?? []
      if (verdict === 'refuse') return { kind: 'rejected', reason }
      const answers = calls.map(({ callId, hash }) => ({ callId, shownHash: hash, hash, isPartial: false }))
      return { kind: 'approved', answers, calls: [...calls] }
    },
    withdraw: (_sessionId, gateId = '') => void withdrawn.push(gateId),
  }
}

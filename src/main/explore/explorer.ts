import type { ToolName } from '../../shared/domain/session/tool-name.ts'
import { AppError } from '../../shared/errors.ts'
import { createSerialQueue } from '../../shared/serial-queue.ts'
import { isSingleSlot } from '../../shared/suggestion/single-slot.ts'
import { hearAnswer } from '../agent/model/model-answer.ts'
import type { Random } from '../deps.ts'
import type { ChatMessage, ToolDeclaration } from '../models/client/model-client.ts'
import type { ActiveModel } from '../models/profiles/active-model.ts'
import type { RequestLog } from '../sessions/request-log.ts'
import { estimateTextTokens } from '../tokens/token-estimate.ts'
import type { Toolbox } from '../tools/create-toolbox.ts'
import type { PreparedCall, RawCall } from '../tools/prepared-call.ts'

/** All tools that an exploring model may call. */
export const exploringTools: readonly ToolName[] = ['list_directory', 'glob', 'grep', 'read_file']

/** Most requests of one exploration; the last one allows no calls. */
const mostRequests = 12
/** Longest answer. Units: tokens. Source: `docs/decisions/direct-path.md`, Explore. */
const mostAnswerTokens = 2_000
/** Context window that is assumed where the server does not report it. Units: tokens. */
const assumedWindow = 32_768
/** Most calls of one answer that are made. */
const mostCalls = 8
const sampler = { temperature: 0.2, topK: 0, topP: 1, minP: 0.05, repeatPenalty: 1, repeatRange: 0 }

/** The texts of an exploring model, in the language of the session. */
type ExploreWords = {
  system(): string
  question(question: string, listing: string): string
  /** Asks for the answer after the last calls. */
  last(): string
  unknownTool(name: string): string
  /** Says that the user would have to be asked about a call. */
  needsLeave(title: string): string
}

export type ExplorerDeps = {
  /** Errors: `model/none`. */
  active(signal: AbortSignal): Promise<ActiveModel>
  words: ExploreWords
  /**
   * Makes a toolbox for one exploration. It has a ledger of its own, since the model of the conversation does not see
   * the files that the exploration reads.
   */
  toolbox(): { declarations: readonly ToolDeclaration[] } & Pick<Toolbox, 'prepare' | 'noteWindow'>
  /** Returns why calls may not be made, by their ids: a denial's text, or null where the user would be asked. */
  refused(calls: readonly PreparedCall[]): Promise<ReadonlyMap<string, string | null>>
  /** Repairs the arguments of a call to one JSON object, where possible. */
  repair(args: string): string
  random: Pick<Random, 'id' | 'next'>
  sessionId: string
  requests?: Pick<RequestLog, 'begin'>
}

/** Shape: `end` `cut` at an answer's limit, `no-tools` where the model calls none; `places` cited as `path:line`. */
export type Exploration = {
  text: string
  end: 'whole' | 'cut' | 'no-tools'
  requests: number
  modelName: string
  places: number
  /** Cited files that no result has shown. */
  unseen: string[]
}

export type Explorer = ReturnType<typeof createExplorer>

type Step = { title: string; text: string }

/**
 * Runs the explorations of one session: at once on a service that serves many, else one after the other, since a server
 * that people run themselves serves one at a time.
 */
export function createExplorer(deps: ExplorerDeps) {
  const inTurn = createSerialQueue()
  return {
    /**
     * Answers a question about the folder by reading in it. `onStep` is called with the title of each call.
     *
     * Errors: `model/…`; the signal's reason.
     */
    async explore(
      question: string,
      hooks: { onStep(title: string): void; signal: AbortSignal },
    ): Promise<Exploration> {
      const { profile } = await deps.active(hooks.signal)
      if (!isSingleSlot(profile)) return explore(deps, question, hooks)
      return inTurn(() => {
        hooks.signal.throwIfAborted()
        return explore(deps, question, hooks)
      })
    },
  }
}

async function explore(
  deps: ExplorerDeps,
  question: string,
  { onStep, signal }: Parameters<Explorer['explore']>[1],
): Promise<Exploration> {
  const { words, sessionId } = deps
  const active = await deps.active(signal)
  const { client, modelName } = active
  await client.learn?.(signal)
  if (!client.capabilities.hasTools) {
    // An unreachable server has no known capabilities either: then this throws its own error.
    await client.describe(signal)
    return { text: '', end: 'no-tools', requests: 0, modelName, places: 0, unseen: [] }
  }
  const toolbox = deps.toolbox()
  const window = (await client.contextWindow(signal))?.tokens ?? assumedWindow
  toolbox.noteWindow?.(window)
  const tools = toolbox.declarations
  const steps = new Steps(deps, toolbox, onStep, signal)
  const [listing] = await steps.run([{ name: 'list_directory', args: '{}' }])
  const seen = [listing?.text ?? '']
  const messages: ChatMessage[] = [
    { role: 'system', content: words.system() },
    { role: 'user', content: words.question(question, seen[0] ?? '') },
  ]
  const conversation = `${sessionId}/${deps.random.id()}`
  for (let request = 1; ; request++) {
    const counted = await active.client.countChat?.({ messages, tools }, signal)
    let promptTokens = counted ?? estimateTextTokens(JSON.stringify([messages, tools]))
    const isFull = promptTokens + mostAnswerTokens * 2 > window
    const isLast = request >= mostRequests || (isFull && request > 1)
    if (isLast) {
      messages.push({ role: 'user', content: words.last() })
      promptTokens += estimateTextTokens(words.last())
    }
    const answer = await hearAnswer(
      active,
      { sessionId, purpose: 'explore', requests: deps.requests },
      {
        messages,
        tools,
        toolChoice: isLast ? 'none' : 'auto',
        sampler,
        maxTokens: Math.max(1, Math.min(mostAnswerTokens, window - promptTokens)),
        stops: [],
        seed: Math.floor(deps.random.next() * 2 ** 31),
        conversation,
        isThinkingOff: true,
        promptTokens,
        isPromptEstimated: client.countChat === null || isLast,
      },
      false,
      silent,
      signal,
    )
    signal.throwIfAborted()
    if (answer.end === 'aborted') throw new AppError({ code: 'model/replaced', modelName })
    const isCut = answer.end === 'length'
    // Calls of a cut answer may be incomplete; the next answer makes them again.
    const calls = isLast || isCut ? [] : answer.calls.slice(0, mostCalls)
    const isOver = calls.length === 0 && (isLast || answer.text.trim() !== '' || !isCut)
    if (isOver) {
      const text = answer.text.trim()
      return { text, end: isCut ? 'cut' : 'whole', requests: request, modelName, ...citedIn(text, seen) }
    }
    if (calls.length === 0) {
      messages.push({ role: 'user', content: words.last() })
      continue
    }
    const toolCalls = calls.map(({ name, arguments: args }) => ({
      id: deps.random.id(),
      name,
      arguments: deps.repair(args),
    }))
    messages.push({ role: 'assistant', content: answer.text, toolCalls })
    const results = await steps.run(toolCalls.map(({ name, arguments: args }) => ({ name, args })))
    for (const [index, { id }] of toolCalls.entries()) {
      const content = results[index]?.text ?? ''
      seen.push(content)
      messages.push({ role: 'tool', callId: id, content })
    }
  }
}

/** Makes the calls of an exploration. A call that would need the user's approval is refused. */
class Steps {
  readonly #deps: ExplorerDeps
  readonly #toolbox: Pick<Toolbox, 'prepare'>
  readonly #onStep: (title: string) => void
  readonly #signal: AbortSignal

  constructor(
    deps: ExplorerDeps,
    toolbox: Pick<Toolbox, 'prepare'>,
    onStep: (title: string) => void,
    signal: AbortSignal,
  ) {
    this.#deps = deps
    this.#toolbox = toolbox
    this.#onStep = onStep
    this.#signal = signal
  }

  /** Returns the result of each call, in order. Never throws for what a model can write. */
  async run(calls: readonly { name: string; args: string }[]): Promise<Step[]> {
    const raw = calls.map((call): RawCall => ({ callId: this.#deps.random.id(), ...call }))
    const isKnown = (name: string): boolean => exploringTools.some((tool) => tool === name)
    const read = await this.#toolbox.prepare(raw.filter(({ name }) => isKnown(name)))
    const reads = read.flatMap((one) => (one.kind === 'world' ? [one.call] : []))
    const refused = await this.#deps.refused(reads)
    const steps = raw.map(async ({ callId, name }): Promise<Step> => {
      const invalid = read.find((one) => one.kind === 'invalid' && one.callId === callId)
      if (invalid?.kind === 'invalid') return { title: invalid.title, text: invalid.reason }
      const call = reads.find((one) => one.callId === callId)
      if (call === undefined) return { title: name, text: this.#deps.words.unknownTool(name) }
      const { title } = call
      const why = refused.get(callId)
      if (why !== undefined) return { title, text: why ?? this.#deps.words.needsLeave(title) }
      this.#onStep(title)
      const { text } = await call.run({ onOutput: () => undefined, signal: this.#signal })
      return { title, text }
    })
    return Promise.all(steps)
  }
}

/** A word and a line number. A word can begin only after a separator, so that matching does not try each letter. */
const citedPlace = /(?<![^\s`'"()[\]（）「」、。:])([^\s`'"()[\]（）「」、。:]+):\d+/gu
const hasEnding = /\.[\p{L}\p{N}_-]+$/u

/** Returns how many places a text cites, and which of their files no result has named. */
function citedIn(text: string, seen: readonly string[]): { places: number; unseen: string[] } {
  const cited = [...text.matchAll(citedPlace)].flatMap(([, path = '']) => (hasEnding.test(path) ? path : []))
  const isSeen = (path: string): boolean => seen.some((result) => result.includes(path))
  return { places: cited.length, unseen: [...new Set(cited)].filter((path) => !isSeen(path)) }
}

const nothing = (): void => undefined
const silent = {
  onPhase: nothing,
  onText: nothing,
  onReasoning: nothing,
  onReplace: nothing,
  onSent: nothing,
}

import type { CallOutcome } from '../../../shared/domain/session/agent-notice.ts'
import type { CallItem } from '../../../shared/domain/session/session-item.ts'
import { ToolName, toolTraits } from '../../../shared/domain/session/tool-name.ts'
import type { CommandEnding } from '../../../shared/domain/session/tool-result.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { LiveSession } from '../../sessions/live-session.ts'
import type { CallResult, PreparedCall, RawCall, ReadCall } from '../../tools/prepared-call.ts'
import type { ProposedCall } from '../agent-events.ts'
import type { ModelQueue } from './model-queue.ts'
import type { RunnerDeps } from './runner-deps.ts'

type Entry = {
  itemId: string
  call: PreparedCall | null
  /** Why no tool takes it. */
  problem: string
  options: string[]
  title: string
  abort: AbortController
}

/** The calls of a session that have no result yet: their items, what they would do, how they end. */
export class CallRegistry {
  readonly #deps: RunnerDeps
  readonly #session: LiveSession
  readonly #modelQueue: ModelQueue
  readonly #entries = new Map<string, Entry>()

  constructor(deps: RunnerDeps, modelQueue: ModelQueue) {
    this.#deps = deps
    this.#session = deps.session
    this.#modelQueue = modelQueue
  }

  /** Reads the calls of an answer. Touches nothing. */
  async propose(raw: readonly RawCall[]): Promise<ProposedCall[]> {
    const items = raw.map((call) => this.#session.add(newItem(call)).itemId)
    const read = await this.#deps.toolbox.prepare(raw)
    return read.map((call, index) => {
      const entry = entryOf(call, items[index] ?? '')
      this.#entries.set(idOf(call), entry)
      const offer = call.kind === 'invalid' && call.offer !== undefined ? { offer: call.offer } : {}
      this.#session.change(entry.itemId, 'call', { title: entry.title, ...offer })
      return proposedOf(call)
    })
  }

  /** After a crash: reads calls again that a gate still asks about; those that no longer apply are left out. */
  async reopen(items: readonly CallItem[]): Promise<PreparedCall[]> {
    const read = await this.#readAgain(items)
    return read.flatMap((call) => (call.kind === 'world' ? call.call : []))
  }

  /** Of a turn that was begun elsewhere: calls that nobody has made. */
  async proposeAgain(items: readonly CallItem[]): Promise<ProposedCall[]> {
    return (await this.#readAgain(items)).map(proposedOf)
  }

  async #readAgain(items: readonly CallItem[]): Promise<ReadCall[]> {
    const raw = items.map(({ callId, name, args }) => ({ callId, name, args }))
    const read = await this.#deps.toolbox.prepare(raw)
    for (const [index, call] of read.entries())
      this.#entries.set(idOf(call), entryOf(call, items[index]?.itemId ?? ''))
    return read
  }

  prepared(callIds: readonly string[]): PreparedCall[] {
    return callIds.flatMap((callId) => this.#entries.get(callId)?.call ?? [])
  }

  /** A call as it shall run: with the hunks that the user left in it, or renewed. */
  replace(call: PreparedCall): void {
    const entry = this.#entries.get(call.callId)
    if (entry !== undefined) entry.call = call
  }

  options(callId: string): string[] {
    return this.#entries.get(callId)?.options ?? []
  }

  /** What a call is about, in one line. */
  title(callId: string): string {
    return this.#entries.get(callId)?.title ?? ''
  }

  asked(callId: string): void {
    const entry = this.#entries.get(callId)
    if (entry !== undefined) this.#session.change(entry.itemId, 'call', { state: 'asked' })
  }

  /** Carries a call out, only as it was consented to. Says whether it went well. */
  async run(callId: string, hash: string): Promise<boolean> {
    const entry = this.#entries.get(callId)
    if (entry?.call == null || entry.call.hash !== hash) {
      this.end(callId, 'void', null)
      return false
    }
    const { itemId, call, abort } = entry
    this.#session.change(itemId, 'call', { state: 'running', text: '' })
    const result = await this.#perform(call, itemId, abort.signal)
    this.#entries.delete(callId)
    this.#session.change(itemId, 'call', {
      state: result.isOk ? 'done' : 'failed',
      text: result.text,
      view: result.view,
    })
    if (result.ended !== undefined) this.#followCommand(itemId, result.ended)
    this.#append(callId, result.text)
    this.#count(result)
    return result.isOk
  }

  #followCommand(itemId: string, ended: Promise<CommandEnding>): void {
    void ended.then(({ end, exitCode }) => {
      // Undefined where the turn was taken back.
      const item = this.#session.item(itemId)
      if (item?.kind !== 'call' || item.view?.kind !== 'command') return
      this.#session.change(itemId, 'call', { view: { ...item.view, ended: { end, exitCode } } })
    })
  }

  stop(callId: string): void {
    this.#entries.get(callId)?.abort.abort()
  }

  /** A call ends without running. */
  end(callId: string, outcome: CallOutcome, reason: string | null): void {
    const entry = this.#entries.get(callId)
    const isTaken = outcome === 'accepted' || outcome === 'answered'
    const text = entry?.problem ? entry.problem : this.#deps.words.outcome(outcome, reason)
    if (entry !== undefined)
      this.#session.change(entry.itemId, 'call', { state: isTaken ? 'done' : 'refused', outcome, text })
    this.#entries.delete(callId)
    this.#append(callId, text)
  }

  async #perform(call: PreparedCall, itemId: string, signal: AbortSignal): Promise<CallResult> {
    try {
      return await call.run({ signal, onOutput: (text) => this.#session.grow(itemId, 'text', text) })
    } catch (error) {
      const info = isAppError(error) ? error.info : { logId: this.#deps.log.bug(error, `tool ${call.tool}`) }
      return { isOk: false, text: JSON.stringify(info), view: { kind: 'text' } }
    }
  }

  #count({ isOk, view }: CallResult): void {
    const isChange = view.kind === 'change'
    if (isChange && view.changeSetId !== '') this.#session.noteChange(view.changeSetId)
    this.#session.count({
      calls: 1,
      failedCalls: isOk ? 0 : 1,
      changedFiles: isChange && isOk ? view.files.length : 0,
    })
  }

  #append(callId: string, text: string): void {
    const { turn } = this.#session
    this.#modelQueue.append([{ turn, role: 'tool', kind: 'result', callId, text }])
  }
}

function newItem({ callId, name, args }: RawCall) {
  return {
    kind: 'call' as const,
    callId,
    tool: ToolName.safeParse(name).data ?? null,
    name,
    title: '',
    args,
    state: 'waiting' as const,
    outcome: null,
    text: '',
    view: null,
  }
}

function entryOf(call: ReadCall, itemId: string): Entry {
  const common = { itemId, problem: '', options: [], abort: new AbortController() }
  if (call.kind === 'world') return { ...common, call: call.call, title: call.call.title }
  if (call.kind === 'session') return { ...common, call: null, options: call.options, title: call.title }
  return { ...common, call: null, problem: call.reason, title: call.title }
}

function idOf(call: ReadCall): string {
  return call.kind === 'invalid' ? call.callId : call.call.callId
}

function proposedOf(read: ReadCall): ProposedCall {
  if (read.kind === 'session') return read.call
  if (read.kind === 'invalid') return { kind: 'invalid', callId: read.callId }
  const { callId, access, isReadOnly, hash, title } = read.call
  return { kind: 'world', callId, access, isReadOnly, hash, title }
}

/** Files that were read or written are what the conversation is about. */
export function filesOf({ tool, facts }: PreparedCall): string[] {
  if (facts.kind === 'change') return facts.files.map(({ path, to }) => to ?? path)
  return facts.kind === 'read' && toolTraits[tool].notesRead === true ? facts.paths : []
}

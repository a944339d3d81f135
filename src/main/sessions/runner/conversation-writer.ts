import type { AgentGate } from '../../../shared/domain/session/agent-consent.ts'
import type { AgentFailure, AgentNotice } from '../../../shared/domain/session/agent-notice.ts'
import type { KnownFile } from '../../../shared/domain/session/file-reference.ts'
import { type MessageSegment, segmentsText } from '../../../shared/domain/session/message-segment.ts'
import type {
  GateConversationItem,
  MessageHow,
  SessionItem,
  UndoHow,
} from '../../../shared/domain/session/session-item.ts'
import { type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import { createSerialQueue } from '../../../shared/serial-queue.ts'
import type { PromptEntry } from '../../agent/model/prompt/prompt-entry.ts'
import type { SubmitItem } from '../prompt-submit.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Upper limit of items that one message can attach. */
const unsentItems = 2_000

/**
 * Writes messages, answers and calls into the conversation, which the window shows, and into the prompt, which the
 * model reads.
 *
 * Shape: the prompt is only appended to, in the order of `inOrder`. Entries that are held are appended by the next
 * request, so that the result of a call stands beside the call.
 */
export class ConversationWriter {
  readonly #deps: RunnerDeps
  readonly #queue = createSerialQueue()
  #held: PromptEntry[] = []
  readonly #asides = new WeakSet<PromptEntry>()
  #cause: ErrorInfo | null = null
  #told: { key: string; itemId: string } | null = null
  #isDiskFull = false
  /** Files that a held note says were undone, or redone. */
  readonly #undone = new Set<string>()

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    const unsent = this.#unsent()
    const entries = [...deps.session.log, ...unsent]
    // In a fork the ledger knows them already, and what became of them since.
    const known = entries.flatMap(filesOf).filter(({ path }) => deps.ledger.fileOf(path) !== undefined)
    this.#noteFiles(entries, new Set(known.map(({ path }) => path)))
    for (const entry of unsent) this.hold(entry)
  }

  /** Runs `work` on the prompt when everything before it is done. Logs its error, and passes it on. */
  inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#queue(work)
    done.catch((error: unknown) => {
      // Whoever waits for the work tells the user; any other error is a bug.
      if (isAppError(error)) this.#deps.log.write('warn', 'session.prompt', { code: error.info.code })
      else this.#deps.log.bug(error, 'session.prompt')
    })
    return done
  }

  /** Resolves when all work on the prompt that was added so far has ended. */
  idle(): Promise<void> {
    return this.#queue(async () => undefined)
  }

  /** Entries that the model reads with the next request, before the next message. */
  get held(): readonly PromptEntry[] {
    return this.#held
  }

  /** The user's last message in the turn that no request has contained yet; null for a side question. */
  get said(): string | null {
    const isSaid = (entry: PromptEntry): boolean => entry.kind === 'message' && !this.#asides.has(entry)
    return this.#held.findLast(isSaid)?.text ?? null
  }

  /** Appends an entry with the next request. The same instructions are told once. */
  hold(entry: PromptEntry): void {
    const known = entry.kind === 'instructions' ? [...this.#deps.session.log, ...this.#held] : []
    if (known.some(({ kind, text }) => kind === entry.kind && text === entry.text)) return
    this.#held.push(entry)
  }

  /** Holds an entry of a side question or of its answer. */
  holdAside(entry: PromptEntry): void {
    this.#asides.add(entry)
    this.hold(entry)
  }

  appendHeld(): void {
    this.#deps.session.appendEntries(this.#held.splice(0))
  }

  /**
   * Appends what would be lost when the session leaves the memory. Nothing but notes may stand between a call and its
   * result; the messages of the turn are found again.
   */
  keepHeld(): void {
    const { session } = this.#deps
    const isOpen = session.state.calls.length > 0
    const kept = this.#held.filter(({ kind }) => !isOpen || kind === 'note')
    if (kept.length === 0) return
    this.#held = this.#held.filter((entry) => !kept.includes(entry))
    session.appendEntries(kept)
  }

  /** Drops the held entries: the prompt is that of an earlier turn, or of a fork, by now. */
  dropHeld(): void {
    this.#held = []
    this.#undone.clear()
    const { session, ledger } = this.#deps
    for (const { path, hash, from } of session.log.flatMap(filesOf)) if (from === 0) ledger.heard(path, hash)
  }

  note(text: string): void {
    this.hold({ turn: this.#deps.session.turn, role: 'user', kind: 'note', text })
  }

  /** Puts a compacted prompt in place of the prompt; files may have been read again for it. */
  replaceLog(log: readonly PromptEntry[]): void {
    const { session } = this.#deps
    const known = new Set(session.log.map(({ file }) => file?.hash))
    session.replaceLog(log)
    this.#noteFiles(log.filter(({ kind, file }) => kind === 'file' && !known.has(file?.hash)))
  }

  /** Notes which contents of files these entries show to the model, or name. `except`: by their paths. */
  #noteFiles(entries: readonly PromptEntry[], except: ReadonlySet<string> = new Set()): void {
    const { ledger } = this.#deps
    for (const { path, hash, from, to } of entries.flatMap(filesOf)) {
      if (except.has(path)) continue
      if (from > 0) ledger.note(path, hash, { from, to })
      else ledger.heard(path, hash)
    }
  }

  /** Holds one note that names the files which somebody else has changed since the model last saw them. */
  async tellChanged(): Promise<void> {
    const { session, words } = this.#deps
    const changed = (await this.#hearChanged()).filter(({ path }) => !this.#undone.has(path))
    this.#undone.clear()
    if (changed.length === 0) return
    const text = words().filesChanged(changed.map(({ path }) => path))
    const files = changed.map((file) => ({ ...file, from: 0, to: 0 }))
    this.hold({ turn: session.turn, role: 'user', kind: 'note', text, files })
  }

  /** Returns files that have changed by now, through the model's own call: it is not told of them. */
  async passChanged(): Promise<string[]> {
    return (await this.#hearChanged()).map(({ path }) => path)
  }

  /** Shows a message of this turn and what it attaches, and holds both for the model. */
  message(segments: readonly MessageSegment[], how: 'send' | 'steer', items: readonly SubmitItem[]): void {
    for (const entry of this.#shown(segments, how, items)) this.hold(entry)
  }

  /** Shows a message beside the turn. Returns what the model reads of it, in order. */
  messageBeside(segments: readonly MessageSegment[], items: readonly SubmitItem[]): PromptEntry[] {
    return this.#shown(segments, 'beside', items)
  }

  entry(text: string): PromptEntry {
    return { turn: this.#deps.session.turn, role: 'user', kind: 'message', text }
  }

  /** Shows a question of the model's, or opens it again. */
  question(callId: string, question: string, options: string[]): void {
    if (!this.#change('question', callId, { isOpen: true }))
      this.#deps.session.add({ kind: 'question', callId, question, options, answer: null, isOpen: true })
  }

  closeQuestion(callId: string): void {
    this.#change('question', callId, { isOpen: false })
  }

  /** Closes a question with its answer, and shows what that attaches; the model reads the attachments with the next request. */
  answered(callId: string, segments: readonly MessageSegment[], items: readonly SubmitItem[]): void {
    this.#change('question', callId, { isOpen: false, answer: segmentsText(segments) })
    for (const entry of this.#attached(items)) this.hold(entry)
  }

  /** Shows a gate, or what it asks now. */
  gate({ gateId }: AgentGate): void {
    const { session, consent, events } = this.#deps
    events.gateOpened()
    const gate = consent.view(session.sessionId, gateId)
    if (!this.#change('gate', gateId, { gate, state: 'open' }))
      session.add({ kind: 'gate', gate, state: 'open', reason: null })
  }

  closeGate(gateId: string, state: GateConversationItem['state'], reason: string | null): void {
    this.#change('gate', gateId, { state, reason })
  }

  /** Changes the item about a question or a gate. Returns false where there is none. */
  #change<K extends 'question' | 'gate'>(
    kind: K,
    id: string,
    change: Partial<Extract<SessionItem, { kind: K }>>,
  ): boolean {
    const { session } = this.#deps
    const [item]: SessionItem[] = session.itemsAbout(kind, id)
    if (item !== undefined) session.change(item.itemId, kind, change)
    return item !== undefined
  }

  /** Appends the result of a call after work in progress. `touched`: files that the call has shown or changed. */
  result(
    callId: string,
    text: string,
    { images, touched = [] }: { images?: PromptEntry['images']; touched?: readonly string[] } = {},
  ): void {
    const { session, ledger } = this.#deps
    const { turn } = session
    const files = touched.flatMap((path) => ledger.fileOf(path) ?? [])
    const more = { ...(images && { images }), ...(files.length > 0 && { files }) }
    void this.inOrder(async () =>
      session.appendEntries([{ turn, role: 'tool', kind: 'result', callId, text, ...more }]),
    )
  }

  notice(notice: AgentNotice): void {
    const { session, words, log } = this.#deps
    if (notice.kind === 'ignored' || notice.kind === 'clipped') {
      log.write('debug', 'session.notice', { sessionId: session.sessionId, ...notice })
      return
    }
    session.add({ kind: 'notice', notice })
    const text = words().notice(notice)
    if (text !== null) this.note(text)
  }

  /** Shows that the user has undone or redone what an earlier turn did to files. */
  undo(undoneTurn: number, files: string[], how: UndoHow): void {
    const { session, words } = this.#deps
    session.add({ kind: 'undo', undoneTurn, files, ...how })
    if (files.length > 0) this.note(how.isRedo ? words().redone(files) : words().undone(files))
    for (const path of files) this.#undone.add(path)
  }

  /** Shows answers that were being written when the host ended as stopped. */
  closeInterrupted(): void {
    const { session } = this.#deps
    for (const { kind, itemId } of session.openItems())
      if (kind === 'answer') session.change(itemId, 'answer', { state: 'stopped' })
  }

  /** A new message resets failure deduplication. */
  beginTurn(): void {
    this.#told = null
    this.#isDiskFull = false
    this.#deps.session.setCanRecover(false)
  }

  /** Allows another failure to write to be shown: the same work is tried again. */
  retry(): void {
    this.#isDiskFull = false
  }

  /** True once a full disk has ended this work: further failures to write are the same failure. */
  get isDiskFull(): boolean {
    return this.#isDiskFull
  }

  /** Keeps the cause of a failure until the machine has said what follows from it. */
  failure(error: unknown): AgentFailure {
    const { log, root, heardModel } = this.#deps
    const info: ErrorInfo = isAppError(error)
      ? error.info
      : { code: 'internal/bug', logId: log.bug(error, 'session.request') }
    this.#cause = info
    heardModel(info)
    if (info.code === 'file/disk-full') this.#isDiskFull = true
    return failureOf(info, root)
  }

  /** Shows a failure; the same failure again is shown as one that was retried. */
  showFailure(failure: AgentFailure, isRetried: boolean): void {
    const { session } = this.#deps
    const told = { failure, error: this.#cause, isRetried }
    const key = JSON.stringify([failure, this.#cause?.code])
    this.#cause = null
    if (this.#told?.key === key) session.change(this.#told.itemId, 'error', told)
    else this.#told = { key, itemId: session.add({ kind: 'error', ...told }).itemId }
  }

  /** Shows that a question beside the turn stays unanswered. The turn is not affected. */
  showFailureBeside(error: unknown): void {
    const failure = this.failure(error)
    this.#deps.session.add({ kind: 'error', failure, error: this.#cause, isRetried: false })
    this.#cause = null
  }

  #shown(segments: readonly MessageSegment[], how: MessageHow, items: readonly SubmitItem[]): PromptEntry[] {
    const text = modelTextOf(segments, items)
    const modelText = text === segmentsText(segments) ? {} : { modelText: text }
    this.#deps.session.add({ kind: 'user', how, segments: [...segments], ...modelText })
    return [this.entry(text), ...this.#attached(items)]
  }

  /** Shows attachments. Returns what the model reads of them, in order. */
  #attached(items: readonly SubmitItem[]): PromptEntry[] {
    const { session } = this.#deps
    return items.flatMap(({ item, entry }): PromptEntry[] => {
      if (item !== null) session.add(item)
      if (entry === null) return []
      const held = { ...entry, turn: session.turn }
      this.#noteFiles([held])
      return [held]
    })
  }

  /** Returns what the user has sent in this turn and no request has appended to the prompt yet. */
  #unsent(): PromptEntry[] {
    const { session } = this.#deps
    const { turn, log } = session
    const sent = log.filter((entry) => entry.turn === turn)
    const messages = sent.filter(({ kind }) => kind === 'message').map(({ text }) => text)
    const files = new Set(sent.filter(({ kind }) => kind === 'file').map(({ text }) => text))
    // A compaction in this turn keeps what was said in it word for word, and may leave texts of its files out.
    const isCompacted = sent.some(({ kind }) => kind === 'summary')
    if (turn === 0) return []
    const items = session.page({ limit: unsentItems }).items.filter((item) => item.turn === turn)
    let isBeside = false
    let isSaid = true
    return items.flatMap((item): PromptEntry[] => {
      if (item.kind !== 'file') isBeside = item.kind === 'user' && item.how === 'beside'
      if (isBeside) return []
      if (item.kind === 'user') {
        const text = item.modelText ?? segmentsText(item.segments)
        // The same words may have been said twice, and sent once.
        const at = messages.indexOf(text)
        isSaid = at >= 0
        if (isSaid) messages.splice(at, 1)
        return isSaid ? [] : [this.entry(text)]
      }
      if (item.kind !== 'file' || item.state !== 'ok' || files.has(item.text)) return []
      if (isCompacted && isSaid) return []
      const { image, known, text } = item
      const role = image === undefined ? 'system' : 'user'
      return [
        { turn, role, kind: 'file', text, ...(known && { file: known }), ...(image && { images: [image] }) },
      ]
    })
  }

  /** Returns each changed file once, even where two checks find it. */
  async #hearChanged(): Promise<{ path: string; hash: string }[]> {
    const { changedFiles, ledger } = this.#deps
    const changed = (await changedFiles()).filter(({ path, hash }) => ledger.isNews(path, hash))
    for (const { path, hash } of changed) ledger.heard(path, hash)
    return changed
  }
}

function filesOf({ file, files = [] }: PromptEntry): KnownFile[] {
  return file === undefined ? files : [file, ...files]
}

/** Returns a message as the model reads it: attachments that could not be read are named in their place. */
export function modelTextOf(segments: readonly MessageSegment[], items: readonly SubmitItem[]): string {
  return items.findLast(({ modelText }) => modelText !== undefined)?.modelText ?? segmentsText(segments)
}

function failureOf(error: ErrorInfo, root: string): AgentFailure {
  if (error.code === 'model/bad-decision') return 'decision-unreadable'
  if (error.code === 'file/disk-full') return 'disk-full'
  if (error.code === 'file/not-found' && error.path === root) return 'workspace-gone'
  return 'model-failed'
}

import type { EditorState, TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { delay, systemTimers } from '../../../shared/delay.ts'
import type {
  ChangeResult,
  DocumentChange,
  DocumentEvent,
  DocumentSnapshot,
} from '../../../shared/domain/work/document.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { DocumentLink, SyncState } from '../editor-types.ts'
import { readKept, writeKept } from './kept-changes.ts'
import {
  confirmRun,
  confirmSaved,
  receiveOpening,
  receiveRun,
  receiveSnapshot,
  runsOf,
  sendableChanges,
  syncedState,
  unsavedOf,
} from './synced-changes.ts'

const BATCH_MS = 80
const MAX_BATCH = 2_000
const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 5_000
const COMPOSING_POLL_MS = 40
/** Pause in typing without a connection before the text is written to the browser's storage. */
const KEEP_MS = 300
const RESUMED_AFTER_MS = 500

export type SessionHost = {
  createState(snapshot: DocumentSnapshot): EditorState
  /** Returns the transaction that says whether the file may be written, after a later snapshot or format. */
  readOnlyChange(isReadOnly: boolean): TransactionSpec
  /** The session has a state for the first time. */
  onOpened(session: DocumentSession): void
  onDocument(key: string, event: DocumentEvent): void
  onSync(key: string, state: SyncState): void
  onProblem(key: string, error: unknown): void
}

/**
 * Changes that were sent and have not come back: how many of the first each request held (a later one holds
 * the earlier again), and the version after them once main said so.
 */
type Sent = { counts: number[]; version: number | null }

/**
 * One open document: its state while it is not shown, and its conversation with main.
 *
 * Changes go out at most `BATCH_MS` after they were made, one request at a time; main's order comes back by the
 * watch. Whatever fails is tried again, and the text stays here until it is in the file: a main that was killed in
 * between is told again what it lacks.
 */
export class DocumentSession {
  readonly link: DocumentLink
  readonly #host: SessionHost
  #state: EditorState | null = null
  #view: EditorView | null = null
  #documentId = ''
  #sync: SyncState = 'opening'
  #sent: Sent | null = null
  #request: Promise<void> | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #watch = new AbortController()
  #needsSnapshot = true
  #isClosed = false
  #isGone = false
  #confirmedCount = 0
  #waiters: { target: number; resolve: () => void }[] = []
  #savedWaiters: (() => void)[] = []
  #keepTimer: ReturnType<typeof setTimeout> | undefined
  #isKept = false

  constructor(link: DocumentLink, host: SessionHost) {
    this.link = link
    this.#host = host
    void this.#follow()
  }

  get state(): EditorState | null {
    return this.#view?.state ?? this.#state
  }

  get syncState(): SyncState {
    return this.#sync
  }

  /** Gives the state to the view, which holds it until `detach`. */
  attach(view: EditorView): void {
    if (!this.#state) return
    view.setState(this.#state)
    this.#view = view
  }

  detach(): void {
    this.#state = this.state
    this.#view = null
  }

  dispatch(spec: TransactionSpec): void {
    if (this.#view) this.#view.dispatch(spec)
    else if (this.#state) this.#state = this.#state.update(spec).state
  }

  localChanged(): void {
    if (this.#sync === 'synced') this.#setSync('sending')
    if (this.#sync === 'offline') this.#keepSoon()
    this.#schedule(BATCH_MS)
  }

  /** True while this window has text of its own that is not surely in the file. */
  get hasUnsaved(): boolean {
    const state = this.state
    return state !== null && unsavedOf(syncedState(state)).log.some(({ isOwn }) => isOwn)
  }

  /** True where main has closed the document: its file was removed, and no change can be sent. */
  get isGone(): boolean {
    return this.#isGone
  }

  #keepSoon(): void {
    if (!this.#isClosed) this.#keepTimer ??= setTimeout(() => this.keep(), KEEP_MS)
  }

  /** Writes unsaved text to a place that outlives the page, or removes what was written there before. */
  keep(): void {
    clearTimeout(this.#keepTimer)
    this.#keepTimer = undefined
    const state = this.state
    if (state === null || this.#isClosed) return
    const synced = syncedState(state)
    // Of a removed file, main has put what it had into its history.
    const isOwed = this.#isGone ? synced.unconfirmed.length > 0 : this.hasUnsaved
    if (isOwed) this.link.kept?.write(writeKept(this.#documentId, synced))
    else if (this.#isKept) this.link.kept?.write(null)
    this.#isKept = isOwed
  }

  flush(): Promise<void> {
    const count = this.state ? syncedState(this.state).unconfirmed.length : 0
    if (count === 0 || this.#isClosed) return Promise.resolve()
    this.#schedule(0)
    return new Promise((resolve) => this.#waiters.push({ target: this.#confirmedCount + count, resolve }))
  }

  /** Resolves when nothing of this window is unsaved, and when the session is closed before. */
  saved(): Promise<void> {
    if (this.#isClosed || !this.hasUnsaved) return Promise.resolve()
    this.#schedule(0)
    return new Promise((resolve) => this.#savedWaiters.push(resolve))
  }

  #tellSaved(): void {
    if (this.#isClosed || !this.hasUnsaved) for (const resolve of this.#savedWaiters.splice(0)) resolve()
  }

  /** Closes at once: sends the changes that main lacks, and keeps them until the document is opened again. */
  leave(): void {
    if (!this.#needsSnapshot && this.#sent?.version == null) void this.#send()
    this.keep()
    this.close()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#keepTimer)
    this.#watch.abort()
    this.link.kept?.release?.()
    this.#tellSaved()
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed || this.#request || this.#needsSnapshot) return
    if (this.#timer !== undefined && delayMs > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    // At once means in this very turn: the page may be about to go.
    if (delayMs === 0) this.#begin()
    else
      this.#timer = setTimeout(() => {
        this.#timer = undefined
        this.#begin()
      }, delayMs)
  }

  #begin(): void {
    this.#request ??= this.#send().finally(() => {
      this.#request = null
      this.#sendMore()
    })
  }

  /** Goes on sending unless the last batch is still on its way back. */
  #sendMore(): void {
    const state = this.state
    if (!state || this.#sent?.version != null) return
    if (syncedState(state).unconfirmed.length > 0) {
      this.#schedule(this.#failures > 0 ? this.#retryDelayMs() : this.#waiters.length > 0 ? 0 : BATCH_MS)
    } else if (!this.#needsSnapshot && this.#failures === 0) this.#setSync('synced')
  }

  async #send(): Promise<void> {
    const state = this.state
    const batch = state && sendableChanges(state, MAX_BATCH)
    if (!batch || !state || this.#isClosed || this.#sent?.version != null) return
    const { changes, origin } = batch
    this.#sent = { counts: [...new Set([...(this.#sent?.counts ?? []), changes.length])], version: null }
    const baseVersion = syncedState(state).version
    const head = { documentId: this.#documentId, baseVersion, changes }
    try {
      this.#accept(await this.link.send(origin === undefined ? head : { ...head, origin }))
    } catch (error) {
      this.#failed(error)
      if (isAppError(error, 'document/bad-version') || isAppError(error, 'document/not-open'))
        this.#startOver()
    }
  }

  #accept(result: ChangeResult): void {
    if (result.kind === 'behind') {
      this.#startOver()
      return
    }
    this.#failures = 0
    const state = this.state
    const isBack = state !== null && syncedState(state).version >= result.version
    this.#sent = this.#sent && !isBack ? { ...this.#sent, version: result.version } : null
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      this.#watch = new AbortController()
      const { signal } = this.#watch
      const settling = setTimeout(() => this.#resumed(), RESUMED_AFTER_MS)
      try {
        for await (const event of this.link.watch(this.#watchOptions(signal))) {
          if (signal.aborted) break
          await this.#take(event)
          this.#host.onDocument(this.link.key, event)
          if (event.kind === 'closed') this.#needsSnapshot = true
        }
      } catch (error) {
        if (!signal.aborted) this.#failed(error)
        if (!signal.aborted && !isAppError(error)) this.#needsSnapshot = true
      }
      clearTimeout(settling)
      if (this.#isClosed) return
      if (!signal.aborted) this.#setSync(this.#state || this.#view ? 'offline' : 'opening')
      if (!signal.aborted) await delay(systemTimers, this.#retryDelayMs())
      // A request in progress may still change main's text: the next snapshot must come after it.
      if (this.#needsSnapshot) await this.#request
    }
  }

  /** Counts a silent watch as connected: one that goes on from a version sends nothing until something changes. */
  #resumed(): void {
    if (this.#needsSnapshot) return
    this.#failures = 0
    this.#sendMore()
  }

  #watchOptions(signal: AbortSignal): { afterVersion?: number; signal: AbortSignal } {
    const state = this.state
    return state && !this.#needsSnapshot ? { afterVersion: syncedState(state).version, signal } : { signal }
  }

  async #take(event: DocumentEvent): Promise<void> {
    this.#isGone = event.kind === 'closed'
    if (event.kind === 'snapshot') await this.#takeSnapshot(event.snapshot)
    if (event.kind === 'changed') await this.#takeChanges(event.version, event.changes)
    if (event.kind === 'saved' || event.kind === 'reloaded') this.#takeSaved(event.version)
    if (event.kind === 'format') this.dispatch(this.#host.readOnlyChange(event.format.isReadOnly))
    this.#failures = 0
    this.#tellSaved()
    this.#sendMore()
  }

  async #takeSnapshot(snapshot: DocumentSnapshot): Promise<void> {
    this.#needsSnapshot = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#request
    const isSameDocument = snapshot.documentId === this.#documentId
    this.#documentId = snapshot.documentId
    const state = this.state
    if (!state) {
      this.#state = this.#host.createState(snapshot)
      this.#makeKeptChanges(snapshot)
      this.#host.onOpened(this)
    } else {
      await this.#composed()
      const now = this.state ?? state
      const before = syncedState(now).unconfirmed.length
      this.dispatch(
        isSameDocument
          ? receiveSnapshot(now, snapshot, confirmedIn(snapshot, this.#sent))
          : receiveOpening(now, snapshot),
      )
      this.dispatch(this.#host.readOnlyChange(snapshot.isReadOnly))
      this.#confirm(before - syncedState(this.state ?? state).unconfirmed.length)
      this.#sent = null
    }
    this.#needsSnapshot = false
  }

  /** Restores the changes that an earlier page of this tab could not save. */
  #makeKeptChanges(snapshot: DocumentSnapshot): void {
    if (this.#isClosed) return
    const kept = this.link.kept?.read() ?? null
    if (kept === null || this.#state === null) return
    this.#isKept = true
    this.dispatch(readKept(kept, snapshot))
    this.keep()
  }

  #takeSaved(version: number): void {
    const state = this.state
    if (state === null) return
    confirmSaved(state, version)
    if (this.#isKept && !this.hasUnsaved) this.keep()
  }

  async #takeChanges(version: number, changes: readonly DocumentChange[]): Promise<void> {
    const state = this.state
    if (!state) return
    const known = syncedState(state).version - (version - changes.length)
    if (known < 0) return this.#startOver()
    for (const run of runsOf(changes.slice(known), this.link.clientId)) {
      const isOwn = run[0]?.clientId === this.link.clientId
      if (!isOwn) await this.#composed()
      const now = this.state
      if (!now) return
      if (isOwn) {
        confirmRun(now, run)
        this.#cameBack(run.length)
      } else this.dispatch(receiveRun(now, run))
    }
  }

  #cameBack(count: number): void {
    const counts = (this.#sent?.counts ?? []).map((sent) => sent - count).filter((left) => left > 0)
    this.#sent = this.#sent && counts.length > 0 ? { ...this.#sent, counts } : null
    this.#confirm(count)
  }

  #confirm(count: number): void {
    this.#confirmedCount += count
    const isDone = (waiter: { target: number }) => waiter.target <= this.#confirmedCount
    for (const waiter of this.#waiters.filter(isDone)) waiter.resolve()
    this.#waiters = this.#waiters.filter((waiter) => !isDone(waiter))
  }

  /** Waits until no input method is composing: a change of the text around it would break the composition. */
  async #composed(): Promise<void> {
    while (this.#view?.composing && !this.#isClosed) await delay(systemTimers, COMPOSING_POLL_MS)
  }

  #startOver(): void {
    this.#needsSnapshot = true
    this.#watch.abort()
  }

  #failed(error: unknown): void {
    this.#failures += 1
    this.#setSync(this.state ? 'offline' : 'opening')
    this.#host.onProblem(this.link.key, error)
  }

  #retryDelayMs(): number {
    return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, this.#failures - 1))
  }

  #setSync(state: SyncState): void {
    if (this.#sync === state) return
    this.#sync = state
    if (state === 'offline') this.#keepSoon()
    this.#host.onSync(this.link.key, state)
  }
}

/** Returns how many of the unconfirmed changes a snapshot of the same document may contain. */
function confirmedIn(snapshot: DocumentSnapshot, sent: Sent | null): number[] {
  if (!sent) return [0]
  if (sent.version === null) return [0, ...sent.counts]
  return [sent.version <= snapshot.version ? Math.max(...sent.counts) : 0]
}

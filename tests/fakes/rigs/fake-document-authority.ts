import { rebaseUpdates, type Update } from '@codemirror/collab'
import { ChangeSet, type ChangeSpec, Text } from '@codemirror/state'
import type { ChangeBatch, DocumentLink } from '../../../src/renderer/editor/editor-types.ts'
import type {
  ChangeOrigin,
  ChangeResult,
  ChangeSetJson,
  DocumentChange,
  DocumentEvent,
  DocumentSnapshot,
} from '../../../src/shared/domain/work/document.ts'
import { AppError } from '../../../src/shared/errors.ts'

type LoggedUpdate = Update & { origin: ChangeOrigin | undefined }

/** A minimal host's side of one open document: orders changes and rebases late ones. */
export class FakeAuthority {
  documentId = 'document-1'
  #doc: Text
  #log: LoggedUpdate[] = []
  #logStart = 0
  #listeners = new Set<(event: DocumentEvent) => void>()
  #saved: { version: number; text: string }

  constructor(text: string) {
    this.#doc = Text.of(text.split('\n'))
    this.#saved = { version: 0, text }
  }

  get text(): string {
    return this.#doc.toString()
  }

  get version(): number {
    return this.#logStart + this.#log.length
  }

  snapshot(): DocumentSnapshot {
    return {
      documentId: this.documentId,
      path: '001.txt',
      version: this.version,
      text: this.text,
      encoding: 'utf-8',
      lineEnd: 'lf',
      hasBom: false,
      isReadOnly: false,
      savedVersion: this.#saved.version,
    }
  }

  change(batch: ChangeBatch, clientId: string): ChangeResult {
    if (batch.documentId !== this.documentId) {
      throw new AppError({ code: 'document/not-open', documentId: batch.documentId })
    }
    if (batch.baseVersion > this.version) {
      throw new AppError({ code: 'document/bad-version', documentId: batch.documentId })
    }
    if (batch.baseVersion < this.#logStart) return { kind: 'behind', version: this.version }
    const updates = batch.changes.map((json) => ({
      changes: ChangeSet.fromJSON(json),
      clientID: clientId,
      origin: batch.origin,
    }))
    const over = this.#log.slice(batch.baseVersion - this.#logStart)
    this.#append(rebaseUpdates(updates, over).map((update) => ({ ...update, origin: batch.origin })))
    return { kind: 'accepted', version: this.version }
  }

  changeAsHost(changes: ChangeSpec, origin: ChangeOrigin): void {
    this.#append([{ changes: ChangeSet.of(changes, this.#doc.length), clientID: 'host', origin }])
  }

  /** Drops the history: a window that is behind must start again from a snapshot. */
  forget(): void {
    this.#logStart = this.version
    this.#log = []
  }

  /** Writes the text to its file and reports it; `isSaid` false: it was killed before the report. */
  save({ isSaid = true } = {}): void {
    const { version, text } = this
    this.#saved = { version, text }
    if (isSaid) for (const listener of this.#listeners) listener({ kind: 'saved', version, at: 0 })
  }

  /** Its file was removed: no change is accepted any more. */
  remove(): void {
    this.documentId = ''
    for (const listener of this.#listeners) listener({ kind: 'closed' })
  }

  /** A new host that reads what was saved last; `edit` changes the file in between. */
  kill(edit: (text: string) => string = (text) => text): void {
    const text = edit(this.#saved.text)
    this.restart(text)
  }

  /** A new host with another text under the same path. */
  restart(text: string): void {
    this.documentId = `${this.documentId}+`
    this.#doc = Text.of(text.split('\n'))
    // Versions of one opening are never those of another.
    this.#logStart = this.version + 1_000
    this.#log = []
    this.#saved = { version: this.version, text }
  }

  /** The first events of a watch: the changes since `afterVersion` where they are known, else a snapshot. */
  eventsSince(afterVersion: number | undefined): DocumentEvent[] {
    if (afterVersion === undefined || afterVersion < this.#logStart || afterVersion > this.version) {
      return [{ kind: 'snapshot', snapshot: this.snapshot() }]
    }
    const missed = this.#log.slice(afterVersion - this.#logStart)
    return missed.length > 0 ? [this.#changed(missed)] : []
  }

  listen(listener: (event: DocumentEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #append(updates: LoggedUpdate[]): void {
    if (updates.length === 0) return
    for (const update of updates) this.#doc = update.changes.apply(this.#doc)
    this.#log.push(...updates)
    for (const listener of this.#listeners) listener(this.#changed(updates))
  }

  #changed(updates: LoggedUpdate[]): DocumentEvent {
    const changes = updates.map(({ changes, clientID, origin }): DocumentChange => {
      const json = changes.toJSON() as ChangeSetJson
      return origin === undefined
        ? { changes: json, clientId: clientID }
        : { changes: json, clientId: clientID, origin }
    })
    return { kind: 'changed', version: this.version, changes }
  }
}

/** A window's connection to the authority: it delays, and can be lost with all that is open on it. */
export class FakeLink implements DocumentLink {
  readonly key: string
  readonly clientId: string
  readonly requests: ChangeBatch[] = []
  latencyMs: () => number = () => 1
  /** Messages leave a window without a task there, as through a port; only their answers make one. */
  sendsAtOnce = false
  loseAnswers = false
  /** Nothing gets through while it is true. */
  isDown = false
  mostInProgress = 0
  readonly #authority: FakeAuthority
  #inProgress = 0
  #onDisconnect = new Set<() => void>()

  constructor(authority: FakeAuthority, clientId: string, key = '001.txt') {
    this.#authority = authority
    this.clientId = clientId
    this.key = key
  }

  disconnect(): void {
    for (const close of [...this.#onDisconnect]) close()
    this.#onDisconnect.clear()
  }

  async send(batch: ChangeBatch): Promise<ChangeResult> {
    this.requests.push(batch)
    this.#inProgress += 1
    this.mostInProgress = Math.max(this.mostInProgress, this.#inProgress)
    try {
      if (!this.sendsAtOnce || this.isDown) await this.#travel()
      const result = this.#authority.change(batch, this.clientId)
      await this.#travel()
      return this.loseAnswers
        ? await new Promise<never>((_, reject) => this.#onDisconnect.add(() => reject(closed())))
        : result
    } finally {
      this.#inProgress -= 1
    }
  }

  async *watch({ afterVersion, signal }: { afterVersion?: number; signal: AbortSignal }) {
    const queue: { event: DocumentEvent; dueMs: number }[] = []
    let isLost = false
    let wake = () => undefined as unknown
    const put = (event: DocumentEvent) => {
      if (this.loseAnswers) return
      queue.push({ event, dueMs: Date.now() + this.latencyMs() })
      wake()
    }
    const lose = () => {
      isLost = true
      wake()
    }
    this.#onDisconnect.add(lose)
    signal.addEventListener('abort', () => wake())
    let stop: (() => void) | undefined
    try {
      await this.#travel()
      for (const event of this.#authority.eventsSince(afterVersion)) put(event)
      stop = this.#authority.listen(put)
      while (!signal.aborted) {
        if (isLost) throw closed()
        const next = queue[0]
        if (next && next.dueMs <= Date.now()) {
          queue.shift()
          yield next.event
          continue
        }
        await new Promise<void>((resolve) => {
          wake = () => resolve()
          if (next) setTimeout(resolve, next.dueMs - Date.now())
        })
      }
    } finally {
      stop?.()
      this.#onDisconnect.delete(lose)
    }
  }

  /** Waits for the latency of one direction of the connection; fails when the connection is lost meanwhile. */
  #travel(): Promise<void> {
    return new Promise((resolve, reject) => {
      const lose = () => reject(closed())
      this.#onDisconnect.add(lose)
      setTimeout(() => {
        this.#onDisconnect.delete(lose)
        if (this.isDown) lose()
        else resolve()
      }, this.latencyMs())
    })
  }
}

function closed(): AppError {
  return new AppError({ code: 'rpc/closed' })
}

import { type ChangeSet, Text } from '@codemirror/state'
import type {
  ChangeOrigin,
  ChangeResult,
  ChangeSetJson,
  DocumentConflict,
  DocumentEvent,
  DocumentFormat,
  DocumentSnapshot,
} from '../../shared/domain/work/document.ts'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'
import { createSerialQueue } from '../../shared/serial-queue.ts'
import type { Clock, Log } from '../deps.ts'
import { type Broadcast, createBroadcast } from '../platform/broadcast.ts'
import { isText } from '../platform/files/encodings.ts'
import { toFileError } from '../platform/files/file-error.ts'
import type { LineSpelling } from '../platform/files/line-spelling.ts'
import { newFileFormat, readTextFile, type TextFormat, writeTextFile } from '../platform/files/text-file.ts'
import type { UnsavedRepository } from '../store/works/unsaved-repository.ts'
import { createAutosave } from './autosave.ts'
import type { DiskCopy, DiskSnapshot } from './disk-copy.ts'
import { createKeptText } from './kept-text.ts'
import type { LocalHistory } from './local-history.ts'
import { createOpenDocument, hostClientId, type OpenDocument } from './open-document.ts'
import { createSnapshotRule } from './snapshot-rule.ts'
import { changesBetween } from './text-difference.ts'

type LiveDocumentDeps = {
  clock: Clock
  log: Log
  history: LocalHistory
  unsaved: UnsavedRepository
  /** True while the app itself is changing the file at this real path. */
  isChanging?(absolute: string): boolean
  /** The file was changed elsewhere while edits were not saved. */
  onConflict?(): void
}

/**
 * One open document: its text, its file, and all loading and saving between the two.
 *
 * Shape: disk operations run one after the other; changes to the text never wait for them.
 */
export class LiveDocument {
  readonly copy: DiskCopy
  readonly #deps: LiveDocumentDeps
  readonly #events: Broadcast<DocumentEvent> = createBroadcast()
  readonly #autosave: ReturnType<typeof createAutosave>
  readonly #rule: ReturnType<typeof createSnapshotRule>
  readonly #kept: ReturnType<typeof createKeptText>
  #open: OpenDocument
  #format: TextFormat = newFileFormat
  #spelling: LineSpelling | null = null
  #isReadOnly = false
  #savedVersion: number
  /** The text that file and document last had in common. */
  #base: Text | null = null
  #conflict: DocumentConflict | undefined
  #saveError: ErrorInfo | undefined
  #recovered: { at: number } | undefined
  #isClosed = false
  readonly #inTurn = createSerialQueue()

  constructor(deps: LiveDocumentDeps, copy: DiskCopy, open: OpenDocument) {
    this.copy = copy
    this.#deps = deps
    this.#open = open
    this.#savedVersion = open.version
    this.#kept = createKeptText(deps, copy)
    this.#autosave = createAutosave(deps.clock, () => void this.#inTurn(() => this.#save()))
    this.#rule = createSnapshotRule(deps.clock, (reason, text) => this.#snapshot(reason, text))
  }

  /** Reads the file, or text that an earlier host could not write to it. Errors: `file/not-found` and all of reading. */
  static async open(
    deps: LiveDocumentDeps,
    copy: DiskCopy,
    options: { documentId: string; startVersion: number },
  ): Promise<LiveDocument> {
    const onDisk = await copy.look()
    const file = readTextFile(onDisk.bytes ?? new Uint8Array(), copy.path)
    await copy.adopt(onDisk.bytes)
    const open = createOpenDocument(options.documentId, file.doc, options.startVersion)
    const live = new LiveDocument(deps, copy, open)
    const kept = live.#kept.find()
    if (onDisk.bytes === null && kept === undefined)
      throw new AppError({ code: 'file/not-found', path: copy.path })
    live.#format = file.format
    live.#base = file.doc
    live.#spelling = file.spelling
    live.#isReadOnly = onDisk.isReadOnly
    live.#kept.opened()
    deps.history.addSoon(copy.path, 'open', file.doc, (error) => deps.log.bug(error, 'document.history'))
    if (kept !== undefined) live.#recover(kept)
    return live
  }

  get documentId(): string {
    return this.#open.documentId
  }
  get doc(): Text {
    return this.#open.doc
  }
  get version(): number {
    return this.#open.version
  }
  get isEdited(): boolean {
    return this.#open.version !== this.#savedVersion
  }
  get isClosed(): boolean {
    return this.#isClosed
  }

  snapshot(path: string): DocumentSnapshot {
    return {
      documentId: this.documentId,
      path,
      version: this.version,
      text: this.doc.toString(),
      ...this.#formatNow(),
      savedVersion: this.#savedVersion,
      ...(this.#conflict === undefined ? {} : { conflict: this.#conflict }),
      ...(this.#saveError === undefined ? {} : { saveError: this.#saveError }),
      ...(this.#recovered === undefined ? {} : { recovered: this.#recovered }),
    }
  }

  /** Yields the events after this call; the caller takes its snapshot in the same synchronous step. */
  follow(signal: AbortSignal): AsyncGenerator<DocumentEvent, void, void> {
    return this.#events.subscribe(signal)
  }

  /** Returns the events that bring a window at `version` up to date; undefined where a snapshot must. */
  missedSince(version: number): DocumentEvent[] | undefined {
    const changes = this.#open.changesSince(version)
    if (changes === undefined) return undefined
    return [
      { kind: 'changed', version: this.version, changes },
      { kind: 'format', format: this.#formatNow() },
      { kind: 'saved', version: this.#savedVersion, at: this.#deps.clock.now() },
      this.#conflict ? { kind: 'conflict', conflict: this.#conflict } : { kind: 'conflict-ended' },
      ...(this.#saveError === undefined ? [] : [{ kind: 'save-failed' as const, error: this.#saveError }]),
    ]
  }

  /** A window's changes. Errors: `document/bad-version`, `file/read-only`. */
  receive(
    baseVersion: number,
    json: readonly ChangeSetJson[],
    clientId: string,
    origin?: ChangeOrigin,
  ): ChangeResult {
    this.#refuseReadOnly()
    const changes = this.#open.rebase(baseVersion, json, clientId)
    if (changes === undefined) return { kind: 'behind', version: this.version }
    this.#takeIn(changes, clientId, origin)
    return { kind: 'accepted', version: this.version }
  }

  /** Applies a change by the host: one undo step in every window. Errors: `file/read-only`. */
  edit(changes: ChangeSet, origin: ChangeOrigin): void {
    this.#refuseReadOnly()
    this.#takeIn([changes], hostClientId, origin)
  }

  /** Saves now. Errors: why it could not; `document/conflict`. */
  async save(): Promise<void> {
    this.#autosave.cancel()
    await this.#inTurn(() => this.#save())
    if (!this.isEdited) return
    if (this.#conflict !== undefined) throw new AppError({ code: 'document/conflict', path: this.copy.path })
    if (this.#saveError !== undefined) throw new AppError(this.#saveError)
  }

  checkDisk(): Promise<void> {
    return this.#inTurn(() => this.#checkDisk())
  }

  /** Ends a conflict. The text that is given up goes to the local history; `merged`: the text here has both sides. */
  resolve(choice: 'reload' | 'keep-mine' | 'merged'): Promise<void> {
    return this.#inTurn(async () => {
      const onDisk = await this.copy.look()
      if (choice === 'reload' && onDisk.bytes === null) return this.#letGo()
      if (choice === 'reload') return this.#reload(onDisk, false)
      if (onDisk.bytes && isText(onDisk.bytes))
        this.#snapshot('reload', readTextFile(onDisk.bytes, this.copy.path).doc)
      await this.copy.adopt(onDisk.bytes)
      this.#setReadOnly(onDisk.isReadOnly)
      if (onDisk.bytes === null) this.#savedVersion = 0 // The text is in no file yet.
      this.#endConflict()
      await this.#save({ isForced: true })
      if (choice === 'merged') this.#events.send({ kind: 'merged' })
    })
  }

  async conflictTexts(): Promise<{ disk: string; base: string | null }> {
    const { bytes } = await this.copy.look()
    const disk = bytes === null ? '' : readTextFile(bytes, this.copy.path).doc.toString()
    return { disk, base: this.#base?.toString() ?? null }
  }

  saveAsUtf8(): Promise<void> {
    return this.#inTurn(async () => {
      this.#spelling = this.#spelling?.endsOnly() ?? null
      this.#format = { ...this.#format, encoding: 'utf-8', hasBom: false }
      this.#sendFormat()
      await this.#save({ isForced: true })
    })
  }

  moved(to: string, path: string): void {
    this.copy.path = to
    this.#events.send({ kind: 'moved', path })
  }

  /** Saves unsaved text, or keeps it in the store where the file cannot be written. */
  flush(): Promise<void> {
    this.#autosave.cancel()
    return this.#inTurn(() => this.#save())
  }

  /** Notes that we removed the file, or do so by `remove`: nothing is written any more, unless `remove` fails. */
  letGo(remove?: () => Promise<void>): Promise<void> {
    return this.#inTurn(() => this.#letGo(remove))
  }

  #takeIn(changes: readonly ChangeSet[], clientId: string, origin?: ChangeOrigin): void {
    if (changes.length === 0) return
    const wires = changes.map((change) => {
      this.#rule.beforeChange(this.doc, change, origin)
      const accepted = this.#open.take(change, clientId, origin)
      this.#spelling?.apply(change, accepted.before)
      return accepted.wire
    })
    this.#events.send({ kind: 'changed', version: this.version, changes: wires })
    this.#autosave.changed()
  }

  async #save(options: { isForced?: boolean } = {}): Promise<void> {
    if (this.#isClosed || (!this.isEdited && !options.isForced)) return
    if (this.#conflict !== undefined) return this.#keepText()
    const { version, doc } = this.#open
    this.#deps.history.settle()
    try {
      const file = { doc, format: this.#format, spelling: this.#spelling }
      await this.copy.write(writeTextFile(file, this.copy.path))
    } catch (error) {
      return this.#saveFailed(toFileError(error, this.copy.path))
    }
    const at = this.#deps.clock.now()
    this.#savedVersion = version
    this.#base = doc
    this.#saveError = undefined
    this.#recovered = undefined
    this.#kept.forget()
    this.#kept.saved(at)
    this.#rule.saved(doc)
    this.#events.send({ kind: 'saved', version, at })
    if (this.isEdited) this.#autosave.changed()
  }

  async #saveFailed(error: AppError): Promise<void> {
    this.#keepText()
    if (error.info.code === 'file/changed') await this.#checkDisk()
    else this.#tellError(error.info)
    if (this.isEdited && this.#conflict === undefined) this.#autosave.retryLater()
  }

  #tellError(error: ErrorInfo): void {
    const isNew = this.#saveError?.code !== error.code
    this.#saveError = error
    if (!isNew) return
    this.#deps.log.write('warn', 'document.save-failed', { code: error.code })
    this.#events.send({ kind: 'save-failed', error })
  }

  /** Reports a failure as an event and never rejects: no caller waits for a save that the timer starts. */
  async #checkDisk(): Promise<void> {
    await this.#compareDisk().catch((error) => this.#tellError(toFileError(error, this.copy.path).info))
  }

  async #compareDisk(): Promise<void> {
    if (this.#isClosed) return
    const onDisk = await this.copy.settledSnapshot(this.#deps.clock)
    this.#setReadOnly(onDisk.isReadOnly)
    if (onDisk.isKnown && !this.isEdited && this.#saveError !== undefined) {
      // The file could not be examined for a while, and has not changed.
      this.#saveError = undefined
      this.#events.send({ kind: 'saved', version: this.version, at: this.#deps.clock.now() })
    }
    if (onDisk.isKnown) return this.#endConflict()
    if (onDisk.bytes === null) return this.#startConflict('removed')
    if (this.isEdited || !isText(onDisk.bytes)) return this.#startConflict('changed')
    await this.#reload(onDisk, !this.#deps.isChanging?.(this.copy.path))
  }

  /** `isForeign`: another program wrote the file, and the author has not asked to reload it. */
  async #reload(onDisk: DiskSnapshot, isForeign: boolean): Promise<void> {
    const file = readTextFile(onDisk.bytes ?? new Uint8Array(), this.copy.path)
    // Nothing is awaited before the text is applied: text that is typed meanwhile would count as saved.
    const changes = changesBetween(this.doc, file.doc)
    this.#spelling = null
    this.#isReadOnly = onDisk.isReadOnly
    if (!changes.empty) this.#rule.beforeReload(this.doc, file.doc)
    if (!changes.empty) this.#takeIn([changes], hostClientId, 'reload')
    this.#autosave.cancel()
    this.#format = file.format
    this.#spelling = file.spelling
    this.#savedVersion = this.version
    this.#base = this.doc
    this.#saveError = undefined
    this.#kept.forget()
    this.#endConflict()
    this.#sendFormat()
    this.#events.send({ kind: 'reloaded', version: this.version, isForeign: isForeign && !changes.empty })
    await this.copy.adopt(onDisk.bytes)
  }

  #recover(kept: { at: number; baseHash: string | null; text: string }) {
    const changes = changesBetween(this.doc, Text.of(kept.text.split('\n')))
    if (changes.empty && this.copy.hash !== null) return this.#kept.forget()
    if (!changes.empty) this.#takeIn([changes], hostClientId, 'reload')
    this.#recovered = { at: kept.at }
    if (this.copy.hash !== null && kept.baseHash === this.copy.hash) return
    this.#autosave.cancel()
    this.#base = null
    this.#conflict = { kind: this.copy.hash === null ? 'removed' : 'changed' }
    // The next comparison with the file must not take its present content for the one that was edited.
    this.copy.baseOn(kept.baseHash)
  }

  #startConflict(kind: DocumentConflict['kind']): void {
    this.#autosave.cancel()
    const isNew = this.#conflict?.kind !== kind
    this.#conflict = { kind }
    this.#keepText()
    if (!isNew) return
    this.#events.send({ kind: 'conflict', conflict: this.#conflict })
    if (kind === 'changed') this.#deps.onConflict?.()
  }

  #endConflict(): void {
    if (this.#conflict === undefined) return
    this.#conflict = undefined
    this.#events.send({ kind: 'conflict-ended' })
    if (this.isEdited) this.#autosave.changed()
    else this.#kept.forget()
  }

  #keepText(): void {
    if (this.isEdited || this.#conflict?.kind === 'removed') this.#kept.keep(this.doc.toString())
  }

  /** Adds a snapshot; a history that cannot be written (disk full) must not stop the author. */
  #snapshot(reason: Parameters<LocalHistory['add']>[1], text: Text): void {
    try {
      this.#deps.history.add(this.copy.path, reason, text.toString())
    } catch (error) {
      this.#deps.log.bug(error, 'document.history')
    }
  }

  async #letGo(remove?: () => Promise<void>): Promise<void> {
    await remove?.()
    this.#snapshot('delete', this.doc)
    this.#kept.forget()
    this.end()
  }

  end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#autosave.cancel()
    this.#kept.closed()
    this.#events.send({ kind: 'closed' })
    this.#events.end()
  }

  #refuseReadOnly(): void {
    if (this.#isClosed) throw new AppError({ code: 'document/not-open', documentId: this.documentId })
    if (this.#isReadOnly) throw new AppError({ code: 'file/read-only', path: this.copy.path })
  }

  #setReadOnly(isReadOnly: boolean): void {
    if (isReadOnly === this.#isReadOnly) return
    this.#isReadOnly = isReadOnly
    this.#sendFormat()
  }

  #formatNow(): DocumentFormat {
    return { ...this.#format, isReadOnly: this.#isReadOnly }
  }

  #sendFormat(): void {
    this.#events.send({ kind: 'format', format: this.#formatNow() })
  }
}

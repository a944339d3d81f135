import type { EditorSettings } from '../../shared/domain/app/editor-settings.ts'
import type { WordSpan } from '../../shared/domain/drafting/word-span.ts'
import type {
  ChangeOrigin,
  ChangeResult,
  ChangeSetJson,
  DocumentEvent,
} from '../../shared/domain/work/document.ts'
import type { TextPlace } from '../../shared/domain/work/work.ts'
import type { PageChoice } from '../../shared/domain/work/work-file.ts'
import type { TextCount } from '../../shared/text/manuscript/character-count.ts'
import type { RubyNotation, RubyTarget } from './manuscript/ruby-marks.ts'
import type { SearchWords } from './search/search-count.ts'

/** One request of changes that follow one another. All of them have the same origin. */
export type ChangeBatch = {
  documentId: string
  baseVersion: number
  changes: ChangeSetJson[]
  origin?: ChangeOrigin
}

/**
 * The editor's link to one document; the window makes it from the contract and knows the transport.
 *
 * Shape: `key` names the document for the window (its path). `clientId` is unique to this window for as long
 * as it lives. `watch` is `document.watch`: it begins with a snapshot, or with the changes after
 * `afterVersion` where they are still known, and may fail or end when the connection is lost: the editor
 * watches again by itself. `send` is `document.change` with the link's `clientId`.
 */
export type DocumentLink = {
  key: string
  clientId: string
  /** The browser's storage for changes that are not saved when the page closes; null: they are not kept. */
  kept?: KeptPlace
  /** The author's place in the text; `end` where a work opens with a text that has no place yet. */
  place?: { read(): TextPlace | 'end' | null; write(place: TextPlace): void }
  /** The page that the author chose for this text; null: follow the settings. */
  page?(): PageChoice | null
  watch(options: { afterVersion?: number; signal: AbortSignal }): AsyncIterable<DocumentEvent>
  send(batch: ChangeBatch): Promise<ChangeResult>
}

/**
 * Changes of a document that a page had not saved when it went.
 *
 * Shape: `base` is the text that was in the file; `log` leads from it to the page's text. The first `confirmed` of
 * the changes were in main's text of the opening `documentId`.
 */
export type KeptChanges = {
  documentId: string
  base: string
  confirmed: number
  log: { changes: ChangeSetJson; isOwn: boolean; origin?: ChangeOrigin }[]
}

/** `release` is called when the document is closed: what is still kept may be read by another one from then on. */
export type KeptPlace = {
  read(): KeptChanges | null
  write(kept: KeptChanges | null): void
  release?(): void
}

/** `waiting`: no text yet. `writing`: text arrives. Ended: `finished` by itself, `stopped` by the user, `failed`. */
export type PendingPhase = 'waiting' | 'writing' | 'finished' | 'stopped' | 'failed'

/**
 * Text that the model offers and the author has not yet accepted. Never part of the document before it is accepted.
 *
 * Shape: `id` is the take's; a new id is a new offer at a new place. `position` counts in main's document and is read
 * once per id: the editor moves it with the edits from then on. `from`: start of the text before `position` that the
 * author may already have of the offer; default: `position`. `lead` goes before `text` when it is accepted (join rule).
 * `note` tells the user the state: "Reading 62 %", or the error and what to do; the window words it.
 * `placeId`: an offer replaces another one of the same place, at that place's current position. `nth` of `total` takes
 * of the place is shown. `isPlaceRunning`: something is being written for the place, if not this take.
 * Units: UTF-16 positions.
 */
export type PendingContinuation = {
  id: string
  placeId?: string
  nth?: number
  total?: number
  isPlaceRunning?: boolean
  position: number
  from?: number
  lead: string
  text: string
  phase: PendingPhase
  note?: string
  marked?: readonly WordSpan[]
}

/** The box of a character in the window. Units: CSS pixels. */
export type WordBox = { left: number; top: number; bottom: number }

/**
 * The author's decision about a pending continuation.
 *
 * `accepted`: text is in the document. `acceptedLength` counts all of the take's `text` that is in by now, in
 * UTF-16 units without `lead`, also what the author typed himself; with `isWhole` the offer has ended, and where
 * `wasRunning` too, its run is to be stopped. `stop` asks for the run's end, the text stays pending.
 * `dismissed`: the offer has left the editor. `retry`: another take of the same place is wanted. `swap`: the one
 * before or after it is to be shown. `words`: other words are wanted for the one at `at` of the take's `text`.
 */
export type PendingEvent = { id: string; key: string } & (
  | { kind: 'accepted'; acceptedLength: number; isWhole: boolean; wasRunning: boolean }
  | { kind: 'stop' }
  | { kind: 'dismissed' }
  | { kind: 'retry'; wasRunning: boolean }
  | { kind: 'swap'; step: -1 | 1 }
  | { kind: 'words'; at: number }
  /** The pointer rests on the character at `at` of the take's `text`; `unhover`: it went away. */
  | { kind: 'hover'; at: number; box: WordBox }
  | { kind: 'unhover' }
)

/** Figures of the shown document for the status bar. Units: those of `TextCount`; UTF-16 positions. */
export type EditorFigures = {
  count: TextCount
  /** All zero where nothing is selected. */
  selected: TextCount
  /** Language of the text around the end of the selection; of an empty text, that of the others, else the window's. */
  language: 'ja' | 'en'
  caret: number
  line: number
  selectionFrom: number
  selectionTo: number
}

/**
 * State of a document relative to main.
 *
 * `opening`: no text yet. `synced`: main has every change. `sending`: changes are on the wire.
 * `offline`: the connection is lost; the text is kept and goes out when it is back.
 */
export type SyncState = 'opening' | 'synced' | 'sending' | 'offline'

/**
 * Callbacks by which the editor reports to the window; none may throw.
 *
 * `onDocument` passes on every event of the watch of every open document, after the editor took its share. `onFigures`
 * fires when the author pauses, and once a second while he types. `onWritten` reports what one change of the author's
 * added, or took away. `onProblem` reports what failed on the way to main and is tried again.
 */
type EditorEvents = {
  onDocument?: (key: string, event: DocumentEvent) => void
  onSync?: (key: string, state: SyncState) => void
  onFigures?: (figures: EditorFigures) => void
  onWritten?: (key: string, delta: Pick<TextCount, 'characters' | 'words'>) => void
  onPending?: (event: PendingEvent) => void
  onProblem?: (key: string, error: unknown) => void
}

/** Words in the editor. Shape: `phrases` are keyed by CodeMirror's own English. */
export type EditorLabels = {
  document: string
  /** Language of the window; a text without letters counts as written in it where no other text is open. */
  language: 'ja' | 'en'
  vertical: string
  placeholder: string
  accept: string
  acceptSentence: string
  retry: string
  stop: string
  dismiss: string
  /** Says how many lines of the offer are below the visible part. */
  moreLines: (count: number) => string
  /** Says which keys leave the text. */
  leave: string
  pending: string
  search: SearchWords
  previousTake: string
  nextTake: string
  phrases: Record<string, string>
}

export type ManuscriptEditorOptions = {
  parent: HTMLElement
  /** Nonce of the page's content security policy, for the styles that CodeMirror injects. */
  cspNonce?: string
  labels: EditorLabels
  settings: EditorSettings
  events: EditorEvents
}

/** Text that is inserted on the author's command: a take from the list, a section of an idea. */
export type TakeInsertion = {
  text: string
  /** Default: the caret, after what is selected. */
  at?: number
  origin?: ChangeOrigin
}

/** Text that replaces `original`, which stands at `from` or near it. Units: UTF-16. */
export type TextReplacement = { from: number; original: string; text: string }

/** The manuscript editor: one view, any number of open documents, one of them shown. */
export type ManuscriptEditor = {
  /** Opens a document where it is not open yet, and shows it with its own caret, scroll position and undo. */
  showDocument(link: DocumentLink): void
  /** Shows an empty page; documents stay open. */
  showNothing(): void
  /** Ends following a document once its last changes are in the file. A text that cannot be sent is kept trying. */
  closeDocument(key: string): Promise<void>
  shownKey(): string | null
  /** Resolves when main has everything that was typed until now. Rejects after `timeoutMs` (default 5,000). */
  flush(key: string, timeoutMs?: number): Promise<void>
  /** Shows an offer, its newer text or phase; null removes it. An id that was answered is ignored. */
  showPending(key: string, pending: PendingContinuation | null): void
  /** Returns the position of a document's pending continuation; null where there is none. Units: UTF-16. */
  offerPlace(key: string): number | null
  acceptPending(): boolean
  acceptSentence(): boolean
  /** Inserts text as one undo step and puts the caret behind it; false where nothing can be inserted. */
  insertTake(insertion: TakeInsertion): boolean
  /** Replaces text as one undo step and selects the new text; false where it is not there, or is read-only. */
  replaceText(replacement: TextReplacement): boolean
  textOf(key: string): string | null
  /** The documents with text of this window that is not surely in the file. */
  unsavedKeys(): string[]
  figures(): EditorFigures
  focus(): void
  revealPosition(position: number): void
  placeCaret(position: number): void
  openSearch(): void
  /** Shows the document in vertical lines in place of the page, or the page again at the place that was read. */
  showVertical(isShown: boolean): void
  /** Returns the word that a reading would be given to; null where there is none or the text is read-only. */
  rubyTarget(): RubyTarget | null
  writeRuby(target: RubyTarget, notation: RubyNotation): void
  setSettings(settings: EditorSettings): void
  /** Applies the page that the author chose for the shown text. */
  pageChosen(): void
  setLabels(labels: EditorLabels): void
  destroy(): void
}

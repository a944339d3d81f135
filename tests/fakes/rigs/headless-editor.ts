import { history } from '@codemirror/commands'
import { EditorState, Text, Transaction, type TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { DocumentSession } from '../../../src/renderer/editor/document/document-session.ts'
import {
  isLocalChange,
  placeFromSynced,
  syncedChanges,
} from '../../../src/renderer/editor/document/synced-changes.ts'
import type {
  DocumentLink,
  PendingContinuation,
  PendingEvent,
} from '../../../src/renderer/editor/editor-types.ts'
import { redoChange, undoChange } from '../../../src/renderer/editor/manuscript/manuscript-keymap.ts'
import { pendingListener } from '../../../src/renderer/editor/pending/pending-commands.ts'
import { pendingContinuation } from '../../../src/renderer/editor/pending/pending-continuation.ts'
import { offerPending, settlePending } from '../../../src/renderer/editor/pending/pending-state.ts'
import { PendingStream } from '../../../src/renderer/editor/pending/pending-stream.ts'

/**
 * The manuscript editor without a page: its states, sessions, offers and commands as in `createManuscriptEditor`.
 * Changes by the author are far apart in time, so that each is one undo step.
 */
export class HeadlessEditor {
  readonly events: PendingEvent[] = []
  readonly problems: unknown[] = []
  readonly #sessions = new Map<string, DocumentSession>()
  #shown: string | null = null
  #state = EditorState.create()
  #isComposing = false
  #timeMs = Date.now()
  readonly #stream = new PendingStream({
    shownState: () => this.#state,
    draw: (pending) => this.#offer(this.#shown, pending),
    requestFrame: (act) => void setTimeout(act, 16),
    setTimer: (act, delayMs) => void setTimeout(act, delayMs),
    now: () => Date.now(),
  })
  /** The object that commands and sessions use as the view. */
  readonly view = this.#createView()

  get state(): EditorState {
    return this.#state
  }

  get isComposing(): boolean {
    return this.#isComposing
  }

  open(link: DocumentLink): void {
    const session: DocumentSession = new DocumentSession(link, {
      createState: ({ text, version }) => this.#createState(link.key, text, version),
      readOnlyChange: () => ({}),
      onOpened: () => {
        if (this.#shown === link.key) session.attach(this.view)
      },
      onDocument: () => undefined,
      onSync: () => undefined,
      onProblem: (_, error) => this.problems.push(error),
    })
    this.#sessions.set(link.key, session)
  }

  show(key: string): void {
    this.#stream.flush()
    if (this.#shown !== null) this.#sessions.get(this.#shown)?.detach()
    this.#shown = key
    this.#sessions.get(key)?.attach(this.view)
  }

  /** Closes the page as the editor's `destroy` does. */
  leave(): void {
    this.#stream.clear()
    for (const session of this.#sessions.values()) {
      session.detach()
      session.leave()
    }
  }

  session(key: string): DocumentSession {
    const session = this.#sessions.get(key)
    if (session === undefined) throw new Error(`${key} is not open`)
    return session
  }

  textOf(key: string): string | null {
    return this.session(key).state?.doc.toString() ?? null
  }

  /** A change of the author's at the shown text. */
  change(spec: TransactionSpec): void {
    this.view.dispatch(spec)
  }

  compose(from: number, to: number, insert: string): void {
    const userEvent = this.#isComposing ? 'input.type.compose' : 'input.type.compose.start'
    this.#isComposing = true
    this.change({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent })
  }

  endComposition(): void {
    this.#isComposing = false
    this.view.dispatch({ effects: settlePending.of(null) })
  }

  undo(): boolean {
    return undoChange(this.view)
  }

  redo(): boolean {
    return redoChange(this.view)
  }

  showPending(key: string, pending: PendingContinuation | null): void {
    if (!this.session(key).state) return
    if (!(key === this.#shown && this.#stream.takes(pending))) this.#offer(key, pending)
  }

  #offer(key: string | null, pending: PendingContinuation | null): void {
    const session = key === null ? undefined : this.#sessions.get(key)
    if (!session?.state) return
    const offered = pending && { pending, ...placeFromSynced(session.state, pending) }
    session.dispatch({ effects: offerPending.of(offered) })
  }

  #createState(key: string, text: string, version: number): EditorState {
    return EditorState.create({
      doc: Text.of(text.split('\n')),
      extensions: [
        history(),
        pendingContinuation(),
        this.#stream.extension,
        EditorView.updateListener.of(({ transactions }) => {
          if (transactions.some(isLocalChange)) this.session(key).localChanged()
        }),
        pendingListener.of((event) => this.events.push({ ...event, key })),
        syncedChanges(version),
      ],
    })
  }

  #createView(): EditorView {
    const editor = this
    const view = {
      get state() {
        return editor.#state
      },
      get composing() {
        return editor.#isComposing
      },
      get compositionStarted() {
        return editor.#isComposing
      },
      scrollDOM: { getBoundingClientRect: () => ({ top: 0, bottom: 100 }) },
      // Nothing is drawn: no offer is in sight.
      contentDOM: { querySelector: () => null },
      coordsAtPos: () => ({ top: 10, bottom: 20 }),
      dom: { dataset: {} },
      setTabFocusMode: () => undefined,
      setState: (state: EditorState) => {
        editor.#state = state
      },
      dispatch: (...given: (Transaction | TransactionSpec)[]) => {
        editor.#timeMs += 10_000
        const [first] = given
        const transaction =
          first instanceof Transaction
            ? first
            : editor.#state.update(...(given as TransactionSpec[]), {
                annotations: Transaction.time.of(editor.#timeMs),
              })
        editor.#apply(transaction)
      },
    }
    return view as unknown as EditorView
  }

  #apply(transaction: Transaction): void {
    const startState = this.#state
    this.#state = transaction.state
    const update = {
      view: this.view,
      state: this.#state,
      startState,
      transactions: [transaction],
      changes: transaction.changes,
      docChanged: transaction.docChanged,
      selectionSet: transaction.selection !== undefined,
    }
    for (const listener of this.#state.facet(EditorView.updateListener)) listener(update as never)
  }
}

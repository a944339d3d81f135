import { history } from '@codemirror/commands'
import { openSearchPanel } from '@codemirror/search'
import { Compartment, EditorState, type Extension, type StateEffect, Text } from '@codemirror/state'
import { EditorView, placeholder, type ViewUpdate } from '@codemirror/view'
import type { EditorSettings } from '../../../shared/domain/app/editor-settings.ts'
import { AppError } from '../../../shared/errors.ts'
import { addCounts, noCount } from '../../../shared/text/manuscript/character-count.ts'
import { caretAtFocus, caretInSight, showPlace } from '../caret-in-sight.ts'
import { DocumentSession } from '../document/document-session.ts'
import { isLocalChange, placeFromSynced, syncedChanges } from '../document/synced-changes.ts'
import type {
  DocumentLink,
  EditorFigures,
  EditorLabels,
  ManuscriptEditor,
  ManuscriptEditorOptions,
  PendingContinuation,
} from '../editor-types.ts'
import { manuscriptMarks } from '../manuscript-marks.ts'
import { manuscriptTheme } from '../manuscript-theme.ts'
import { PageLanguage } from '../page-measures.ts'
import { acceptPending, acceptPendingSentence, pendingListener } from '../pending/pending-commands.ts'
import { editorLabels, pendingContinuation } from '../pending/pending-continuation.ts'
import { offerPending, pendingPlace } from '../pending/pending-state.ts'
import { PendingStream } from '../pending/pending-stream.ts'
import { manuscriptSearch } from '../search/manuscript-search.ts'
import { searchWords } from '../search/search-count.ts'
import { tabUse } from '../tab-use.ts'
import { VerticalView } from '../vertical/vertical-view.ts'
import { WhenPaused } from '../when-paused.ts'
import { characterCount, countOf, selectedCountOf } from './character-count.ts'
import { inputAidChoices, inputAids, languageAtEnd, usualLanguage } from './input-aids.ts'
import { manuscriptKeymap } from './manuscript-keymap.ts'
import { insertText, replaceText } from './replace-text.ts'
import { rubyMarks, rubyTarget, rubyTheme, writeRuby } from './ruby-marks.ts'
import { scrollMargins, TextPlaces } from './text-places.ts'
import { wordSelection } from './word-steps.ts'
import { focusMode, typewriterMode } from './writing-modes.ts'

const FLUSH_TIMEOUT_MS = 5_000
const NO_FIGURES: EditorFigures = {
  count: noCount,
  selected: noCount,
  language: 'ja',
  caret: 0,
  line: 1,
  selectionFrom: 0,
  selectionTo: 0,
}

type OpenDocument = {
  session: DocumentSession
  scroll: StateEffect<unknown> | null
  /** An offer that arrived before the text. */
  early: PendingContinuation | null
}

const labelled = new Compartment()
const chosen = new Compartment()
const readOnly = new Compartment()

export function createManuscriptEditor(options: ManuscriptEditorOptions): ManuscriptEditor {
  const { events } = options
  const documents = new Map<string, OpenDocument>()
  let { labels, settings } = options
  let shown: string | null = null
  let vertical: VerticalView | null = null
  const shownSession = () => (shown === null ? null : (documents.get(shown)?.session ?? null))

  const stream = new PendingStream({
    shownState: () => view.state,
    draw: (pending) => offer(shown, pending),
    requestFrame: (act) =>
      void requestAnimationFrame(() => {
        act()
        // Measures now: a measurement requested in a frame runs in the next one, and the seam would lag behind.
        view.lineBlockAtHeight(0)
      }),
    setTimer: (act, delayMs) => void setTimeout(act, delayMs),
    now: () => performance.now(),
  })
  const shared: Extension = [
    manuscriptTheme(),
    EditorView.lineWrapping,
    EditorView.cspNonce.of(options.cspNonce ?? ''),
    EditorView.scrollMargins.of(() => scrollMargins),
    history(),
    caretAtFocus,
    caretInSight,
    manuscriptSearch(),
    tabUse(),
    pendingContinuation(),
    stream.extension,
    manuscriptMarks(),
    characterCount(),
    rubyTheme,
    inputAids(),
    wordSelection(),
    usualLanguage.of(languageElsewhere),
    manuscriptKeymap(),
    EditorView.updateListener.of(onUpdate),
  ]
  const nothing = EditorState.create({ extensions: [shared, EditorView.editable.of(false)] })
  const view = new EditorView({ state: nothing, parent: options.parent })
  const paused = new WhenPaused({ pauseMs: 300, longestMs: 1_000 })
  const figuresReport = paused.task(reportFigures)
  const page = { language: textLanguage, chosenPage: () => shownSession()?.link.page?.() ?? null }
  const pageLanguage = new PageLanguage(view, settings, paused, page, () => figuresReport.hear())

  const places = new TextPlaces(view, paused, {
    link: () => shownSession()?.link ?? null,
    verticalPlace: () => vertical?.place ?? null,
  })

  function createState(key: string, text: string, version: number, isReadOnly: boolean): EditorState {
    return EditorState.create({
      doc: Text.of(text.split('\n')),
      extensions: [
        shared,
        labelled.of(labelExtensions(labels)),
        chosen.of(chosenExtensions(settings)),
        readOnly.of(EditorState.readOnly.of(isReadOnly)),
        pendingListener.of((event) => events.onPending?.({ ...event, key })),
        syncedChanges(version),
      ],
    })
  }

  function openSession(link: DocumentLink): DocumentSession {
    return new DocumentSession(link, {
      createState: ({ text, version, isReadOnly }) => createState(link.key, text, version, isReadOnly),
      readOnlyChange: (isReadOnly) => ({
        effects: readOnly.reconfigure(EditorState.readOnly.of(isReadOnly)),
      }),
      onOpened: () => {
        const early = documents.get(link.key)?.early
        const opened = documents.get(link.key)?.session.state
        const place = opened ? places.restore(link, opened) : null
        if (place && shown !== link.key) documents.get(link.key)?.session.dispatch(place)
        if (early) showPending(link.key, early)
        if (shown !== link.key) return
        attach(link.key)
        if (place) view.dispatch(place)
      },
      onDocument: (key, event) => events.onDocument?.(key, event),
      onSync: (key, state) => events.onSync?.(key, state),
      onProblem: (key, error) => events.onProblem?.(key, error),
    })
  }

  function attach(key: string): void {
    const open = documents.get(key)
    if (!open?.session.state) return
    open.session.attach(view)
    if (open.scroll) view.dispatch({ effects: open.scroll })
    pageLanguage.tell()
    reportFigures()
  }

  function leaveShown(): void {
    stream.flush()
    places.tell()
    showVertical(false)
    const open = shown === null ? undefined : documents.get(shown)
    if (open?.session.state) open.scroll = view.scrollSnapshot()
    open?.session.detach()
    shown = null
    view.setState(nothing)
  }

  function onUpdate(update: ViewUpdate): void {
    if (update.transactions.some(isLocalChange)) shownSession()?.localChanged()
    if (update.docChanged || update.selectionSet) {
      figuresReport.hear()
      places.moved()
    }
    if (vertical && update.docChanged) vertical.changed(update.state, update.changes)
    if (!update.docChanged) return
    pageLanguage.tellSoon()
    for (const transaction of update.transactions) {
      if (!transaction.docChanged || !isLocalChange(transaction) || shown === null) continue
      const { characters, words } = addCounts(countOf(transaction.state), countOf(transaction.startState), -1)
      if (characters !== 0 || words !== 0) events.onWritten?.(shown, { characters, words })
    }
  }

  function dispatchAll(effects: StateEffect<unknown>): void {
    for (const { session } of documents.values()) session.dispatch({ effects })
  }

  function applyPage(): void {
    pageLanguage.apply(settings)
    vertical?.setSettings(settings, pageLanguage.page)
  }

  function textLanguage(): 'ja' | 'en' {
    return languageAtEnd(view.state.doc) ?? languageElsewhere()
  }

  /** Returns the language of the text that was opened last and has letters; without one, the window's. */
  function languageElsewhere(): 'ja' | 'en' {
    const others = [...documents].filter(([key]) => key !== shown).reverse()
    for (const [, { session }] of others) {
      const language = session.state && languageAtEnd(session.state.doc)
      if (language) return language
    }
    return labels.language
  }

  function showVertical(isShown: boolean): void {
    if (isShown === (vertical !== null)) return
    if (vertical) {
      const { place } = vertical
      places.moved()
      places.tell()
      vertical.destroy()
      vertical = null
      view.dom.style.visibility = ''
      showPlace(view, place)
      return
    }
    if (!shownSession()?.state) return
    vertical = new VerticalView({
      parent: options.parent,
      label: labels.vertical,
      settings,
      language: pageLanguage.current,
      page: pageLanguage.page,
      state: view.state,
      position: places.vertical(shown ?? '') ?? view.state.selection.main.head,
      onPlace(position) {
        view.dispatch({ selection: { anchor: position } })
        vertical?.selected(view.state)
      },
    })
    view.dom.style.visibility = 'hidden'
    vertical.focus()
  }

  function reportFigures(): void {
    figuresReport.stop()
    events.onFigures?.(figures())
  }

  function figures(): EditorFigures {
    const state = shownSession()?.state
    if (!state) return NO_FIGURES
    const { main } = state.selection
    return {
      count: countOf(state),
      selected: selectedCountOf(state),
      language: pageLanguage.current,
      caret: main.head,
      line: state.doc.lineAt(main.head).number,
      selectionFrom: main.from,
      selectionTo: main.to,
    }
  }

  function showPending(key: string, pending: PendingContinuation | null): void {
    const open = documents.get(key)
    if (!open) return
    const { state } = open.session
    open.early = state ? null : pending
    if (state && !(key === shown && stream.takes(pending))) offer(key, pending)
  }

  function offer(key: string | null, pending: PendingContinuation | null): void {
    const session = key === null ? undefined : documents.get(key)?.session
    if (!session?.state) return
    const offered = pending && { pending, ...placeFromSynced(session.state, pending) }
    session.dispatch({ effects: offerPending.of(offered) })
  }

  async function flush(key: string, timeoutMs = FLUSH_TIMEOUT_MS): Promise<void> {
    const session = documents.get(key)?.session
    if (!session) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new AppError({ code: 'rpc/closed' })), timeoutMs)
    })
    await Promise.race([session.flush(), late]).finally(() => clearTimeout(timer))
  }

  /** Sends changes that wait for their batch, and keeps them until they are saved: a window may not come back. */
  function flushAll(): void {
    places.tell()
    for (const { session } of documents.values()) {
      void session.flush()
      session.keep()
    }
  }
  document.addEventListener('visibilitychange', flushAll)
  window.addEventListener('pagehide', flushAll)

  return {
    showDocument(link) {
      if (shown === link.key) return
      leaveShown()
      shown = link.key
      if (documents.has(link.key)) attach(link.key)
      else documents.set(link.key, { session: openSession(link), scroll: null, early: null })
      reportFigures()
    },
    showNothing() {
      leaveShown()
      reportFigures()
    },
    async closeDocument(key) {
      const open = documents.get(key)
      if (!open) return
      if (shown === key) leaveShown()
      if (open.session.isGone) open.session.leave()
      await open.session.saved()
      if (shown === key) return // Shown again meanwhile: it stays open.
      open.session.close()
      if (documents.get(key) === open) documents.delete(key)
    },
    shownKey: () => shown,
    flush,
    showPending,
    offerPlace: (key) => pendingPlace(documents.get(key)?.session.state ?? nothing)?.at ?? null,
    acceptPending: () => acceptPending(view),
    acceptSentence: () => acceptPendingSentence(view),
    insertTake: (insertion) => shownSession() !== null && insertText(view, insertion),
    replaceText: (replacement) => shownSession() !== null && replaceText(view, replacement),
    textOf: (key) => documents.get(key)?.session.state?.doc.toString() ?? null,
    unsavedKeys: () => [...documents].filter(([, { session }]) => session.hasUnsaved).map(([key]) => key),
    figures,
    focus: () => (vertical ?? view).focus(),
    revealPosition: (position) => showPlace(view, position),
    placeCaret(position) {
      const anchor = Math.max(0, Math.min(position, view.state.doc.length))
      view.dispatch({ selection: { anchor }, scrollIntoView: true })
    },
    openSearch: () => void openSearchPanel(view),
    showVertical,
    rubyTarget: () => (shownSession()?.state && !view.state.readOnly ? rubyTarget(view.state) : null),
    writeRuby: (target, notation) => writeRuby(view, target, notation),
    setSettings(next) {
      settings = next
      applyPage()
      dispatchAll(chosen.reconfigure(chosenExtensions(settings)))
    },
    pageChosen: applyPage,
    setLabels(next) {
      labels = next
      dispatchAll(labelled.reconfigure(labelExtensions(labels)))
      // A text without letters counts as written in the window's language, which may be another one now.
      pageLanguage.tell()
    },
    destroy() {
      document.removeEventListener('visibilitychange', flushAll)
      window.removeEventListener('pagehide', flushAll)
      figuresReport.stop()
      stream.clear()
      places.tell()
      places.stop()
      pageLanguage.stop()
      vertical?.destroy()
      for (const { session } of documents.values()) {
        session.detach()
        session.leave()
      }
      documents.clear()
      view.destroy()
    },
  }
}

function labelExtensions(labels: EditorLabels): Extension {
  return [
    editorLabels.of(labels),
    searchWords.of(labels.search),
    EditorState.phrases.of(labels.phrases),
    placeholder(labels.placeholder),
    EditorView.contentAttributes.of({ 'aria-label': labels.document, tabindex: '0' }),
  ]
}

function chosenExtensions(settings: EditorSettings): Extension {
  return [
    EditorView.contentAttributes.of({
      spellcheck: settings.isSpellchecked ? 'true' : 'false',
      autocorrect: 'off',
      autocapitalize: 'off',
    }),
    inputAidChoices.of(settings.aids),
    settings.isRubyDrawn ? rubyMarks() : [],
    settings.isTypewriter ? typewriterMode : [],
    settings.isFocusMode ? focusMode : [],
  ]
}

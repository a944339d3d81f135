import './manuscript.css'
import { useCallback, useEffect, useRef } from 'react'
import { DraftMode } from '../../../shared/domain/drafting/draft-details.ts'
import { createManuscriptEditor } from '../../editor/manuscript/manuscript-editor.ts'
import { commands, keysOfId } from '../../state/commands/commands.ts'
import { chosenPage } from '../../state/reducers/work-reducer.ts'
import { activeRun, isEndless } from '../../state/slices/work/runs-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { optionsOf } from '../../ui/fields/choice-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { linkTo } from './document-link.ts'
import { editorLabels } from './editor-labels.ts'
import { DocumentNotices, DraftNotices } from './manuscript-notices.tsx'
import { pendingView } from './pending-view.ts'
import { WordHover } from './word-hover.tsx'

/** The page: one CodeMirror view that React only mounts, and what must be said about the text around it. */
export function Manuscript({ cspNonce }: { cspNonce: string | undefined }) {
  const { t } = useWords()
  const path = useApp((state) => state.documents.activePath)
  const isVertical = useApp((state) => state.writing.isVertical)
  const isLoading = useApp(({ documents }) => {
    const shown = documents.byPath[documents.activePath ?? '']
    return shown !== undefined && shown.documentId === null && shown.problem === null
  })
  return (
    <main className="manuscript" aria-label={t('editor.region')}>
      <ModeSwitch />
      {path !== null && <DocumentNotices path={path} />}
      {path !== null && isVertical && <VerticalBar />}
      <div className="manuscript-page">
        <EditorMount cspNonce={cspNonce} />
        {path === null && <p className="manuscript-empty late">{t('editor.noFile')}</p>}
        {isLoading && (
          <p className="manuscript-empty late" role="status">
            {t('start.opening')}
          </p>
        )}
      </div>
      <DraftNotices />
      <WordHover />
    </main>
  )
}

function EditorMount({ cspNonce }: { cspNonce: string | undefined }) {
  const store = useAppStore()
  const words = useWords()
  const settings = useApp((state) => state.settings.value.editor)
  const path = useApp((state) => state.documents.activePath)
  const key = useApp((state) => state.documents.byPath[state.documents.activePath ?? '']?.key ?? null)
  const isFocusDue = useApp(
    ({ documents }) =>
      documents.isFocusWanted && documents.byPath[documents.activePath ?? '']?.documentId != null,
  )
  const page = useApp(({ work, documents }) => chosenPage(work.current, documents.activePath))
  const parent = useRef<HTMLDivElement>(null)
  const continueKeys = useApp((state) => keysOfId('draft.start', state))
  const isIdea = useApp((state) => state.ideas.mode === 'idea')
  const first = useRef({ settings, labels: editorLabels(words.t, words.language, continueKeys, isIdea) })

  // A text that is still on its way takes no focus: it is asked again when it has come.
  const focus = useCallback(() => {
    store.editor.current?.focus()
    if (parent.current?.contains(document.activeElement)) store.getState().documents.focused()
  }, [store])

  useEffect(() => {
    if (parent.current === null) return
    const { documents, runs, writing } = store.getState()
    const editor = createManuscriptEditor({
      parent: parent.current,
      ...(cspNonce ? { cspNonce } : {}),
      ...first.current,
      events: {
        onDocument(key, event) {
          documents.folded(key, event)
          if (event.kind !== 'snapshot') return
          if (store.getState().documents.isFocusWanted) focus()
          editor.showVertical(store.getState().writing.isVertical)
        },
        onSync: documents.synced,
        onProblem: documents.failed,
        onFigures: documents.measured,
        onWritten: writing.written,
        onPending(event) {
          const { words } = store.getState()
          if (event.kind === 'hover') void words.hover(event.id, event.at, event.box)
          else if (event.kind === 'unhover') words.leave()
          else void runs.decided(event)
        },
      },
    })
    store.editor.current = editor
    return () => {
      store.editor.current = null
      editor.destroy()
    }
  }, [store, cspNonce, focus])

  useEffect(() => store.editor.current?.setSettings(settings), [store, settings])
  useEffect(
    () => store.editor.current?.setLabels(editorLabels(words.t, words.language, continueKeys, isIdea)),
    [store, words, continueKeys, isIdea],
  )

  // A renamed file keeps its key, and so its caret and its undo.
  useEffect(() => {
    if (key === null) store.editor.current?.showNothing()
    else {
      store.editor.current?.showDocument(linkTo(store, key))
      store.editor.current?.showVertical(store.getState().writing.isVertical)
    }
  }, [store, key])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor asks the link for the page by itself.
  useEffect(() => store.editor.current?.pageChosen(), [store, page])

  useEffect(() => {
    if (isFocusDue) focus()
  }, [focus, isFocusDue])

  // Text that streams goes straight to the editor; React does not render for it.
  useEffect(() => {
    if (key === null) return
    const show = () => {
      const { byPath } = store.getState().documents
      // A file that is being renamed has its new name before the page is drawn again.
      const now = Object.values(byPath).find((one) => one.key === key)?.path ?? path
      store.editor.current?.showPending(key, pendingView(store.getState(), now, words.t, words.errorText))
    }
    show()
    return store.subscribe((state, before) => {
      if (state.runs !== before.runs || state.takes !== before.takes) show()
    })
  }, [store, key, path, words])

  return <div ref={parent} className="manuscript-editor" />
}

/** Above the text: *Continue*, and whether it writes on or makes ideas; both disabled during a run. */
function ModeSwitch() {
  const { t } = useWords()
  const store = useAppStore()
  const mode = useApp((state) => state.ideas.mode)
  const setMode = useApp((state) => state.ideas.setMode)
  const isBusy = useApp((state) => activeRun(state.runs) !== null || isEndless(state.runs))
  const keys = useApp((state) => keysOfId('draft.start', state)) ?? []
  const start = commands.find(({ id }) => id === 'draft.start')
  const isOffered = useApp((state) => start?.isEnabled(state) ?? false)
  return (
    <div className="draft-mode">
      <Segmented
        label={t('draftMode.label')}
        value={mode}
        isDisabled={isBusy}
        options={DraftMode.options.map((value) => ({ value, label: t(`draftMode.${value}`) }))}
        onChange={setMode}
      />
      <Button
        variant="quiet"
        disabled={!isOffered}
        // The caret says where the text goes on: it stays.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => start?.run(store)}
      >
        {t(`draftMode.${mode}.start`)} <Kbd keys={keys} />
      </Button>
    </div>
  )
}

/** The toolbar above the vertical view: scrolls or turns pages, and leads back to the editor. */
function VerticalBar() {
  const { t } = useWords()
  const { value: settings, update } = useApp((state) => state.settings)
  const showVertical = useApp((state) => state.writing.showVertical)
  return (
    <div className="vertical-bar">
      <Segmented
        label={t('vertical.label')}
        value={settings.editor.verticalMode}
        options={optionsOf(['continuous', 'paged'], (value) => t(`vertical.${value}`))}
        onChange={(verticalMode) => void update({ editor: { verticalMode } })}
      />
      <span className="grow" />
      <Button variant="quiet" onClick={() => showVertical(false)}>
        {t('vertical.close')} <Kbd keys={['Esc']} />
      </Button>
    </div>
  )
}

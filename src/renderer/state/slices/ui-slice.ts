import type { PickPurpose } from '../../../shared/domain/app/host-info.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import type { MessageKey, MessageValues } from '../../../shared/i18n/translate.ts'
import { createNativePicker } from './picked.ts'
import type { SliceContext } from './slice.ts'

export type Pane = 'files' | 'side'
/** The view of a work in the middle of the window. */
export type WorkView = 'manuscript' | 'session'
export type SessionTab = 'course' | 'sent' | 'audit'
export type SideTab = 'details' | 'takes' | 'context' | 'ask' | 'memo' | 'history'
export type SettingsSection =
  | 'general'
  | 'editor'
  | 'models'
  | 'suggestions'
  | 'sampler'
  | 'drafting'
  | 'shortcuts'
  | 'rules'
  | 'tools'

export type DialogView =
  | { kind: 'picker'; purpose: PickPurpose }
  | { kind: 'settings'; section: SettingsSection }
  | { kind: 'palette' }
  | { kind: 'terms'; starterId: string }
  | { kind: 'catalogue-terms'; modelId: string }
  | { kind: 'add-server' }
  /** `droppedName`: of a file whose place the page was not told. */
  | { kind: 'model-path'; droppedName: string | null }
  | { kind: 'removed-files' }
  /** `path` null: the whole work. */
  | { kind: 'post'; path: string | null }
  | { kind: 'export'; path: string | null }
  | { kind: 'find' }
  | { kind: 'summaries' }
  | { kind: 'mentions'; keys: readonly string[] }
  | { kind: 'lore-import' }
  | { kind: 'check'; path: string }
  /** A material that is an entry, or is to become one. */
  | { kind: 'lore-entry'; path: string; proposedKeys: readonly string[] }
  | { kind: 'compare-disk'; path: string }
  | { kind: 'ruby' }
  | { kind: 'rewrite' }
  | { kind: 'writing' }
  | { kind: 'compare-take'; takeId: string }
  | { kind: 'take-part'; takeId: string }
  | { kind: 'words' }
  | { kind: 'continue-where'; isEndless?: boolean; takes?: number }
  | { kind: 'session-search' }
  | { kind: 'session-remove'; sessionId: string }
  | { kind: 'session-reset' }
  | { kind: 'session-stats' }
  | { kind: 'add-folder'; sessionId: string }
  | { kind: 'slash-help' }
  /** Without a turn: takes the last undo of files back. */
  | { kind: 'undo-turn'; turn: number | null }
  /** `path`: where the code block said it belongs, if it did. */
  | { kind: 'apply-text'; text: string; path: string | null }
  | { kind: 'left-files'; itemId: string; paths: readonly string[]; by: 'acceptance' | 'undo' }
  | { kind: 'rules' }
  | { kind: 'trust' }

/** Dialogs that are not about the open work, and stay where another one is opened. */
export const dialogsOfApp: ReadonlySet<DialogView['kind']> = new Set([
  'picker',
  'settings',
  'palette',
  'terms',
  'catalogue-terms',
  'add-server',
  'model-path',
  'slash-help',
])

type Toast = {
  id: string
  tone: 'plain' | 'bad'
  message: ToastText | { error: ErrorInfo }
  action?: { key: MessageKey; run: () => void }
  /** True where the toast offers a text that is kept nowhere else: it stays until the user closes it. */
  isLasting?: boolean
}

/** `words`: values that are texts of the window themselves. */
type ToastText = { key: MessageKey; values?: MessageValues; words?: Record<string, MessageKey> }

type Panes = { isNarrow: boolean; drawer: Pane | null; isFilesOpen: boolean; isSideOpen: boolean }

export function isPaneOpen(ui: Panes, pane: Pane): boolean {
  if (ui.isNarrow) return ui.drawer === pane
  return pane === 'files' ? ui.isFilesOpen : ui.isSideOpen
}

const isSame = (one: Pick<Toast, 'message'>, other: Pick<Toast, 'message'>): boolean =>
  JSON.stringify(one.message) === JSON.stringify(other.message)

const toastMs = 8_000
const toastWithActionMs = 20_000

/** Names of the remembered folders; purposes with the same name share one. */
const placeNames: Record<PickPurpose, string> = {
  'open-work': 'works',
  'open-project': 'works',
  'create-work': 'works',
  'open-gguf': 'models',
  'gguf-folder': 'models',
  'export-project': 'exports',
  'export-text': 'exports',
  'export-chapters': 'exports',
  'import-text': 'imports',
  'import-lore': 'imports',
  'export-lore': 'exports',
  'add-folder': 'folders',
}

export function createUiSlice(context: SliceContext) {
  const { get, patch, memory } = context
  const pickNatively = createNativePicker(context)
  let count = 0

  const show = (toast: Omit<Toast, 'id'>) => {
    const id = `toast-${++count}`
    // A message that is shown again replaces its earlier toast.
    const others = get().ui.toasts.filter((one) => one.action || toast.action || !isSame(one, toast))
    const lasting = others.filter(({ isLasting }) => isLasting)
    const passing = others.filter(({ isLasting }) => !isLasting).slice(-3)
    patch('ui', { toasts: [...lasting, ...passing, { ...toast, id }] })
    if (toast.tone === 'bad' || toast.isLasting) return
    setTimeout(() => get().ui.closeToast(id), toast.action ? toastWithActionMs : toastMs)
  }

  return {
    dialog: null as DialogView | null,
    toasts: [] as Toast[],
    tab: 'details' as SideTab,
    view: 'manuscript' as WorkView,
    sessionTab: 'course' as SessionTab,
    isFilesOpen: memory.read('files') !== 'closed',
    isSideOpen: memory.read('side') !== 'closed',
    /** Too narrow for three panes: the side ones lie over the page, one at a time. */
    isNarrow: false,
    drawer: null as Pane | null,
    /** How often the user asked to go to a tab of the right pane. */
    sideVisits: 0,

    /** Shows a dialog in the page; a picker is the system's own where the host has one. */
    open(dialog: DialogView) {
      if (dialog.kind === 'picker' && get().connection.host?.hasNativePicker)
        void pickNatively(dialog.purpose)
      else patch('ui', { dialog })
    },
    close: () => patch('ui', { dialog: null }),
    /** The folder where something was picked for such a purpose last; null before the first time. */
    lastPlace: (purpose: PickPurpose) => memory.read(`place ${placeNames[purpose]}`),
    keepPlace: (purpose: PickPurpose, folder: string) => memory.write(`place ${placeNames[purpose]}`, folder),
    showTab(tab: SideTab) {
      patch('ui', { tab })
      get().ui.togglePane('side', true)
      if (tab === 'context') get().preview.invalidate()
      if (tab === 'history') void get().history.load()
    },
    /** Shows a tab on the user's request: the focus goes there. */
    goToTab(tab: SideTab) {
      get().ui.showTab(tab)
      patch('ui', { sideVisits: get().ui.sideVisits + 1 })
    },
    showView(view: WorkView) {
      patch('ui', { view, drawer: null })
      const { current } = get().work
      if (current === null) return
      memory.write(`view ${current.root}`, view)
      if (view === 'session') get().sessions.openLast()
    },
    showSessionTab(sessionTab: SessionTab) {
      patch('ui', { sessionTab })
      get().ui.togglePane('side', true)
    },
    goToSessionTab(tab: SessionTab) {
      get().ui.showSessionTab(tab)
      patch('ui', { sideVisits: get().ui.sideVisits + 1 })
    },
    togglePane(pane: Pane, isOpen?: boolean) {
      const { ui } = get()
      const next = isOpen ?? !isPaneOpen(ui, pane)
      if (ui.isNarrow) return patch('ui', { drawer: next ? pane : null })
      memory.write(pane, next ? 'open' : 'closed')
      patch('ui', pane === 'files' ? { isFilesOpen: next } : { isSideOpen: next })
    },
    setNarrow: (isNarrow: boolean) => patch('ui', { isNarrow, drawer: null }),
    toast: (message: ToastText, action?: Toast['action'], isLasting = false) =>
      show({ tone: 'plain', message, ...(action ? { action } : {}), ...(isLasting ? { isLasting } : {}) }),
    toastError(error: ErrorInfo, action?: Toast['action']) {
      if (error.code !== 'rpc/aborted')
        show({ tone: 'bad', message: { error }, ...(action ? { action } : {}) })
    },
    closeToast: (id: string) => patch('ui', { toasts: get().ui.toasts.filter((toast) => toast.id !== id) }),
  }
}

import { type RefObject, useEffect, useRef } from 'react'
import type { AppState } from './state/app-state.ts'
import type { AppStore } from './state/app-store.ts'
import { commandFor, commands, isSave } from './state/commands/commands.ts'
import { languageOf, useApp, useAppStore } from './state/store-context.tsx'

/** Puts language and theme on the page; `system` follows the system as it changes. */
export function useAppearance(): void {
  const language = useApp(languageOf)
  const theme = useApp((state) => state.settings.value.theme)
  const title = useApp((state) => state.work.current?.name)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  useEffect(() => {
    document.title = title ? `${title} – Tsugi` : 'Tsugi'
  }, [title])
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const apply = () => {
      document.documentElement.dataset.theme = theme !== 'system' ? theme : dark.matches ? 'dark' : 'light'
    }
    apply()
    dark.addEventListener('change', apply)
    return () => dark.removeEventListener('change', apply)
  }, [theme])
}

/** Notes on the page whether a key or a pointer was used last. */
export function useInputKind(): void {
  useEffect(() => {
    const { dataset } = document.documentElement
    const hearKey = ({ key }: KeyboardEvent) => {
      if (!['Shift', 'Control', 'Alt', 'Meta'].includes(key)) dataset.input = 'key'
    }
    const hearPointer = () => {
      dataset.input = 'pointer'
    }
    addEventListener('keydown', hearKey, true)
    addEventListener('pointerdown', hearPointer, true)
    return () => {
      removeEventListener('keydown', hearKey, true)
      removeEventListener('pointerdown', hearPointer, true)
    }
  }, [])
}

/** The parts of the window that F6 goes through, in the order in which they are read. */
const paneSelector = 'header.header, .file-panel, .session-pane, main, aside.side, footer.status-bar'
const focusable =
  'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"], .cm-content'

function cyclePanes(store: AppStore, step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>(paneSelector)].filter(isUsable)
  const at = panes.findIndex((pane) => pane.contains(document.activeElement))
  for (let moved = 1; moved <= panes.length; moved += 1) {
    const pane = panes[(at + step * moved + panes.length * 2) % panes.length]
    if (pane === undefined) return
    if (pane.tagName === 'MAIN' && store.getState().work.current !== null) {
      focusText(store)
      return
    }
    const first = firstIn(pane)
    if (first) {
      first.focus()
      return
    }
  }
}

/** Returns the chosen element of a part of the window, else its first control. */
function firstIn(pane: HTMLElement): HTMLElement | undefined {
  return (
    pane.querySelector<HTMLElement>('[role=tab][data-state=active], [aria-current]') ??
    [...pane.querySelectorAll<HTMLElement>(focusable)].find(isUsable)
  )
}

/**
 * Moves the focus into a pane that lies over the page: typed text would go unseen into the text behind it. The right
 * pane gets the focus where the user asked for one of its tabs.
 */
export function usePaneFocus(): void {
  const drawer = useApp((state) => state.ui.drawer)
  const sideVisits = useApp((state) => state.ui.sideVisits)
  useEffect(() => {
    const pane = drawer && document.querySelector<HTMLElement>('.drawer')
    if (pane && !pane.contains(document.activeElement)) firstIn(pane)?.focus()
  }, [drawer])
  useEffect(() => {
    const side = sideVisits > 0 ? document.querySelector<HTMLElement>('aside.side') : null
    if (side) firstIn(side)?.focus()
  }, [sideVisits])
}

/** Hears the keys of commands wherever the focus is. What a part of the page has used is left alone. */
export function useKeys(): void {
  const store = useAppStore()
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return
      const state = store.getState()
      if (event.key === 'Escape') {
        if (stepBack(store.getState())) event.preventDefault()
        else focusText(store)
        return
      }
      if (event.key === 'F6' && state.ui.dialog === null) {
        event.preventDefault()
        cyclePanes(store, event.shiftKey ? -1 : 1)
        return
      }
      // A browser would save its own page where nothing of ours can be saved.
      if (isSave(event, state)) event.preventDefault()
      const command = commandFor(event, state)
      if (!command || (state.ui.dialog !== null && command.id !== 'palette')) return
      event.preventDefault()
      command.run(store)
    }
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [store])
}

/**
 * Moves the focus to where text is written when the element that has it goes: a dialog whose opener is no more, a row
 * that was taken back, a button that is not needed now, a text that makes room for another. Within a dialog the focus
 * goes to the dialog itself. A user who leaves the page by Tab, or by a press beside everything, is let go.
 */
export function useFocusOfGone(): void {
  const store = useAppStore()
  useEffect(() => {
    let last: HTMLElement | null = null
    /**
     * True until the user leaves the element: it could not keep the focus, though it may be there again by now. A button
     * that was disabled for a moment loses the focus without an event.
     */
    let hasLostFocus = false
    let timer: ReturnType<typeof setTimeout> | undefined
    /** True where something happened while a check was already due: its effect may come after that check. */
    let isAskedAgain = false
    /** When a check first found that no element has the focus; null while one has it. Units: ms since the page was loaded. */
    let goneSince: number | null = null
    const remember = ({ target }: FocusEvent) => {
      hasLostFocus = true
      goneSince = null
      if (target instanceof HTMLElement) last = target
    }
    const leave = ({ target }: FocusEvent) => {
      hasLostFocus = target instanceof HTMLElement && !isUsable(target)
      checkSoon()
    }
    const check = () => {
      timer = undefined
      // A disabled element has the focus until the browser draws the page again.
      if (isAskedAgain || document.activeElement?.matches(':disabled')) checkSoon()
      if (document.activeElement !== document.body || last === null) {
        goneSince = null
        return
      }
      goneSince ??= performance.now()
      const isThere = isUsable(last)
      if (isThere && !hasLostFocus) return
      const dialog = last.isConnected ? last.closest<HTMLElement>('[role=dialog]') : null
      // A closing layer gives the focus back by itself, or to an element that is gone as well.
      if (dialog === null && document.querySelector('[role=dialog], [role=menu]') !== null) checkSoon()
      else if (isThere) last.focus()
      // It may be off for a moment only.
      else if (performance.now() - goneSince < followMs) checkSoon()
      else if (dialog !== null) dialog.focus()
      else focusText(store)
    }
    // The page follows the state, and parts that close give the focus back by themselves first.
    const checkSoon = () => {
      isAskedAgain = timer !== undefined
      timer ??= setTimeout(check, followMs)
    }
    document.addEventListener('focusin', remember)
    document.addEventListener('focusout', leave)
    const stop = store.subscribe(checkSoon)
    // Parts also go by their own state, which the store does not report; a layer over the page is the body's child.
    for (const event of ['keyup', 'click']) addEventListener(event, checkSoon, true)
    const layers = new MutationObserver(checkSoon)
    layers.observe(document.body, { childList: true })
    return () => {
      clearTimeout(timer)
      stop()
      layers.disconnect()
      for (const event of ['keyup', 'click']) removeEventListener(event, checkSoon, true)
      document.removeEventListener('focusin', remember)
      document.removeEventListener('focusout', leave)
    }
  }, [store])
}

/** Time after a change of the state by which the page has followed it. Units: ms. */
const followMs = 50

function isUsable(element: HTMLElement): boolean {
  const isOff = element.matches(':disabled, [contenteditable=false], [inert] *')
  return element.isConnected && !isOff && element.getClientRects().length > 0
}

/** Gives the focus to where text is written, or to the first control of the page where a work has no text. */
function focusText(store: AppStore): void {
  const { ui, work, documents } = store.getState()
  if (ui.view === 'session') store.messageBox.current?.focus()
  else store.editor.current?.focus()
  if (document.activeElement !== document.body || work.current === null) return
  const shown = documents.byPath[documents.activePath ?? '']
  if (ui.view !== 'session' && shown?.documentId === null && shown.problem === null) {
    documents.awaitFocus()
    return
  }
  const controls = ['main', 'body'].flatMap((part) => [
    ...document.querySelectorAll<HTMLElement>(`${part} :is(${focusable})`),
  ])
  for (const control of controls.filter(isUsable)) {
    // An invisible control does not take the focus.
    control.focus()
    if (document.activeElement !== document.body) return
  }
}

/**
 * Keeps the page from screen readers while a dialog lies over it. Radix hides what is there when a dialog opens, but
 * not what comes later beside a live region: a search panel in another language, a notice.
 */
export function useHiddenBehindDialog(): RefObject<HTMLDivElement | null> {
  const page = useRef<HTMLDivElement>(null)
  const isBehind = useApp(({ ui, history }) => ui.dialog !== null || history.compared !== null)
  // In an effect: the dialog has the focus by then. A page that has it would not be hidden.
  useEffect(() => {
    if (isBehind) page.current?.setAttribute('aria-hidden', 'true')
    else page.current?.removeAttribute('aria-hidden')
  }, [isBehind])
  return page
}

export function useHostCommands(): void {
  const store = useAppStore()
  const asked = useApp((state) => state.connection.hostCommand)
  useEffect(() => {
    if (asked?.id === 'edit.undo' || asked?.id === 'edit.redo')
      return stepHistory(asked.id === 'edit.undo' ? 'undo' : 'redo')
    const command = commands.find(({ id }) => id === asked?.id)
    if (command?.isEnabled(store.getState())) command.run(store)
  }, [asked, store])
}

/** Goes one level back: a drawer, then the vertical view, then the run, then the offer. Dialogs close themselves. */
function stepBack({ ui, runs, conversation, writing }: AppState): boolean {
  if (ui.dialog !== null) return true
  if (ui.drawer !== null) {
    ui.togglePane(ui.drawer, false)
    return true
  }
  if (ui.view === 'manuscript' && writing.isVertical) {
    writing.showVertical(false)
    return true
  }
  if (ui.view === 'manuscript') return runs.stepBack()
  if (conversation.current?.state?.activity == null) return false
  void conversation.stop()
  return true
}

/** Below this width the side panes lie over the page. */
const narrowQuery = '(max-width: 1099px)'

export function useNarrow(): void {
  const setNarrow = useApp((state) => state.ui.setNarrow)
  useEffect(() => {
    const narrow = matchMedia(narrowQuery)
    const apply = () => setNarrow(narrow.matches)
    apply()
    narrow.addEventListener('change', apply)
    return () => narrow.removeEventListener('change', apply)
  }, [setNarrow])
}

/**
 * Undoes or redoes one step where the focus is, as the key would.
 *
 * Shape: an editor with a history of its own takes the event; a plain field has the browser's history. The
 * browser's own command alone would not reach an editor: its history holds only what was typed.
 * Source: Input Events Level 2, `historyUndo` and `historyRedo`.
 */
function stepHistory(step: 'undo' | 'redo'): void {
  const inputType = step === 'undo' ? 'historyUndo' : 'historyRedo'
  const event = new InputEvent('beforeinput', { inputType, bubbles: true, cancelable: true })
  const isHandled = !(document.activeElement ?? document.body).dispatchEvent(event)
  if (!isHandled) document.execCommand(step)
}

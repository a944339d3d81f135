import type { BrowserContext, Page } from '@playwright/test'
import type { AppState } from '../../../src/renderer/state/app-state.ts'
import type { SessionState } from '../../../src/shared/domain/session/session.ts'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import type { ErrorInfo } from '../../../src/shared/errors.ts'

/** The window's state of its host, and the parts of it that are on the screen. */
export type WindowView = {
  connection: string
  root: string | null
  view: string
  dialog: string | null
  hasDrawer: boolean
  errors: ErrorInfo[]
  session: {
    sessionId: string
    status: string
    /** Why it could not be shown. */
    error: ErrorInfo | null
    seq: number
    state: SessionState | null
    /** Empty unless they were requested: a long conversation takes most of the time of a reading. */
    items: SessionItem[]
    /** Older ones are at the host. */
    hasMore: boolean
    isEditing: boolean
  } | null
  /** The message box as it is written; null where there is none. */
  box: string | null
  /** Layers over the page: dialogs, menus, lists. */
  layers: number
  /** Another one after a reload. */
  openedAt: number
  /** Another one after a new start of the host. */
  origin: string
  /** Something has the focus, or there is no text to have it. */
  hasFocus: boolean
  /** Elements that reach out of the window or are wider than it. */
  outside: string[]
  /** True where the front gate, or the button that leads to it, is on the screen. */
  hasGate: boolean
}

/** `isDrawn`: waits until what the store has is drawn. */
type Look = { isDrawn?: boolean; hasItems?: boolean }

/** CodeMirror's element of a text, which leads to the editor's state. */
type BoxElement = Element & { cmTile?: { root: { view: { state: { doc: { toString(): string } } } } | null } }

type Reading = { readSoakWindow?: (isDrawn: boolean, hasItems: boolean) => Promise<WindowView | null> }

/** Reads the window's state at once; null while the page loads. */
export function readWindow(
  page: Page,
  { isDrawn = true, hasItems = false }: Look = {},
): Promise<WindowView | null> {
  return page.evaluate(
    async ([isDrawn, hasItems]) => (await (window as Reading).readSoakWindow?.(isDrawn, hasItems)) ?? null,
    [isDrawn, hasItems] as const,
  )
}

/** Puts the reader into each page as it loads: sent with each reading, it would be a third of a seed's processor time. */
export async function installReader(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const shown: { sessionId?: string | undefined } = {}
    ;(window as Reading).readSoakWindow = async (isDrawn, hasItems) => {
      const store = findStore()
      if (store === null) return null
      // The box follows its session a moment later.
      for (let tries = 0; tries < 50; tries++) {
        const now = store.getState().conversation.current?.sessionId
        if (now === shown.sessionId) break
        shown.sessionId = now
        await new Promise((resolve) => setTimeout(resolve, 40))
      }
      if (isDrawn) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      const { connection, work, ui, conversation, composer } = store.getState()
      const { current } = conversation
      const find = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)]
      const content = document.querySelector('.message-box .cm-content')
      // Of a long text only the lines in view are elements of the page.
      const text = (content as BoxElement | null)?.cmTile?.root?.view.state.doc.toString() ?? null
      // The number between the signs of a chip is the window's own, and another one after a reload.
      const box = text?.replace(/\uE000\d+\uE001/g, '\uE000\uE001') ?? null
      const width = document.documentElement.clientWidth
      const height = document.documentElement.clientHeight
      const isOutside = (part: HTMLElement) => {
        const { left, top, right, bottom } = part.getBoundingClientRect()
        return right > left && (left < -1 || right > width + 1 || top < -1 || bottom > height + 1)
      }
      const outside = find('[role=dialog], [role=menu], .header > *, .message-box, .toast')
        .filter((part) => isOutside(part) && part.getAnimations({ subtree: false }).length === 0)
        .map((part) => {
          const { left, top, right, bottom } = part.getBoundingClientRect()
          const place = [left, top, right, bottom].map(Math.round).join(' ')
          return `${part.className || part.tagName} at ${place} in ${width}×${height}: ${part.textContent?.slice(0, 60)}`
        })
      const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement
      if (scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1)
        outside.push(`the page: ${scrollWidth}×${scrollHeight} in ${clientWidth}×${clientHeight}`)
      const thrown = (current?.items ?? []).flatMap((item) =>
        item.kind === 'error' && item.error ? [item.error] : [],
      )
      const toasts = ui.toasts.flatMap((toast) => ('error' in toast.message ? [toast.message.error] : []))
      return {
        connection: connection.status,
        root: work.current?.root ?? null,
        view: ui.view,
        dialog: ui.dialog?.kind ?? null,
        hasDrawer: ui.drawer !== null,
        errors: [...toasts, ...thrown, ...(composer.failure ? [composer.failure] : [])],
        session: current && {
          sessionId: current.sessionId,
          status: current.status,
          error: current.error,
          seq: current.seq,
          state: current.state,
          hasMore: current.hasMore,
          items: hasItems ? current.items.map((item) => current.writing[item.itemId] ?? item) : [],
          isEditing: composer.editing !== null,
        },
        box,
        layers: find('[role=dialog], [role=alertdialog], [role=menu]').length,
        openedAt: performance.timeOrigin,
        origin: location.origin,
        hasFocus:
          document.querySelector('.cm-content') === null ||
          (document.activeElement !== null && document.activeElement !== document.body),
        outside,
        hasGate: find('.gate-open, .conversation-to-end').some(
          (part) => part.getBoundingClientRect().bottom > 0 && part.getBoundingClientRect().top < height,
        ),
      }

      // The window's own store, as its first component was given it: nothing of it is made for tests.
      function findStore() {
        const root = document.getElementById('root') as unknown as Record<string, Fiber> | null
        const key = Object.keys(root ?? {}).find((name) => name.startsWith('__reactContainer$'))
        const container = key === undefined ? undefined : root?.[key]
        let fiber = container?.stateNode?.current ?? null
        while (fiber) {
          if (fiber.memoizedProps?.store) return fiber.memoizedProps.store
          fiber = fiber.child
        }
        return null
      }
      type Fiber = {
        stateNode?: { current: Fiber } | null
        child: Fiber | null
        memoizedProps?: { store?: { getState(): AppState } } | null
      }
    }
  })
}

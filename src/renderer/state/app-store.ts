import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ManuscriptEditor } from '../editor/editor-types.ts'
import { type AppState, createSlices } from './app-state.ts'
import type { Connection, ConnectionState } from './connection.ts'
import { createKeptTexts, type KeptTexts } from './kept-texts.ts'
import { createFollow, infoOf } from './slices/follow.ts'
import type { SliceContext } from './slices/slice.ts'
import type { WindowMemory } from './window-memory.ts'

export type AppStore = StoreApi<AppState> & {
  client: Connection['client']
  /** The manuscript editor while it is mounted; commands reach the text through it. */
  editor: { current: ManuscriptEditor | null }
  /** The message box while it is mounted. */
  messageBox: { current: { focus(): void } | null }
  keptTexts: KeptTexts
}

/** The window's one store. It follows the host from here on, through every reconnect. */
export function createAppStore(
  connection: Connection,
  memory: WindowMemory,
  keptTexts: KeptTexts = createKeptTexts(null),
  tabMemory: WindowMemory = memory,
  now = Date.now,
): AppStore {
  const { client } = connection
  const editor: AppStore['editor'] = { current: null }
  const messageBox: AppStore['messageBox'] = { current: null }
  const store = createStore<AppState>((set, get) => {
    const tell: SliceContext['tell'] = (error, except) => {
      const info = infoOf(error)
      if (info.code !== except) get().ui.toastError(info)
    }
    const attempt: SliceContext['attempt'] = async (task) => {
      try {
        return await task()
      } catch (error) {
        tell(error)
        return null
      }
    }
    const context: SliceContext = {
      client,
      follow: createFollow(connection),
      memory,
      tabMemory,
      now,
      editor,
      get,
      patch: (name, part) => set((state) => ({ [name]: { ...state[name], ...part } }) as Partial<AppState>),
      tell,
      attempt,
      async inWork(task) {
        const workId = get().work.current?.workId
        return workId === undefined ? null : attempt(() => task(workId))
      },
    }
    return createSlices(context, connection, keptTexts)
  })

  const show = (status: ConnectionState) => {
    store.setState((state) => ({ connection: { ...state.connection, status } }))
    if (status === 'open') void store.getState().connection.opened()
    else store.getState().detailTexts.pause()
  }
  // Another host has nothing open: what this window shows is opened there before anything else is asked.
  connection.beforeOpen?.((fresh) => store.getState().work.prepare(fresh))
  connection.onState(show)
  store.subscribe(({ conversation, suggestion, speculation }, before) => {
    const sessionId = conversation.current?.sessionId ?? null
    if (sessionId === (before.conversation.current?.sessionId ?? null)) return
    suggestion.follow(sessionId)
    speculation.follow(sessionId)
  })
  store.subscribe(({ work, connection: { host }, kept, documents }, before) => {
    const isSame = work.current?.workId === before.work.current?.workId && host === before.connection.host
    if (!isSame) kept.follow()
    else if (kept.stranded.length > 0 && documents.byPath !== before.documents.byPath) kept.look()
  })
  store.subscribe(({ work, settings, summaries }, before) => {
    const wanted = idleSummariesOf(work, settings)
    if (wanted !== idleSummariesOf(before.work, before.settings)) summaries.followIdle(wanted)
  })
  store.getState().settings.start()
  store.getState().models.start()
  store.getState().starter.start()
  if (connection.state() === 'open') show('open')
  return Object.assign(store, { client, editor, messageBox, keptTexts })
}

function idleSummariesOf({ current }: AppState['work'], { value }: AppState['settings']): string | null {
  return value.summariesWhileIdle ? (current?.workId ?? null) : null
}

import { AgentMode } from '../../../shared/domain/session/agent-step.ts'
import type { AppState } from '../app-state.ts'
import { modeOf } from '../slices/session/session-mode.ts'
import { offeredSuggestion } from '../slices/session/suggestion-slice.ts'
import type { Command } from './command.ts'

const hasWork = (state: AppState) => state.work.current !== null
const hasSession = (state: AppState) =>
  hasWork(state) && state.ui.view === 'session' && state.conversation.current?.state != null
const isRunning = (state: AppState) =>
  hasSession(state) && state.conversation.current?.state?.activity != null
/** Returns the last turn that the user began. A question beside a turn begins none, also before the first turn. */
export const lastTurn = (state: Pick<AppState, 'conversation'>): number | null =>
  state.conversation.current?.items.findLast((item) => item.kind === 'user' && item.how === 'send')?.turn ??
  null
const canTurn = (state: AppState) => hasSession(state) && !isRunning(state) && lastTurn(state) !== null

const hasOtherSuggestions = (state: AppState) =>
  hasSession(state) && offeredSuggestion(state) !== null && state.suggestion.current.place !== undefined

/** The commands around sessions. */
export const sessionCommands: readonly Command[] = [
  {
    id: 'view.session',
    binding: 'view.switch',
    title: 'command.viewSession',
    keys: ['Ctrl', 'Alt', 'S'],
    desktopKeys: ['Ctrl', 'Shift', 'S'],
    otherKeys: [['Ctrl', 'Shift', 'S']],
    isEnabled: (state) => hasWork(state) && state.ui.view !== 'session',
    run: (store) => store.getState().ui.showView('session'),
  },
  {
    id: 'view.manuscript',
    binding: 'view.switch',
    title: 'command.viewManuscript',
    keys: ['Ctrl', 'Alt', 'S'],
    desktopKeys: ['Ctrl', 'Shift', 'S'],
    otherKeys: [['Ctrl', 'Shift', 'S']],
    isEnabled: (state) => hasWork(state) && state.ui.view !== 'manuscript',
    run: (store) => {
      const { documents, ui } = store.getState()
      if (documents.activePath === null) ui.showView('manuscript')
      else documents.goTo(documents.activePath)
    },
  },
  {
    id: 'session.new',
    title: 'command.sessionNew',
    keys: ['Ctrl', 'Alt', 'N'],
    isEnabled: hasWork,
    run: (store) => {
      store.getState().ui.showView('session')
      void store.getState().sessions.create()
    },
  },
  {
    id: 'suggestion.next',
    title: 'command.suggestionNext',
    keys: ['Alt', ']'],
    isEnabled: hasOtherSuggestions,
    run: (store) => void store.getState().suggestion.other(1),
  },
  {
    id: 'suggestion.previous',
    title: 'command.suggestionPrevious',
    keys: ['Alt', '['],
    isEnabled: hasOtherSuggestions,
    run: (store) => void store.getState().suggestion.other(-1),
  },
  {
    id: 'session.search',
    title: 'command.sessionSearch',
    keys: ['Ctrl', 'Shift', 'F'],
    isEnabled: hasWork,
    run: (store) => store.getState().ui.open({ kind: 'session-search' }),
  },
  {
    id: 'session.box',
    title: 'command.sessionBox',
    isEnabled: (state) => hasWork(state) && state.ui.view === 'session',
    run: (store) => store.messageBox.current?.focus(),
  },
  {
    id: 'session.stop',
    title: 'command.sessionStop',
    keys: ['Esc'],
    isEnabled: isRunning,
    run: (store) => void store.getState().conversation.stop(),
  },
  {
    id: 'session.recover',
    title: 'command.sessionRecover',
    isEnabled: (state) => hasSession(state) && state.conversation.current?.state?.canRecover === true,
    run: (store) => void store.getState().conversation.recover(),
  },
  {
    id: 'session.retry',
    title: 'command.sessionRetry',
    isEnabled: canTurn,
    run: (store) => {
      const turn = lastTurn(store.getState())
      if (turn !== null) void store.getState().composer.resend(turn)
    },
  },
  {
    id: 'session.edit',
    title: 'command.sessionEdit',
    isEnabled: canTurn,
    run: (store) => {
      const turn = lastTurn(store.getState())
      if (turn !== null) store.getState().composer.edit(turn)
    },
  },
  {
    id: 'session.branch',
    title: 'command.sessionBranch',
    isEnabled: (state) => hasSession(state) && lastTurn(state) !== null,
    run: (store) => {
      const turn = lastTurn(store.getState())
      if (turn !== null) void store.getState().conversation.branch(turn)
    },
  },
  {
    id: 'session.undo',
    title: 'command.sessionUndo',
    isEnabled: canTurn,
    run: (store) => {
      const turn = lastTurn(store.getState())
      if (turn !== null) store.getState().ui.open({ kind: 'undo-turn', turn })
    },
  },
  {
    id: 'session.redo',
    title: 'command.sessionRedo',
    isEnabled: (state) => hasSession(state) && !isRunning(state),
    run: (store) => store.getState().ui.open({ kind: 'undo-turn', turn: null }),
  },
  {
    id: 'session.compact',
    title: 'command.sessionCompact',
    isEnabled: (state) => hasSession(state) && !isRunning(state),
    run: (store) => void store.getState().conversation.compact(),
  },
  {
    id: 'session.reset',
    title: 'course.reset',
    isEnabled: hasSession,
    run: (store) => store.getState().ui.open({ kind: 'session-reset' }),
  },
  {
    id: 'session.export',
    title: 'command.sessionExport',
    isEnabled: hasSession,
    run: (store) => void store.getState().conversation.exportMarkdown(),
  },
  {
    id: 'session.folder',
    title: 'command.sessionFolder',
    isEnabled: (state) => hasWork(state) && state.ui.view === 'session',
    run: (store) => void store.getState().folders.choose(),
  },
  {
    id: 'session.stats',
    title: 'command.sessionStats',
    isEnabled: hasSession,
    run: (store) => store.getState().ui.open({ kind: 'session-stats' }),
  },
  {
    id: 'session.remove',
    title: 'command.sessionRemove',
    isEnabled: hasSession,
    run: (store) => {
      const { conversation, ui } = store.getState()
      if (conversation.current) ui.open({ kind: 'session-remove', sessionId: conversation.current.sessionId })
    },
  },
  {
    id: 'session.rules',
    title: 'command.sessionRules',
    isEnabled: hasWork,
    run: (store) => store.getState().ui.open({ kind: 'rules' }),
  },
  {
    id: 'session.help',
    title: 'slash.help',
    isEnabled: (state) => hasWork(state) && state.ui.view === 'session',
    run: (store) => store.getState().ui.open({ kind: 'slash-help' }),
  },
  ...AgentMode.options.map(
    (mode): Command => ({
      id: `session.mode.${mode}`,
      title: `command.mode.${mode}`,
      isEnabled: (state) => hasWork(state) && state.ui.view === 'session' && modeOf(state) !== mode,
      run: (store) => void store.getState().conversation.setMode(mode),
    }),
  ),
  ...(['course', 'sent', 'audit'] as const).map(
    (tab): Command => ({
      id: `session.tab.${tab}`,
      title: `command.sessionTab.${tab}`,
      isEnabled: (state) => hasWork(state) && state.ui.view === 'session',
      run: (store) => store.getState().ui.goToSessionTab(tab),
    }),
  ),
]

import { AgentMode } from '../../../shared/domain/session/agent-step.ts'
import type { AppState } from '../app-state.ts'
import { modeOf } from '../slices/session/conversation-slice.ts'
import { speculationGate, speculationQuestion } from '../slices/session/speculation-slice.ts'
import { offeredSuggestion } from '../slices/session/suggestion-slice.ts'
import { action, type Command, hasWork, opening } from './command.ts'

const isView = (state: AppState) => hasWork(state) && state.ui.view === 'session'
const hasSession = (state: AppState) => isView(state) && state.conversation.current?.state != null
const isRunning = (state: AppState) =>
  hasSession(state) && state.conversation.current?.state?.activity != null
const isIdle = (state: AppState) => hasSession(state) && !isRunning(state)
/** Returns the last turn that the user began. A question beside a turn begins none, also before the first turn. */
export const lastTurn = (state: Pick<AppState, 'conversation'>): number | null =>
  state.conversation.current?.items.findLast((item) => item.kind === 'user' && item.how === 'send')?.turn ??
  null
const hasTurn = (state: AppState) => hasSession(state) && lastTurn(state) !== null
const canTurn = (state: AppState) => isIdle(state) && hasTurn(state)
/** Acts on the last turn, if there is one. */
const onLastTurn = (act: (state: AppState, turn: number) => unknown) => (state: AppState) => {
  const turn = lastTurn(state)
  if (turn !== null) void act(state, turn)
}

const resendTurn = onLastTurn(({ composer }, turn) => composer.resend(turn))
const editTurn = onLastTurn(({ composer }, turn) => composer.edit(turn))
const branchTurn = onLastTurn(({ conversation }, turn) => conversation.branch(turn))
const undoTurn = onLastTurn(({ ui }, turn) => ui.open({ kind: 'undo-turn', turn }))

const otherSuggestion =
  (step: 1 | -1) =>
  ({ suggestion }: AppState) =>
    suggestion.other(step)
const canRecover = (state: AppState) =>
  hasSession(state) && state.conversation.current?.state?.canRecover === true
const hasOtherSuggestions = (state: AppState) =>
  hasSession(state) && offeredSuggestion(state) !== null && state.suggestion.current.place !== undefined

const switching = {
  binding: 'view.switch',
  keys: ['Ctrl', 'Alt', 'S'],
  desktopKeys: ['Ctrl', 'Shift', 'S'],
  otherKeys: [['Ctrl', 'Shift', 'S']],
}

function showText({ documents, ui }: AppState): void {
  if (documents.activePath === null) ui.showView('manuscript')
  else documents.goTo(documents.activePath)
}

function createSession({ ui, sessions }: AppState): void {
  ui.showView('session')
  void sessions.create()
}

export const sessionCommands: readonly Command[] = [
  {
    ...switching,
    id: 'view.session',
    title: 'command.viewSession',
    isEnabled: (state) => hasWork(state) && state.ui.view !== 'session',
    run: (store) => store.getState().ui.showView('session'),
  },
  {
    ...switching,
    id: 'view.manuscript',
    title: 'command.viewManuscript',
    isEnabled: (state) => hasWork(state) && state.ui.view !== 'manuscript',
    run: (store) => showText(store.getState()),
  },
  action('session.new', 'command.sessionNew', hasWork, createSession, 'Ctrl Alt N'),
  action('suggestion.next', 'command.suggestionNext', hasOtherSuggestions, otherSuggestion(1), 'Alt ]'),
  action(
    'suggestion.previous',
    'command.suggestionPrevious',
    hasOtherSuggestions,
    otherSuggestion(-1),
    'Alt [',
  ),
  opening('session.search', 'command.sessionSearch', hasWork, { kind: 'session-search' }, 'Ctrl Shift F'),
  action('session.box', 'command.sessionBox', isView, (_, { messageBox }) => messageBox.current?.focus()),
  action('session.stop', 'command.sessionStop', isRunning, ({ conversation }) => conversation.stop(), 'Esc'),
  action('session.recover', 'command.sessionRecover', canRecover, ({ conversation }) =>
    conversation.recover(),
  ),
  action('session.retry', 'command.sessionRetry', canTurn, resendTurn),
  action('session.edit', 'command.sessionEdit', canTurn, editTurn),
  action('session.branch', 'command.sessionBranch', hasTurn, branchTurn),
  action('session.undo', 'command.sessionUndo', canTurn, undoTurn),
  opening('session.redo', 'command.sessionRedo', isIdle, { kind: 'undo-turn', turn: null }),
  action('session.compact', 'command.sessionCompact', isIdle, ({ conversation }) => conversation.compact()),
  opening('session.reset', 'course.reset', hasSession, { kind: 'session-reset' }),
  action('session.export', 'command.sessionExport', hasSession, (state) =>
    state.conversation.exportMarkdown(),
  ),
  action('session.folder', 'command.sessionFolder', isView, ({ folders }) => folders.choose()),
  opening('session.stats', 'command.sessionStats', hasSession, { kind: 'session-stats' }),
  action('session.remove', 'command.sessionRemove', hasSession, ({ conversation: { current }, ui }) => {
    if (current) ui.open({ kind: 'session-remove', sessionId: current.sessionId })
  }),
  opening('session.rules', 'command.sessionRules', hasWork, { kind: 'rules' }),
  opening('session.help', 'slash.help', isView, { kind: 'slash-help' }),
  ...AgentMode.options.map((mode) =>
    action(
      `session.mode.${mode}`,
      `command.mode.${mode}`,
      (state) => isView(state) && modeOf(state) !== mode,
      ({ conversation }) => conversation.setMode(mode),
    ),
  ),
  ...(['course', 'sent', 'audit'] as const).map((tab) =>
    action(`session.tab.${tab}`, `command.sessionTab.${tab}`, isView, ({ ui }) => ui.goToSessionTab(tab)),
  ),
  // Moves the focus from anywhere to the gate, or the question of an acceptance, that waits; neither takes it by itself.
  action(
    'gate.focus',
    'command.gateFocus',
    (state) =>
      (state.conversation.current?.state?.openGates.length ?? 0) > 0 ||
      speculationGate(state) !== null ||
      speculationQuestion(state) !== null,
    ({ ui, gates }) => {
      ui.showView('session')
      gates.wantFront(true)
    },
    'Alt G',
  ),
]

import { isTurnInProgress, type TurnEnd } from '../../shared/domain/session/agent-state.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import { SuggestionGuard } from '../../shared/domain/session/suggestion.ts'
import type { LiveSession } from '../sessions/live-session.ts'

export type SuggestionFacts = {
  /** The switches of the app and of the project together. */
  isOn: boolean
  windows: number
  /** Windows that a person watches. */
  attendedWindows: number
  /** How the last turn ended; null before the first turn, and after messages were taken back. */
  ended: TurnEnd | null
  isRunning: boolean
  lastItem: string | null
  hasPendingError: boolean
  /** The gates that wait: about a command, or about anything else a call may do; `other` for plans. */
  gates: readonly ('command' | 'permission' | 'other')[]
  /** A question of the model's, or of the host's because calls went round in a loop. */
  question: 'none' | 'model' | 'loop'
  isPlanMode: boolean
  queuedMessages: number
  /** Answers of the model; its decisions are none. */
  replies: number
}

/** Source: `docs/decisions/suggestions.md`: with fewer there is nothing yet to go on from. */
const leastReplies = 2

const isClosed: Record<SuggestionGuard, (facts: SuggestionFacts) => boolean> = {
  setting_off: ({ isOn }) => !isOn,
  no_window: ({ windows }) => windows === 0,
  driven_by_program: ({ attendedWindows }) => attendedWindows === 0,
  not_after_turn: ({ ended }) => ended === null,
  run_active: ({ isRunning }) => isRunning,
  last_item_error: ({ lastItem }) => lastItem === 'error',
  pending_error: ({ hasPendingError }) => hasPendingError,
  command_confirmation: ({ gates }) => gates.includes('command'),
  permission_dialog: ({ gates }) => gates.includes('permission'),
  gate_open: ({ gates }) => gates.length > 0,
  loop_question: ({ question }) => question === 'loop',
  elicitation: ({ question }) => question === 'model',
  plan_mode: ({ isPlanMode }) => isPlanMode,
  message_queued: ({ queuedMessages }) => queuedMessages > 0,
  turn_cancelled: ({ ended }) => ended === 'stopped',
  early_conversation: ({ replies }) => replies < leastReplies,
}

/** Returns the first guard that forbids a suggestion, or null. Called before one is made and at every change after. */
export function closedGuard(facts: SuggestionFacts): SuggestionGuard | null {
  return SuggestionGuard.options.find((guard) => isClosed[guard](facts)) ?? null
}

export type WatchedSession = Pick<
  LiveSession,
  'state' | 'queue' | 'isWorking' | 'view' | 'page' | 'openItems' | 'turn'
>

/** Units: items read at once. */
const pageLength = 100

/** Returns the newest part of the conversation with the last replies, oldest first; all of it where there are fewer. */
export function recentItems(session: Pick<LiveSession, 'page'>): SessionItem[] {
  let items: SessionItem[] = []
  let hasMore = true
  while (hasMore && items.filter(isReply).length < leastReplies) {
    const page = session.page({ before: items[0]?.seq, limit: pageLength })
    items = [...page.items, ...items]
    hasMore = page.hasMore && page.items.length > 0
  }
  return items
}

/** Returns the facts that follow from the session alone. */
export function sessionFacts(
  session: WatchedSession,
): Omit<SuggestionFacts, 'isOn' | 'windows' | 'attendedWindows' | 'ended'> {
  const { state } = session
  const items = recentItems(session)
  const open = session.openItems()
  const shown = open.flatMap((item) =>
    item.kind === 'gate' && item.state === 'open' ? [gateKind(item)] : [],
  )
  const last = items.findLast(({ kind }) => kind !== 'notice')
  return {
    isRunning: session.isWorking || isTurnInProgress(state),
    lastItem: last?.kind ?? null,
    hasPendingError: state.status === 'ERROR' || session.view().canRecover,
    gates: shown.length === 0 && state.gates.length > 0 ? ['other'] : shown,
    question: questionOf(open, items),
    isPlanMode: state.mode === 'plan',
    queuedMessages: session.queue.length,
    replies: items.filter(isReply).length,
  }
}

/** Returns the text of the model's last answer. */
export function lastReply(items: readonly SessionItem[]): string {
  const reply = items.findLast(isReply)
  return reply?.kind === 'answer' ? reply.text : ''
}

function isReply(item: SessionItem): boolean {
  return item.kind === 'answer' && item.state === 'finished' && item.text.trim() !== ''
}

function gateKind({ gate }: Extract<SessionItem, { kind: 'gate' }>): SuggestionFacts['gates'][number] {
  if (gate.kind !== 'calls') return 'other'
  return gate.calls.some(({ command }) => command !== null) ? 'command' : 'permission'
}

/** Returns whose question is open. The host's own question (`loop`) belongs to a call of another tool. */
function questionOf(
  openItems: readonly SessionItem[],
  items: readonly SessionItem[],
): SuggestionFacts['question'] {
  const open = openItems.find((item) => item.kind === 'question' && item.isOpen)
  if (open?.kind !== 'question') return 'none'
  const call = items.find((item) => item.kind === 'call' && item.callId === open.callId)
  return call?.kind === 'call' && call.tool !== 'ask_user' ? 'loop' : 'model'
}

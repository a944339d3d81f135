import { isTurnInProgress } from '../../shared/domain/session/agent-state.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { SuggestionFacts } from './suggestion-guards.ts'

/** The facts about a session that the guards need. */
export type SessionFacts = Pick<
  SuggestionFacts,
  | 'isRunning'
  | 'lastItem'
  | 'hasPendingError'
  | 'gates'
  | 'question'
  | 'isPlanMode'
  | 'queuedMessages'
  | 'wasCancelled'
  | 'replies'
>

export type WatchedSession = Pick<
  LiveSession,
  'state' | 'queue' | 'isWorking' | 'view' | 'page' | 'openItems' | 'turn'
>

/** Fewer replies than this are not worth a suggestion. Source: `suggestion-guards.ts`. */
const countedReplies = 2
/** Units: items read at once. */
const pageLength = 100

/** Returns the newest part of the conversation with the last replies, oldest first; all of it where there are fewer. */
export function recentItems(session: Pick<LiveSession, 'page'>): SessionItem[] {
  let items: SessionItem[] = []
  let hasMore = true
  while (hasMore && items.filter(isReply).length < countedReplies) {
    const page = session.page({ before: items[0]?.seq, limit: pageLength })
    items = [...page.items, ...items]
    hasMore = page.hasMore && page.items.length > 0
  }
  return items
}

export function sessionFacts(session: WatchedSession): SessionFacts {
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
    wasCancelled: state.history.at(-1)?.ended === 'stopped',
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

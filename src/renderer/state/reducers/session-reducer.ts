import type { SessionEvent, SessionState } from '../../../shared/domain/session/session.ts'
import type { GateConversationItem, SessionItem } from '../../../shared/domain/session/session-item.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'

/**
 * A session as the window follows it.
 *
 * Shape: `items` in their order, the loaded ones; `hasMore` where older ones lie with the host. `writing` holds
 * the items that grow at this moment by their id and stands over `items`: a token changes no more than that one
 * entry. `seq` is the last event that is in.
 */
export type SessionView = {
  sessionId: string
  status: 'loading' | 'ready' | 'failed'
  error: ErrorInfo | null
  seq: number
  state: SessionState | null
  items: readonly SessionItem[]
  writing: Readonly<Record<string, SessionItem>>
  hasMore: boolean
  isLoadingMore: boolean
}

export function newSessionView(sessionId: string): SessionView {
  return {
    sessionId,
    status: 'loading',
    error: null,
    seq: 0,
    state: null,
    items: [],
    writing: {},
    hasMore: false,
    isLoadingMore: false,
  }
}

/** Length of the end of a running command's output that the window keeps. Units: UTF-16 units. */
export const keptOutput = 16_384

/** Folds one event in. An event that is already in changes nothing. */
export function foldSession(view: SessionView, event: SessionEvent): SessionView {
  if (event.type === 'snapshot') return foldSnapshot(view, event)
  if (event.seq <= view.seq) return view
  const next = { ...view, seq: event.seq }
  switch (event.type) {
    case 'item':
      return putItem(next, event.item)
    case 'state':
      return { ...next, state: sharedState(view.state, event.state) }
    case 'cut':
      return {
        ...next,
        items: view.items.filter((item) => item.turn < event.fromTurn),
        writing: Object.fromEntries(
          Object.entries(view.writing).filter(([, item]) => item.turn < event.fromTurn),
        ),
      }
    case 'text':
    case 'reasoning':
    case 'output': {
      const item = itemOf(view, event.itemId)
      const grown = item && grownItem(item, event.type, event.text)
      return grown ? { ...next, writing: { ...view.writing, [event.itemId]: grown } } : next
    }
  }
}

type Snapshot = Extract<SessionEvent, { type: 'snapshot' }>

/** Keeps older pages where the snapshot joins them: what stands before a surviving item was not cut. */
function foldSnapshot(view: SessionView, event: Snapshot): SessionView {
  const first = event.items[0]
  const at = event.hasMore && first ? view.items.findIndex((item) => item.itemId === first.itemId) : -1
  const older = at > 0 ? view.items.slice(0, at) : []
  return {
    ...view,
    status: 'ready',
    error: null,
    seq: event.seq,
    state: sharedState(view.state, event.state),
    items: [...older, ...event.items],
    writing: {},
    hasMore: older.length > 0 ? view.hasMore : event.hasMore,
  }
}

function putItem(view: SessionView, item: SessionItem): SessionView {
  const { [item.itemId]: _settled, ...writing } = view.writing
  const at = view.items.findLastIndex((one) => one.itemId === item.itemId)
  if (at >= 0) return { ...view, writing, items: view.items.with(at, item) }
  const before = view.items.findLastIndex((one) => one.seq < item.seq) + 1
  return { ...view, writing, items: view.items.toSpliced(before, 0, item) }
}

function grownItem(item: SessionItem, part: 'text' | 'reasoning' | 'output', text: string) {
  if (item.kind === 'answer' && part === 'text') return { ...item, text: item.text + text }
  if (item.kind === 'answer' && part === 'reasoning') return { ...item, reasoning: item.reasoning + text }
  if (item.kind === 'compaction' && part === 'text') return { ...item, summary: item.summary + text }
  if (item.kind === 'call' && part === 'output')
    return { ...item, text: (item.text + text).slice(-keptOutput) }
  return null
}

/** Puts an older page in front, without the items that are loaded already. */
export function prependItems(
  view: SessionView,
  page: { items: readonly SessionItem[]; hasMore: boolean },
): SessionView {
  const first = view.items[0]?.seq ?? Number.POSITIVE_INFINITY
  const older = page.items.filter((item) => item.seq < first)
  return { ...view, items: [...older, ...view.items], hasMore: page.hasMore, isLoadingMore: false }
}

/** Returns an item as it is at this moment, also while it grows. */
export function itemOf(view: SessionView, itemId: string): SessionItem | undefined {
  return view.writing[itemId] ?? view.items.find((item) => item.itemId === itemId)
}

/** Returns the gate that waits in front, where it is among the loaded items. */
export function frontGate(view: SessionView | null): GateConversationItem | null {
  const gateId = view?.state?.openGates[0]
  const item = view?.items.findLast((one) => one.kind === 'gate' && one.gate.gateId === gateId)
  return item?.kind === 'gate' ? item : null
}

/** True while the session works on something, or waits for the user in the middle of it. */
export function isBusy(state: SessionState | null): boolean {
  return state !== null && (state.activity !== null || state.position.waiting !== 'none')
}

/** Keeps parts of the state with the same content as the same objects, so that no component renders for them. */
function sharedState(before: SessionState | null, after: SessionState): SessionState {
  if (before === null) return after
  const shared = Object.entries(after).map(([name, value]) => {
    const old = before[name as keyof SessionState]
    return [name, JSON.stringify(old) === JSON.stringify(value) ? old : value]
  })
  return Object.fromEntries(shared) as SessionState
}

import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import { AppError } from '../../shared/errors.ts'
import type { PromptEntry } from '../agent/model/prompt/prompt-entry.ts'
import { endedItem, idOf } from '../sessions/session-items.ts'
import type { SessionRecord, SessionRepository, TurnStart } from '../store/session-repository.ts'

/**
 * Keeps one forked session in memory: it begins as the session is, and nothing of it is in the store.
 *
 * Shape: entries are the very objects of `log`, so that what is known of a prompt by its entries holds here as well.
 * Of the items only those of the fork's own turns are there. A fork is never branched, searched or listed.
 */
export function createForkRepository(from: SessionRecord, log: readonly PromptEntry[]): SessionRepository {
  const { sessionId } = from.session
  const items = new Map<string, SessionItem>()
  const turns = new Map<number, TurnStart>()
  const epochs = new Map<number, PromptEntry[]>([[from.epoch, [...log]]])
  let changes: { turn: number; changeSetId: string }[] = []
  let record = from

  const all = (): SessionItem[] => [...items.values()].sort((one, other) => one.seq - other.seq)
  return {
    add: () => never('add'),
    get(id) {
      if (id !== sessionId) throw new AppError({ code: 'session/not-found', sessionId: id })
      return record
    },
    save(saved) {
      record = saved
    },
    remove: () => items.clear(),
    list: () => [record],
    saveItem: (_id, item) => void items.set(item.itemId, item),
    getItem: (_id, itemId) => items.get(itemId),
    items(_id, { before = Number.MAX_SAFE_INTEGER, limit }) {
      const found = all().filter(({ seq }) => seq < before)
      return { items: found.slice(-limit), hasMore: found.length > limit }
    },
    allItems: all,
    itemsOfTurn: (_id, turn) => all().filter((item) => item.turn === turn),
    backgroundCalls: () => [],
    openItems: () => all().filter((item) => endedItem(item) !== null),
    itemsAbout: (_id, kind, ids) =>
      all().filter((item) => item.kind === kind && ids.includes(idOf(item) ?? '')),
    entries: (_id, epoch) => [...(epochs.get(epoch) ?? [])],
    appendEntries(_id, epoch, position, entries) {
      const before = epochs.get(epoch) ?? []
      epochs.set(epoch, [...before.slice(0, position), ...entries])
    },
    startTurn: (_id, start) => void turns.set(start.turn, start),
    turnStart: (_id, turn) => turns.get(turn),
    addChange: (_id, turn, changeSetId) => void changes.push({ turn, changeSetId }),
    removeChange(changeSetId) {
      changes = changes.filter((one) => one.changeSetId !== changeSetId)
    },
    sessionOfChange: () => null,
    changesSince: (_id, turn) => changes.flatMap((one) => (one.turn >= turn ? [one.changeSetId] : [])),
    turnChangesSince: (_id, turn) => changes.filter((one) => one.turn >= turn),
    forgetChanges(_id, turn) {
      changes = changes.filter((one) => one.turn < turn)
    },
    cut: () => never('cut'),
    copy: () => never('copy'),
    search: () => [],
    imagesInUse: () => new Set(),
    together: (work) => work(),
  }
}

function never(what: string): never {
  throw new Error(`${what}: not in a fork`)
}

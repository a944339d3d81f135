import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import { type AppError, isAppError } from '../../shared/errors.ts'
import type { Clock, Random } from '../deps.ts'
import type { SessionRepository } from '../store/sessions/session-repository.ts'

type Unplaced<I> = I extends SessionItem ? Omit<I, 'itemId' | 'seq' | 'turn' | 'at'> : never

/** An item before it has its place in the conversation. */
export type NewItem = Unplaced<SessionItem>

/** Items that are known by what they are about. */
export type IdentifiedKind = 'call' | 'question' | 'gate'

/** The fields that grow while they are written: an answer's text or thinking, a command's output. */
export type GrowingField = 'text' | 'reasoning'

/** Delay after which growing text is stored; at its end it is stored at once. Units: ms. */
const saveEveryMs = 500
/** Time after which a write that found the disk full is tried again. Units: ms. */
const retryMs = 5_000

type SessionItemsDeps = {
  clock: Clock
  random: Random
  repository: SessionRepository
  /** Called when the disk is full: nothing is lost, but nothing more should be begun. */
  onDiskFull: (error: AppError) => void
}

/**
 * The items of one session that can still change. Each change is stored when a method returns, except for growing
 * text, which follows soon.
 */
export class SessionItems {
  readonly #deps: SessionItemsDeps
  readonly #sessionId: string
  readonly #items = new Map<string, SessionItem>()
  readonly #unsaved = new Map<string, { cancel(): void }>()
  /** Items for which there was no room on the disk. */
  readonly #refused = new Set<string>()
  #lastSeq: number

  constructor(deps: SessionItemsDeps, sessionId: string, lastSeq: number) {
    this.#deps = deps
    this.#sessionId = sessionId
    this.#lastSeq = lastSeq
  }

  /** True where no item waits for room on the disk. */
  get isStored(): boolean {
    return this.#refused.size === 0
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Continues the numbers after items that were stored another way. */
  skipTo(seq: number): void {
    this.#lastSeq = seq
  }

  add(item: NewItem, turn: number): SessionItem {
    this.#lastSeq += 1
    const { clock, random } = this.#deps
    const place = { itemId: random.id(), seq: this.#lastSeq, turn, at: clock.now() }
    const added = { ...item, ...place } as SessionItem
    this.#save(added)
    return added
  }

  /** Changes an item. Returns undefined where it was removed meanwhile, or is not of this kind. */
  change<K extends SessionItem['kind']>(
    itemId: string,
    kind: K,
    change: Partial<Extract<SessionItem, { kind: K }>>,
  ): SessionItem | undefined {
    const item = this.get(itemId)
    if (item?.kind !== kind) return undefined
    const changed = { ...item, ...change } as SessionItem
    this.#save(changed)
    return changed
  }

  /** Appends to a text of an item. Returns false where there is no such text. */
  grow(itemId: string, field: GrowingField, text: string): boolean {
    const item = this.get(itemId)
    if (item === undefined || !(field in item)) return false
    const grown = {
      ...item,
      [field]: `${(item as Record<string, unknown>)[field] ?? ''}${text}`,
    } as SessionItem
    this.#items.set(itemId, grown)
    if (!this.#unsaved.has(itemId)) this.#saveLater(itemId, saveEveryMs)
    return true
  }

  get(itemId: string): SessionItem | undefined {
    const known = this.#items.get(itemId)
    if (known !== undefined) return known
    const stored = this.#deps.repository.getItem(this.#sessionId, itemId)
    if (stored !== undefined) this.#items.set(itemId, stored)
    return stored
  }

  /** Returns items as they are now, oldest first. */
  page(query: { before?: number | undefined; limit: number }): { items: SessionItem[]; hasMore: boolean } {
    const { before = Number.MAX_SAFE_INTEGER, limit } = query
    const { items, hasMore } = this.#deps.repository.items(this.#sessionId, { before, limit })
    const stored = items.map((item) => this.#items.get(item.itemId) ?? item)
    // Items that a full disk keeps from the store are newer than all stored ones.
    const lastStored = stored.at(-1)?.seq ?? 0
    const waiting = [...this.#items.values()].filter(
      ({ itemId, seq }) => this.#unsaved.has(itemId) && seq > lastStored && seq < before,
    )
    const all = [...stored, ...waiting]
    return { items: all.slice(-limit), hasMore: hasMore || all.length > limit }
  }

  /** Returns the items that have not ended, however far back, oldest first. */
  open(): SessionItem[] {
    return this.#now(this.#deps.repository.openItems(this.#sessionId), (item) => endedItem(item) !== null)
  }

  /** Returns the calls, the questions or the gates with these ids, oldest first. */
  about<K extends IdentifiedKind>(kind: K, ids: readonly string[]): Extract<SessionItem, { kind: K }>[] {
    const stored = this.#deps.repository.itemsAbout(this.#sessionId, kind, ids)
    return this.#now(stored, () => true).filter(
      (item): item is Extract<SessionItem, { kind: K }> =>
        item.kind === kind && ids.includes(idOf(item) ?? ''),
    )
  }

  /** Returns stored items as they are now, with those that a full disk keeps from the store. */
  #now(stored: readonly SessionItem[], isWanted: (item: SessionItem) => boolean): SessionItem[] {
    const all = new Map(stored.map((item) => [item.itemId, item]))
    for (const itemId of [...all.keys(), ...this.#unsaved.keys()]) {
      const known = this.#items.get(itemId)
      if (known !== undefined) all.set(itemId, known)
    }
    return [...all.values()].filter(isWanted).sort((one, other) => one.seq - other.seq)
  }

  /** Writes unsaved items, and forgets those that will not change any more. */
  settle(): void {
    for (const itemId of [...this.#unsaved.keys()]) this.#flush(itemId)
    for (const itemId of [...this.#items.keys()]) if (!this.#unsaved.has(itemId)) this.#items.delete(itemId)
  }

  /** Drops unsaved items: they were removed from the conversation. */
  drop(): void {
    for (const timer of this.#unsaved.values()) timer.cancel()
    this.#unsaved.clear()
    this.#refused.clear()
    this.#items.clear()
  }

  #flush(itemId: string): void {
    const item = this.#items.get(itemId)
    if (item !== undefined) this.#save(item)
  }

  #save(item: SessionItem): void {
    this.#unsaved.get(item.itemId)?.cancel()
    this.#unsaved.delete(item.itemId)
    this.#items.set(item.itemId, item)
    try {
      this.#deps.repository.saveItem(this.#sessionId, item)
      this.#refused.delete(item.itemId)
    } catch (error) {
      if (!isAppError(error, 'file/disk-full')) throw error
      this.#refused.add(item.itemId)
      this.#saveLater(item.itemId, retryMs)
      this.#deps.onDiskFull(error)
    }
  }

  #saveLater(itemId: string, delayMs: number): void {
    const timer = this.#deps.clock.setTimeout(() => this.#flush(itemId), delayMs)
    this.#unsaved.set(itemId, timer)
  }
}

/** Returns what a call, a question or a gate is known by. */
export function idOf(item: SessionItem): string | undefined {
  if (item.kind === 'gate') return item.gate.gateId
  return item.kind === 'call' || item.kind === 'question' ? item.callId : undefined
}

/** Returns an open item as ended, where nothing will end it any more; null for an item that has ended. */
export function endedItem(item: SessionItem): SessionItem | null {
  switch (item.kind) {
    case 'answer':
      return item.state === 'writing' ? { ...item, state: 'stopped' } : null
    case 'call': {
      const isOpen = item.state === 'waiting' || item.state === 'asked' || item.state === 'running'
      return isOpen ? { ...item, state: 'refused', outcome: 'stopped' } : null
    }
    case 'gate':
      return item.state === 'open' ? { ...item, state: 'withdrawn' } : null
    case 'question':
      return item.isOpen ? { ...item, isOpen: false } : null
    default:
      return null
  }
}

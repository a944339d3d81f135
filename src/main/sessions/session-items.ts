import type { SessionItem } from '../../shared/domain/session-item.ts'
import type { Clock, Random } from '../deps.ts'
import type { SessionRepository } from '../store/session-repository.ts'

type Unplaced<I> = I extends SessionItem ? Omit<I, 'itemId' | 'seq' | 'turn' | 'at'> : never

/** An item before it has its place in the conversation. */
export type NewItem = Unplaced<SessionItem>

/** What grows while it is written: an answer's text or thinking, a command's output. */
export type GrowingField = 'text' | 'reasoning'

/** An answer that is being written is on the disk this soon; at its end at once. Units: ms. */
const saveEveryMs = 500

/**
 * The items of one session that can still change. Each is in the store when this returns, but for growing text,
 * which follows soon.
 */
export class SessionItems {
  readonly #deps: { clock: Clock; random: Random; repository: SessionRepository }
  readonly #sessionId: string
  readonly #items = new Map<string, SessionItem>()
  readonly #unsaved = new Map<string, { cancel(): void }>()
  #lastSeq: number

  constructor(
    deps: { clock: Clock; random: Random; repository: SessionRepository },
    sessionId: string,
    lastSeq: number,
  ) {
    this.#deps = deps
    this.#sessionId = sessionId
    this.#lastSeq = lastSeq
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  add(item: NewItem, turn: number): SessionItem {
    this.#lastSeq += 1
    const { clock, random } = this.#deps
    const place = { itemId: random.id(), seq: this.#lastSeq, turn, at: clock.now() }
    const added = { ...item, ...place } as SessionItem
    this.#save(added)
    return added
  }

  /** Undefined for an item that was taken away meanwhile, or that is not of this kind. */
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

  /** False where there is no such text to grow. */
  grow(itemId: string, field: GrowingField, text: string): boolean {
    const item = this.get(itemId)
    if (item === undefined || !(field in item)) return false
    const grown = {
      ...item,
      [field]: `${(item as Record<string, unknown>)[field] ?? ''}${text}`,
    } as SessionItem
    this.#items.set(itemId, grown)
    if (!this.#unsaved.has(itemId)) {
      const timer = this.#deps.clock.setTimeout(() => this.#flush(itemId), saveEveryMs)
      this.#unsaved.set(itemId, timer)
    }
    return true
  }

  get(itemId: string): SessionItem | undefined {
    const known = this.#items.get(itemId)
    if (known !== undefined) return known
    const stored = this.#deps.repository.getItem(this.#sessionId, itemId)
    if (stored !== undefined) this.#items.set(itemId, stored)
    return stored
  }

  /** The last ones as they are now, oldest first. */
  page(query: { before?: number; limit: number }): { items: SessionItem[]; hasMore: boolean } {
    const { items, hasMore } = this.#deps.repository.items(this.#sessionId, query)
    return { items: items.map((item) => this.#items.get(item.itemId) ?? item), hasMore }
  }

  /** Writes what waits, and forgets what will not change any more. */
  settle(): void {
    for (const itemId of [...this.#unsaved.keys()]) this.#flush(itemId)
    this.#items.clear()
  }

  /** What waits is not wanted any more: the items were taken away. */
  drop(): void {
    for (const timer of this.#unsaved.values()) timer.cancel()
    this.#unsaved.clear()
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
    this.#deps.repository.saveItem(this.#sessionId, item)
  }
}

/** A shared beginning that is shorter says nothing. Units: tokens. */
const leastShared = 400
/** Less than this share of it read from the cache is a loss. */
const keptShare = 0.5
const lossesToTurn = 2

/** `hasShared`: a request has read its beginning from the cache, so that there is one to lose. */
type Watched = { choice: 'auto' | 'none'; losses: number; hasShared: boolean; isText: boolean }

/**
 * Finds out whether native tools cost a session its prompt cache: on some servers the head of the prompt differs
 * where calls are forbidden. Then tools go into our own text and calls are JSON, from the next request on.
 *
 * Only a change from one to the other counts, twice running; a cache that others have taken is lost at any time. A
 * server that has never read anything from its cache, or says so, has none to lose.
 * Source: `docs/decisions/sessions.md`, point 2.
 */
export class ToolStyle {
  readonly #watched = new Map<string, Watched>()

  /** What was found out for a session by another one of these. */
  take(other: ToolStyle, sessionId: string): void {
    const watched = other.#watched.get(sessionId)
    if (watched !== undefined) this.#watched.set(sessionId, watched)
  }

  isText(sessionId: string): boolean {
    return this.#watched.get(sessionId)?.isText === true
  }

  /** `shared` and `reused` in tokens: what this request's prompt had in common with the last, and what was kept. */
  note(sessionId: string, choice: 'auto' | 'none', shared: number, reused: number): void {
    const before = this.#watched.get(sessionId)
    const isChange = before !== undefined && before.choice !== choice && shared >= leastShared
    const isLoss = reused < shared * keptShare
    const hasShared = before?.hasShared === true || (shared >= leastShared && !isLoss)
    let losses = before?.losses ?? 0
    if (isChange && hasShared) losses = isLoss ? losses + 1 : 0
    const isText = before?.isText === true || losses >= lossesToTurn
    this.#watched.set(sessionId, { choice, losses, hasShared, isText })
  }
}

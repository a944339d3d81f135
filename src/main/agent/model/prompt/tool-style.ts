/** Shortest shared beginning from which conclusions are drawn. Units: tokens. */
const leastShared = 400
/** The cache is lost where less than this share of the shared beginning was read from it. */
const keptShare = 0.5
const lossesToTurn = 2

/** Shape: `hasShared`: an earlier request read its beginning from the server's cache; only then can a cache be lost. */
type Watched = { choice: 'auto' | 'none'; losses: number; hasShared: boolean; isText: boolean }

/**
 * Finds out whether native tools cost a session its prompt cache: on some servers the head of the prompt differs
 * where calls are forbidden. Then tools go into our own text and calls are JSON, from the next request on.
 *
 * Only losses after a change between the two choices count, two in a row: other requests can take a cache at any time.
 * A server that has never read anything from its cache, or says so, has none to lose.
 * Source: `docs/decisions/sessions.md`, point 2.
 */
export class ToolStyle {
  readonly #watched = new Map<string, Watched>()

  /** Copies what another instance found out for a session. */
  take(other: ToolStyle, sessionId: string): void {
    const watched = other.#watched.get(sessionId)
    if (watched !== undefined) this.#watched.set(sessionId, watched)
  }

  isText(sessionId: string): boolean {
    return this.#watched.get(sessionId)?.isText === true
  }

  /** Notes the tokens that a prompt `shared` with the last one and that the server `reused` from its cache. */
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

import type { Duplex } from 'node:stream'
import type { Clock } from '../deps.ts'

/**
 * Connections that have not shown the secret.
 *
 * Only these are limited: one more than `limit` ends the oldest that asks for nothing or has not taken its answer within
 * `requestMs`, else the oldest. A program without the secret can therefore crowd out others like it, never a window that
 * is let in or about to be. Each has `requestMs` from its beginning, and from its last answer, until its next whole
 * request has come, and `answerMs` to take an answer.
 */
export type Strangers = {
  add(connection: Duplex): void
  /** A whole request of this connection is being answered; the result is called when it is over. */
  answering(connection: Duplex): () => void
  /** The connection becomes a WebSocket, which has a deadline of its own. */
  upgraded(connection: Duplex): void
  /** The connection has shown the secret: it is none of the strangers any more. */
  letIn(connection: Duplex): void
  /** The host closes. */
  endAll(): void
}

type Stranger = {
  openRequests: number
  /** Its answer is due, or is being taken, for no longer than a request may take. */
  isPrompt: boolean
  isUpgraded: boolean
  deadline: ReturnType<Clock['setTimeout']> | undefined
}

export function createStrangers(
  clock: Pick<Clock, 'setTimeout'>,
  { strangers: limit, requestMs, answerMs }: { strangers: number; requestMs: number; answerMs: number },
): Strangers {
  /** Oldest first. */
  const all = new Map<Duplex, Stranger>()

  function leave(connection: Duplex): void {
    all.get(connection)?.deadline?.cancel()
    all.delete(connection)
  }

  function makeRoom(): void {
    if (all.size < limit) return
    const idle = [...all].find(([, { isPrompt }]) => !isPrompt)?.[0]
    const leaving = idle ?? all.keys().next().value
    if (leaving === undefined) return
    leave(leaving)
    leaving.destroy()
  }

  function startDeadline(connection: Duplex, stranger: Stranger): void {
    stranger.deadline = clock.setTimeout(() => {
      // A host that was busy reads first what has come meanwhile.
      setImmediate(() => {
        if (all.get(connection)?.openRequests === 0 && !stranger.isUpgraded) connection.destroy()
      })
    }, requestMs)
  }

  function awaitReading(connection: Duplex, stranger: Stranger): void {
    stranger.isPrompt = true
    stranger.deadline?.cancel()
    stranger.deadline = clock.setTimeout(() => {
      stranger.isPrompt = false
      stranger.deadline = clock.setTimeout(() => connection.destroy(), answerMs - requestMs)
    }, requestMs)
  }

  return {
    add(connection) {
      makeRoom()
      const stranger: Stranger = { openRequests: 0, isPrompt: false, isUpgraded: false, deadline: undefined }
      startDeadline(connection, stranger)
      all.set(connection, stranger)
      connection.once('close', () => leave(connection))
    },
    answering(connection) {
      const stranger = all.get(connection)
      if (stranger === undefined) return () => undefined
      stranger.openRequests += 1
      // Requests that come behind one another buy no time.
      if (stranger.openRequests === 1) awaitReading(connection, stranger)
      return () => {
        stranger.openRequests -= 1
        if (stranger.openRequests > 0 || all.get(connection) !== stranger) return
        stranger.isPrompt = false
        stranger.deadline?.cancel()
        startDeadline(connection, stranger)
      }
    },
    upgraded(connection) {
      const stranger = all.get(connection)
      if (stranger === undefined) return
      stranger.isUpgraded = true
      stranger.deadline?.cancel()
    },
    letIn: leave,
    endAll() {
      for (const connection of all.keys()) connection.destroy()
    },
  }
}

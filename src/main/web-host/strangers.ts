import type { Duplex } from 'node:stream'
import type { Timers } from '../../shared/delay.ts'

/**
 * Connections that have not sent the secret.
 *
 * Only these are limited: one more than `limit` ends the oldest that has no request or has not read its answer within
 * `requestMs`, else the oldest. A program without the secret can therefore displace others like it, but never a window
 * that is accepted or about to be. Each connection has `requestMs`, from its beginning and from its last answer, to
 * send its next complete request, and `answerMs` to read an answer.
 */
export type Strangers = ReturnType<typeof createStrangers>

type Stranger = {
  openRequests: number
  /** An answer is being made or read, for no longer than `requestMs` so far. */
  isPrompt: boolean
  isUpgraded: boolean
  deadline: ReturnType<Timers['setTimeout']> | undefined
}

export function createStrangers(
  clock: Timers,
  { strangers: limit, requestMs, answerMs }: { strangers: number; requestMs: number; answerMs: number },
) {
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
      // A host that was busy first reads requests that have come meanwhile.
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
    add(connection: Duplex): void {
      makeRoom()
      const stranger: Stranger = { openRequests: 0, isPrompt: false, isUpgraded: false, deadline: undefined }
      startDeadline(connection, stranger)
      all.set(connection, stranger)
      connection.once('close', () => leave(connection))
    },
    /** Notes that a complete request is being answered; the caller calls the result when the answer is finished. */
    answering(connection: Duplex): () => void {
      const stranger = all.get(connection)
      if (stranger === undefined) return () => undefined
      stranger.openRequests += 1
      // Further requests during an answer do not extend the deadline.
      if (stranger.openRequests === 1) awaitReading(connection, stranger)
      return () => {
        stranger.openRequests -= 1
        if (stranger.openRequests > 0 || all.get(connection) !== stranger) return
        stranger.isPrompt = false
        stranger.deadline?.cancel()
        startDeadline(connection, stranger)
      }
    },
    /** Notes that the connection becomes a WebSocket, which has its own deadline. */
    upgraded(connection: Duplex): void {
      const stranger = all.get(connection)
      if (stranger === undefined) return
      stranger.isUpgraded = true
      stranger.deadline?.cancel()
    },
    /** Removes a connection that has sent the secret. */
    letIn: leave,
    /** Ends all connections when the host closes. */
    endAll(): void {
      for (const connection of all.keys()) connection.destroy()
    },
  }
}

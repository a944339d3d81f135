import type { Duplex } from 'node:stream'

/**
 * Connections that have not shown the secret.
 *
 * Only these are limited: one more than `limit` ends the oldest that asks for nothing, else the oldest. A program
 * without the secret can therefore crowd out others like it, never a window that is let in or about to be.
 */
export type Strangers = {
  add(connection: Duplex): void
  /** A request of this connection is being answered; the result is called when it is over. */
  answering(connection: Duplex): () => void
  /** The connection has shown the secret: it is none of the strangers any more. */
  letIn(connection: Duplex): void
}

export function createStrangers(limit: number): Strangers {
  /** Oldest first. Units: open requests of each connection. */
  const requests = new Map<Duplex, number>()

  function makeRoom(): void {
    if (requests.size < limit) return
    const idle = [...requests].find(([, count]) => count === 0)?.[0]
    const leaving = idle ?? requests.keys().next().value
    if (leaving === undefined) return
    requests.delete(leaving)
    leaving.destroy()
  }

  return {
    add(connection) {
      makeRoom()
      requests.set(connection, 0)
      connection.once('close', () => requests.delete(connection))
    },
    answering(connection) {
      const count = (change: number) => {
        const now = requests.get(connection)
        if (now !== undefined) requests.set(connection, now + change)
      }
      count(1)
      return () => count(-1)
    },
    letIn: (connection) => void requests.delete(connection),
  }
}

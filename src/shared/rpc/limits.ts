/** How much a stream may hold back and for how long. Tests shrink these. */
export type StreamLimits = {
  /** Limit of the items that wait for one reader, with those in the port. Units: bytes. */
  bufferBytes: number
  /** Streams stop feeding a port that holds this much, so that calls and other streams get through. */
  portBytes: number
  /** Time for which a buffer may stay full, since a burst of events does not mean a slow reader. */
  patienceMs: number
  /** Mergeable items are sent at most this often. */
  coalesceMs: number
}

export const STREAM_LIMITS: StreamLimits = {
  bufferBytes: 1024 * 1024,
  portBytes: 256 * 1024,
  patienceMs: 2000,
  coalesceMs: 20,
}

/** How many calls of one connection run before the others wait. Units: `callSpacingMs` milliseconds. */
export type CallTurnLimits = {
  runningCalls: number
  /** While that many run, one more begins per this interval, so that calls that wait for a user block no others. */
  callSpacingMs: number
}

/** How many requests one connection may have open; further ones fail with `rpc/too-many`. */
export type RequestLimits = CallTurnLimits & {
  openStreams: number
  openCalls: number
}

/** A window opens about thirty streams, and one more for each document that was visited. */
export const REQUEST_LIMITS: RequestLimits = {
  openStreams: 1024,
  openCalls: 1024,
  runningCalls: 16,
  callSpacingMs: 50,
}

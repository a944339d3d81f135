/** Limits of the web host. Tests use lower ones. */
export type WebHostLimits = {
  /** Time after which an incomplete request is dropped, and a connection without a request is closed. */
  requestMs: number
  /** Time after which an unread answer ends its connection; for `requestMs` it also prevents its displacement. */
  answerMs: number
  /** Time after which a socket that has not sent the secret is closed. */
  authMs: number
  /** Maximum number of connections without the secret; one more ends the oldest of them without a request. */
  strangers: number
  /** Maximum size of a message of the window: large enough for a pasted manuscript. */
  messageBytes: number
  /** Interval of pings; a socket that has not answered one by the next is closed. */
  pingMs: number
  /** Number of wrong link tokens from one address within `wrongTokensMs`, after which others must wait. */
  wrongTokens: number
  wrongTokensMs: number
  /** Time for which an unused link on a command line is valid. */
  onceLinkMs: number
  /** Time for windows to complete the closing handshake when the host stops. */
  goodbyeMs: number
}

export const WEB_HOST_LIMITS: WebHostLimits = {
  requestMs: 2_000,
  answerMs: 60_000,
  authMs: 2_000,
  strangers: 128,
  messageBytes: 16 * 1024 * 1024,
  pingMs: 15_000,
  wrongTokens: 10,
  wrongTokensMs: 60_000,
  onceLinkMs: 120_000,
  goodbyeMs: 500,
}

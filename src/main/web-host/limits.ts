/** What the web host puts up with. Tests shrink these. */
export type WebHostLimits = {
  /** A request that is not complete by then is dropped, and so is a connection that never begins one. */
  requestMs: number
  /** An answer that is not taken whole by then ends its connection. After `requestMs` it protects none. */
  answerMs: number
  /** A socket that has not shown the secret by then is closed. */
  authMs: number
  /** Connections at one time that have not shown the secret; one more ends the oldest that asks for nothing. */
  strangers: number
  /** One message of the window: a pasted manuscript fits. */
  messageBytes: number
  /** A socket that has not answered a ping by the next one is gone. */
  pingMs: number
  /** Wrong link tokens from one address within `wrongTokensMs`, before more of them are told to wait. */
  wrongTokens: number
  wrongTokensMs: number
  /** How long a link on a command line stays good when no browser comes. */
  onceLinkMs: number
  /** How long windows get to say goodbye when the host stops. */
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

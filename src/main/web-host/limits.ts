/** What the web host puts up with. Tests shrink these. */
export type WebHostLimits = {
  /** A request that is not complete by then is dropped. */
  requestMs: number
  /** A socket that has not shown the secret by then is closed. */
  authMs: number
  /** Sockets at one time; and of these, such as have not shown the secret yet. */
  sockets: number
  strangers: number
  /** One message of the window: a pasted manuscript fits. */
  messageBytes: number
  /** A socket that has not answered a ping by the next one is gone. */
  pingMs: number
  /** Wrong link tokens from one address within `wrongTokensMs`, before it has to wait. */
  wrongTokens: number
  wrongTokensMs: number
  /** How long a link on a command line stays good when no browser comes. */
  onceLinkMs: number
  /** How long windows get to say goodbye when the host stops. */
  goodbyeMs: number
}

export const WEB_HOST_LIMITS: WebHostLimits = {
  requestMs: 10_000,
  authMs: 5_000,
  sockets: 32,
  strangers: 8,
  messageBytes: 16 * 1024 * 1024,
  pingMs: 15_000,
  wrongTokens: 10,
  wrongTokensMs: 60_000,
  onceLinkMs: 120_000,
  goodbyeMs: 500,
}

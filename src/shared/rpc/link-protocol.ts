/**
 * How a browser authenticates to the web host.
 *
 * Shape: the link's fragment `#link=<token>` is exchanged by `POST /link {token}` for `{secret}`, which is
 * the first message on the WebSocket `/rpc` as `{secret}`. The host answers `{ready: true}`; frames may be sent only
 * after that.
 */
export const LINK_PATH = '/link'
export const RPC_PATH = '/rpc'
export const LINK_FRAGMENT = 'link'

/** WebSocket close code of our own (RFC 6455 leaves 4000–4999 to applications). */
export const CLOSE_UNAUTHORIZED = 4401

/** "Try again later" (IANA's registry of close codes): the secret did not come in time. */
export const CLOSE_TRY_AGAIN = 1013

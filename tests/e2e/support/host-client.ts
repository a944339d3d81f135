import { WebSocket as NodeWebSocket } from 'ws'
import { openWebSocketPort } from '../../../src/renderer/api/web-socket-port.ts'
import { type Client, contract } from '../../../src/shared/contract/index.ts'
import { connect } from '../../../src/shared/rpc/connect.ts'
import { LINK_FRAGMENT, LINK_PATH, RPC_PATH } from '../../../src/shared/rpc/link-protocol.ts'
import type { ClientPort } from '../../../src/shared/wire.ts'

/** A second client of a running host, for preparing tests and for reading state that no window shows. */
export type HostClient = { client: Client; close(): void }

/** Connects by the printed link, as a window does. */
export async function openHostClient(link: string): Promise<HostClient> {
  const port = await openHostPort(link)
  return { client: connect(port, contract), close: () => port.close() }
}

/** Exchanges the link's token for the secret and connects. */
export async function openHostPort(link: string): Promise<ClientPort> {
  const { origin, hash } = new URL(link)
  const token = new URLSearchParams(hash.slice(1)).get(LINK_FRAGMENT)
  const exchanged = await fetch(`${origin}${LINK_PATH}`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  if (!exchanged.ok) throw new Error(`the link was answered with ${exchanged.status}`)
  const { secret } = (await exchanged.json()) as { secret: string }
  return openWebSocketPort({
    url: `${origin.replace(/^http/, 'ws')}${RPC_PATH}`,
    secret,
    // Node's own WebSocket sends no origin, which the host requires.
    createSocket: (url) => new NodeWebSocket(url, { origin }) as unknown as WebSocket,
  })
}

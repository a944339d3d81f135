import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { openWebSocketPort } from '../src/renderer/api/web-socket-port.ts'
import { type Client, contract } from '../src/shared/contract/index.ts'
import { connect } from '../src/shared/rpc/connect.ts'
import { LINK_FRAGMENT, LINK_PATH, RPC_PATH } from '../src/shared/rpc/link-protocol.ts'
import { temporaryFolder } from './model-files.ts'

export const hostEntry = resolve(import.meta.dirname, '../out/main/web-host.js')

/** A process that has said that it is ready. Units: milliseconds from its start to its first line. */
export type ReadyProcess = { child: ChildProcess; line: string; readyMs: number }

/** Starts Node with these arguments and waits for the first line that it prints. */
export async function startNode(args: readonly string[]): Promise<ReadyProcess> {
  const from = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await new Promise<string>((found, failed) => {
    child.stdout.once('data', (bytes: Buffer) => found(bytes.toString()))
    child.once('exit', (code) => failed(new Error(`it ended with ${code} before it was ready`)))
  })
  return { child, line, readyMs: performance.now() - from }
}

/** The built web host without a model, its data in a folder of its own (`dataDir`: one that was used before). */
export function startHost(dataDir = temporaryFolder()): Promise<ReadyProcess> {
  return startNode([hostEntry, '--no-open', '--no-model', '--data', dataDir])
}

export async function stopProcess({ child }: ReadyProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** The link that a host has printed. */
export function linkOf(host: ReadyProcess): URL {
  const link = /https?:\/\/\S+#\S+/.exec(host.line)?.[0]
  if (link === undefined) throw new Error(`no link in: ${host.line}`)
  return new URL(link)
}

/** Speaks to a host as a window does: exchanges its printed link, then the WebSocket. */
export async function connectTo(host: ReadyProcess): Promise<{ client: Client; close(): void }> {
  const url = linkOf(host)
  const token = new URLSearchParams(url.hash.slice(1)).get(LINK_FRAGMENT)
  const answer = await fetch(new URL(LINK_PATH, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url.origin },
    body: JSON.stringify({ token }),
  })
  const { secret } = (await answer.json()) as { secret: string }
  // Node's own WebSocket sends no origin, which the host asks for.
  const { WebSocket: NodeSocket } = await import('ws')
  const port = await openWebSocketPort({
    url: `ws://${url.host}${RPC_PATH}`,
    secret,
    createSocket: (address) => new NodeSocket(address, { origin: url.origin }) as unknown as WebSocket,
  })
  return { client: connect(port, contract), close: () => port.close() }
}

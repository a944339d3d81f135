import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type RouteRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: unknown }

/**
 * A value is answered as JSON under 200; a list of values as a stream of events that ends with [DONE]; `send` answers by
 * itself.
 */
export type RouteAnswer =
  | { status?: number; headers?: Record<string, string>; json: unknown }
  | { events: readonly unknown[] }
  | { send(response: ServerResponse): void }
export type Routes = Record<string, RouteAnswer | ((request: RouteRequest) => RouteAnswer)>

export type RouteServer = { address: string; requests: RouteRequest[]; close(): Promise<void> }

/** Creates a server of these routes (`GET /path`); others are answered by `else`, or by 404 in plain text. */
export async function createRouteServer(routes: Routes): Promise<RouteServer> {
  const requests: RouteRequest[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const text = Buffer.concat(pieces).toString()
    const { method = '', url: path = '', headers } = request
    const asked = { method, path, headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
    requests.push(asked)
    const route = routes[`${method} ${path}`] ?? routes.else
    const told = typeof route === 'function' ? route(asked) : route
    if (told === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found')
      return
    }
    if ('json' in told) {
      response.writeHead(told.status ?? 200, { 'content-type': 'application/json', ...told.headers })
      response.end(JSON.stringify(told.json))
      return
    }
    if ('send' in told) return told.send(response)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of told.events) response.write(`data: ${JSON.stringify(event)}\n\n`)
    response.end('data: [DONE]\n\n')
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

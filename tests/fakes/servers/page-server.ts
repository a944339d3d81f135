import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { PageNetwork } from '../../../src/main/web/fetch-page.ts'

export type Page = (request: IncomingMessage, response: ServerResponse) => void

/** A real server of pages. Shape: `network` reaches it under every name, and counts no address as private. */
export type PageServer = { port: number; asked: string[]; network: PageNetwork }

export async function pageServer(pages: Readonly<Record<string, Page | string>>): Promise<PageServer> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.url}`)
    const page = pages[request.url ?? '']
    if (typeof page === 'function') page(request, response)
    else if (page === undefined) response.writeHead(404).end('no such page')
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, asked, network: { isAllowed: () => true, resolve: async () => ['127.0.0.1'] } }
}

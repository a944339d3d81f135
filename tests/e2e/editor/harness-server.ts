import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const NONCE = 'harness'
const CSP = `default-src 'self'; style-src 'self' 'nonce-${NONCE}'; font-src 'self' data:; img-src data:`
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
}

export type HarnessServer = { url: string; close(): Promise<void> }

/** Builds the page with the editor alone and serves it on 127.0.0.1 under the content security policy of the app. */
export async function serveHarness(): Promise<HarnessServer> {
  const files = await buildHarness()
  const server = createServer((request, response) => {
    const name = request.url === '/' ? 'index.html' : (request.url ?? '').slice(1)
    const content = files.get(name)
    const type = TYPES[name.slice(name.lastIndexOf('.'))] ?? 'application/octet-stream'
    response.writeHead(content === undefined ? 404 : 200, {
      'content-type': type,
      'content-security-policy': CSP,
    })
    response.end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function buildHarness(): Promise<Map<string, string | Uint8Array>> {
  const built = await build({
    root: fileURLToPath(new URL('./harness', import.meta.url)),
    configFile: false,
    logLevel: 'error',
    html: { cspNonce: NONCE },
    build: { write: false, minify: true, modulePreload: { polyfill: false } },
  })
  const outputs = [built].flat().flatMap((result) => ('output' in result ? result.output : []))
  return new Map(
    outputs.map((output) => [output.fileName, output.type === 'chunk' ? output.code : output.source]),
  )
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const NONCE = 'harness'
const CSP = `default-src 'self'; style-src 'self' 'nonce-${NONCE}'; script-src 'self' 'nonce-${NONCE}'; font-src 'self'; img-src data:`
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
}

export type HarnessServer = { url: string; close(): Promise<void> }

/** Builds the page that lies in a folder and serves it on 127.0.0.1 under the content security policy of the app. */
export async function serveHarness(folder: URL): Promise<HarnessServer> {
  const files = await buildHarness(fileURLToPath(folder))
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const name = path === '/' ? 'index.html' : path.slice(1)
    // A page without a script, which keeps the renderer's process alive while no test has a page.
    const content = name === 'idle.html' ? '<!doctype html><title>idle</title>' : files.get(name)
    response.writeHead(content === undefined ? 404 : 200, {
      'content-type': TYPES[name.slice(name.lastIndexOf('.'))] ?? 'application/octet-stream',
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

async function buildHarness(root: string): Promise<Map<string, string | Uint8Array>> {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [react()],
    html: { cspNonce: NONCE },
    build: { write: false, minify: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  })
  const outputs = [built].flat().flatMap((result) => ('output' in result ? result.output : []))
  return new Map(
    outputs.map((output) => [output.fileName, output.type === 'chunk' ? output.code : output.source]),
  )
}

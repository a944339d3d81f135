import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HarnessServer } from './harness-server.ts'

/**
 * Serves the pages of the harnesses to all workers of a run; each is built when a test first asks for it. The returned
 * function ends this.
 */
export async function serveHarnesses(): Promise<() => Promise<void>> {
  const harnesses = new Map<string, Promise<HarnessServer>>()
  const server = createServer((request, response) => {
    const folder = decodeURIComponent(request.url?.slice(1) ?? '')
    const harness = harnesses.get(folder) ?? startHarness(folder)
    harnesses.set(folder, harness)
    harness.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  process.env.TSUGI_HARNESSES = `http://127.0.0.1:${port}/`
  return async () => {
    server.close()
    server.closeAllConnections()
    for (const harness of harnesses.values())
      await harness.then(
        ({ close }) => close(),
        () => undefined,
      )
  }
}

/** The bundler is loaded only where a test needs it. */
async function startHarness(folder: string): Promise<HarnessServer> {
  const { serveHarness } = await import('./harness-server.ts')
  return serveHarness(new URL(folder))
}

/** Returns where the page of a folder is served. */
export async function harnessAt(folder: URL): Promise<string> {
  const answer = await fetch(`${process.env.TSUGI_HARNESSES}${encodeURIComponent(folder.href)}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

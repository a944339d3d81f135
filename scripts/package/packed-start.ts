import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * How a packed app started. `readyMs`: until its page showed its own title; undefined: it never did.
 * `problem`: the problem that `act` found in the running app.
 */
export type PackedStart = {
  output: string
  readyMs: number | undefined
  memoryBytes: number | undefined
  problem: string | undefined
}

const patienceMs = 30_000

/**
 * Waits until the app's page is there, by the address of the DevTools that the app prints, lets `act` use the app
 * through that address, then ends the app.
 *
 * Units: `memoryBytes` is the resident memory of the main process (Linux only).
 */
export async function watchStart(
  child: ChildProcess,
  act: (devTools: string) => Promise<string | undefined>,
): Promise<PackedStart> {
  const startedAt = performance.now()
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part) => {
      output += part
    })
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let readyMs: number | undefined
  let devTools: string | undefined
  while (readyMs === undefined && child.exitCode === null && performance.now() - startedAt < patienceMs) {
    await sleep(50)
    const port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1]
    if (port === undefined || !(await hasPage(port))) continue
    readyMs = Math.round(performance.now() - startedAt)
    devTools = `http://127.0.0.1:${port}`
  }
  const memoryBytes = readyMs === undefined ? undefined : residentBytes(child.pid)
  const problem = devTools === undefined ? undefined : await act(devTools)
  child.kill('SIGTERM')
  await Promise.race([ended, sleep(10_000)])
  if (child.exitCode === null) child.kill('SIGKILL')
  return { output, readyMs, memoryBytes, problem }
}

async function hasPage(port: string): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined)
  if (!response?.ok) return false
  const pages = (await response.json()) as { title: string; url: string }[]
  return pages.some(({ title, url }) => title.endsWith('Tsugi') && url.includes('/index.html'))
}

function residentBytes(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined // Not a Linux system.
  }
}

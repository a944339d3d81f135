import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { startHost, type TestHost } from '../../e2e/support/host.ts'

const entry = resolve(import.meta.dirname, '../../../out/main/web-host.js')

/** Starts the built host on `dataDir`; it is ended at the end of the test in any case. */
export async function startTestHost(
  dataDir: string,
  options: { args?: string[]; project?: string; env?: Record<string, string> } = {},
): Promise<TestHost> {
  await mkdir(dataDir, { recursive: true })
  const host = await startHost({ ...options, dataDir })
  onTestFinished(() => host.kill())
  return host
}

/** Runs a host that is expected to end by itself. */
export function runHost(
  args: readonly string[],
  { canOpenBrowser = false, env = {} }: { canOpenBrowser?: boolean; env?: Record<string, string> } = {},
): Promise<{ code: number | null; output: string }> {
  const all = [entry, '--lang', 'ja', ...args, ...(canOpenBrowser ? [] : ['--no-open'])]
  const child = spawn(process.execPath, all, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      output += part.toString()
    })
  }
  return new Promise((done) => child.once('close', (code) => done({ code, output })))
}

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The web host as it is built. `TSUGI_OUT` names another build, so that one can be tested while the next one is made. */
export const builtHost = resolve(
  process.env.TSUGI_OUT ?? join(import.meta.dirname, '../../../out'),
  'main/web-host.js',
)
/** The cache of compiled code for all hosts of the tests: with its own new data folder each would compile again. */
const compiledCode = resolve(import.meta.dirname, '../../../.cache/compiled')
const linkPattern = /https?:\/\/\S+#\S+/

/** A web host of the built app in a process of its own, with a data folder of its own. */
export type TestHost = {
  /** The printed link, with its token. */
  link: string
  dataDir: string
  process: ChildProcess
  /** All that it printed so far. */
  output(): string
  /** Asks it to end and waits for it. */
  stop(): Promise<void>
  /** Kills the host. */
  kill(): Promise<void>
}

/** Starts the built web host. The data folder is kept when it is given, else removed at `stop`. */
export async function startHost(
  options: {
    project?: string
    dataDir?: string
    args?: string[]
    env?: Record<string, string>
    /** The command that starts it, where another than Node itself does. */
    under?: readonly string[]
  } = {},
): Promise<TestHost> {
  const dataDir = options.dataDir ?? (await temporaryFolder('data'))
  const args = [builtHost, '--no-open', '--data', dataDir, '--lang', 'ja', ...(options.args ?? [])]
  if (options.project !== undefined) args.push('--project', options.project)
  const [program = process.execPath, ...before] = [...(options.under ?? []), process.execPath]
  const child = spawn(program, [...before, ...args], {
    // A developer's own shell would read their start files for each host, which may take long.
    env: { NODE_COMPILE_CACHE: compiledCode, ...process.env, SHELL: '/bin/sh', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  const link = await new Promise<string>((found, failed) => {
    const read = (part: Buffer) => {
      output += part.toString()
      const link = linkPattern.exec(output)?.[0]
      if (link !== undefined) found(link)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => failed(new Error(`the host ended with ${code}:\n${output}`)))
  })
  let isEnded = false
  child.once('exit', (code, signal) => {
    if (!isEnded) process.stderr.write(`a host ended by itself (${signal ?? code}):\n${output}\n`)
  })
  const end = async (signal: NodeJS.Signals) => {
    isEnded = true
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await ended
  }
  return {
    link,
    dataDir,
    process: child,
    output: () => output,
    async stop() {
      await end('SIGTERM')
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
    },
    kill: () => end('SIGKILL'),
  }
}

/** A new empty folder for one test. */
export function temporaryFolder(name: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `tsugi-e2e-${name}-`))
}

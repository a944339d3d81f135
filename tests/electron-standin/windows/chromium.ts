import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { findChromium } from '../../../scripts/setup/chromium.mjs'

export type CdpParams = Record<string, unknown>
type Listener = (method: string, params: never) => void
type Answer = { result?: unknown; error?: { message: string } }

/** A Chromium that the stand-in drives over the DevTools protocol; it ends when this process ends, even by a kill. */
export class Chromium {
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  readonly #sessions = new Map<string, Listener>()
  #lastId = 0

  private constructor(child: ChildProcess) {
    this.#process = child
    let rest = ''
    const fromChromium = child.stdio[4] as Readable
    fromChromium.setEncoding('utf8')
    // Messages end with a zero byte. Source: Chromium's `--remote-debugging-pipe`.
    fromChromium.on('data', (part: string) => {
      const messages = `${rest}${part}`.split('\0')
      rest = messages.pop() ?? ''
      for (const message of messages) this.#receive(JSON.parse(message))
    })
    process.once('exit', () => this.#process.kill('SIGKILL'))
  }

  static async start(options: { profile: string; canBeDebugged: boolean }): Promise<Chromium> {
    const { profile } = options
    mkdirSync(profile, { recursive: true })
    await untilFree(profile)
    const child = spawn(
      findChromium() ?? '/usr/bin/chromium',
      [
        ...(process.env.ELECTRON_STANDIN_HEADED ? [] : ['--headless=new']),
        ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
        ...['--disable-background-networking', '--disable-component-update', '--no-startup-window'],
        // Invisible pages of the address bar, whose drawing costs more than the window.
        '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,SpareRendererForSitePerProcess',
        '--js-flags=--no-turbofan,--no-maglev',
        `--user-data-dir=${profile}`,
        '--remote-debugging-pipe',
        ...(options.canBeDebugged ? ['--remote-debugging-port=0'] : []),
      ],
      { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] },
    )
    const chromium = new Chromium(child)
    await chromium.#announce(options.canBeDebugged)
    await chromium.send('Target.setDiscoverTargets', { discover: true })
    return chromium
  }

  /** Playwright reads the address of the DevTools from the output, as Electron prints it. */
  #announce(isExpected: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let output = ''
      this.#process.once('exit', (code) => reject(new Error(`Chromium ended with ${code}: ${output}`)))
      this.#process.stderr?.on('data', (part) => {
        output = `${output}${part}`.slice(-10_000)
        const line = /^DevTools listening on ws:\S+/m.exec(output)?.[0]
        if (line === undefined) return
        console.error(line)
        output = ''
        resolve()
      })
      if (!isExpected) resolve()
    })
  }

  send<T = CdpParams>(method: string, params: CdpParams = {}, sessionId?: string): Promise<T> {
    const id = ++this.#lastId
    const message = { id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }
    const toChromium = this.#process.stdio[3] as Writable
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result as T) : reject(new Error(`${method}: ${error.message}`)),
      )
      toChromium.write(`${JSON.stringify(message)}\0`)
    })
  }

  /** Without a session: the browser's own events. */
  listen(listener: Listener, sessionId = ''): void {
    this.#sessions.set(sessionId, listener)
  }

  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      if (this.#process.exitCode !== null || this.#process.signalCode !== null) resolve()
      else this.#process.once('exit', () => resolve())
    })
    // A clean end writes what pages keep for the next start.
    // The answer may be lost with the browser.
    void this.send('Browser.close')
    await ended
  }

  #receive(message: { id?: number; method?: string; params?: unknown; sessionId?: string } & Answer): void {
    if (message.id !== undefined) {
      this.#waiting.get(message.id)?.(message)
      this.#waiting.delete(message.id)
    } else if (message.method !== undefined) {
      this.#sessions.get(message.sessionId ?? '')?.(message.method, message.params as never)
    }
  }
}

/** Waits for the browser of a host that was killed a moment ago: it ends when its pipe does. */
async function untilFree(profile: string): Promise<void> {
  const deadline = Date.now() + 5000
  while (Date.now() < deadline && isInUse(profile)) await sleep(50)
}

function isInUse(profile: string): boolean {
  try {
    // `host-pid`. Source: Chromium's process singleton on POSIX.
    const pid = Number(readlinkSync(join(profile, 'SingletonLock')).split('-').at(-1))
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

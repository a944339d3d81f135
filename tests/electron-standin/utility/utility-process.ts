import { type ChildProcess, fork as forkNode } from 'node:child_process'
import type { ForkOptions, UtilityProcess } from 'electron'
import { DocumentedEmitter, documentClass, documentModule } from '../documented.ts'
import { standInApp } from '../electron-app.ts'

const utilityProcessEvents = {
  error: ['type', 'location', 'report'],
  exit: ['code'],
  message: ['message'],
  spawn: [],
} as const

const alive = new Set<StandInUtilityProcess>()
standInApp._metrics = () => [...alive].map((child) => child._metric)

/** A child with `process.parentPort`, which `utility-child.ts` gives it. */
class StandInUtilityProcess
  extends DocumentedEmitter
  implements Pick<UtilityProcess, 'pid' | 'kill' | 'postMessage'>
{
  readonly #child: ChildProcess
  readonly #name: string

  constructor(modulePath: string, args: string[], options: ForkOptions) {
    super('UtilityProcess', utilityProcessEvents)
    this.#name = options.serviceName ?? 'Node Utility Process'
    alive.add(this)
    this.#child = forkNode(modulePath, args, {
      env: options.env as NodeJS.ProcessEnv,
      execArgv: [
        '--import',
        new URL('./utility-child.ts', import.meta.url).href,
        ...(options.execArgv ?? []),
      ],
      serialization: 'advanced',
      stdio: options.stdio === 'inherit' ? 'inherit' : 'pipe',
    })
    this.#child.once('spawn', () => this.emit('spawn'))
    this.#child.on('message', (message) => this.emit('message', message))
    // Electron reports the code of waitpid, where a signal is 128 and its number.
    this.#child.once('exit', () => alive.delete(this))
    this.#child.once('exit', (code, signal) => this.emit('exit', code ?? (signal === null ? 1 : 143)))
  }
  /** A line of `app.getAppMetrics`. */
  get _metric(): { pid: number; type: 'Utility'; name: string } {
    return { pid: this.#child.pid ?? 0, type: 'Utility', name: this.#name }
  }
  get pid(): number | undefined {
    return this.#child.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined
  }
  kill(): boolean {
    return this.#child.kill()
  }
  postMessage(message: unknown): void {
    if (this.#child.connected) this.#child.send(message as object)
  }
}
documentClass('UtilityProcess', StandInUtilityProcess, utilityProcessEvents)

export const utilityProcess = documentModule('UtilityProcess', {
  fork(modulePath: string, args: string[] = [], options: ForkOptions = {}) {
    if (!standInApp.isReady()) throw new Error('utilityProcess cannot be created before app is ready.')
    return new StandInUtilityProcess(modulePath, args, options)
  },
})

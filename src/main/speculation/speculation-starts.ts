import { delay } from '../../shared/delay.ts'
import { isAppError } from '../../shared/errors.ts'
import type { Clock, Log, Random } from '../deps.ts'
import type { SpeculationLink } from './speculation-link.ts'
import type { SpeculationRun, SpeculationRunDeps } from './speculation-run.ts'

export type RunStart = Pick<SpeculationRunDeps, 'speculationId' | 'text' | 'onChange'> & {
  sessionId: string
  /** The run that it is based on; null: the session itself. */
  onto: SpeculationRun | null
}

/** A suggestion to be run. Shape: `onto` null: on the session itself. */
export type WantedRun = { suggestionId: string; text: string; onto: SpeculationLink | null }

/** Shape: `run` is ready to be played. */
export type BegunRun = WantedRun & { speculationId: string; run: SpeculationRun }

export type SpeculationStartsDeps = {
  clock: Clock
  random: Random
  log: Log
  sessionId: string
  /** Returns null where no run may start now. Errors: why such a message would not be sent; those of overlays. */
  start(start: RunStart, signal: AbortSignal): Promise<SpeculationRun | null>
  mayBegin(): boolean
  onChange(): void
  begun(run: BegunRun): void
  track<T>(work: Promise<T>): Promise<T>
}

/** Time for which a suggestion is shown before it is run. Source: *Speculation*. Units: ms. */
const delayMs = 300
/** A start that was refused is tried again, each time after twice as long. Units: ms. */
const retryMs = { first: 1_000, longest: 10_000 }

/** True where a suggestion cannot be seen, as the box has a message that is not its own beginning. */
export function isOtherText(message: string, suggested: string): boolean {
  return message.trim() !== '' && !suggested.startsWith(message)
}

/** Starts the runs of one session: a newer start ends the one before. */
export class SpeculationStarts {
  readonly #deps: SpeculationStartsDeps
  #current: AbortController | null = null
  /** The shown suggestion whose run has not begun yet. */
  #waiting: WantedRun | null = null

  constructor(deps: SpeculationStartsDeps) {
    this.#deps = deps
  }

  get isIdle(): boolean {
    return this.#current === null
  }

  /** Ends the start in progress, for good. */
  stop(): void {
    this.#waiting = null
    this.#current?.abort()
    this.#current = null
  }

  /** Ends the start in progress; a shown suggestion is tried again later. */
  interrupt(): void {
    const waiting = this.#waiting
    this.stop()
    if (waiting !== null) this.retry(waiting)
  }

  /** Begins work that the next start ends. */
  next(): AbortController {
    this.stop()
    this.#current = new AbortController()
    return this.#current
  }

  over(starting: AbortController): void {
    if (this.#current === starting) this.#current = null
  }

  /** Starts the run of a suggestion that is shown from now on. False: it begins later, or never. */
  async offer(wanted: WantedRun): Promise<boolean> {
    const starting = this.next()
    this.#waiting = wanted
    await delay(this.#deps.clock, delayMs, starting.signal).catch(() => undefined)
    if (starting.signal.aborted) return false
    const became = await this.#deps.track(this.#start(wanted, starting))
    if (became === 'refused' && this.#current === starting) this.retry(wanted)
    return became === 'begun'
  }

  /** Starts a run now. False where that cannot be. */
  async begin(wanted: WantedRun): Promise<boolean> {
    const starting = this.next()
    const became = await this.#start(wanted, starting)
    this.over(starting)
    return became === 'begun'
  }

  /** Starts the run of a shown suggestion later, as soon as that can be. */
  retry(wanted: WantedRun): void {
    const starting = this.next()
    this.#waiting = wanted
    void this.#deps.track(this.#tryAgain(wanted, starting))
  }

  /** Retries a start that was refused because the model is in use, a gate is open or the user is writing. */
  async #tryAgain(wanted: WantedRun, starting: AbortController): Promise<void> {
    for (let ms = retryMs.first; this.#current === starting; ms = Math.min(ms * 2, retryMs.longest)) {
      await delay(this.#deps.clock, ms, starting.signal).catch(() => undefined)
      if (starting.signal.aborted) return
      if (!this.#deps.mayBegin()) return this.#end(starting)
      if ((await this.#start(wanted, starting)) !== 'refused') return
    }
  }

  /** `refused`: it may be tried again. */
  async #start(wanted: WantedRun, starting: AbortController): Promise<'begun' | 'refused' | 'failed'> {
    const { log, random, sessionId, onChange } = this.#deps
    const { text, onto } = wanted
    const { signal } = starting
    const speculationId = random.id()
    let run: SpeculationRun | null
    try {
      const base = { sessionId, speculationId, text, onto: onto?.run ?? null }
      run = await this.#deps.start({ ...base, onChange }, signal)
    } catch (error) {
      // The user did not ask for the run: an error that would prevent sending the message only prevents the run.
      if (!isAppError(error) && !signal.aborted) log.bug(error, 'speculation.start')
      else log.write('info', 'speculation.not-started', { error: String(error) })
      this.#end(starting)
      return 'failed'
    }
    if (run === null) return 'refused'
    this.#end(starting)
    if (signal.aborted) {
      await run.abort()
      return 'failed'
    }
    this.#deps.begun({ ...wanted, speculationId, run })
    return 'begun'
  }

  #end(starting: AbortController): void {
    if (this.#current !== starting) return
    this.#waiting = null
    this.#current = null
  }
}

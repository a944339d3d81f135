import type {
  EndlessDraft,
  PhaseHint,
  Run,
  RunEvent,
  RunState,
} from '../../../src/shared/domain/drafting/run.ts'
import type { Take, TakeEnd } from '../../../src/shared/domain/drafting/take.ts'
import { AppError, type ErrorInfo } from '../../../src/shared/errors.ts'
import { fixtureRun, fixtureTake } from './fixtures.ts'
import { createTopic, type Topic } from './topic.ts'

type Entry = { run: Run; seq: number; topic: Topic<RunEvent> }
type Unnumbered = RunEvent extends infer E ? (E extends { seq: number } ? Omit<E, 'seq'> : never) : never

/** Runs and takes whose course the test decides. */
export class FakeRuns {
  readonly takes = new Map<string, Take>()
  readonly takeTopic = createTopic<{ take: Take }>()
  readonly endlessTopic = createTopic<{ endless: EndlessDraft | null }>()
  readonly entries = new Map<string, Entry>()
  /** Error of the next start. */
  refusal: ErrorInfo | null = null
  /** Each start waits for this promise. */
  held: Promise<void> | null = null
  /** A list of takes is that of the moment it is asked for, and arrives after this promise. */
  listHeld: Promise<void> | null = null
  #count = 0

  start(path: string, position: number, change: Partial<Take> = {}): Run {
    if (this.refusal) throw new AppError(this.refusal)
    if (this.running()) throw new AppError({ code: 'run/busy' })
    this.#count += 1
    const take = fixtureTake({
      takeId: `take-new-${this.#count}`,
      path,
      position,
      text: '',
      state: 'pending',
      completionTokens: 0,
      createdAt: Date.now() + this.#count,
      ...change,
    })
    const run = fixtureRun(take)
    this.entries.set(run.runId, { run, seq: 0, topic: createTopic() })
    this.putTake(take)
    return run
  }

  running(): Run | undefined {
    return this.list().find((run) => run.state === 'running')
  }

  list(): Run[] {
    return [...this.entries.values()].map((entry) => entry.run)
  }

  watch(runId: string, afterSeq: number | undefined, signal: AbortSignal): AsyncIterable<RunEvent> {
    const entry = this.#entry(runId)
    const snapshot: RunEvent = { type: 'snapshot', seq: entry.seq, run: entry.run }
    return entry.topic.follow(signal, afterSeq === entry.seq ? [] : [snapshot])
  }

  phase(runId: string, phase: Run['phase'], progress: number | null, hint?: PhaseHint): void {
    this.#change(runId, { phase }, { type: 'phase', phase, progress, ...(hint && { hint }) })
  }

  write(runId: string, text: string): void {
    const { run } = this.#entry(runId)
    this.#change(runId, { text: run.text + text }, { type: 'text', text })
  }

  figures(runId: string, change: Partial<Run['figures']>): void {
    const figures = { ...this.#entry(runId).run.figures, ...change }
    this.#change(runId, { figures }, { type: 'figures', figures })
  }

  end(runId: string, state: RunState, error: ErrorInfo | null = null, stopReason?: TakeEnd): void {
    const { run } = this.#entry(runId)
    if (run.state !== 'running') return
    const end = { state, error, ...(stopReason && { stopReason }) }
    this.#change(runId, end, { type: 'ended', ...end })
    const take = this.takes.get(run.takeId)
    if (take) {
      const { completionTokens, tokensPerSecond } = run.figures
      const ended = stopReason ? { stopReason } : {}
      this.putTake({ ...take, ...ended, text: run.text, completionTokens, tokensPerSecond })
    }
  }

  putTake(take: Take): void {
    this.takes.set(take.takeId, take)
    this.takeTopic.publish({ take })
  }

  #entry(runId: string): Entry {
    const entry = this.entries.get(runId)
    if (!entry) throw new AppError({ code: 'run/not-found', runId })
    return entry
  }

  #change(runId: string, change: Partial<Run>, event: Unnumbered): void {
    const entry = this.#entry(runId)
    entry.run = { ...entry.run, ...change }
    entry.seq += 1
    entry.topic.publish({ ...event, seq: entry.seq } as RunEvent)
  }
}

import { requestStats } from '../../shared/domain/session/session.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import type { SpeculationBoundary } from '../../shared/domain/session/speculation.ts'
import { type ErrorInfo, isAppError } from '../../shared/errors.ts'
import { type TestCounts, testCounts } from '../../shared/text/test-counts.ts'
import type { SessionModel } from '../agent/model/agent-model.ts'
import type { ForkRequests } from '../agent/model/agent-request.ts'
import type { Clock } from '../deps.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { type ForkPoint, readFork } from '../sessions/adopted-turn.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { SubmitItem } from '../sessions/prompt-submit.ts'
import type { SessionRunner } from '../sessions/runner/session-runner.ts'
import type { SessionPlace } from '../sessions/session-host.ts'
import type { SessionRepository } from '../store/sessions/session-repository.ts'
import type { AcceptableLink } from './accept/acceptable-link.ts'
import { endOf, type ForkCourse, hasRefusedReview, lastTransition } from './fork-end.ts'
import type { Overlay, OverlayFile } from './overlay/overlay.ts'
import { RunBudget, runLimits } from './run-budget.ts'

/** Maximum number of items that are read of a fork; a speculation cannot make as many. */
const mostItems = 500

/** A session that begins as a copy of another one, with its runner. */
export type Fork = SessionPlace & {
  repository: SessionRepository
  runner: Pick<SessionRunner, 'begin' | 'inherit' | 'dispatch' | 'standstill' | 'halt' | 'close' | 'held'>
  model: SessionModel
}

/** What the parts of a fork tell the run that it belongs to. */
export type ForkHooks = {
  requests: ForkRequests
  /** Called before each request of the fork to its model. Aborts the signal of a request that may not be made. */
  beforeRequest(isQuestion: boolean): Promise<void>
  /** The conversation has no room for more. */
  onFull(): void
  onBoundary(boundary: SpeculationBoundary): void
  onFailure(error: ErrorInfo): void
}

export type SpeculationRunDeps = {
  clock: Clock
  speculationId: string
  text: string
  modelName: string
  /** Attachments of the message. */
  items: readonly SubmitItem[]
  overlay: Overlay
  /** The state of the session, or of the run before in a chain, from which the fork starts. */
  point: ForkPoint
  fork(hooks: ForkHooks): Fork
  /** Entries that the session still held for the model. */
  held: Fork['runner']['held']
  /** The session that is forked: its statistics count the requests. */
  session: Pick<LiveSession, 'count'>
  /** Called when the run has made progress or has ended. */
  onChange(): void
}

/** How a run has ended. `halted`: it was told to stop where it was. */
export type RunEnd = 'completed' | 'boundary' | 'failed' | 'aborted' | 'halted'

/**
 * The run of one speculation: the suggested message is played in a fork to its end, to a boundary, or until it is
 * stopped. The session and the folder do not change.
 */
export class SpeculationRun {
  readonly #deps: SpeculationRunDeps
  readonly fork: Fork
  readonly #from: ForkCourse['from']
  readonly startedAt: number
  readonly #budget = new RunBudget()
  readonly #firstCalls: number
  readonly #firstSeq: number
  #end: RunEnd | null = null
  #boundary: SpeculationBoundary | null = null
  #failure: ErrorInfo | null = null
  /** True once the end was decided; the run then waits for calls under way. */
  #isEnding = false
  #isHalted = false
  #files: readonly OverlayFile[] = []
  #endedAt: number | null = null
  #played: Promise<void> = Promise.resolve()

  constructor(deps: SpeculationRunDeps) {
    this.#deps = deps
    this.startedAt = deps.clock.now()
    this.fork = deps.fork({
      requests: {
        begin: () => this.#beginRequest(),
        over: (answer) => this.#overRequest(answer),
      },
      beforeRequest: (isQuestion) => this.#before(isQuestion),
      onFull: () => this.#meet('budget'),
      onBoundary: (boundary) => this.#stopAt(boundary),
      onFailure: (error) => this.#fail(error),
    })
    const { session } = this.fork
    this.#from = { transitions: lastTransition(session.state), entries: session.log.length }
    this.#firstCalls = session.record.stats.calls
    this.#firstSeq = session.record.lastSeq
  }

  get modelName(): string {
    return this.#deps.modelName
  }
  get overlay(): Overlay {
    return this.#deps.overlay
  }
  /** How the run has ended; null as long as it goes on. */
  get end(): RunEnd | null {
    return this.#end
  }
  get boundary(): SpeculationBoundary | null {
    return this.#boundary
  }
  get failure(): ErrorInfo | null {
    return this.#failure
  }
  /** Units: ms. */
  get durationMs(): number {
    return (this.#endedAt ?? this.#deps.clock.now()) - this.startedAt
  }
  get turns(): number {
    return this.#budget.turns
  }
  get spent(): Readonly<RunBudget['spent']> {
    return this.#budget.spent
  }
  get calls(): number {
    return this.fork.session.record.stats.calls - this.#firstCalls
  }
  /** Items that the run has added to the conversation, oldest first. */
  get items(): SessionItem[] {
    const { items } = this.fork.session.page({ limit: mostItems })
    return items.filter(({ seq }) => seq > this.#firstSeq)
  }
  /** Counts of the last command that ran tests; null where none did. */
  get tests(): TestCounts | null {
    const counts = this.items.map((item) =>
      item.kind === 'call' && item.tool === 'run_command' ? testCounts(item.text) : null,
    )
    return counts.findLast((one) => one !== null) ?? null
  }
  /** Changed files as of the last request or the end. */
  get files(): readonly OverlayFile[] {
    return this.#files
  }

  /** What an acceptance of the run takes. The run must have stopped. */
  get acceptable(): AcceptableLink {
    const { speculationId, overlay, held: heldBefore, point, modelName } = this.#deps
    const { session, repository, folder, runner } = this.fork
    return {
      speculationId,
      overlay,
      ledger: folder.ledger,
      boundary: this.#boundary,
      held: runner.held,
      heldBefore,
      fork() {
        const turn = readFork(point, session, repository, modelName)
        // Drop unfinished answers: they never entered the prompt.
        const items = turn.items.filter((item) => item.kind !== 'answer' || item.state === 'finished')
        return { ...turn, items }
      },
    }
  }

  /** Plays the run; resolves when it has ended, in any way. Errors: `speculation/files-gone` for a damaged overlay. */
  play(): Promise<void> {
    this.#played = this.#play()
    return this.#played
  }

  /** Stops the run and discards its overlay. */
  async abort(): Promise<void> {
    this.#conclude('aborted')
    this.#isEnding = true
    await this.fork.runner.close()
    await this.#played.catch(() => undefined)
    this.fork.session.end()
    await this.#deps.overlay.discard()
  }

  /** Stops the run where it is: calls that run are finished, an open request is not. */
  async halt(): Promise<void> {
    if (this.#end !== null) return
    this.#isHalted = true
    this.#isEnding = true
    await this.fork.runner.halt()
    await this.#played
  }

  /** Ends the run at a boundary because the model is needed elsewhere: what is finished stays. */
  interrupt(): void {
    this.#meet('interrupted')
  }

  async #play(): Promise<void> {
    const { clock, text, items, held } = this.#deps
    const { runner } = this.fork
    const timer = clock.setTimeout(() => this.#meet('budget'), runLimits.ms)
    try {
      runner.inherit(held)
      runner.begin([{ kind: 'text', text }], 'send', items)
      await runner.standstill()
      if (this.#end !== null) return
      await this.#look()
      this.#conclude(this.#ending())
    } catch (error) {
      await runner.close()
      if (isAppError(error)) this.#failure = error.info
      this.#conclude('failed')
      throw error
    } finally {
      timer.cancel()
    }
  }

  #ending(): RunEnd {
    if (this.#failure !== null) return 'failed'
    if (this.#boundary !== null) return 'boundary'
    if (this.#isHalted) return 'halted'
    if (this.fork.session.state.status === 'ERROR') return 'failed'
    this.#boundary = endOf(this.#course())
    return this.#boundary === null ? 'completed' : 'boundary'
  }

  #conclude(end: RunEnd): void {
    if (this.#end !== null) return
    this.#end = end
    this.#endedAt = this.#deps.clock.now()
    this.#deps.onChange()
  }

  /** Prepares a request: stops the run where it may not be made, and tells the fork's machine what is staged. */
  async #before(isQuestion: boolean): Promise<void> {
    const { session } = this.fork
    if (this.#isEnding) return
    await this.#look()
    if (isQuestion) this.#meet('pending_user')
    else if (hasRefusedReview(this.#course())) this.#meet('review')
    else if (session.log.length - this.#from.entries > runLimits.messages) this.#meet('budget')
    this.#deps.onChange()
  }

  /** Reads what has been changed so far, and tells the machine, so that a review approves exactly that. */
  async #look(): Promise<void> {
    const { overlay, speculationId } = this.#deps
    if (!overlay.hasWrites) return
    this.#files = await overlay.files()
    if (this.fork.session.state.turn.gateRequest === 'apply') return
    const staged = this.#files.length === 0 ? null : { callId: speculationId, hash: stagedHash(this.#files) }
    this.fork.runner.dispatch({ type: 'staged.changed', staged })
  }

  #beginRequest(): number {
    const { leftTokens } = this.#budget
    if (leftTokens === 0) this.#meet('budget')
    if (this.#isEnding) throw new Error('the speculation has ended')
    this.#budget.begin()
    return leftTokens
  }

  #overRequest({ usage, end }: Parameters<ForkRequests['over']>[0]): void {
    this.#budget.spend(usage)
    if (usage !== null) this.#deps.session.count(requestStats(usage))
    if (end === 'preempted') this.#meet('interrupted')
    if (end === 'limit') this.#meet('budget')
  }

  #meet(kind: SpeculationBoundary['kind']): void {
    this.#stopAt({ kind, callId: null, title: '' })
  }

  /** Stops the run at a boundary; only the first boundary counts. */
  #stopAt(boundary: SpeculationBoundary): void {
    if (this.#isEnding) return
    this.#boundary = boundary
    this.#isEnding = true
    void this.fork.runner.halt()
  }

  #fail(error: ErrorInfo): void {
    if (this.#isEnding) return
    this.#failure = error
    this.#isEnding = true
    void this.fork.runner.halt()
  }

  #course(): ForkCourse {
    const { state, log } = this.fork.session
    return { state, log, from: this.#from }
  }
}

/** Returns the hash of exactly what would be changed: paths, the content they are made on, bytes and permissions. */
function stagedHash(files: readonly OverlayFile[]): string {
  const rows = files.map(({ path, baseHash, newBytes, mode }) => [
    path,
    baseHash,
    newBytes === null ? null : contentHash(newBytes),
    mode,
  ])
  return contentHash(JSON.stringify(rows.toSorted(([a = ''], [b = '']) => ((a ?? '') < (b ?? '') ? -1 : 1))))
}

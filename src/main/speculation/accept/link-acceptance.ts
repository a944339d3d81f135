import type { SpeculationAccepting, SpeculationDecision } from '../../../shared/domain/session/speculation.ts'
import { type AppError, type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import { deniedBy } from '../../gates/judge.ts'
import { type AcceptAnswers, type AcceptOutcome, noAnswers } from './acceptable-link.ts'

type Asking = Extract<SpeculationAccepting, { step: 'stale' | 'conflicts' | 'gate' }>

/**
 * State of the acceptance of a speculation.
 *
 * `idle`: it has not begun, or was left with `failure` and can begin again. `working`: as windows see it. `asking`: the
 * user is asked; `answers` are those given before. `over`: accepted, or lost.
 */
type AcceptanceState =
  | { kind: 'idle'; failure: ErrorInfo | null }
  | { kind: 'working'; shown: Exclude<SpeculationAccepting, Asking>; asked: string | null }
  | { kind: 'asking'; shown: Asking; answers: AcceptAnswers }
  | { kind: 'over' }

type LinkAcceptanceDeps = {
  /** Resolves when nothing runs in the speculation any more. */
  halt(): Promise<void>
  /** Errors: as `Acceptance.accept`. */
  accept(answers: AcceptAnswers): Promise<AcceptOutcome>
  withdraw(gateId: string): void
  /** Tells windows that the state has changed. */
  tell(): void
  /** Called when the acceptance was left: a switch, the mode or a rule may have changed meanwhile. */
  left(): void
  accepted(outcome: Extract<AcceptOutcome, { step: 'accepted' }>): void
  lost(): void
  rerun(): void
  bug(error: unknown): void
}

/** The acceptance of one speculation into its session, which asks the user what has to be asked, step by step. */
export class LinkAcceptance {
  readonly #deps: LinkAcceptanceDeps
  #state: AcceptanceState = { kind: 'idle', failure: null }
  #work: Promise<unknown> = Promise.resolve()
  #wasAnswered = false
  #attempts = 0

  constructor(deps: LinkAcceptanceDeps) {
    this.#deps = deps
  }

  /** The state of the acceptance as windows show it; null where it has not begun. */
  get shown(): SpeculationAccepting | null {
    return 'shown' in this.#state ? this.#state.shown : null
  }

  get isUnderWay(): boolean {
    return this.shown !== null
  }

  get isAsking(): boolean {
    return this.#state.kind === 'asking'
  }

  /** The number of times that it has begun. */
  get attempts(): number {
    return this.#attempts
  }

  /** Why the last attempt was left. */
  get failure(): ErrorInfo | null {
    return this.#state.kind === 'idle' ? this.#state.failure : null
  }

  /** Begins the acceptance. Returns false where it is in progress or over. */
  begin(): boolean {
    if (this.#state.kind !== 'idle') return false
    this.#attempts += 1
    this.#enter({ kind: 'working', shown: { step: 'finishing' }, asked: null })
    this.#work = this.#first().catch((error: unknown) => this.#deps.bug(error))
    return true
  }

  /**
   * Returns false where this is not asked now, and for a refusal that came to nothing: its reason stays with the user.
   *
   * Errors: `gate/not-open`, `gate/too-early`; the gate stays.
   */
  async decide(decision: SpeculationDecision): Promise<boolean> {
    const asking = this.#state
    if (asking.kind !== 'asking') return false
    if (decision.kind === 'cancel' || decision.kind === 'rerun') {
      this.#leave(null)
      if (decision.kind === 'rerun') this.#deps.rerun()
      return true
    }
    const answers = answered(asking, decision)
    if (answers === null) return false
    this.#wasAnswered ||= answers.gate !== null
    const work = this.#try(answers, 'committing')
    this.#work = work
    try {
      return await work
    } catch (error) {
      if (isGateError(error)) this.#state = asking
      this.#deps.tell()
      throw error
    }
  }

  /** Waits for the present attempt, and asks the user nothing more. */
  async close(): Promise<void> {
    await this.#work.catch(() => undefined)
    if (this.isUnderWay) this.#leave(null)
  }

  async #first(): Promise<void> {
    await this.#deps.halt()
    await this.#try(noAnswers, 'planning')
  }

  /** Returns false for a refusal that came to nothing. Errors: those of the gate, which stays. */
  async #try(given: AcceptAnswers, step: 'planning' | 'committing'): Promise<boolean> {
    const answers = { ...given, wasAnswered: this.#wasAnswered }
    this.#enter({ kind: 'working', shown: { step }, asked: answers.asked })
    let outcome: AcceptOutcome
    try {
      outcome = await this.#deps.accept(answers)
    } catch (error) {
      if (isGateError(error)) throw error
      this.#leave(isAppError(error) ? error.info : null)
      if (!isAppError(error)) throw error
      return !isRefusal(given)
    }
    // A gate's answer counts once; all other answers hold for what is asked next.
    const held = { ...answers, gate: null, asked: null, shown: null }
    switch (outcome.step) {
      case 'stale':
      case 'conflicts':
        this.#enter({ kind: 'asking', shown: outcome, answers: held })
        return true
      case 'gate': {
        const { gate } = outcome
        this.#enter({
          kind: 'asking',
          shown: outcome,
          answers: { ...held, asked: gate.gateId, shown: gate },
        })
        return true
      }
      case 'denied':
        this.#leave({ code: 'speculation/denied', ...deniedBy(outcome.denial) })
        return true
      case 'lost':
        this.#withdraw()
        this.#state = { kind: 'over' }
        this.#deps.lost()
        return !isRefusal(given)
      case 'accepted':
        this.#state = { kind: 'over' }
        this.#deps.accepted(outcome)
        return true
    }
  }

  /** Leaves the acceptance: the speculation is as it was before, and can be accepted again. */
  #leave(failure: ErrorInfo | null): void {
    this.#withdraw()
    this.#enter({ kind: 'idle', failure })
    this.#deps.left()
  }

  #withdraw(): void {
    const { kind } = this.#state
    const asked =
      kind === 'asking' ? this.#state.answers.asked : kind === 'working' ? this.#state.asked : null
    if (asked !== null) this.#deps.withdraw(asked)
  }

  #enter(state: AcceptanceState): void {
    this.#state = state
    this.#deps.tell()
  }
}

function answered(
  { shown: { step }, answers }: Extract<AcceptanceState, { kind: 'asking' }>,
  decision: SpeculationDecision,
): AcceptAnswers | null {
  if (step === 'stale' && decision.kind === 'go-on') return { ...answers, knowsStale: true }
  if (step === 'conflicts' && decision.kind === 'merge') {
    const paths = new Set(decision.files.map(({ path }) => path))
    const kept = answers.merged.filter(({ path }) => !paths.has(path))
    return { ...answers, merged: [...kept, ...decision.files] }
  }
  return step === 'gate' && decision.kind === 'gate' ? { ...answers, gate: decision.answer } : null
}

function isRefusal({ gate }: AcceptAnswers): boolean {
  return gate?.verdict === 'refuse'
}

function isGateError(error: unknown): error is AppError {
  return isAppError(error, 'gate/not-open') || isAppError(error, 'gate/too-early')
}

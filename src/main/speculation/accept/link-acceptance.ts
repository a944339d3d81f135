import type { SpeculationDecision } from '../../../shared/domain/session/speculation.ts'
import { type AppError, type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import type { SpeculationLink } from '../speculation-link.ts'
import { type AcceptAnswers, type AcceptOutcome, noAnswers } from './acceptable-link.ts'

export type LinkAcceptanceDeps = {
  accept(link: SpeculationLink, answers: AcceptAnswers): Promise<AcceptOutcome>
  cancel(link: SpeculationLink): void
  /** What is shown of a link has changed. */
  tell(): void
  over(link: SpeculationLink, outcome: Extract<AcceptOutcome, { step: 'accepted' }>): void
  /** It cannot be accepted any more. */
  lost(link: SpeculationLink): void
  bug(error: unknown): void
  /** It is to be done anew. */
  again(link: SpeculationLink): void
}

/** Takes a link into the session, asking the user what has to be asked: step by step, each once. */
export class LinkAcceptance {
  readonly #deps: LinkAcceptanceDeps
  #answers: AcceptAnswers = noAnswers
  #current: SpeculationLink | null = null
  #work: Promise<void> = Promise.resolve()

  constructor(deps: LinkAcceptanceDeps) {
    this.#deps = deps
  }

  begin(link: SpeculationLink): void {
    this.#current = link
    this.#answers = noAnswers
    link.failure = null
    link.accepting = { step: 'finishing' }
    this.#deps.tell()
    this.#work = this.#first(link).catch((error: unknown) => this.#deps.bug(error))
  }

  /** False where it asks something else, or nothing. Errors: `gate/not-open`, `gate/too-early`: it asks on. */
  async decide(link: SpeculationLink, decision: SpeculationDecision): Promise<boolean> {
    const step = link === this.#current ? link.accepting?.step : undefined
    if (step !== 'stale' && step !== 'conflicts' && step !== 'gate') return false
    if (decision.kind === 'cancel') return this.#leave(link, null)
    if (decision.kind === 'rerun') {
      this.#leave(link, null)
      this.#deps.again(link)
      return true
    }
    const answers = answered(this.#answers, step, decision)
    if (answers === null) return false
    const asked = link.accepting
    this.#work = this.#try(link, answers)
    try {
      await this.#work
    } catch (error) {
      // The gate is still there, and asks on.
      if (isGateError(error)) link.accepting = asked
      this.#deps.tell()
      throw error
    }
    return true
  }

  /** What is asked is not asked any more; what is being done is done. */
  async close(): Promise<void> {
    await this.#work.catch(() => undefined)
    if (this.#current !== null) this.#leave(this.#current, null)
  }

  async #first(link: SpeculationLink): Promise<void> {
    await link.run.halt()
    await this.#try(link, noAnswers)
  }

  /** Errors: those of the gate, which stays. */
  async #try(link: SpeculationLink, answers: AcceptAnswers): Promise<void> {
    link.accepting = { step: answers === noAnswers ? 'planning' : 'committing' }
    this.#deps.tell()
    let outcome: AcceptOutcome
    try {
      outcome = await this.#deps.accept(link, answers)
    } catch (error) {
      if (isGateError(error)) throw error
      this.#leave(link, isAppError(error) ? error.info : null)
      if (!isAppError(error)) throw error
      return
    }
    // A gate's answer counts once; all else that was said holds for what is asked next.
    this.#answers = { ...answers, gate: null }
    switch (outcome.step) {
      case 'stale':
        link.accepting = { step: 'stale', paths: outcome.paths }
        return this.#deps.tell()
      case 'conflicts':
        link.accepting = { step: 'conflicts', files: outcome.files }
        return this.#deps.tell()
      case 'gate':
        link.accepting = { step: 'gate', gate: outcome.gate }
        return this.#deps.tell()
      case 'denied':
        this.#leave(link, { code: 'speculation/denied', reason: outcome.reason })
        return
      case 'lost':
        this.#leave(link, null)
        return this.#deps.lost(link)
      case 'accepted':
        this.#current = null
        link.accepting = null
        return this.#deps.over(link, outcome)
    }
  }

  /** It is as it was before, and can be accepted again; `error`: why it came to nothing. */
  #leave(link: SpeculationLink, error: ErrorInfo | null): true {
    this.#deps.cancel(link)
    this.#current = null
    link.accepting = null
    link.failure = error
    this.#deps.tell()
    return true
  }
}

function answered(
  before: AcceptAnswers,
  step: 'stale' | 'conflicts' | 'gate',
  decision: SpeculationDecision,
): AcceptAnswers | null {
  if (step === 'stale' && decision.kind === 'go-on') return { ...before, knowsStale: true }
  if (step === 'conflicts' && decision.kind === 'merge') {
    const paths = new Set(decision.files.map(({ path }) => path))
    const kept = before.merged.filter(({ path }) => !paths.has(path))
    return { ...before, merged: [...kept, ...decision.files] }
  }
  return step === 'gate' && decision.kind === 'gate' ? { ...before, gate: decision.answer } : null
}

function isGateError(error: unknown): error is AppError {
  return isAppError(error, 'gate/not-open') || isAppError(error, 'gate/too-early')
}

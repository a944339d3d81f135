import type { AgentFailure } from '../../../shared/domain/session/agent-notice.ts'
import { type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** What went wrong, as an item of the conversation; the same again is one failure that was tried again. */
export class SessionFailures {
  readonly #deps: RunnerDeps
  #cause: ErrorInfo | null = null
  #told: { key: string; itemId: string } | null = null
  #isDiskFull = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  /** A new message: what failed before it is another story. */
  begin(): void {
    this.#told = null
    this.#isDiskFull = false
    this.#deps.session.setCanRecover(false)
  }

  /** The same work is tried once more. */
  retry(): void {
    this.#isDiskFull = false
  }

  /** True once a full disk has ended this work: that the failure itself cannot be written is no other one. */
  get isDiskFull(): boolean {
    return this.#isDiskFull
  }

  /** Keeps the cause for when the machine has said what becomes of it. */
  note(error: unknown): AgentFailure {
    const { log, root } = this.#deps
    this.#cause = isAppError(error)
      ? error.info
      : { code: 'internal/bug', logId: log.bug(error, 'session.request') }
    this.#deps.heardModel(this.#cause)
    if (this.#cause.code === 'file/disk-full') this.#isDiskFull = true
    return failureOf(this.#cause, root)
  }

  tell(failure: AgentFailure, isRetried: boolean): void {
    const { session } = this.#deps
    const told = { failure, error: this.#cause, isRetried }
    const key = JSON.stringify([failure, this.#cause?.code])
    this.#cause = null
    if (this.#told?.key === key) session.change(this.#told.itemId, 'error', told)
    else this.#told = { key, itemId: session.add({ kind: 'error', ...told }).itemId }
  }

  /** A question beside the turn stays unanswered; the turn itself goes on, or rests, as before. */
  tellBeside(error: unknown): void {
    const failure = this.note(error)
    this.#deps.session.add({ kind: 'error', failure, error: this.#cause, isRetried: false })
    this.#cause = null
  }
}

function failureOf(error: ErrorInfo, root: string): AgentFailure {
  if (error.code === 'model/bad-decision') return 'decision-unreadable'
  if (error.code === 'file/disk-full') return 'disk-full'
  if (error.code === 'file/not-found' && error.path === root) return 'workspace-gone'
  return 'model-failed'
}

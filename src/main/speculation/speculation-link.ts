import type {
  SpeculationEnded,
  SpeculationEvent,
  SpeculationLinkState,
  SpeculationPhase,
} from '../../shared/domain/session/speculation.ts'
import type { AcceptOutlook } from './accept/acceptable-link.ts'
import type { FileTexts } from './accept/acceptance-plan.ts'
import type { LinkAcceptance } from './accept/link-acceptance.ts'
import { shownChanges } from './accept/staged-call.ts'
import type { FollowingSuggestion } from './following-suggestion.ts'
import type { SpeculationRun } from './speculation-run.ts'

/** A speculation in its chain: first, or on top of another one. */
export class SpeculationLink {
  readonly speculationId: string
  readonly text: string
  readonly depth: number
  readonly run: SpeculationRun
  readonly acceptance: LinkAcceptance
  /** Empty for one on top of another, as long as its text is not suggested. */
  suggestionId: string
  readonly following: FollowingSuggestion
  /** The effect that its acceptance would have; null as long as that is not known. */
  outlook: AcceptOutlook | null = null
  /** The newest check of `outlook`; an older one that resolves later is ignored. */
  outlookCheck: Promise<AcceptOutlook> | null = null

  constructor(is: {
    speculationId: string
    suggestionId: string
    text: string
    depth: number
    run: SpeculationRun
    following: FollowingSuggestion
    acceptance(link: SpeculationLink): LinkAcceptance
  }) {
    this.speculationId = is.speculationId
    this.suggestionId = is.suggestionId
    this.text = is.text
    this.depth = is.depth
    this.run = is.run
    this.following = is.following
    this.acceptance = is.acceptance(this)
  }

  get isFinished(): boolean {
    return this.run.end === 'completed' || this.run.end === 'boundary'
  }

  /** True for a run whose work waits to be accepted: finished, or stopped by an acceptance that was left again. */
  get hasStopped(): boolean {
    return this.isFinished || this.run.end === 'halted'
  }

  view(texts: FileTexts): SpeculationLinkState {
    const { run } = this
    return {
      speculationId: this.speculationId,
      suggestionId: this.suggestionId,
      text: this.text,
      phase: this.#phase,
      modelName: run.modelName,
      startedAt: run.startedAt,
      turns: run.turns,
      calls: run.calls,
      files: shownChanges(texts, run.files),
      tests: run.tests,
      cost: {
        promptTokens: run.spent.promptTokens,
        completionTokens: run.spent.completionTokens,
        ms: run.durationMs,
      },
      onAccept: this.#onAccept,
      boundary: run.boundary,
      next: this.following.text,
      accepting: this.acceptance.shown,
      attempts: this.acceptance.attempts,
      failure: this.acceptance.failure,
    }
  }

  /** Returns the progress of the link for its record. */
  facts(): Omit<SpeculationEvent, 'sessionId' | 'at' | 'outcome' | 'reason' | 'refusedHunks'> {
    const { run } = this
    return {
      speculationId: this.speculationId,
      suggestionId: this.suggestionId,
      depth: this.depth,
      modelName: run.modelName,
      isFinished: this.isFinished,
      boundary: run.boundary?.kind ?? null,
      turnsUsed: run.turns,
      filesWritten: run.files.length,
      toolUseCount: run.calls,
      durationMs: run.durationMs,
      hadPipelinedSuggestion: this.following.text !== null,
      ...run.spent,
    }
  }

  /** Returns the record of the link at its start. */
  event(sessionId: string, at: number): SpeculationEvent {
    return { ...this.facts(), sessionId, at, outcome: 'running', reason: null, refusedHunks: 0 }
  }

  get #onAccept(): SpeculationLinkState['onAccept'] {
    if (this.run.end === null) return 'go-on'
    if (this.run.files.length === 0) return 'add'
    return this.outlook
  }

  get #phase(): SpeculationPhase {
    if (this.acceptance.isUnderWay) return 'accepting'
    const { end } = this.run
    if (end === 'completed') return end
    return end === 'boundary' || end === 'halted' ? 'boundary' : 'running'
  }
}

/** Reasons for which stopped work is dropped without a notice, since the user caused them. */
const quietReasons: ReadonlySet<string> = new Set([
  'superseded',
  'ignored',
  'rerun',
  'left',
  'run_active',
  'message_queued',
  'session_closed',
  'setting_off',
  'paused',
  'no_window',
  'driven_by_program',
  'not_after_turn',
  'early_conversation',
])

/** Returns the notice about a dropped link; null where the user knows of it, or never saw it. */
export function endedSpeculation(
  link: SpeculationLink,
  outcome: SpeculationEvent['outcome'],
  reason: string | null,
): SpeculationEnded | null {
  const { speculationId, text, run } = link
  const isFailed = outcome === 'failed'
  const wasSeen = isFailed || link.hasStopped || link.acceptance.isUnderWay || reason === 'lost'
  if (outcome === 'rejected' || !wasSeen || quietReasons.has(reason ?? '')) return null
  return {
    speculationId,
    text,
    reason: isFailed ? 'failed' : (reason ?? outcome),
    error: isFailed ? run.failure : null,
  }
}

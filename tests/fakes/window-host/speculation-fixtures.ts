import type {
  SpeculationEvent,
  SpeculationLinkState,
  SpeculationState,
} from '../../../src/shared/domain/session/speculation.ts'
import { noSpeculation } from '../../../src/shared/domain/session/speculation.ts'

/** A speculation as a window sees it: finished, with one changed file. */
export function speculationOf(text: string, is: Partial<SpeculationLinkState> = {}): SpeculationLinkState {
  return {
    speculationId: `speculation of ${text}`,
    suggestionId: `suggestion of ${text}`,
    text,
    phase: 'completed',
    modelName: 'local',
    startedAt: 0,
    turns: 2,
    calls: 3,
    files: [{ path: 'src/app.ts', to: null, action: 'edit', addedLines: 3, removedLines: 1 }],
    tests: null,
    cost: { promptTokens: 900, completionTokens: 70, ms: 4000 },
    onAccept: 'ask',
    boundary: null,
    next: null,
    accepting: null,
    attempts: 0,
    failure: null,
    ...is,
  }
}

export function speculationStateOf(...links: SpeculationLinkState[]): SpeculationState {
  return { ...noSpeculation, links }
}

/** One line of the record. */
export function loggedSpeculationOf(
  seq: number,
  is: Partial<SpeculationEvent> = {},
): SpeculationEvent & { seq: number } {
  return {
    seq,
    speculationId: `speculation-${seq}`,
    suggestionId: `suggestion-${seq}`,
    sessionId: 'session-3',
    at: 0,
    depth: 0,
    modelName: 'local',
    outcome: 'accepted',
    reason: null,
    isFinished: true,
    boundary: null,
    turnsUsed: 2,
    filesWritten: 1,
    toolUseCount: 3,
    durationMs: 4000,
    hadPipelinedSuggestion: false,
    refusedHunks: 0,
    promptTokens: 900,
    reusedTokens: 800,
    completionTokens: 70,
    ...is,
  }
}

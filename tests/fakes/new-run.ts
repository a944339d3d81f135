import type { Run } from '../../src/shared/domain/drafting/run.ts'

/** A run of a novelist's page that has just begun, with what a test changes of it. */
export function newRun(change: Partial<Run> = {}): Run {
  return {
    runId: 'r1',
    kind: 'draft',
    workId: 'w',
    path: 'a.txt',
    takeId: 't',
    mode: 'generate',
    ideaTarget: 'all',
    placeId: 't',
    state: 'running',
    phase: 'counting',
    position: 0,
    lead: '',
    text: '',
    figures: {
      promptTokens: null,
      reusedTokens: null,
      isReuseEstimated: false,
      completionTokens: 0,
      maxTokens: 10,
      tokensPerSecond: null,
      elapsedMs: 0,
    },
    modelName: 'm',
    isDemo: false,
    error: null,
    startedAt: 0,
    ...change,
  }
}

import type { Api } from '../../../src/shared/contract/index.ts'
import type { speculationContract } from '../../../src/shared/contract/suggestion.ts'
import {
  noSpeculation,
  type SpeculationDecision,
  type SpeculationEvent,
  type SpeculationState,
  type SpeculationSummary,
} from '../../../src/shared/domain/session/speculation.ts'
import type { SettledSuggestion } from '../../../src/shared/domain/session/suggestion.ts'
import type { FakeHost } from './fake-host.ts'
import { createTopic } from './topic.ts'

/** The speculations of a host in any of its sessions, as set by a test. */
export class FakeSpeculations {
  state: SpeculationState = noSpeculation
  readonly topic = createTopic<SpeculationState>()
  /** Decisions of a window about speculations, in order. */
  readonly said: (
    | { kind: 'accept' | 'reject' | 'rerun'; speculationId: string; suggestion?: SettledSuggestion }
    | { kind: 'decide'; speculationId: string; decision: SpeculationDecision }
  )[] = []
  /** Newest first. */
  events: (SpeculationEvent & { seq: number })[] = []
  summary: SpeculationSummary = {
    started: 0,
    finished: 0,
    accepted: 0,
    outcomes: {},
    boundaries: {},
    promptTokens: 0,
    reusedTokens: 0,
    completionTokens: 0,
  }
  /** The preview of a speculation; null: it is gone. */
  preview: Awaited<ReturnType<Api['speculation.preview']>> = null
  /** Another window has decided first. */
  isTooLate = false
  /** The other window has accepted. */
  isAccepted = false

  become(state: SpeculationState): void {
    this.state = state
    this.topic.publish(state)
  }

  decided(
    kind: 'accept' | 'reject' | 'rerun',
    speculationId: string,
    suggestion?: SettledSuggestion,
  ): { isFirst: boolean } {
    const { links, ended } = this.state
    const all = [...links, ...(ended === null ? [] : [ended])]
    const isFirst = !this.isTooLate && all.some((one) => one.speculationId === speculationId)
    if (isFirst) this.said.push({ kind, speculationId, ...(suggestion && { suggestion }) })
    return { isFirst }
  }
}

export function speculationApi({ speculations }: FakeHost): Pick<Api, keyof typeof speculationContract> {
  return {
    'speculation.watch': (_, { signal }) => speculations.topic.follow(signal, [speculations.state]),
    'speculation.preview': async () => speculations.preview,
    'speculation.accept': async ({ speculationId, suggestion }) => {
      const { isAccepted } = speculations
      return { ...speculations.decided('accept', speculationId, suggestion), isAccepted }
    },
    'speculation.reject': async ({ speculationId }) => speculations.decided('reject', speculationId),
    'speculation.rerun': async ({ speculationId }) => speculations.decided('rerun', speculationId),
    'speculation.decide': async ({ speculationId, decision }) => {
      speculations.said.push({ kind: 'decide', speculationId, decision })
      return { isAnswered: !speculations.isTooLate }
    },
    'speculation.resume': async () => {
      speculations.become({ ...speculations.state, pause: null })
      return {}
    },
    'speculation.list': async ({ before = Number.MAX_SAFE_INTEGER, limit }) => {
      const older = speculations.events.filter(({ seq }) => seq < before)
      return {
        events: older.slice(0, limit),
        hasMore: older.length > limit,
        summary: speculations.summary,
        pause: speculations.state.pause,
      }
    },
  }
}

import { expect, onTestFinished } from 'vitest'
import type {
  SpeculationDecision,
  SpeculationEvent,
  SpeculationLinkState,
  SpeculationState,
} from '../../../src/shared/domain/session/speculation.ts'
import type { SessionPlayer } from './session-host.ts'

const context = { signal: new AbortController().signal }

/** A window that watches the speculations of a session, to the end of the test. */
export type SpeculationWatch = {
  states: SpeculationState[]
  /** Waits for a state whose first link has these values. */
  becomes(wanted: Partial<Record<keyof SpeculationLinkState, unknown>>): Promise<SpeculationLinkState>
  /** Waits until there is no speculation, and returns the reason. */
  gone(): Promise<string | null>
  /** Shape: `method` by which the suggestion in the box was accepted with it. */
  accept(link: SpeculationLinkState, method?: 'tab' | 'enter'): Promise<boolean>
  reject(link: SpeculationLinkState): Promise<boolean>
  decide(link: SpeculationLinkState, decision: SpeculationDecision): Promise<boolean>
  /** Returns the recorded events, oldest first. */
  events(): Promise<SpeculationEvent[]>
}

type Place = Pick<SessionPlayer, 'app' | 'sessionId'>

export async function watchSpeculations({ app, sessionId }: Place): Promise<SpeculationWatch> {
  const end = new AbortController()
  const states: SpeculationState[] = []
  const reading = (async () => {
    for await (const state of app.api['speculation.watch']({ sessionId }, end)) states.push(state)
  })()
  onTestFinished(async () => {
    end.abort()
    await reading
  })
  await expect.poll(() => states.length).toBeGreaterThan(0)
  const of = ({ speculationId }: SpeculationLinkState) => ({ sessionId, speculationId })
  return {
    states,
    async becomes(wanted) {
      await expect.poll(() => states.at(-1)?.links[0]).toMatchObject(wanted)
      const [link] = states.at(-1)?.links ?? []
      if (link === undefined) throw new Error('nothing is speculated')
      return link
    },
    async gone() {
      await expect.poll(() => states.at(-1)?.links).toEqual([])
      return states.at(-1)?.dropped ?? null
    },
    async accept(link, method) {
      const { suggestionId } = link
      const how = { outcome: 'accepted', timeMs: 1, firstKeystrokeMs: null, wasFocused: true } as const
      const suggestion = method && { suggestionId, method, ...how }
      return (await app.api['speculation.accept']({ ...of(link), suggestion }, context)).isFirst
    },
    reject: async (link) => (await app.api['speculation.reject'](of(link), context)).isFirst,
    decide: async (link, decision) =>
      (await app.api['speculation.decide']({ ...of(link), decision }, context)).isAnswered,
    events: async () => (await app.api['speculation.list']({ limit: 200 }, context)).events.toReversed(),
  }
}

/** Turns speculation on for all folders. */
export async function playSpeculation({ app }: Place, more: Record<string, boolean> = {}): Promise<void> {
  await app.api['settings.update']({ patch: { enableSpeculation: true, ...more } }, context)
}

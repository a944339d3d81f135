import { expect, onTestFinished } from 'vitest'
import type { ModelRequest } from '../../../src/shared/domain/model/model-request.ts'
import type { SuggestionOutcome, SuggestionState } from '../../../src/shared/domain/session/suggestion.ts'
import type { SessionPlayer } from './session-host.ts'

const context = { signal: new AbortController().signal }

/** A window that watches the suggestions of a session, to the end of the test. */
export type SuggestionWatch = {
  states: SuggestionState[]
  /** Waits for a state like this. */
  becomes(wanted: Partial<Record<keyof SuggestionState, unknown>>): Promise<SuggestionState>
  /** Waits for a ghost. */
  shown(): Promise<SuggestionState & { suggestionId: string; text: string }>
  /** Reports the window's decision about the ghost that it shows. */
  decide(outcome: 'accepted' | 'ignored'): Promise<void>
  /** Closes the window before the end of the test. */
  close(): Promise<void>
}

type Place = Pick<SessionPlayer, 'app' | 'sessionId'>

export async function watchSuggestions(
  { app, sessionId }: Place,
  isAttended = true,
): Promise<SuggestionWatch> {
  const end = new AbortController()
  const states: SuggestionState[] = []
  const reading = (async () => {
    for await (const state of app.api['suggestion.watch']({ sessionId, isAttended }, end)) states.push(state)
  })()
  const close = async (): Promise<void> => {
    end.abort()
    await reading
  }
  onTestFinished(close)
  const becomes: SuggestionWatch['becomes'] = async (wanted) => {
    await expect.poll(() => states.at(-1)).toMatchObject(wanted)
    const last = states.at(-1)
    if (last === undefined) throw new Error('nothing was seen')
    return last
  }
  await becomes({})
  return {
    states,
    becomes,
    async shown() {
      const state = await becomes({ text: expect.any(String), suggestionId: expect.any(String) })
      return { ...state, suggestionId: state.suggestionId ?? '', text: state.text ?? '' }
    },
    async decide(outcome) {
      const { suggestionId } = states.at(-1) ?? {}
      const method = outcome === 'accepted' ? 'tab' : null
      const said: SuggestionOutcome = {
        outcome,
        method,
        timeMs: 40,
        firstKeystrokeMs: null,
        wasFocused: true,
      }
      const input = { sessionId, suggestionId: suggestionId ?? '', outcome: said }
      expect(await app.api['suggestion.outcome'](input, context)).toEqual({ isFirst: true })
    },
    close,
  }
}

/** Returns the session's requests to its models, oldest first. */
export async function requestsOf({ app, sessionId }: Place): Promise<ModelRequest[]> {
  return (await app.api['session.requests']({ sessionId }, context)).requests.toReversed()
}

/** Waits until so many requests of a purpose have ended, and answers with the last of them. */
export async function requestEnded(
  place: Place,
  purpose: ModelRequest['purpose'],
  count = 1,
): Promise<ModelRequest> {
  const found = async () => (await requestsOf(place)).filter((request) => request.purpose === purpose)
  await expect.poll(async () => (await found()).length).toBe(count)
  const last = (await found()).at(-1)
  if (last === undefined) throw new Error(`no ${purpose}`)
  return last
}

import { describe, expect, it } from 'vitest'
import { fastClock } from '../../../../tests/fakes/fast-clock.ts'
import { patientTimeouts as timeouts } from '../../../../tests/fakes/patient-timeouts.ts'
import type { CompletionEnd } from '../../../shared/domain/model/model-status.ts'
import { AppError } from '../../../shared/errors.ts'
import { systemClock } from '../../platform/clock.ts'
import { streamingRun } from './streaming-run.ts'

type Piece = { text: string; end?: CompletionEnd }
type Input = Parameters<typeof streamingRun<Piece>>[0]
type Conclude = Parameters<typeof streamingRun<Piece>>[1]

const never = () => new Promise<never>(() => undefined)

/** A request whose server writes `pieces` and then nothing more. */
function request(pieces: readonly Piece[], changes: Partial<Input>, conclude?: Conclude) {
  async function* stream(signal: AbortSignal) {
    yield* pieces
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }
  const run = streamingRun(
    {
      clock: systemClock,
      timeouts,
      stops: [],
      open: async (signal) => stream(signal),
      read: (piece) => piece,
      cut: () => new AppError({ code: 'model/cut', address: 'http://127.0.0.1:1' }),
      ...changes,
    },
    conclude,
  )
  const user = new AbortController()
  const events = run.events(user.signal)
  async function end() {
    for (;;) {
      const { done, value } = await events.next()
      if (done) return value
    }
  }
  return { user, end }
}

describe('one request of a streamed text', () => {
  it('ends as the last event says, as a stop sequence, or by the user', async () => {
    const length = request([{ text: '雨' }, { text: '。', end: 'length' }], {})
    expect(await length.end()).toMatchObject({ text: '雨。', end: 'length', pieceCount: 2 })
    expect(await request([{ text: '雨。風' }], { stops: ['風'] }).end()).toMatchObject({
      text: '雨。',
      end: 'stop-sequence',
    })
    const { user, end } = request([{ text: '雨' }], {})
    setTimeout(() => user.abort(), 20)
    expect(await end()).toMatchObject({ text: '雨', end: 'aborted' })
  })

  it('takes what the server tells after the text, whether at once, later or with more events', async () => {
    const pieces: Piece[] = [{ text: '雨', end: 'stop' }]
    const told = { text: '風', completionTokens: 3 }
    async function* events() {
      yield { type: 'replace', text: '風' } as const
      return told
    }
    for (const conclude of [() => told, async () => told, events])
      expect(await request(pieces, {}, conclude).end()).toMatchObject({ ...told, end: 'stop' })
  })

  it('tells the server to stop once it answers, before that only where the stop names the request', async () => {
    async function stopsOf(changes: Partial<Input>) {
      let stops = 0
      const stop = async () => {
        stops += 1
      }
      const { user, end } = request([{ text: '雨' }], { ...changes, stop })
      setTimeout(() => user.abort(), 20)
      expect(await end()).toMatchObject({ end: 'aborted' })
      return stops
    }
    const open: Input['open'] = (signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    expect(await stopsOf({})).toBe(1)
    expect(await stopsOf({ open })).toBe(0)
    expect(await stopsOf({ open, canStopQueued: true })).toBe(1)
  })

  it('ends in spite of a stop that fails or is not answered, and asks no more then', async () => {
    for (const stop of [never, () => Promise.reject(new Error('no such path'))]) {
      const { user, end } = request([{ text: '雨' }], { clock: fastClock(50), stop }, async ({ tidy }) => ({
        completionTokens: (await tidy(async () => 3)) ?? undefined,
      }))
      setTimeout(() => user.abort(), 20)
      expect(await end()).toMatchObject({ text: '雨', end: 'aborted', completionTokens: undefined })
    }
  })
})

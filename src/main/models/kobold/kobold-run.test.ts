import { describe, expect, it } from 'vitest'
import { patientTimeouts } from '../../../../tests/fakes/patient-timeouts.ts'
import { systemClock } from '../../platform/clock.ts'
import { KoboldApi } from './kobold-api.ts'
import { correctedText, koboldRun } from './kobold-run.ts'

const server = { address: 'http://127.0.0.1:1', key: async () => undefined, timeouts: patientTimeouts }
const never = new AbortController().signal

/** A server whose stream has these events, and which answers nothing else. */
class ScriptedApi extends KoboldApi {
  readonly #stream: string

  constructor(events: readonly string[]) {
    super({ ...server, clock: systemClock })
    this.#stream = events.join('')
  }

  override async open() {
    const bytes = new TextEncoder().encode(this.#stream)
    async function* pieces() {
      yield bytes
    }
    return { status: 200, contentType: 'text/event-stream', pieces: pieces() }
  }
}

async function run(...events: string[]) {
  const api = new ScriptedApi(events)
  const input = {
    clock: systemClock,
    api,
    timeouts: patientTimeouts,
    payload: {},
    genkey: 'k',
    seed: 1,
    stops: [],
  }
  const running = koboldRun(input).events(never)
  for (;;) {
    const { done, value } = await running.next()
    if (done) return [value.text, value.end]
  }
}

const event = (token: string, finish: string) =>
  `event: message\ndata: {"token": "${token}", "finish_reason": ${finish}}\n\n`

describe('koboldRun', () => {
  it('takes the word "null" of 1.76 and the null of newer servers', async () => {
    expect(await run(event('猫', '"null"'), event('。', '"stop"'))).toEqual(['猫。', 'stop'])
    expect(await run(event('猫', 'null'), event('。', '"length"'))).toEqual(['猫。', 'length'])
  })

  it('ends with the finish reason, whatever follows, and not without one', async () => {
    expect(await run(event('a', '"stop"'), event('b', '"null"'))).toEqual(['a', 'stop'])
    await expect(run(event('a', '"null"'))).rejects.toMatchObject({ info: { code: 'model/cut' } })
  })
})

describe('correctedText', () => {
  it('puts lost characters back, and only those', () => {
    expect(correctedText('ー終', 'ーヂ終', false)).toBe('ーヂ終')
    expect(correctedText('猫', '', false)).toBe('猫')
    expect(correctedText('猫は', '犬が', false)).toBe('猫は')
  })

  it('gives a stopped text no more than was shown', () => {
    expect(correctedText('ー終', 'ーヂ終わり。', true)).toBe('ーヂ終')
    expect(correctedText('', '雨', true)).toBe('')
  })
})

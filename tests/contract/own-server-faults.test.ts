import { afterEach, describe, expect, it } from 'vitest'
import { type CompletionRequest, plainPrompt } from '../../src/main/models/client/model-client.ts'
import { ownApis } from '../../src/main/models/discovery/own-apis.ts'
import { systemClock } from '../../src/main/platform/clock.ts'
import { type ErrorCode, isAppError } from '../../src/shared/errors.ts'
import { ownRig } from '../fakes/rigs/model-rigs.ts'
import { type OwnFault, ownFaults } from '../fakes/servers/own-servers.ts'

const never = new AbortController().signal
/** A clock with waits of a twentieth: the test is about which of them ends a request. */
const quickClock: typeof systemClock = {
  ...systemClock,
  setTimeout: (callback, delayMs) => systemClock.setTimeout(callback, delayMs / 20),
}
const sampler = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05, repeatPenalty: 1.05, repeatRange: 64 }

/** The error of each fault, and whether text came before it; null: the request succeeds in spite of it. */
const ends: Record<OwnFault, { code: ErrorCode | null; hasText: boolean }> = {
  'closed-before-headers': { code: 'model/cut', hasText: false },
  silent: { code: 'model/timeout', hasText: false },
  'silent-midway': { code: 'model/timeout', hasText: true },
  garbage: { code: 'model/bad-response', hasText: false },
  'cut-in-character': { code: 'model/cut', hasText: true },
  'busy-once': { code: null, hasText: true },
  busy: { code: 'model/busy', hasText: false },
}

type Rig = Awaited<ReturnType<ReturnType<typeof ownRig>>>
const opened: Rig[] = []
afterEach(async () => {
  for (const rig of opened.splice(0)) await rig.close()
})

describe.each(Object.keys(ownApis) as (keyof typeof ownApis)[])('a server of the backend %s', (backend) => {
  async function open(fault?: OwnFault): Promise<Rig> {
    // Where silence is the fault, no other part can take too long.
    const silenceMs = fault?.startsWith('silent') ? 20_000 : 1_200_000
    const timeouts = { connectMs: 600_000, firstTokenMs: silenceMs, idleMs: silenceMs }
    const rig = await ownRig(backend, { clock: quickClock, timeouts })()
    opened.push(rig)
    if (fault !== undefined) rig.fail(fault)
    return rig
  }

  async function ask({ client }: Rig, changes: Partial<CompletionRequest> = {}) {
    const common = { sampler, maxTokens: 24, stops: [], seed: 7, isEosBanned: true }
    const events = client.complete({ ...common, prompt: plainPrompt('One night.\n'), ...changes }, never)
    let text = ''
    let isDone = false
    let waits = 0
    try {
      for await (const event of events) {
        if (event.type === 'text') text += event.text
        if (event.type === 'replace') text = event.text
        if (event.type === 'phase' && event.waitMs !== undefined) waits += 1
        isDone = event.type === 'done'
      }
      return { code: null, text, isDone, waits }
    } catch (error) {
      if (!isAppError(error)) throw error
      return { code: error.info.code, text, isDone, waits }
    }
  }

  it.each(ownFaults)(
    'ends a completion with the fault %s by name, keeps its text, and stops',
    async (fault) => {
      const rig = await open(fault)
      const { code, text, isDone } = await ask(rig)
      expect({ code, hasText: text !== '' }).toEqual(ends[fault])
      expect(isDone).toBe(code === null)
      expect(text).not.toContain('\ufffd')
      await expect.poll(() => rig.isIdle()).toBe(true)
    },
  )

  it('tells how long it waits for a busy server, four times at most', async () => {
    expect((await ask(await open('busy-once'))).waits).toBe(1)
    expect((await ask(await open('busy'))).waits).toBe(4)
  })

  it('names a server that is gone', async () => {
    const rig = await open()
    expect((await ask(rig)).code).toBeNull()
    rig.die()
    expect((await ask(rig)).code).toMatch(/^(model|tokens)\/unreachable$/)
    await expect(rig.client.describe(never)).rejects.toMatchObject({ info: { code: 'model/unreachable' } })
    const { countTokens } = rig.client
    if (countTokens === null) return
    await expect(countTokens('one', never)).rejects.toMatchObject({ info: { code: 'tokens/unreachable' } })
  })

  it('stops when the reader leaves the loop', async () => {
    const rig = await open()
    const long = { sampler, maxTokens: 900, stops: [], seed: 7, isEosBanned: true }
    for await (const event of rig.client.complete({ ...long, prompt: plainPrompt('One night.\n') }, never)) {
      if (event.type === 'text') break
    }
    await expect.poll(() => rig.isIdle()).toBe(true)
  })

  it('cuts at the last of more stop sequences than a server takes, and stops it', async () => {
    const rig = await open()
    const free = (await ask(rig)).text
    const stop = [...free].slice(5, 8).join('')
    const stops = [...Array.from({ length: 200 }, (_, index) => `zz${index}`), stop]
    const { text, isDone } = await ask(rig, { stops, maxTokens: 900 })
    expect([text, isDone]).toEqual([free.slice(0, free.indexOf(stop)), true])
    await expect.poll(() => rig.isIdle()).toBe(true)
  })
})

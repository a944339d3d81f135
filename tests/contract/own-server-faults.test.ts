import { afterEach, describe, expect, it } from 'vitest'
import { ownApis } from '../../src/main/models/discovery/own-apis.ts'
import { systemClock } from '../../src/main/platform/clock.ts'
import type { ErrorCode } from '../../src/shared/errors.ts'
import { exampleRig, type OwnRig, ownRig } from '../fakes/rigs/models/own-rig.ts'
import { type OwnFault, ownFaults } from '../fakes/servers/own-server-kit.ts'

const never = new AbortController().signal
/** The longest silence where silence is the fault. Units: ms. */
const silenceMs = 15_000
/**
 * A clock with a twentieth of the waits between attempts and of that silence. The limits of everything else are longer
 * and stay as they are, so that a busy machine does not reach them.
 */
const quickClock: typeof systemClock = {
  ...systemClock,
  setTimeout: (callback, delayMs) =>
    systemClock.setTimeout(callback, delayMs <= silenceMs ? delayMs / 20 : delayMs),
}

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

const opened: OwnRig[] = []
afterEach(async () => {
  for (const rig of opened.splice(0)) await rig.close()
})

const backends = Object.keys(ownApis) as (keyof typeof ownApis)[]
const rigs = [
  ...backends.map((name) => [name, (options: object) => ownRig(name, options)] as const),
  ['of CONTRIBUTING.md', exampleRig] as const,
]

describe.each(rigs)('a server of the backend %s', (_, start) => {
  async function open(fault?: OwnFault): Promise<OwnRig> {
    const longMs = 600_000
    const timeouts = {
      connectMs: longMs,
      firstTokenMs: fault === 'silent' ? silenceMs : longMs,
      idleMs: fault === 'silent-midway' ? silenceMs : longMs,
    }
    const rig = await start({ clock: quickClock, timeouts })
    opened.push(rig)
    if (fault !== undefined) rig.fail(fault)
    return rig
  }

  async function waits({ ask }: OwnRig): Promise<number> {
    return (await ask()).events.filter((event) => event.type === 'phase' && event.waitMs !== undefined).length
  }

  it.each(ownFaults)(
    'ends a completion with the fault %s by name, keeps its text, and stops',
    async (fault) => {
      const rig = await open(fault)
      const { error, text, end } = await rig.ask()
      expect({ code: error?.code ?? null, hasText: text !== '' }).toEqual(ends[fault])
      expect(end === null).toBe(error !== null)
      expect(text).not.toContain('\ufffd')
      await expect.poll(() => rig.isIdle()).toBe(true)
    },
  )

  it('tells how long it waits for a busy server, four times at most', async () => {
    expect(await waits(await open('busy-once'))).toBe(1)
    expect(await waits(await open('busy'))).toBe(4)
  })

  it('names a server that is gone', async () => {
    const rig = await open()
    expect((await rig.ask()).error).toBeNull()
    rig.die()
    expect((await rig.ask()).error?.code).toMatch(/^(model|tokens)\/unreachable$/)
    await expect(rig.client.describe(never)).rejects.toMatchObject({ info: { code: 'model/unreachable' } })
    const { countTokens } = rig.client
    if (countTokens === null) return
    await expect(countTokens('one', never)).rejects.toMatchObject({ info: { code: 'tokens/unreachable' } })
  })

  it('stops when the reader leaves the loop', async () => {
    const rig = await open()
    const leaving = rig.ask({ maxTokens: 900 }, (event) => {
      if (event.type === 'text') throw new Error('left')
    })
    await expect(leaving).rejects.toThrow('left')
    await expect.poll(() => rig.isIdle()).toBe(true)
  })

  it('cuts at the last of more stop sequences than a server takes, and stops it', async () => {
    const rig = await open()
    const free = (await rig.ask()).text
    const stop = [...free].slice(5, 8).join('')
    const stops = [...Array.from({ length: 200 }, (_, index) => `zz${index}`), stop]
    const { text, error } = await rig.ask({ stops, maxTokens: 900 })
    expect([text, error]).toEqual([free.slice(0, free.indexOf(stop)), null])
    await expect.poll(() => rig.isIdle()).toBe(true)
  })
})

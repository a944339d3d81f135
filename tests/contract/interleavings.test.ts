import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isAppError } from '../../src/shared/errors.ts'
import { connect } from '../../src/shared/rpc/connect.ts'
import { serve } from '../../src/shared/rpc/serve.ts'
import { memoryPorts } from '../fakes/memory-ports.ts'
import { createTestLog } from './connection.ts'
import { sampleContract } from './sample-contract.ts'
import { createSampleService } from './sample-service.ts'

/** `TSUGI_SOAK` plays the long series. */
const RUNS = process.env.TSUGI_SOAK === undefined ? 1_000 : 10_000
const AT_ONCE = 250

/** Returns a generator of numbers in [0, 1) from a seed. Source: mulberry32. */
function createDice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Delivers in order, after a number of turns that the dice decide. */
function createJitter(roll: () => number): (job: () => void) => void {
  let last: Promise<void> = Promise.resolve()
  return (job) => {
    const hops = Math.floor(roll() * 4)
    last = last.then(async () => {
      for (let hop = 0; hop < hops; hop += 1) await Promise.resolve()
      job()
    })
  }
}

/** Opens a connection and makes a few requests at random moments, each of which ends in some way. */
async function interleave(seed: number): Promise<void> {
  const roll = createDice(seed)
  const below = (count: number) => Math.floor(roll() * count)
  const { client: clientPort, host } = memoryPorts({
    toClient: createJitter(roll),
    toHost: createJitter(roll),
  })
  const service = createSampleService()
  const log = createTestLog()
  const limits = { coalesceMs: 1, patienceMs: 5, bufferBytes: 2000, portBytes: 500 }
  const served = serve(host, sampleContract, service.api, { log, isOutputChecked: true, limits })
  const client = connect(clientPort, sampleContract)
  const controllers: AbortController[] = []

  const abortable = () => {
    const controller = new AbortController()
    controllers.push(controller)
    if (roll() < 0.7) void rest(roll() * 30).then(() => controller.abort())
    return { signal: controller.signal }
  }

  async function rest(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
  }

  async function readSome(items: AsyncIterable<unknown>, most: number): Promise<void> {
    let count = 0
    for await (const _ of items) {
      count += 1
      if (count >= most) break
      if (roll() < 0.2) await rest(roll() * 20)
    }
  }

  const requests: (() => Promise<void>)[] = [
    async () => void expect(await client['sample.echo']({ value: seed })).toBe(seed),
    async () => void (await client['sample.fail']({ path: 'a' })),
    async () => void (await client['sample.bug']({})),
    async () => void (await client['sample.wait']({}, abortable())),
    async () => void (await client['sample.deaf']({}, abortable())),
    () => readSome(client['sample.count']({ to: below(20), failAt: below(30) }), below(25)),
    () => readSome(client['sample.forever']({}), 1 + below(20)),
    () => readSome(client['sample.flood']({ count: below(100), text: 'x'.repeat(100) }), below(120)),
    () => readSome(client['sample.deltas']({ count: below(50), text: 'd' }), below(10)),
    () => readSome(client['sample.watch']({ afterSeq: 0 }, abortable()), 1 + below(5)),
    async () => service.add('x'.repeat(below(500))),
    async () => clientPort.send({ t: 'cancel', id: below(12) }),
    async () => clientPort.send({ t: 'nonsense', id: below(12) } as never),
  ]
  const endings = [() => clientPort.close(), () => host.close(), () => served.dispose()]

  const outcomes: Promise<unknown>[] = []
  for (let left = 2 + below(8); left > 0; left -= 1) {
    await rest(roll() * 6)
    const request = requests[below(requests.length)]
    if (request) outcomes.push(request().catch((error: unknown) => error))
  }
  await rest(roll() * 40)
  if (roll() < 0.5) endings[below(endings.length)]?.()
  else for (const controller of controllers) controller.abort()

  for (const failure of await Promise.all(outcomes)) {
    if (failure !== undefined && !isAppError(failure)) throw new Error('not an AppError', { cause: failure })
  }
  service.wakeDeaf()
  for (let tries = 0; tries < 2_000; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2))
    if (served.openCount() + service.running() === 0) break
  }
  expect(served.openCount()).toBe(0)
  expect(service.running()).toBe(0)
  expect(controllers.flatMap(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([])
  expect(log.bugs.filter(({ where }) => where !== 'sample.bug')).toEqual([])
}

describe('the dispatcher under random interleavings', () => {
  it(`ends ${RUNS} of them without a hang, a leak or an unexpected bug`, async () => {
    for (let first = 1; first <= RUNS; first += AT_ONCE) {
      const seeds = Array.from({ length: AT_ONCE }, (_, index) => first + index)
      await Promise.all(
        seeds.map((seed) =>
          interleave(seed).catch((cause: unknown) => {
            throw new Error(`seed ${seed}`, { cause })
          }),
        ),
      )
    }
  })
})

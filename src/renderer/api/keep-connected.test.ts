import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { memoryPorts } from '../../../tests/fakes/memory-ports.ts'
import { call, stream } from '../../shared/contract/method.ts'
import { serve } from '../../shared/rpc/serve.ts'
import type { HostPort } from '../../shared/wire.ts'
import { type ConnectionState, keepConnected, RefusedError } from './keep-connected.ts'

const contract = {
  'test.echo': call(z.object({ value: z.number() }), z.number()),
  'test.watch': stream(z.object({ afterSeq: z.number().optional() }), z.number()),
}

/** A host that can go and come back; its events are numbers that are their own `seq`. */
function createHost() {
  const ports: HostPort[] = []
  const outcomes: ('ok' | 'down' | 'refuse')[] = []
  let tries = 0

  return {
    outcomes,
    tries: () => tries,
    cut: () => ports.at(-1)?.close(),
    async open() {
      tries += 1
      const outcome = outcomes.shift() ?? 'ok'
      if (outcome === 'refuse') throw new RefusedError()
      if (outcome === 'down') throw new Error('nobody there')
      const { client, host } = memoryPorts()
      ports.push(host)
      const api = {
        'test.echo': async ({ value }: { value: number }) => value,
        'test.watch': async function* (
          input: { afterSeq?: number | undefined },
          { signal }: { signal: AbortSignal },
        ) {
          for (let seq = (input.afterSeq ?? 0) + 1; seq <= ports.length * 2; seq += 1) yield seq
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
        },
      }
      serve(host, contract, api, { log: { write: () => undefined, bug: () => 'bug' } })
      return client
    },
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const turn = () => vi.advanceTimersByTimeAsync(0)

describe('a connection that is kept', () => {
  it('goes through its states and answers while it is open', async () => {
    const host = createHost()
    const connection = keepConnected(contract, host)
    const states: ConnectionState[] = [connection.state()]
    connection.onState((state) => states.push(state))
    await expect(connection.client['test.echo']({ value: 1 })).rejects.toMatchObject({
      info: { code: 'rpc/closed' },
    })
    await turn()
    expect(await connection.client['test.echo']({ value: 2 })).toBe(2)
    host.cut()
    await expect(connection.client['test.echo']({ value: 3 })).rejects.toMatchObject({
      info: { code: 'rpc/closed' },
    })
    await vi.advanceTimersByTimeAsync(250)
    expect(await connection.client['test.echo']({ value: 4 })).toBe(4)
    expect(states).toEqual(['connecting', 'open', 'lost', 'open'])
  })

  it('waits twice as long after each failure, up to a limit, and starts over once it was open', async () => {
    const host = createHost()
    host.outcomes.push('down', 'down', 'down', 'down', 'down', 'ok', 'down', 'ok')
    const connection = keepConnected(contract, { ...host, open: () => host.open(), maxDelayMs: 1000 })
    const seen: number[] = []
    for (const delayMs of [0, 250, 500, 1000, 1000]) {
      await vi.advanceTimersByTimeAsync(delayMs)
      seen.push(host.tries())
    }
    expect(seen).toEqual([1, 2, 3, 4, 5])
    await vi.advanceTimersByTimeAsync(999)
    expect([host.tries(), connection.state()]).toEqual([5, 'lost'])
    await vi.advanceTimersByTimeAsync(1)
    expect([host.tries(), connection.state()]).toEqual([6, 'open'])
    host.cut()
    await vi.advanceTimersByTimeAsync(250)
    expect(host.tries()).toBe(7)
  })

  it('tries at once when the tab wakes, but not while it is trying or open', async () => {
    const host = createHost()
    host.outcomes.push('down', 'down', 'ok')
    let wake: () => void = () => undefined
    const onWake = (listener: () => void) => {
      wake = listener
    }
    keepConnected(contract, { open: () => host.open(), onWake })
    wake()
    await turn()
    expect(host.tries()).toBe(1)
    wake()
    wake()
    await turn()
    expect(host.tries()).toBe(2)
    wake()
    await turn()
    wake()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(host.tries()).toBe(3)
  })

  it('stops trying when it is refused, until it is told to', async () => {
    const host = createHost()
    host.outcomes.push('refuse', 'ok')
    const connection = keepConnected(contract, host)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([host.tries(), connection.state()]).toEqual([1, 'refused'])
    connection.retry()
    await turn()
    expect(connection.state()).toBe('open')
  })

  it('is open for everybody only once what must come first has been asked, or has failed, or takes too long', async () => {
    const host = createHost()
    const connection = keepConnected(contract, { open: () => host.open(), prepareMs: 1_000 })
    const seen: unknown[] = []
    let gate = Promise.withResolvers<void>()
    connection.beforeOpen(async (fresh) => {
      seen.push(await fresh['test.echo']({ value: 7 }), connection.state())
      await gate.promise
    })
    await turn()
    expect(seen).toEqual([7, 'connecting'])
    await expect(connection.client['test.echo']({ value: 1 })).rejects.toMatchObject({
      info: { code: 'rpc/closed' },
    })
    gate.resolve()
    await turn()
    expect(connection.state()).toBe('open')

    gate = Promise.withResolvers()
    const { reject } = gate
    setTimeout(() => reject(new Error('it cannot be opened')), 290)
    host.cut()
    await vi.advanceTimersByTimeAsync(300)
    expect(connection.state()).toBe('open')

    gate = Promise.withResolvers()
    host.cut()
    await vi.advanceTimersByTimeAsync(300)
    expect(connection.state()).toBe('lost')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(connection.state()).toBe('open')
  })

  it('tries again with the link that came while it was being refused with the old one', async () => {
    const host = createHost()
    host.outcomes.push('refuse', 'ok')
    const connection = keepConnected(contract, host)
    connection.retry()
    await turn()
    expect([host.tries(), connection.state()]).toEqual([2, 'open'])
  })

  it('does not come back after it was closed', async () => {
    const host = createHost()
    const connection = keepConnected(contract, host)
    await turn()
    connection.close()
    connection.retry()
    await vi.advanceTimersByTimeAsync(60_000)
    expect([host.tries(), connection.state()]).toEqual([1, 'lost'])
    await expect(connection.client['test.watch']({})[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      info: { code: 'rpc/closed' },
    })
  })
})

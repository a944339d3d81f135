import { describe, expect, it } from 'vitest'
import { createBroadcast } from '../src/main/platform/broadcast.ts'
import type { Api } from '../src/shared/contract/index.ts'
import type { HostEvent } from '../src/shared/domain/app/host-info.ts'
import { createWindowEvents } from './window-events.ts'

function setUp() {
  const services = createBroadcast<HostEvent>()
  const end = new AbortController()
  const api = {
    'host.info': async () => ({ hostId: 'h' }),
    'host.watch': (_input: object, { signal }: { signal: AbortSignal }) => services.subscribe(signal),
  } as unknown as Api
  const events = createWindowEvents(api)
  const following = events.follow(end.signal)
  const watch = (signal: AbortSignal) =>
    events.api['host.watch']({}, { signal })[Symbol.asyncIterator]() as AsyncIterator<HostEvent>
  return { services, events, end, following, watch }
}

const open = (path: string): HostEvent => ({ type: 'open-path', path })
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('createWindowEvents', () => {
  it('mixes what the services say and what the shell says', async () => {
    const { services, events, end, watch } = setUp()
    const reader = watch(end.signal)
    const first = reader.next()
    await turn()
    services.send({ type: 'closing' })
    expect(await first).toEqual({ done: false, value: { type: 'closing' } })
    const second = reader.next()
    events.command('settings')
    expect((await second).value).toEqual({ type: 'command', id: 'settings' })
  })

  it('keeps a path for a window that is not there yet, and gives it once', async () => {
    const { events, end, watch } = setUp()
    events.openPath('/w/rain')
    events.openPath('/w/snow')
    const reader = watch(end.signal)
    expect([(await reader.next()).value, (await reader.next()).value]).toEqual([
      open('/w/rain'),
      open('/w/snow'),
    ])
    const other = watch(end.signal).next()
    const next = reader.next()
    await turn()
    events.openPath('/w/fog')
    expect([(await next).value, (await other).value]).toEqual([open('/w/fog'), open('/w/fog')])
  })

  it('tells a path to the first page that asks, and not to its reload', async () => {
    const { events, end } = setUp()
    events.openPath('/w/rain')
    const ask = () => events.api['host.info']({}, { signal: end.signal })
    expect(await ask()).toEqual({ hostId: 'h', openPath: '/w/rain' })
    expect(await ask()).toEqual({ hostId: 'h', openPath: null })
  })

  it('keeps what comes after a window has left', async () => {
    const { events, end, watch } = setUp()
    const left = new AbortController()
    const reader = watch(left.signal)
    const pending = reader.next()
    await turn()
    left.abort()
    expect(await pending).toEqual({ done: true, value: undefined })
    events.openPath('/w/rain')
    expect((await watch(end.signal).next()).value).toEqual(open('/w/rain'))
  })

  it('ends with the services', async () => {
    const { services, end, following, watch } = setUp()
    const pending = watch(end.signal).next()
    await turn()
    services.end()
    await following
    expect(await pending).toEqual({ done: true, value: undefined })
  })
})

import type { HostNotice } from '../src/main/deps.ts'
import { createBroadcast } from '../src/main/platform/broadcast.ts'
import type { Api } from '../src/shared/contract/index.ts'
import type { HostEvent } from '../src/shared/domain/app/host-info.ts'
import type { MenuCommand } from './menu.ts'

/** Events that the shell itself sends to the window, beside those of the services. */
export type WindowEvents = ReturnType<typeof createWindowEvents>

export function createWindowEvents(services: Api) {
  const events = createBroadcast<HostEvent>()
  const waiting: string[] = []
  let listeners = 0

  async function* watch(signal: AbortSignal): AsyncGenerator<HostEvent, void, void> {
    const subscription = events.subscribe(signal)
    listeners += 1
    try {
      for (const path of waiting.splice(0)) yield { type: 'open-path', path }
      yield* subscription
    } finally {
      listeners -= 1
    }
  }

  return {
    /** The app's API with the shell's events among the host's. */
    api: {
      ...services,
      // A window asks this first. Once told, a path is not opened again when the page is loaded anew.
      async 'host.info'(input, context) {
        const info = await services['host.info'](input, context)
        return { ...info, openPath: waiting.shift() ?? null }
      },
      'host.watch': (_input, { signal }) => watch(signal),
    } satisfies Api,
    /** Opens a path in the window; it is kept for the next window where none listens. */
    openPath(path: string): void {
      if (listeners > 0) events.send({ type: 'open-path', path })
      else waiting.push(path)
    },
    command: (id: MenuCommand | HostNotice['command']) => void events.send({ type: 'command', id }),
    /** Passes the services' events on; ends when they end or the signal aborts. */
    async follow(signal: AbortSignal): Promise<void> {
      for await (const event of services['host.watch']({}, { signal })) events.send(event)
      events.end()
    },
  }
}

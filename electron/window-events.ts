import type { HostNotice } from '../src/main/deps.ts'
import { createBroadcast } from '../src/main/platform/broadcast.ts'
import type { Api } from '../src/shared/contract/index.ts'
import type { HostEvent } from '../src/shared/domain/app/host-info.ts'
import type { MenuCommand } from './menu.ts'

/** Events that the shell itself sends to the window, beside those of the services. */
export type WindowEvents = {
  /** The app's API with the shell's events among the host's. */
  api: Api
  /** Opens a path in the window; it is kept for the next window where none listens. */
  openPath(path: string): void
  command(command: MenuCommand | HostNotice['command']): void
  /** Passes the services' events on; ends when they end or the signal aborts. */
  follow(signal: AbortSignal): Promise<void>
}

export function createWindowEvents(services: Api): WindowEvents {
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
    api: {
      ...services,
      // A window asks this first. Once told, a path is not opened again when the page is loaded anew.
      async 'host.info'(input, context) {
        const info = await services['host.info'](input, context)
        return { ...info, openPath: waiting.shift() ?? null }
      },
      'host.watch': (_input, { signal }) => watch(signal),
    },
    openPath(path) {
      if (listeners > 0) events.send({ type: 'open-path', path })
      else waiting.push(path)
    },
    command: (id) => events.send({ type: 'command', id }),
    async follow(signal) {
      for await (const event of services['host.watch']({}, { signal })) events.send(event)
      events.end()
    },
  }
}

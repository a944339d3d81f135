import { parseJson } from '../text/json.ts'
import type { HostPort } from '../wire.ts'
import { createCloseSignal } from './close-signal.ts'
import type { IpcToHost, IpcToWindow } from './ipc-messages.ts'

/** The host's end of one page load. `receive` takes the page's messages; `gone` reports the end of the page. */
export type IpcHostPort = { port: HostPort; receive(message: IpcToHost): void; gone(): void }

/**
 * Creates a Port over `webContents.send`, without Electron: `post` sends to the page and may throw when it is gone.
 *
 * Units: `bufferedBytes` is text that the page has not acknowledged, in UTF-16 units. The page acknowledges in steps,
 * so some KB may always seem to wait.
 */
export function createIpcHostPort(connection: string, post: (message: IpcToWindow) => void): IpcHostPort {
  const closing = createCloseSignal()
  let listener: ((frame: never) => void) | undefined
  let waitingUnits = 0

  function tryPost(message: IpcToWindow): void {
    try {
      post(message)
    } catch {
      closing.fire() // The page went away between two events: that is a close, whatever Electron calls it.
    }
  }

  return {
    port: {
      send(frame) {
        if (closing.isClosed) return
        const text = JSON.stringify(frame)
        waitingUnits += text.length
        tryPost({ kind: 'frame', connection, text })
      },
      onFrame: (next) => {
        listener = next
      },
      onClose: closing.onClose,
      close() {
        if (closing.isClosed) return
        tryPost({ kind: 'close', connection })
        closing.fire()
      },
      bufferedBytes: () => waitingUnits,
    },
    receive(message) {
      if (closing.isClosed || message.connection !== connection) return
      if (message.kind === 'received') waitingUnits = Math.max(0, waitingUnits - message.units)
      else if (message.kind === 'close') closing.fire()
      else if (message.kind === 'frame') deliver(message.text)
    },
    gone: closing.fire,
  }

  function deliver(text: string): void {
    const frame = parseJson(text)
    if (frame === undefined) closing.fire()
    else listener?.(frame as never)
  }
}

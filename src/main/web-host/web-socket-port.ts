import type { WebSocket } from 'ws'
import { createCloseSignal } from '../../shared/rpc/close-signal.ts'
import { parseJson } from '../../shared/text/json.ts'
import type { HostPort } from '../../shared/wire.ts'

/** "Invalid payload data": RFC 6455, 7.4.1. */
const CLOSE_NOT_JSON = 1007

/** Creates the host's end of an accepted WebSocket. A message that is not JSON text closes the socket. */
export function createWebSocketPort(socket: WebSocket): HostPort {
  const closing = createCloseSignal()
  let listener: ((frame: never) => void) | undefined

  socket.on('message', (data, isBinary) => {
    if (closing.isClosed) return
    const frame = isBinary ? undefined : parseJson(String(data))
    if (frame === undefined) {
      socket.close(CLOSE_NOT_JSON)
      closing.fire()
    } else {
      listener?.(frame as never)
    }
  })
  socket.on('close', closing.fire)

  return {
    send(frame) {
      const text = JSON.stringify(frame)
      if (!closing.isClosed && socket.readyState === socket.OPEN) socket.send(text)
    },
    onFrame: (next) => {
      listener = next
    },
    onClose: closing.onClose,
    close() {
      socket.close(1000)
      closing.fire()
    },
    bufferedBytes: () => socket.bufferedAmount,
  }
}

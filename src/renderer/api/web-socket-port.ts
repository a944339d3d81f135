import { AppError } from '../../shared/errors.ts'
import { createCloseSignal } from '../../shared/rpc/close-signal.ts'
import { CLOSE_UNAUTHORIZED } from '../../shared/rpc/link-protocol.ts'
import type { ClientPort } from '../../shared/wire.ts'
import { RefusedError } from './keep-connected.ts'

export type WebSocketPortOptions = {
  url: string
  secret: string
  /** Limit for opening the socket and receiving the host's welcome. Units: milliseconds. */
  timeoutMs?: number
  createSocket?: (url: string) => WebSocket
}

/**
 * Opens the window's end of the WebSocket; resolves once the host has accepted it.
 *
 * Errors: `RefusedError` for a secret that the host does not know; `rpc/closed` where there is no host.
 */
export function openWebSocketPort(options: WebSocketPortOptions): Promise<ClientPort> {
  const { url, secret, timeoutMs = 10_000, createSocket = (address) => new WebSocket(address) } = options
  return new Promise((resolve, reject) => {
    const socket = createSocket(url)
    const closing = createCloseSignal()
    const timer = setTimeout(fail, timeoutMs)

    function fail(): void {
      clearTimeout(timer)
      socket.close()
      reject(new AppError({ code: 'rpc/closed' }))
    }

    socket.addEventListener('open', () => socket.send(JSON.stringify({ secret })))
    socket.addEventListener('error', fail)
    socket.addEventListener('close', (event) => {
      if (event.code === CLOSE_UNAUTHORIZED) reject(new RefusedError())
      fail()
      closing.fire()
    })
    // The first message is the host's welcome; what follows are frames.
    socket.addEventListener(
      'message',
      () => {
        clearTimeout(timer)
        resolve(createPort(socket, closing))
      },
      { once: true },
    )
  })
}

function createPort(socket: WebSocket, closing: ReturnType<typeof createCloseSignal>): ClientPort {
  let listener: ((frame: never) => void) | undefined
  socket.addEventListener('message', ({ data }) => {
    if (!closing.isClosed && typeof data === 'string') listener?.(JSON.parse(data) as never)
  })
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

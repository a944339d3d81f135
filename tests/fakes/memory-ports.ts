import { createCloseSignal } from '../../src/shared/rpc/close-signal.ts'
import type { ClientPort, Frame, HostPort, Port } from '../../src/shared/wire.ts'

/** Runs each job later, in order. */
type Deliver = (job: () => void) => void

/** The delivery in either direction. */
type MemoryPortsOptions = { toClient?: Deliver; toHost?: Deliver }

/**
 * Creates two ends in one process. Frames pass through JSON as on every other transport, so values that a
 * real one would lose are lost here, too.
 *
 * Units: `bufferedBytes` is the JSON text that is on its way, in UTF-16 units.
 */
export function memoryPorts(options: MemoryPortsOptions = {}): { client: ClientPort; host: HostPort } {
  const closing = createCloseSignal()
  const client = createEnd(options.toHost)
  const host = createEnd(options.toClient)

  function createEnd(deliver: Deliver = queueMicrotask) {
    return { deliver, listener: undefined as ((frame: never) => void) | undefined, waiting: 0 }
  }

  function port(own: typeof client, other: typeof client): Port<Frame, never> {
    return {
      send(frame) {
        if (closing.isClosed) return
        const text = JSON.stringify(frame)
        own.waiting += text.length
        own.deliver(() => {
          own.waiting -= text.length
          if (!closing.isClosed) other.listener?.(JSON.parse(text) as never)
        })
      },
      onFrame: (listener) => {
        own.listener = listener
      },
      onClose: closing.onClose,
      close: closing.fire,
      bufferedBytes: () => own.waiting,
    }
  }

  return { client: port(client, host), host: port(host, client) }
}

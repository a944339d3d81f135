import { createCloseSignal } from '../../shared/rpc/close-signal.ts'
import type { IpcBridge } from '../../shared/rpc/ipc-messages.ts'
import type { ClientPort } from '../../shared/wire.ts'

/** The page acknowledges received text to the host in steps of this size. Units: UTF-16 units. */
const RECEIVED_STEP_UNITS = 16 * 1024

/** Opens the window's end of Electron's IPC, once for each load of the page. */
export function openBridgePort(bridge: IpcBridge, connection: string = randomId()): ClientPort {
  const closing = createCloseSignal()
  let listener: ((frame: never) => void) | undefined
  let receivedUnits = 0

  const stopListening = bridge.onMessage((message) => {
    if (closing.isClosed || message.connection !== connection) return
    if (message.kind === 'close') return closing.fire()
    receivedUnits += message.text.length
    if (receivedUnits >= RECEIVED_STEP_UNITS) {
      bridge.post({ kind: 'received', connection, units: receivedUnits })
      receivedUnits = 0
    }
    listener?.(JSON.parse(message.text) as never)
  })
  closing.onClose(stopListening)
  bridge.post({ kind: 'open', connection })

  return {
    send(frame) {
      if (!closing.isClosed) bridge.post({ kind: 'frame', connection, text: JSON.stringify(frame) })
    },
    onFrame: (next) => {
      listener = next
    },
    onClose: closing.onClose,
    close() {
      if (closing.isClosed) return
      bridge.post({ kind: 'close', connection })
      closing.fire()
    },
    bufferedBytes: () => 0,
  }
}

function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}

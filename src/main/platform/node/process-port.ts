import { isBinaryTestReport } from '../../../shared/binary-test.ts'
import type { Frame, HostPort, Port } from '../../../shared/wire.ts'
import type { Log } from '../../deps.ts'

/** Electron's channel from a utility process to the main process. */
export type ElectronParentPort = {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

/** The operations that Electron's `parentPort` and Node's `process` both offer to a child. */
type Channel = {
  post(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  onGone(listener: () => void): void
  close(): void
}

/** Returns the channel to Electron's main process; undefined in plain Node. */
export function electronParentPort(): ElectronParentPort | undefined {
  return (process as { parentPort?: ElectronParentPort }).parentPort
}

/**
 * Opens the child's end of the channel to its parent, in Electron or in plain Node; this process ends with the channel.
 *
 * Shape: `log` writes to standard error, which is the host's log for this process; it never holds prompt text.
 */
export function openParent(name: 'engine' | 'download'): { port: HostPort; log: Log } {
  const electron = electronParentPort()
  const port = portOver(electron === undefined ? nodeChannel() : electronChannel(electron)) as HostPort
  port.onClose(() => process.exit(0))
  // A terminal sends these to all its processes. The parent ends this process in an orderly way, after saving.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const write: Log['write'] = (level, event, data = {}) => {
    process.stderr.write(`${JSON.stringify({ level, event, ...data })}\n`)
  }
  const bug: Log['bug'] = (error, where) => {
    const logId = `${name}-${process.pid}-${Math.round(performance.now())}`
    const text = error instanceof Error ? error.stack : String(error)
    write('error', `${name}.bug`, { where, logId, error: text })
    return logId
  }
  return { port, log: { write, bug } }
}

/** Creates a Port over a channel of whole messages. */
export function portOver(channel: Channel): Port {
  let isClosed = false
  const closeListeners: (() => void)[] = []
  const closed = () => {
    if (isClosed) return
    isClosed = true
    for (const listener of closeListeners) listener()
  }
  channel.onGone(closed)
  return {
    send(frame: Frame) {
      if (!isClosed) channel.post(frame)
    },
    onFrame: (listener) => channel.onMessage((message) => listener(message as Frame)),
    onClose: (listener) => void closeListeners.push(listener),
    close() {
      if (!isClosed) channel.close()
      closed()
    },
    bufferedBytes: () => 0,
  }
}

function nodeChannel(): Channel {
  return {
    // A parent that went away between two messages is told by `disconnect`.
    post: (message) => process.send?.(message, undefined, undefined, () => undefined),
    onMessage: (listener) => process.on('message', listener),
    onGone: (listener) => process.on('disconnect', listener),
    close: () => process.connected && process.disconnect(),
  }
}

function electronChannel(port: ElectronParentPort): Channel {
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) =>
      port.on('message', ({ data }) => {
        if (!isBinaryTestReport(data)) listener(data)
      }),
    // Electron ends a utility process together with its parent.
    onGone: () => undefined,
    close: () => process.exit(0),
  }
}

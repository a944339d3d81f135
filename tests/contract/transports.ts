import { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { IpcMain } from 'electron'
import { WebSocket } from 'ws'
import { listenForPages } from '../../electron/ipc-port.ts'
import { systemClock } from '../../src/main/platform/clock.ts'
import { WEB_HOST_LIMITS } from '../../src/main/web-host/limits.ts'
import { createRpcSockets } from '../../src/main/web-host/rpc-sockets.ts'
import { openBridgePort } from '../../src/renderer/api/bridge-port.ts'
import { openWebSocketPort } from '../../src/renderer/api/web-socket-port.ts'
import { IPC_TO_HOST, IPC_TO_WINDOW, type IpcToWindow } from '../../src/shared/rpc/ipc-messages.ts'
import type { ClientPort, HostPort } from '../../src/shared/wire.ts'
import { memoryPorts } from '../fakes/memory-ports.ts'
import { silentLog } from '../fakes/silent-log.ts'

/** The two ends of a connection, and operations that disturb it. */
export type Link = {
  client: ClientPort
  host: HostPort
  /** Stops the window from receiving until `resume`. */
  stall(): void
  resume(): void
  /** Breaks the connection without a closing message of either side. */
  cut(): void
  dispose(): Promise<void>
}

export type Transport = { name: string; open(): Promise<Link> }

/** Delivers jobs in order, each in its own turn of the event loop, unless held. */
function createTransport() {
  const jobs: (() => void)[] = []
  let isHeld = false
  let isRunning = false

  function run(): void {
    if (isRunning) return
    isRunning = true
    setImmediate(() => {
      isRunning = false
      if (isHeld) return
      jobs.shift()?.()
      if (jobs.length > 0) run()
    })
  }

  return {
    deliver(job: () => void) {
      jobs.push(job)
      run()
    },
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      run()
    },
  }
}

const memory: Transport = {
  name: 'in memory',
  async open() {
    const toClient = createTransport()
    const { client, host } = memoryPorts({ toClient: toClient.deliver, toHost: createTransport().deliver })
    return {
      client,
      host,
      stall: toClient.hold,
      resume: toClient.release,
      cut: () => host.close(),
      dispose: async () => host.close(),
    }
  },
}

/** The web host's own acceptance on one side and the window's port on the other. */
const webSocket: Transport = {
  name: 'WebSocket',
  async open() {
    const opened = Promise.withResolvers<HostPort>()
    const sockets = createRpcSockets({
      isSecret: (candidate) => candidate === 'sesame',
      onSecret: () => undefined,
      load: async () => undefined,
      onPort: opened.resolve,
      limits: WEB_HOST_LIMITS,
      clock: systemClock,
      log: silentLog,
    })
    const server = createServer()
    server.on('upgrade', sockets.accept)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo

    let raw: WebSocket | undefined
    const client = await openWebSocketPort({
      url: `ws://127.0.0.1:${port}/rpc`,
      secret: 'sesame',
      createSocket(url) {
        raw = new WebSocket(url)
        return raw as unknown as globalThis.WebSocket
      },
    })
    return {
      client,
      host: await opened.promise,
      stall: () => raw?.pause(),
      resume: () => raw?.resume(),
      cut: () => raw?.terminate(),
      async dispose() {
        raw?.terminate()
        await sockets.close()
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  },
}

/** The part of a page's `webContents` that the shell uses: clones, delivers later, and throws once the page is gone. */
class FakePage extends EventEmitter {
  readonly channel = createTransport()
  listener: ((message: IpcToWindow) => void) | undefined
  isGone = false

  send(channel: string, message: IpcToWindow): void {
    if (this.isGone) throw new TypeError('Object has been destroyed')
    if (channel !== IPC_TO_WINDOW) throw new Error(`no page hears ${channel}`)
    const copy = structuredClone(message)
    this.channel.deliver(() => this.listener?.(copy))
  }
}

/** The shell's own listener on one side and the window's port on the other; only Electron is replaced by a fake. */
const electronIpc: Transport = {
  name: "over Electron's IPC",
  async open() {
    const origin = 'tsugi://app'
    const ipcMain = new EventEmitter()
    const page = new FakePage()
    const senderFrame = { origin, parent: null, url: `${origin}/index.html` }
    const toHost = createTransport()
    const opened = Promise.withResolvers<HostPort>()
    listenForPages({
      ipcMain: ipcMain as unknown as Pick<IpcMain, 'on'>,
      origin,
      onPort: opened.resolve,
      onRefused: () => undefined,
    })

    const client = openBridgePort({
      post(message) {
        const copy = structuredClone(message)
        toHost.deliver(() => ipcMain.emit(IPC_TO_HOST, { sender: page, senderFrame }, copy))
      },
      onMessage: (listener) => {
        page.listener = listener
        return () => {
          page.listener = undefined
        }
      },
      pathOf: () => '',
    })
    const host = await opened.promise
    return {
      client,
      host,
      stall: page.channel.hold,
      resume: page.channel.release,
      cut() {
        client.close() // The page unloads: its own side ends with it.
        page.isGone = true
        page.emit('destroyed')
      },
      dispose: async () => host.close(),
    }
  },
}

export const transports: readonly Transport[] = [memory, webSocket, electronIpc]

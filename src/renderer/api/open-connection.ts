import type { Contract } from '../../shared/contract/method.ts'
import type { IpcBridge } from '../../shared/rpc/ipc-messages.ts'
import { RPC_PATH } from '../../shared/rpc/link-protocol.ts'
import { openBridgePort } from './bridge-port.ts'
import { type Connection, type KeepConnectedOptions, keepConnected, RefusedError } from './keep-connected.ts'
import { takeLinkSecret } from './link-secret.ts'
import { openWebSocketPort } from './web-socket-port.ts'

declare global {
  interface Window {
    /** Put there by the preload script of the desktop app; a browser has none. */
    tsugi?: IpcBridge
  }
}

/** Opens the connection of this page: to Electron's main process where there is one, else to the web host. */
export function openConnection<C extends Contract>(contract: C): Connection<C> {
  const bridge = window.tsugi
  return bridge
    ? keepConnected(contract, { open: async () => openBridgePort(bridge) })
    : keepConnected(contract, createWebOpener())
}

function createWebOpener(): KeepConnectedOptions {
  const link = takeLinkSecret({ location, history, storage: sessionStorage, fetch: fetch.bind(window) })
  const url = new URL(RPC_PATH, location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.hash = ''

  return {
    async open() {
      const secret = await link.get()
      try {
        return await openWebSocketPort({ url: url.href, secret })
      } catch (error) {
        if (error instanceof RefusedError) link.forget()
        throw error
      }
    },
    onWake(listener) {
      addEventListener('online', listener)
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'visible') listener()
      })
      // A new link pasted into the same tab does not load the page again.
      addEventListener('hashchange', () => {
        if (link.take()) listener()
      })
    },
  }
}

import type { createBridge } from './bridge.ts'
import type { cloneable } from './clone.ts'

/** From the page to the stand-in's main process, over a binding of the DevTools protocol. */
export type FromPage =
  | { kind: 'send'; channel: string; args: unknown[] }
  | { kind: 'preload-error'; message: string }
  | { kind: 'open'; url: string }
  | { kind: 'context-menu'; isEditable: boolean; selectionText: string; x: number; y: number }

type Listener = (event: object, ...args: unknown[]) => void

/**
 * Runs in a world of its own: gives a sandboxed preload script its `require('electron')` and nothing else
 * of Node. Runs in the page as source text.
 */
export function runPreloadWorld(
  bridge: ReturnType<typeof createBridge>,
  clone: typeof cloneable,
  preload: (require: (name: string) => unknown, module: object, exports: object) => void,
): void {
  const scope = globalThis as typeof globalThis & {
    electronStandInSend(text: string): void
    electronStandInReceive(channel: string, args: unknown[]): void
  }
  const listeners = new Map<string, Listener[]>()
  const send = (message: FromPage) => scope.electronStandInSend(JSON.stringify(message))

  /** Refuses a missing member by name, as the whole stand-in does. */
  const strict = <T extends object>(name: string, members: T): T =>
    new Proxy(members, {
      get(target, key) {
        if (typeof key === 'string' && !(key in target))
          throw new Error(`The Electron stand-in lacks ${name}.${key}`)
        return Reflect.get(target, key)
      },
    })

  const ipcRenderer = strict('IpcRenderer', {
    send: (channel: string, ...args: unknown[]) =>
      send({ kind: 'send', channel, args: args.map((each) => clone(each)) }),
    on(channel: string, listener: Listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener])
      return ipcRenderer
    },
    off(channel: string, listener: Listener) {
      listeners.set(
        channel,
        (listeners.get(channel) ?? []).filter((each) => each !== listener),
      )
      return ipcRenderer
    },
  })
  const contextBridge = strict('ContextBridge', {
    exposeInMainWorld: (key: string, value: unknown) => bridge.expose(key, value),
  })
  const electron = strict('electron/renderer', { ipcRenderer, contextBridge })

  scope.electronStandInReceive = (channel, args) => {
    const event = { sender: ipcRenderer, ports: [] }
    for (const listener of listeners.get(channel) ?? []) listener(event, ...args)
  }
  bridge.onOpen((url) => send({ kind: 'open', url }))
  window.addEventListener('contextmenu', (event) => {
    if (event.defaultPrevented) return
    const target = event.target as HTMLElement
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
    send({
      kind: 'context-menu',
      isEditable: isField || target.isContentEditable,
      selectionText: String(getSelection() ?? ''),
      x: event.clientX,
      y: event.clientY,
    })
  })

  try {
    const module = { exports: {} }
    preload(
      (name) => {
        if (name === 'electron' || name === 'electron/renderer') return electron
        throw new Error(`module not found: ${name}`)
      },
      module,
      module.exports,
    )
  } catch (error) {
    send({
      kind: 'preload-error',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
}

import type { cloneable } from './clone.ts'

type Crossing =
  | { kind: 'expose'; key: string; value: unknown }
  | { kind: 'call'; id: number; args: unknown[] }
  | { kind: 'return'; value?: unknown; error?: string }
  | { kind: 'open'; url: string }

/**
 * One end of `contextBridge` between the two worlds of a page, over synchronous DOM events: data is
 * copied, functions become functions that call across. Runs in the page as source text.
 */
export function createBridge(clone: typeof cloneable, own: string, other: string) {
  const functions: ((...args: unknown[]) => unknown)[] = []
  let returned: Extract<Crossing, { kind: 'return' }> | undefined
  let onExpose: (key: string, value: unknown) => void = () => undefined
  let onOpen: (url: string) => void = () => undefined

  const post = (message: Crossing) =>
    document.dispatchEvent(new CustomEvent(other, { detail: JSON.stringify(message) }))

  const outgoing = (value: unknown) =>
    clone(value, (each) => {
      const known = functions.indexOf(each)
      return { $function: known >= 0 ? known : functions.push(each) - 1 }
    })

  const incoming = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(incoming)
    if ('$function' in value) return (...args: unknown[]) => call(value.$function as number, args)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, incoming(each)]))
  }

  function call(id: number, args: unknown[]): unknown {
    returned = undefined
    post({ kind: 'call', id, args: args.map(outgoing) })
    const answer = returned as Extract<Crossing, { kind: 'return' }> | undefined
    if (answer === undefined) throw new Error('Nobody answers on the other side of the bridge.')
    if (answer.error !== undefined) throw new Error(answer.error)
    return incoming(answer.value)
  }

  function answer(id: number, args: unknown[]): Crossing {
    try {
      return { kind: 'return', value: outgoing(functions[id]?.(...args.map(incoming))) }
    } catch (error) {
      return { kind: 'return', error: error instanceof Error ? error.message : String(error) }
    }
  }

  document.addEventListener(own, (event) => {
    event.stopImmediatePropagation()
    const message: Crossing = JSON.parse((event as CustomEvent<string>).detail)
    if (message.kind === 'return') returned = message
    else if (message.kind === 'call') post(answer(message.id, message.args))
    else if (message.kind === 'open') onOpen(message.url)
    else onExpose(message.key, incoming(message.value))
  })

  return {
    expose: (key: string, value: unknown) => post({ kind: 'expose', key, value: outgoing(value) }),
    onExpose(listener: typeof onExpose) {
      onExpose = listener
    },
    open: (url: string) => post({ kind: 'open', url }),
    onOpen(listener: typeof onOpen) {
      onOpen = listener
    },
  }
}

/** Runs in the page's own world: puts on `window` what the preload script exposes. */
export function runMainWorld(bridge: ReturnType<typeof createBridge>): void {
  // The open handler of every page here refuses, and a refused page gets null.
  window.open = (url = '') => {
    bridge.open(new URL(url, location.href).href)
    return null
  }
  bridge.onExpose((key, value) => {
    if (key in window)
      throw new Error('Cannot bind an API on top of an existing property on the window object')
    const frozen = typeof value === 'object' && value !== null ? Object.freeze(value) : value
    Object.defineProperty(window, key, { value: frozen, enumerable: true })
  })
}

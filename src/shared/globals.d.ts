/** The globals that shared code uses: both Node and browsers have them; the layer is compiled without either. */
declare class AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
  throwIfAborted(): void
}
declare class AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}
declare class URL {
  constructor(address: string)
  static parse(address: string): URL | null
  readonly protocol: string
  readonly hostname: string
  readonly port: string
  readonly pathname: string
  readonly href: string
}
declare class TextEncoder {
  encode(text: string): Uint8Array
}
declare function setTimeout(callback: () => void, delayMs?: number): unknown
declare function clearTimeout(handle: unknown): void
declare function queueMicrotask(callback: () => void): void
declare function structuredClone<T>(value: T): T

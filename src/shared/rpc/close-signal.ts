/** Remembers that something closed. Shape: each listener hears it once, also one that comes too late. */
export type CloseSignal = {
  readonly isClosed: boolean
  fire(): void
  onClose(listener: () => void): void
}

/** The part that every Port shares. */
export function createCloseSignal(): CloseSignal {
  const listeners: (() => void)[] = []
  let isClosed = false
  return {
    get isClosed() {
      return isClosed
    },
    fire() {
      if (isClosed) return
      isClosed = true
      for (const listener of listeners.splice(0)) listener()
    },
    onClose(listener) {
      if (isClosed) queueMicrotask(listener)
      else listeners.push(listener)
    },
  }
}

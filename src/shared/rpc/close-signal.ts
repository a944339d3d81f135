/** Remembers a close. Shape: each listener is called once, also one that is added after the close. */
export type CloseSignal = {
  readonly isClosed: boolean
  fire(): void
  onClose(listener: () => void): void
}

/** Creates the signal that every Port uses. */
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

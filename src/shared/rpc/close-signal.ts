/** Remembers a close. Shape: each listener is called once, also one that is added after the close. */
export type CloseSignal = ReturnType<typeof createCloseSignal>

/** Creates the signal that every Port uses. */
export function createCloseSignal() {
  const listeners: (() => void)[] = []
  let isClosed = false
  return {
    get isClosed(): boolean {
      return isClosed
    },
    fire(): void {
      if (isClosed) return
      isClosed = true
      for (const listener of listeners.splice(0)) listener()
    },
    onClose(listener: () => void): void {
      if (isClosed) queueMicrotask(listener)
      else listeners.push(listener)
    },
  }
}

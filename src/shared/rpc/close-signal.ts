/**
 * Creates the signal by which every Port remembers its close.
 *
 * Shape: each listener is called once, also one that is added after the close.
 */
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

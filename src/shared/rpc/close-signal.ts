/** Creates the close signal of a Port, which calls each listener once, also one that is added later. */
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

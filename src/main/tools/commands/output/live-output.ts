import type { Clock } from '../../../deps.ts'

/** Hands text on now and then, and never much of it: for a window, not for keeping. */
export type LiveOutput = {
  push(text: string): void
  /** Hands on what waits; nothing is handed on afterwards. */
  end(): void
}

const defaultEveryMs = 100
/** Units: UTF-16 code units that are handed on at a time. */
const defaultLimit = 8192

/** Shape: of what comes in between, the end is handed on, behind `[…]` where something is missing. */
export function createLiveOutput(
  clock: Clock,
  onOutput: (text: string) => void,
  { everyMs = defaultEveryMs, limit = defaultLimit }: { everyMs?: number; limit?: number } = {},
): LiveOutput {
  let waiting = ''
  let timer: { cancel(): void } | null = null
  let isOver = false

  const flush = (): void => {
    timer = null
    if (waiting === '') return
    const text = waiting.length <= limit ? waiting : `[…]\n${tailOf(waiting, limit)}`
    waiting = ''
    onOutput(text)
  }

  return {
    push(text) {
      if (isOver || text === '') return
      waiting += text
      // One too long by itself shows that something is missing, also after it was cut here.
      if (waiting.length > 4 * limit) waiting = tailOf(waiting, limit + 2)
      timer ??= clock.setTimeout(flush, everyMs)
    },
    end() {
      isOver = true
      timer?.cancel()
      flush()
    },
  }
}

/** Does not begin in the middle of a character. */
function tailOf(text: string, limit: number): string {
  const tail = text.slice(-limit)
  return /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail
}

import type { Clock } from '../../../deps.ts'

const defaultEveryMs = 100
/** Maximum length of the text that is passed on at a time. Units: UTF-16 code units. */
const defaultLimit = 8192

/**
 * Passes an output on at intervals, in limited amounts: for display, not for keeping.
 *
 * Shape: only the end of the text of one interval is passed on, after `[…]` where some is missing.
 */
export function createLiveOutput(
  clock: Clock,
  onOutput: (text: string) => void,
  { everyMs = defaultEveryMs, limit = defaultLimit }: { everyMs?: number; limit?: number } = {},
) {
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
    push(text: string): void {
      if (isOver || text === '') return
      waiting += text
      // Cut to more than the limit, so that `flush` still marks the text as cut.
      if (waiting.length > 4 * limit) waiting = tailOf(waiting, limit + 2)
      timer ??= clock.setTimeout(flush, everyMs)
    },
    /** Passes on the text that waits; later text is dropped. */
    end(): void {
      isOver = true
      timer?.cancel()
      flush()
    },
  }
}

/** Returns the end of a text, not beginning in the middle of a character. */
function tailOf(text: string, limit: number): string {
  const tail = text.slice(-limit)
  return /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail
}

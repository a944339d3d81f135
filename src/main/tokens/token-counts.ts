import { createSerialQueue } from '../../shared/serial-queue.ts'
import type { ModelClient, Prompt } from '../models/client/model-client.ts'

type Count = NonNullable<ModelClient['countTokens']>
type Open = { answer: Promise<number>; readers: number; cut: AbortController }

const mostKept = 2_000

/**
 * Caches the token counts of one backend by a hash of the text. Equal questions at the same time share one request,
 * which is aborted when its last caller has aborted; different requests run one after the other.
 *
 * Errors: as the backend's counter; failures are not remembered.
 */
export class TokenCounts {
  readonly #count: Count
  readonly #hash: (text: string) => string
  readonly #limit: number
  /** In order of use, oldest first. */
  readonly #known = new Map<string, number>()
  readonly #open = new Map<string, Open>()
  readonly #inTurn = createSerialQueue()

  constructor(count: Count, hash: (text: string) => string, limit = mostKept) {
    this.#count = count
    this.#hash = hash
    this.#limit = limit
  }

  /** Empties the cache, since another model answers from now on. */
  forget(): void {
    this.#known.clear()
    this.#open.clear()
  }

  readonly count: Count = async (prompt, signal, options = {}) => {
    signal.throwIfAborted()
    const key = this.#hash(keyText(prompt, options.isPiece === true))
    const known = this.#known.get(key)
    if (known !== undefined) {
      this.#keep(key, known)
      return known
    }
    const open = this.#open.get(key) ?? this.#ask(key, prompt, options)
    return this.#wait(key, open, signal)
  }

  #ask(key: string, prompt: string | Prompt, options: { isPiece?: boolean }): Open {
    const cut = new AbortController()
    const answer = this.#inTurn(async () => {
      try {
        cut.signal.throwIfAborted()
        const tokens = await this.#count(prompt, cut.signal, options)
        if (this.#open.get(key) === open) this.#keep(key, tokens)
        return tokens
      } finally {
        this.#close(key, open)
      }
    })
    const open: Open = { answer, readers: 0, cut }
    this.#open.set(key, open)
    return open
  }

  async #wait(key: string, open: Open, signal: AbortSignal): Promise<number> {
    open.readers += 1
    const leave = () => {
      open.readers -= 1
      if (open.readers > 0) return
      // A later caller with the same question must not join a request that is being aborted.
      this.#close(key, open)
      open.cut.abort(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([open.answer, rejectOnAbort(signal)])
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #close(key: string, open: Open): void {
    if (this.#open.get(key) === open) this.#open.delete(key)
  }

  #keep(key: string, tokens: number): void {
    this.#known.delete(key)
    this.#known.set(key, tokens)
    const [oldest] = this.#known.keys()
    if (this.#known.size > this.#limit && oldest !== undefined) this.#known.delete(oldest)
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Returns a text for the cache key, in which markers differ from plain text of the same letters, like their tokens. */
function keyText(prompt: string | Prompt, isPiece: boolean): string {
  const segments = typeof prompt === 'string' ? [{ text: prompt, isSpecial: false }] : prompt
  const marked = segments.map(
    ({ text, isSpecial }) => `${isSpecial ? 'marker' : 'text'} ${text.length} ${text}`,
  )
  return `${isPiece ? 'piece' : 'whole'} ${marked.join('')}`
}

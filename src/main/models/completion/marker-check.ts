import { isAppError } from '../../../shared/errors.ts'
import { isTooDeep } from '../../../shared/text/json-depth.ts'

/** What may be a control token by its form: a name in brackets, or between two rare signs. */
const candidate =
  /[<＜﹤][^\s<>＜＞﹤﹥\u2060]{1,80}[>＞﹥]|[[［]\/?[\p{L}\p{N}_|:-]{2,40}[\]］]|[\u25a0-\u27ff\u2980-\u2bff][^\s\u2060\u25a0-\u27ff\u2980-\u2bff]{1,40}[\u25a0-\u27ff\u2980-\u2bff]/gu

/**
 * Asks a server's tokenizer, with special tokens parsed, which strings are control tokens among `candidates`. Null:
 * the server has no such answer. Errors: `model/…`.
 */
export type AskMarkers = (
  candidates: readonly string[],
  signal: AbortSignal,
) => Promise<readonly string[] | null>

/**
 * Learns the control tokens of one model that no shape and no table gives away, from the texts that it is to be sent.
 *
 * Shape: each candidate is asked about once. One that the server could not be asked about counts as a control token
 * in this request, and is asked about again in the next. A server that cannot tell is asked once.
 */
export class MarkerCheck {
  readonly #ask: AskMarkers
  readonly #limit: number
  readonly #asked = new Set<string>()
  readonly #found = new Set<string>()
  #canTell = true

  /** `limit`: how many candidates one request may ask about. */
  constructor(ask: AskMarkers, limit: number) {
    this.#ask = ask
    this.#limit = limit
  }

  /** Returns all control tokens known so far. `texts` are as they would be sent, known markers broken. */
  async learn(texts: Iterable<string>, signal: AbortSignal): Promise<string[]> {
    const unknown = new Set<string>()
    if (this.#canTell) {
      for (const text of texts) {
        for (const [found] of text.matchAll(candidate)) if (!this.#asked.has(found)) unknown.add(found)
      }
    }
    if (unknown.size > 0) await this.#askAbout(unknown, signal)
    return [...this.#found, ...(this.#canTell ? unknown : [])]
  }

  /** Takes out of `unknown` what the server answered. */
  async #askAbout(unknown: Set<string>, signal: AbortSignal): Promise<void> {
    const asked = [...unknown].slice(0, this.#limit)
    try {
      const markers = await this.#ask(asked, signal)
      if (markers === null) this.#canTell = false
      else for (const marker of markers) this.#found.add(marker)
    } catch (error) {
      signal.throwIfAborted()
      // A server without this path says so; one that does not answer is asked again.
      if (isAppError(error, 'model/bad-response')) this.#canTell = false
      else return
    }
    for (const one of asked) {
      this.#asked.add(one)
      unknown.delete(one)
    }
  }
}

/** Every text in a part of a request: names of fields, and what stands in a text that is JSON, as well. */
export function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value
    if (/^\s*[[{]/.test(value)) yield* textsIn(parsed(value))
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield key
      yield* textsIn(item)
    }
  }
}

function parsed(json: string): unknown {
  if (isTooDeep(json)) return null
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/**
 * The control tokens in `candidates`: pieces of them that a tokenizer makes only when it parses special tokens.
 *
 * Shape: what is parsed moves the borders of other pieces, so that a piece has to be part of a candidate.
 */
export function onlySpecial(
  candidates: readonly string[],
  special: readonly string[],
  plain: readonly string[],
): string[] {
  const others = Map.groupBy(plain, (piece) => piece)
  return [...Map.groupBy(special, (piece) => piece)]
    .filter(([piece, all]) => all.length > (others.get(piece)?.length ?? 0))
    .map(([piece]) => piece.trim())
    .filter((piece) => piece.length > 2 && candidates.some((one) => one.includes(piece)))
}

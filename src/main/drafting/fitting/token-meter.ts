import type { PromptPart } from '../../../shared/domain/drafting/take.ts'
import { joinParts } from '../prompt/build-prompt.ts'

/**
 * Counter of a prompt's tokens.
 *
 * Units: tokens as the server reports them, with the BOS token unless `isPiece`; 0 for a text that is not empty
 * means more than it can tell.
 * Errors: `tokens/unreachable`, as thrown by `count`; the user may go on with a counter whose `isEstimate` is true.
 */
export type TokenCounter = {
  count(parts: readonly PromptPart[], signal: AbortSignal, options: { isPiece: boolean }): Promise<number>
  isEstimate: boolean
}

/** Counts for one fitting. Shape: `Infinity` is "too many to tell, and more than there is room for". */
export type TokenMeter = ReturnType<typeof createTokenMeter>

/** Source: KoboldCpp answers 0 from 50,000 tokens on (measured with 1.76). */
export const LARGEST_ANSWER = 49_999

/** Units: tokens. Source: `docs/decisions/drafting.md`, "Fitting the context". */
const PIECE_TOKENS = 45_000
const SEAM_TOKENS = 2
const ESTIMATE_MARGIN = 1.1
/** Units: UTF-16 code units; a first try that stays under `PIECE_TOKENS` for prose of most vocabularies. */
const PIECE_UNITS = 32_000

export function createTokenMeter(counter: TokenCounter, availableTokens: number, signal: AbortSignal) {
  let requests = 0
  const countedPieces = new Map<string, number>()

  const ask = async (parts: readonly PromptPart[], isPiece: boolean): Promise<number> => {
    signal.throwIfAborted()
    requests++
    const tokens = await counter.count(parts, signal, { isPiece })
    if (tokens === 0 && joinParts(parts) !== '') return Number.POSITIVE_INFINITY
    return counter.isEstimate ? Math.ceil(tokens * ESTIMATE_MARGIN) : tokens
  }

  /** Sums up the counts of pieces. Pieces are cut from the end: prompts that differ in their beginning share most. */
  const sumPieces = async (parts: readonly PromptPart[], from: number, to: number, unitsPerPiece: number) => {
    const text = joinParts(parts)
    let sum = 0
    for (let end = to; end > from; ) {
      const start = seamBefore(text, from, end, unitsPerPiece)
      sum += await pieceTokens(parts, text, start, end, unitsPerPiece)
      if (start > 0) sum += SEAM_TOKENS
      end = start
    }
    return sum
  }

  const pieceTokens = async (
    parts: readonly PromptPart[],
    text: string,
    from: number,
    to: number,
    units: number,
  ): Promise<number> => {
    const isFirst = from === 0
    const key = `${isFirst ? '^' : ''}${text.slice(from, to)}`
    const known = countedPieces.get(key)
    if (known !== undefined) return known
    const tokens = await ask(sliceParts(parts, from, to), !isFirst)
    if (tokens >= PIECE_TOKENS) {
      if (to - from < 2) return Number.POSITIVE_INFINITY
      const halves = await sumPieces(parts, from, to, Math.ceil(Math.min(units, to - from) / 2))
      return isFirst ? halves : halves - SEAM_TOKENS
    }
    countedPieces.set(key, tokens)
    return tokens
  }

  return {
    /** One request; `Infinity` where the counter cannot tell. */
    once: (parts: readonly PromptPart[]): Promise<number> => ask(parts, false),
    /** As `once`, but with room for more than one answer can tell, the sum of pieces. */
    async total(parts: readonly PromptPart[]): Promise<number> {
      const tokens = await ask(parts, false)
      if (Number.isFinite(tokens) || availableTokens <= LARGEST_ANSWER) return tokens
      return sumPieces(parts, 0, joinParts(parts).length, PIECE_UNITS)
    },
    requestCount: (): number => requests,
  }
}

/** Returns where a piece begins: after an LF where there is one; never inside a surrogate pair. */
function seamBefore(text: string, from: number, to: number, units: number): number {
  const earliest = to - units
  if (earliest <= from) return from
  const lineEnd = text.indexOf('\n', earliest - 1)
  if (lineEnd >= 0 && lineEnd + 1 < to) return lineEnd + 1
  const unit = text.charCodeAt(earliest)
  const isInPair = unit >= 0xdc00 && unit <= 0xdfff
  return isInPair && earliest + 1 < to ? earliest + 1 : earliest
}

function sliceParts(parts: readonly PromptPart[], from: number, to: number): PromptPart[] {
  const sliced: PromptPart[] = []
  let at = 0
  for (const { origin, text } of parts) {
    const piece = text.slice(Math.max(0, from - at), Math.max(0, to - at))
    if (piece !== '') sliced.push({ origin, text: piece })
    at += text.length
  }
  return sliced
}

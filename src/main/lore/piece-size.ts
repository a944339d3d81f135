import { AppError } from '../../shared/errors.ts'
import type { ActiveModel } from '../models/profiles/active-model.ts'
import { estimateTextTokens } from '../tokens/token-estimate.ts'

const answerShare = 0.25
/** Share of the remaining context that a piece may fill: token counts of pieces are not exact. */
const roomShare = 0.85
/** Least room that is worth a request. Units: tokens. */
const leastRoomTokens = 100

/**
 * Returns how much of a source one request has room for, and how long its answer may be. `answers`: number of answers
 * in the context, the one that is sent with the source included.
 *
 * Units: `chars` UTF-16. Errors: `model/context-overflow` where not even a short piece fits; `model/context-unknown`.
 */
export async function pieceSize(
  { client }: ActiveModel,
  request: { source: string; words: string; mostAnswerTokens: number; answers: number },
  signal: AbortSignal,
): Promise<{ chars: number; answerTokens: number }> {
  const { source, words, mostAnswerTokens, answers } = request
  const context = await client.contextWindow(signal)
  if (context === null) throw new AppError({ code: 'model/context-unknown' })
  const answerTokens = Math.min(mostAnswerTokens, Math.trunc(context.tokens * answerShare))
  const room = context.tokens - estimateTextTokens(words) - answers * answerTokens
  if (room < leastRoomTokens) {
    throw new AppError({
      code: 'model/context-overflow',
      usedTokens: context.tokens - room + leastRoomTokens,
      limitTokens: context.tokens,
    })
  }
  const counted =
    client.countTokens === null ? 0 : await client.countTokens(source, signal, { isPiece: true })
  const tokens = counted > 0 ? counted : estimateTextTokens(source)
  const chars = Math.floor((source.length * room * roomShare) / Math.max(1, tokens))
  return { chars: Math.max(leastRoomTokens, chars), answerTokens }
}

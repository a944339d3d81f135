import type { FitRequest } from '../src/main/drafting/fitting/body-room.ts'
import { buildPrompt } from '../src/main/drafting/prompt/build-prompt.ts'
import { indexCodePoints } from '../src/shared/text/code-points.ts'

/** Shape: `cutChars` undefined: nothing fitted. Units: code points. */
export type LinearFit = { cutChars: number | undefined; tokens: number; requestCount: number }

/**
 * The search of the seed, one step after the other: the baseline of fitting.
 *
 * Source: *Novel prompts* 2.3, with the `≤` of `docs/decisions/drafting.md`.
 */
export async function fitLinearly(request: FitRequest): Promise<LinearFit> {
  const { stepChars, offsetChars } = request.settings
  const availableTokens = (request.contextTokens ?? 0) - request.outputTokens
  const body = indexCodePoints(request.draft.body)
  let requestCount = 0
  const count = (text: string, isBodyAlone = false): Promise<number> => {
    requestCount++
    const parts = isBodyAlone ? [{ origin: 'body' as const, text }] : buildPrompt(request.frame, text).parts
    return request.counter.count(parts, request.signal, { isPiece: false })
  }

  const totalTokens = await count(body.text)
  if (totalTokens <= availableTokens) return { cutChars: 0, tokens: totalTokens, requestCount }
  const bodyTokens = await count(body.text, true)
  const roomTokens = availableTokens - (totalTokens - bodyTokens)
  const expectedChars = Math.trunc(roomTokens / (bodyTokens / body.length))
  let smallest = totalTokens
  for (
    let cutChars = Math.max(0, body.length - expectedChars - offsetChars);
    cutChars < body.length;
    cutChars += stepChars
  ) {
    const tokens = await count(body.from(cutChars))
    if (tokens <= availableTokens) return { cutChars, tokens, requestCount }
    smallest = Math.min(smallest, tokens)
  }
  return { cutChars: undefined, tokens: smallest, requestCount }
}

import { AppError } from '../../../shared/errors.ts'
import { indexCodePoints } from '../../../shared/text/code-points.ts'
import { isSentenceComplete, splitBody } from '../prompt/body-lines.ts'
import type { BuiltPrompt } from '../prompt/build-prompt.ts'
import { rollsBefore } from '../prompt/roll-draft.ts'
import {
  cachedRate,
  cacheOf,
  type FitRequest,
  type FittedPrompt,
  type Fitting,
  promptFrom,
} from './body-room.ts'
import { fitAnchored, headTextAt } from './fit-anchored.ts'
import { type Cut, fitTokenDynamic, type NoCut } from './fit-token-dynamic.ts'
import { createTokenMeter, LARGEST_ANSWER } from './token-meter.ts'

/** Units: code points, and a share of the body. Source: defaults of the public implementation's settings. */
const SHORT_CHARS = 2500
const SHORT_SHARE = 0.5

/**
 * Fits a draft into the context window: cuts the body's head by the chosen mode and returns the prompt to send.
 *
 * Errors: `model/context-unknown`; `model/context-overflow` when nothing that fits was found, and then nothing
 * may be sent; `tokens/unreachable` from the counter.
 */
export async function fitDraft(request: FitRequest): Promise<FittedPrompt> {
  const { contextTokens, outputTokens, counter, signal } = request
  if (contextTokens === undefined) throw new AppError({ code: 'model/context-unknown' })
  const availableTokens = contextTokens - outputTokens
  if (outputTokens < 1 || availableTokens <= 0) throw overflow(outputTokens, contextTokens)

  const body = indexCodePoints(request.draft.body)
  const meter = createTokenMeter(counter, availableTokens, signal)
  const fitting: Fitting = { request, body, meter, availableTokens }
  const cut = await cutByMode(fitting)
  if ('usedTokens' in cut) throw overflow(cut.usedTokens, availableTokens)

  const prompt = promptFrom(fitting, cut.cutChars)
  const keptChars = body.length - cut.cutChars
  const kept = { chars: keptChars, tokens: cut.tokens }
  const rate = cut.rate ?? cachedRate(fitting)
  return {
    prompt,
    totalTokens: cut.tokens,
    availableTokens,
    contextTokens,
    isEstimate: counter.isEstimate,
    bodyChars: body.length,
    keptChars,
    isShortened: keptChars < body.length * SHORT_SHARE && keptChars < SHORT_CHARS,
    requestCount: meter.requestCount(),
    cache: rate && cacheOf(fitting, rate, kept),
    ...(cut.recentTokens === undefined ? {} : { recentTokens: cut.recentTokens }),
    ...(request.settings.fitMode === 'anchored' && isBodySent(fitting)
      ? { anchor: anchorAt(fitting, cut.cutChars, prompt) }
      : {}),
  }
}

function cutByMode(fitting: Fitting): Promise<Cut | NoCut> {
  if (!isBodySent(fitting)) return fitByChars(fitting, Number.POSITIVE_INFINITY)
  switch (fitting.request.settings.fitMode) {
    case 'token_dynamic':
      return fitTokenDynamic(fitting)
    case 'char_trim':
      return fitByChars(fitting, fitting.request.settings.maxBodyChars)
    case 'none':
      return fitByChars(fitting, Number.POSITIVE_INFINITY)
    case 'anchored':
      return fitAnchored(fitting, fitting.request.anchor)
  }
}

/** True where the prompt has a body. An idea's prompt has none, so that cutting it cannot help. */
function isBodySent({ request, body }: Fitting): boolean {
  return request.frame.mode === 'generate' && body.length > 0
}

/** Trims only a prompt that does not fit as it is. */
async function fitByChars({ meter, ...fitting }: Fitting, maxBodyChars: number): Promise<Cut | NoCut> {
  const count = (cutChars: number) => meter.total(promptFrom({ meter, ...fitting }, cutChars).parts)
  const wholeTokens = await count(0)
  if (wholeTokens <= fitting.availableTokens) return { cutChars: 0, tokens: wholeTokens }
  const cutChars = fitting.body.length - maxBodyChars
  if (cutChars <= 0) return { usedTokens: wholeTokens }
  const tokens = await count(cutChars)
  return tokens <= fitting.availableTokens ? { cutChars, tokens } : { usedTokens: tokens }
}

function anchorAt(fitting: Fitting, cutChars: number, prompt: BuiltPrompt) {
  const { request, body } = fitting
  const sent = body.from(cutChars)
  const isComplete = isSentenceComplete(sent, request.frame.settings.extendedCompleteness)
  const mainUnits = prompt.task.startsWith('CONT') ? splitBody(sent, isComplete).main.length : 0
  return {
    fromChars: cutChars,
    headText: headTextAt(body, cutChars),
    held: rollsBefore(request.draft.rolls, body.toUtf16(cutChars) + mainUnits),
  }
}

/** Returns the error of an overflow. A total that the counter cannot tell is more than its largest answer. */
function overflow(usedTokens: number, limitTokens: number): AppError {
  const told = Number.isFinite(usedTokens) ? usedTokens : LARGEST_ANSWER + 1
  return new AppError({ code: 'model/context-overflow', usedTokens: told, limitTokens })
}

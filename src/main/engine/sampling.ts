import {
  type Llama,
  type LlamaContextSequence,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type SequenceEvaluateOptions,
  TokenBias,
} from 'node-llama-cpp'
import { wholeSampler } from '../../shared/domain/model/sampler.ts'
import { AppError } from '../../shared/errors.ts'
import type { EngineRequest } from './engine-contract.ts'

/** Returns a request's settings in the library's form. Errors: `model/bad-request` for a grammar that does not parse. */
export async function samplingOptions(
  { llama, model }: { llama: Llama; model: LlamaModel },
  request: EngineRequest,
  sequence: LlamaContextSequence,
): Promise<SequenceEvaluateOptions> {
  const { sampler, grammar } = request
  const options: SequenceEvaluateOptions = {
    temperature: sampler.temperature,
    topK: sampler.topK,
    topP: sampler.topP,
    minP: sampler.minP,
    seed: request.seed,
  }
  if (sampler.repeatPenalty !== 1 && sampler.repeatRange > 0) {
    options.repeatPenalty = {
      punishTokens: () => sequence.contextTokens.slice(-sampler.repeatRange),
      maxPunishTokens: sampler.repeatRange,
      penalty: sampler.repeatPenalty,
    }
  }
  const { xtcProbability, xtcThreshold, dryMultiplier, dryBase, dryAllowedLength, dryRange, dryBreakers } =
    wholeSampler(sampler)
  if (xtcProbability > 0) options.xtc = { probability: xtcProbability, threshold: xtcThreshold }
  if (dryMultiplier > 0) {
    options.dryRepeatPenalty = {
      strength: dryMultiplier,
      base: dryBase,
      allowedLength: dryAllowedLength,
      lastTokens: dryRange,
      sequenceBreakers: dryBreakers,
    }
  }
  if (request.isEosBanned && grammar === '') options.tokenBias = bannedEnds(model)
  const { bannedStarts = [] } = request
  const biased = [
    ...(sampler.logitBias ?? []),
    ...bannedStarts.map((text) => ({ text, bias: Number.NEGATIVE_INFINITY })),
  ]
  if (biased.length > 0) options.tokenBias = biasedTexts(model, biased, options.tokenBias)
  if (grammar !== '') {
    try {
      const parsed = await llama.createGrammar({ grammar })
      options.grammarEvaluationState = new LlamaGrammarEvaluationState({ model, grammar: parsed })
    } catch (error) {
      const reason = 'the grammar does not parse'
      throw new AppError({ code: 'model/bad-request', reason }, { cause: error })
    }
  }
  return options
}

const endsByModel = new WeakMap<LlamaModel, TokenBias>()

/** Returns a bias that keeps the model from ending by itself. */
function bannedEnds(model: LlamaModel): TokenBias {
  const known = endsByModel.get(model)
  if (known !== undefined) return known
  const bias = TokenBias.for(model)
  const biases = biasesOf(bias)
  for (const token of model.iterateAllTokens()) {
    if (model.isEogToken(token)) biases.set(token, Number.NEGATIVE_INFINITY)
  }
  endsByModel.set(model, bias)
  return bias
}

/** Adds a bias for the tokens of texts to `base`; −∞ prevents these tokens. */
function biasedTexts(
  model: LlamaModel,
  texts: readonly { text: string; bias: number }[],
  base: TokenBias | (() => TokenBias) | undefined,
): TokenBias {
  const bias = TokenBias.for(model)
  const biases = biasesOf(bias)
  const before = typeof base === 'function' ? base() : base
  if (before !== undefined) for (const [token, value] of biasesOf(before)) biases.set(token, value)
  for (const { text, bias: value } of texts) {
    // Some vocabularies put a space before a text; within a sentence there is none.
    for (const tokens of [model.tokenize(text, false), model.tokenize(text, false, 'trimLeadingSpace')]) {
      for (const token of tokens) biases.set(token, value)
    }
  }
  return bias
}

/** Returns the map of a bias, which, unlike its `set`, accepts tokens that end a text (in this pinned version). */
function biasesOf(bias: TokenBias): Map<unknown, unknown> {
  const biases: unknown = Reflect.get(bias, '_biases')
  if (!(biases instanceof Map)) throw new Error('node-llama-cpp keeps its token biases elsewhere')
  return biases
}

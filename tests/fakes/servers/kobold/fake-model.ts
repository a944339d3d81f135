import { isSpecialToken, tokenize } from '../fake-tokenizer.ts'
import { sampleGrammar } from '../gbnf-sample.ts'

/** A generate request with checked types and the server's defaults filled in. */
export type Payload = {
  prompt: string
  memory: string
  max_length: number
  max_context_length: number
  temperature: number
  sampler_seed: number
  stop_sequence: string[]
  trim_stop: boolean
  ban_eos_token: boolean
  bypass_eos: boolean
  render_special: boolean
  grammar: string
  genkey: string
  logit_bias: Record<string, number>
}

export type Answer = string | ((prompt: string, payload: Payload) => string)

const story =
  '雨は夜半に上がった。窓を開けると、濡れた土の匂いがした。猫は縁側で丸くなり、遠くの汽笛を聞いている。' +
  '「もう行くのか」と祖父が言った。彼女は答えず、鞄の金具を留めた。時計は五時を打ったところだった。\n'

/** -1 nothing yet, 0 length or abort, 1 EOS, 2 stop sequence. */
type StopReason = -1 | 0 | 1 | 2

/** What the model works on, or last worked on. */
export type Generation = {
  genkey: string
  /** Everything so far, also what `trim_stop` hides. */
  text: string
  tokens: number
  stopReason: StopReason
  seed: number
  isAborted: boolean
  isRunning: boolean
}

/**
 * The tokens that the "model" reads: memory in front, the prompt's own head silently dropped when it is too
 * long, the first token replaced by BOS. Source: KoboldCpp 1.76 as measured, Prompt too long.
 */
export function promptTokens(payload: Payload, contextTokens: number): { tokens: string[]; isCut: boolean } {
  const context = Math.min(payload.max_context_length, contextTokens)
  const room = context - outputLimit(payload, context)
  const memory = tokenize(payload.memory)
  const prompt = tokenize(payload.prompt)
  const kept = Math.max(0, room - memory.length - 1)
  const isCut = prompt.length > kept
  const tail = isCut ? prompt.slice(prompt.length - kept) : prompt
  return { tokens: ['<s>', ...memory, ...tail].slice(-Math.max(1, room)), isCut }
}

export function outputLimit(payload: Payload, contextTokens: number): number {
  return payload.max_length >= contextTokens ? Math.max(0, contextTokens - 16) : payload.max_length
}

/** The tokens that the model would say; null stands for EOS. Endless: the caller stops it. */
export function* speak(
  payload: Payload,
  answer: Answer | undefined,
  grammarAnswer?: (prompt: string) => string,
): Generator<string | null> {
  if (payload.logit_bias['2'] === 100) {
    for (;;) yield null
  }
  const random = seededRandom(payload.sampler_seed)
  const held = () => grammarAnswer?.(payload.prompt) ?? sampleGrammar(payload.grammar, random)
  const constrained = payload.grammar === '' ? null : held()
  const text = constrained ?? freeText(payload, answer)
  for (;;) {
    yield* tokenize(constrained === null ? text : (held() ?? text))
    // With EOS banned a model goes on, as it can, until its length.
    do yield null
    while (!payload.ban_eos_token)
  }
}

function freeText(payload: Payload, answer: Answer | undefined): string {
  if (typeof answer === 'string') return answer
  if (answer !== undefined) return answer(payload.prompt, payload)
  const start = Math.abs(payload.sampler_seed * 7) % story.length
  return (story.slice(start) + story).repeat(40)
}

/** Returns the printed form of a token; special tokens are printed as nothing unless `render_special`. */
export function printed(token: string | null, payload: Payload): string {
  if (token === null) return payload.render_special ? '</s>' : ''
  return isSpecialToken(token) && !payload.render_special ? '' : token
}

export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

/** Cuts at the first of the stop sequences, all of them, as `trim_stop` does. */
export function trimAtStop(text: string, stops: readonly string[]): string {
  let end = text.length
  for (const stop of stops) {
    const at = stop === '' ? -1 : text.indexOf(stop)
    if (at !== -1) end = Math.min(end, at)
  }
  return text.slice(0, end)
}

/** What may be streamed while a stop sequence could still be forming at the end. */
export function holdBack(text: string, stops: readonly string[]): string {
  let held = 0
  for (const stop of stops) {
    for (let size = 1; size < stop.length; size += 1) {
      if (text.endsWith(stop.slice(0, size))) held = Math.max(held, size)
    }
  }
  return text.slice(0, text.length - held)
}

import type { Payload } from './fake-model.ts'

type Check = (value: unknown) => boolean

const isString: Check = (value) => typeof value === 'string' && value.isWellFormed()
const isInteger: Check = (value) => typeof value === 'number' && Number.isInteger(value)
const isNumber: Check = (value) => typeof value === 'number'

const checks: Partial<Record<keyof Payload | 'top_k' | 'top_p' | 'min_p' | 'rep_pen', Check>> = {
  prompt: isString,
  memory: isString,
  genkey: isString,
  grammar: isString,
  max_length: isInteger,
  max_context_length: isInteger,
  sampler_seed: isInteger,
  top_k: isInteger,
  temperature: isNumber,
  top_p: isNumber,
  min_p: isNumber,
  rep_pen: isNumber,
}

/** Keys whose whole numbers must not be written as floats. */
export const integerKeys = ['max_length', 'max_context_length', 'sampler_seed', 'top_k']

/**
 * Reads a generate body as KoboldCpp 1.76 does; null where its C++ call refuses a type, which the server answers
 * with 200 and `null`. Unknown fields are ignored.
 */
export function readPayload(body: Record<string, unknown>, contextTokens: number): Payload | null {
  for (const [key, isRight] of Object.entries(checks)) {
    if (key in body && !isRight(body[key])) return null
  }
  const stops = body.stop_sequence ?? []
  const list = typeof stops === 'string' ? [...stops] : stops
  if (!Array.isArray(list) || !list.every(isString)) return null
  const seed = (body.sampler_seed as number | undefined) ?? -1
  return {
    prompt: (body.prompt as string | undefined) ?? '',
    memory: (body.memory as string | undefined) ?? '',
    max_length: (body.max_length as number | undefined) ?? 180,
    max_context_length: (body.max_context_length as number | undefined) ?? contextTokens,
    temperature: (body.temperature as number | undefined) ?? 0.7,
    sampler_seed: seed < 0 ? Math.floor(Date.now() / 1000) % 1_000_000 : seed,
    stop_sequence: list as string[],
    trim_stop: body.trim_stop === true,
    ban_eos_token: body.ban_eos_token === true,
    bypass_eos: body.bypass_eos === true,
    render_special: body.render_special === true,
    grammar: (body.grammar as string | undefined) ?? '',
    genkey: (body.genkey as string | undefined) ?? '',
    logit_bias: (body.logit_bias as Record<string, number> | undefined) ?? {},
  }
}

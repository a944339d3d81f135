import { type CompletionRequest, promptText } from '../client/model-client.ts'
import { samplerBody } from '../client/sampler-table.ts'
import { breakInPrompt, type ControlStrings } from '../completion/break-control-strings.ts'
import { wireText } from '../completion/request-check.ts'
import { usableStops } from '../completion/stop-cutter.ts'
import { grammarOf } from '../embedded/json-schema-grammar.ts'

/** Maximum numbers that the engine reads; we cut at further stops. Source: KoboldCpp 1.76 as measured. */
const stopLimit = 32
const bannedPhraseLimit = 48

/**
 * Returns the body of `POST /api/extra/generate/stream` with every sampler value, so that no default applies. The
 * server reads control strings anywhere, so only the template's own are left whole.
 *
 * Source: KoboldCpp 1.76 as measured, POST /api/v1/generate.
 */
export function koboldPayload(
  request: CompletionRequest,
  genkey: string,
  contextTokens: number,
  controls: ControlStrings,
): Record<string, unknown> {
  return {
    prompt: promptText(breakInPrompt(request.prompt, controls)),
    memory: '',
    genkey,
    max_length: request.maxTokens,
    max_context_length: contextTokens,
    ...samplerBody(request.sampler, 'koboldcpp'),
    tfs: 1,
    sampler_seed: request.seed,
    stop_sequence: usableStops(request.stops).slice(0, stopLimit).map(wireText),
    trim_stop: true,
    ban_eos_token: request.isEosBanned === true,
    bypass_eos: false,
    render_special: false,
    banned_tokens: (request.bannedPhrases ?? []).slice(0, bannedPhraseLimit).map(wireText),
    grammar: gbnfOf(request),
    ...(request.tellsChances === true && { logprobs: true }),
    quiet: true,
  }
}

function gbnfOf({ constraint }: CompletionRequest): string {
  if (constraint === undefined) return ''
  return constraint.kind === 'gbnf' ? constraint.grammar : grammarOf(constraint.schema)
}

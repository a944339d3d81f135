import { LlamaProps, type OpenaiFacts } from '../client/openai-facts.ts'
import { llamaSampler } from '../client/sampler-table.ts'
import { tokensOfTemplate } from '../completion/marker-forms.ts'
import type { FactQuestion, Flavour } from './flavour.ts'
import { other, ownAnswer } from './other.ts'

/** Source: llama-server as measured; `docs/decisions/models.md`. */
export const llamaCpp: Flavour = {
  ...other,
  usualPort: 8080,
  owner: 'llamacpp',
  mark: { path: '/props', shape: LlamaProps },
  readFacts: llamaFacts,
  sampler: llamaSampler,
  completion: 'llama',
  hasCounter: true,
  hasReuseCount: true,
  hasGbnf: true,
  canBanEnd: true,
  stopLimit: 32,
}

/** Reads llama.cpp's facts. `n_ctx` is a slot's share, or all of a cache that slots share: no answer tells which. */
async function llamaFacts({ http, model, signal }: FactQuestion): Promise<OpenaiFacts | null> {
  const answer = await ownAnswer(http.get('/props', LlamaProps, signal))
  if (answer === null) return null
  let props = answer
  if (props.default_generation_settings.n_ctx === 0) {
    const path = `/props?model=${encodeURIComponent(model)}&autoload=false`
    // For a model of a router that is not loaded there are no facts yet.
    props = await http.get(path, LlamaProps, signal).catch(() => answer)
  }
  return {
    modelName: props.model_alias && props.default_generation_settings.n_ctx > 0 ? props.model_alias : model,
    version: props.build_info ?? null,
    contextTokens: props.default_generation_settings.n_ctx || null,
    hasTools: props.chat_template_caps?.supports_tools ?? null,
    hasImages: props.modalities?.vision ?? null,
    ownTokens: [
      ...tokensOfTemplate(props.chat_template ?? ''),
      ...[props.bos_token, props.eos_token].filter((token) => typeof token === 'string'),
    ],
    slots: props.total_slots ?? 1,
  }
}

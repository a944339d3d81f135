import type { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import type { Flavour } from './flavour.ts'
import { llamaCpp } from './llama-cpp.ts'
import { lmStudio } from './lm-studio.ts'
import { ollama } from './ollama.ts'
import { other } from './other.ts'
import { vllm } from './vllm.ts'

/**
 * Every kind of server that speaks OpenAI's API, in the order in which an address is tried: LM Studio answers unknown
 * paths, too, and older versions of llama.cpp know some paths of Ollama.
 */
export const flavours: Readonly<Record<OpenaiFlavour, Flavour>> = {
  'lm-studio': lmStudio,
  'llama.cpp': llamaCpp,
  ollama,
  vllm,
  other,
}

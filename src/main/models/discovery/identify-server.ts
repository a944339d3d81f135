import { z } from 'zod'
import type { FoundServer } from '../../../shared/domain/model/model-found.ts'
import type { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { LlamaProps, LmStudioModels, OllamaVersion, ServedModels } from '../client/openai-facts.ts'
import { OpenaiHttp } from '../client/openai-http.ts'
import type { ModelServer } from '../client/server-http.ts'
import { KoboldApi } from '../kobold/kobold-api.ts'

const LlamaHealth = z.object({ status: z.literal('ok') })

/**
 * Finds out what kind of server an address is and which models it has, by GET only. The body's shape decides,
 * never the status: LM Studio answers 200 to unknown paths, older llama-servers answer Ollama's.
 *
 * Errors: `model/bad-response` for anything but a model server, `model/unauthorized` for a wrong key, and those of a
 * server that does not answer.
 * Source: `docs/decisions/models.md`, "Discovery".
 */
export async function identifyServer(server: ModelServer, signal: AbortSignal): Promise<FoundServer> {
  const { address } = server
  const http = new OpenaiHttp(server)
  const hasKey = ((await server.key()) ?? '') !== ''
  try {
    const { data } = await http.get(`${http.apiPath}/models`, ServedModels, signal)
    if (data.some(({ owned_by }) => owned_by === 'koboldcpp')) return await kobold(server, signal)
    const flavour = await flavourOf(http, data, signal)
    const models = await modelsOf(http, flavour, data, signal)
    return { backend: 'openai', address, flavour, models, needsKey: false }
  } catch (error) {
    if (isAppError(error, 'model/unauthorized') && !hasKey) {
      // A llama-server answers only `/health` without a key.
      const isLlama = await isShaped(http, '/health', LlamaHealth, signal)
      const flavour = isLlama ? 'llama.cpp' : 'other'
      return { backend: 'openai', address, flavour, models: [], needsKey: true }
    }
    if (!isAppError(error, 'model/bad-response') && !isAppError(error, 'model/bad-request')) throw error
    // Older versions of KoboldCpp have no list of models at that path.
    return kobold(server, signal).catch((second: unknown) => {
      throw second instanceof AppError && second.info.code === 'model/unauthorized' ? second : error
    })
  }
}

async function kobold(server: ModelServer, signal: AbortSignal): Promise<FoundServer> {
  const api = new KoboldApi(server)
  const { version, protected: isProtected } = await api.version(signal)
  // One request after the other: the server has few threads, and the first answer must show that it is KoboldCpp.
  const modelName = await api.modelName(signal)
  const contextTokens = await api.contextTokens(signal)
  const needsKey = isProtected && modelName === null
  return { backend: 'koboldcpp', address: server.address, version, modelName, contextTokens, needsKey }
}

type Served = z.infer<typeof ServedModels>['data']

async function flavourOf(http: OpenaiHttp, data: Served, signal: AbortSignal): Promise<OpenaiFlavour> {
  const owners = new Set(data.map(({ owned_by }) => owned_by))
  if (owners.has('llamacpp')) return 'llama.cpp'
  if (owners.has('vllm')) return 'vllm'
  if (!isNear(http.address)) return 'other'
  if (await isShaped(http, '/api/v0/models', LmStudioModels, signal)) return 'lm-studio'
  // Before Ollama: an older llama-server knows some of its paths.
  if (await isShaped(http, '/props', LlamaProps, signal)) return 'llama.cpp'
  if (await isShaped(http, '/api/version', OllamaVersion, signal)) return 'ollama'
  return 'other'
}

/** Returns the models that write text; in LM Studio the loaded ones first. */
async function modelsOf(
  http: OpenaiHttp,
  flavour: OpenaiFlavour,
  data: Served,
  signal: AbortSignal,
): Promise<string[]> {
  if (flavour !== 'lm-studio') return data.map(({ id }) => id)
  const { data: known } = await http.get('/api/v0/models', LmStudioModels, signal)
  const isLoaded = (model: (typeof known)[number]) => Number(model.state === 'loaded')
  return known
    .filter(({ type }) => type !== 'embeddings')
    .toSorted((left, right) => isLoaded(right) - isLoaded(left))
    .map(({ id }) => id)
}

/** True where the answer has this shape; false also for a failed request, since the next step notices a lost server. */
async function isShaped(
  http: OpenaiHttp,
  path: string,
  shape: z.ZodType,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await http.get(path, shape, signal)
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) return false
    throw error
  }
}

/** False for a service on the internet, which is not one of the local servers and is not asked for their paths. */
function isNear(address: string): boolean {
  const { hostname, protocol } = new URL(address)
  if (protocol === 'http:') return true
  return !hostname.includes('.') || hostname.endsWith('.local') || /^[\d.]+$|^\[/.test(hostname)
}

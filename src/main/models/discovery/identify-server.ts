import { z } from 'zod'
import type { FoundServer } from '../../../shared/domain/model/model-found.ts'
import type { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { ServedModels } from '../client/openai-facts.ts'
import { OpenaiHttp } from '../client/openai-http.ts'
import type { ModelServer } from '../client/server-http.ts'
import type { Flavour } from '../flavours/flavour.ts'
import { flavours } from '../flavours/flavours.ts'
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
    const flavour = await flavourOf(http, new Set(data.map(({ owned_by }) => owned_by)), signal)
    const models = (await flavours[flavour].listModels?.(http, signal)) ?? data.map(({ id }) => id)
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

async function flavourOf(
  http: OpenaiHttp,
  owners: Set<string | null | undefined>,
  signal: AbortSignal,
): Promise<OpenaiFlavour> {
  const tried = Object.entries(flavours) as [OpenaiFlavour, Flavour][]
  const owning = tried.find(([, { owner }]) => owner !== undefined && owners.has(owner))
  if (owning !== undefined) return owning[0]
  if (!isNear(http.address)) return 'other'
  for (const [name, { mark }] of tried)
    if (mark !== undefined && (await isShaped(http, mark.path, mark.shape, signal))) return name
  return 'other'
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

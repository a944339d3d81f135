import { z } from 'zod'
import type { FoundServer } from '../../../shared/domain/model/model-found.ts'
import type { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { ServedModels } from '../client/openai-facts.ts'
import { isUnanswered } from '../client/openai-faults.ts'
import { OpenaiHttp } from '../client/openai-http.ts'
import type { ModelServer } from '../client/server-http.ts'
import type { Flavour } from '../flavours/flavour.ts'
import { flavours } from '../flavours/flavours.ts'
import { ownApis } from './own-apis.ts'

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
    const owners = new Set(data.map(({ owned_by }) => owned_by))
    const own = Object.values(ownApis).find(({ owner }) => owner !== undefined && owners.has(owner))
    if (own !== undefined) return await (await own.load()).identify(server, signal)
    const flavour = await flavourOf(http, owners, signal)
    const names = (await flavours[flavour].listModels?.(http, signal)) ?? data.map(({ id }) => id)
    return openaiServer(address, flavour, names)
  } catch (error) {
    if (isAppError(error, 'model/unauthorized') && !hasKey) {
      // A llama-server answers only `/health` without a key.
      const isLlama = await isShaped(http, '/health', LlamaHealth, signal)
      return { ...openaiServer(address, isLlama ? 'llama.cpp' : 'other', []), needsKey: true }
    }
    if (!isUnanswered(error) && !isAppError(error, 'model/bad-request')) throw error
    // An error in an API's form, from a server that is not known to be one of models.
    const isError = isAppError(error, 'model/server-error')
    return ownServer(server, signal, isError ? http.badResponse(error.info.reason, error) : error)
  }
}

/** Asks a server without OpenAI's list of models by each other API. Errors: `unknown` where none is its own. */
async function ownServer(server: ModelServer, signal: AbortSignal, unknown: unknown): Promise<FoundServer> {
  for (const { load } of Object.values(ownApis)) {
    try {
      return await (await load()).identify(server, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (isAppError(error, 'model/unauthorized')) throw error
    }
  }
  throw unknown
}

function openaiServer(address: string, flavour: OpenaiFlavour, names: readonly string[]): FoundServer {
  const choice = { backend: 'openai', address, flavour } as const
  const models = names.map((model) => ({ name: model, choice: { ...choice, model } }))
  return { ...choice, models, contextTokens: null, needsKey: false }
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

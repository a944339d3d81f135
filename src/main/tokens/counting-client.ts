import type { ModelClient, ModelDescription } from '../models/model-client.ts'
import { TokenCounts } from './token-counts.ts'

/**
 * The same client with a memory for its counts.
 *
 * A server may be started anew with another model at the same address: each question for its context window
 * also asks for its name, and a new one empties the memory.
 */
export function withCountMemory(client: ModelClient, hash: (text: string) => string): ModelClient {
  if (client.countTokens === null) return client
  const counts = new TokenCounts(client.countTokens, hash)
  let known: string | undefined
  const describe = async (signal: AbortSignal): Promise<ModelDescription> => {
    const description = await client.describe(signal)
    const identity = JSON.stringify([description.modelName, description.version])
    if (known !== undefined && known !== identity) counts.forget()
    known = identity
    return description
  }
  return {
    capabilities: client.capabilities,
    describe,
    contextWindow: async (signal) => (await describe(signal)).context,
    countTokens: counts.count,
    countChat: client.countChat,
    ...(client.watchHealth === undefined ? {} : { watchHealth: client.watchHealth }),
    complete: (request, signal) => client.complete(request, signal),
    chat: (request, signal) => client.chat(request, signal),
    dispose: () => client.dispose(),
  }
}

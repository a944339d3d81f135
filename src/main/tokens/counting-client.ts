import { AppError } from '../../shared/errors.ts'
import type { ModelClient, ModelDescription } from '../models/client/model-client.ts'
import { TokenCounts } from './token-counts.ts'

/**
 * Returns the client with a cache of its token counts.
 *
 * A server may be restarted with another model at the same address: each request for its context window also asks for
 * the model's name, and a new name empties the cache.
 */
export function withCountMemory(client: ModelClient, hash: (text: string) => string): ModelClient {
  const counts = new TokenCounts(async (...asked) => {
    // Only called where the client has a counter; a client that had one keeps it.
    if (client.countTokens === null) throw new AppError({ code: 'tokens/unreachable' })
    return client.countTokens(...asked)
  }, hash)
  let known: string | undefined
  let servedName: string | null | undefined
  const describe = async (signal: AbortSignal): Promise<ModelDescription> => {
    const description = await client.describe(signal)
    const identity = JSON.stringify([description.modelName, description.version])
    if (known !== undefined && known !== identity) counts.forget()
    known = identity
    servedName = description.modelName
    return description
  }
  return {
    get capabilities() {
      return client.capabilities
    },
    get servedName() {
      return servedName
    },
    get isBusy() {
      return client.isBusy === true
    },
    ...(client.learn && { learn: client.learn.bind(client) }),
    ...(client.findContinuation && { findContinuation: client.findContinuation.bind(client) }),
    ...(client.requestsAtOnce && { requestsAtOnce: client.requestsAtOnce.bind(client) }),
    ...(client.tryTools && { tryTools: client.tryTools.bind(client) }),
    ...(client.revive && { revive: client.revive.bind(client) }),
    ...(client.nextWords && { nextWords: client.nextWords }),
    describe,
    contextWindow: async (signal) =>
      client.countTokens === null ? client.contextWindow(signal) : (await describe(signal)).context,
    get countTokens() {
      return client.countTokens === null ? null : counts.count
    },
    get countChat() {
      return client.countChat
    },
    ...(client.watchHealth === undefined ? {} : { watchHealth: client.watchHealth }),
    complete: (request, signal) => client.complete(request, signal),
    chat: (request, signal) => client.chat(request, signal),
    dispose: () => client.dispose(),
  }
}

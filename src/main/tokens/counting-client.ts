import { AppError } from '../../shared/errors.ts'
import type { ModelClient, ModelDescription } from '../models/client/model-client.ts'
import { TokenCounts } from './token-counts.ts'

/**
 * Returns the client with a cache of its token counts. What waits for a count or for facts of the server ends with the
 * client: a server that hangs would hold a draft up long after another model was chosen.
 *
 * Errors: as those of the client; `model/replaced`, with `name`, from these once it is disposed.
 * A server may be restarted with another model at the same address: each request for its context window also asks for
 * the model's name, and a new name empties the cache.
 */
export function withCountMemory(
  client: ModelClient,
  name: string,
  hash: (text: string) => string,
): ModelClient {
  const counts = new TokenCounts(async (...asked) => {
    // Only called where the client has a counter; a client that had one keeps it.
    if (client.countTokens === null) throw new AppError({ code: 'tokens/unreachable' })
    return client.countTokens(...asked)
  }, hash)
  const life = new AbortController()
  const whileOpen = async <T>(signal: AbortSignal, ask: (until: AbortSignal) => Promise<T>): Promise<T> => {
    const until = AbortSignal.any([signal, life.signal])
    try {
      until.throwIfAborted()
      return await ask(until)
    } catch (error) {
      if (signal.aborted || !life.signal.aborted) throw error
      throw new AppError({ code: 'model/replaced', modelName: name }, { cause: error })
    }
  }
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
  const countTokens: NonNullable<ModelClient['countTokens']> = (prompt, signal, options) =>
    whileOpen(signal, (until) => counts.count(prompt, until, options))
  const countChat: NonNullable<ModelClient['countChat']> = (conversation, signal) =>
    whileOpen(signal, async (until) => {
      if (client.countChat === null) throw new AppError({ code: 'tokens/unreachable' })
      return client.countChat(conversation, until)
    })
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
    ...(client.learn && { learn: (signal) => whileOpen(signal, async (until) => client.learn?.(until)) }),
    ...(client.findContinuation && { findContinuation: client.findContinuation.bind(client) }),
    ...(client.requestsAtOnce && { requestsAtOnce: client.requestsAtOnce.bind(client) }),
    ...(client.tryTools && { tryTools: client.tryTools.bind(client) }),
    ...(client.revive && { revive: client.revive.bind(client) }),
    ...(client.nextWords && { nextWords: client.nextWords }),
    describe: (signal) => whileOpen(signal, describe),
    contextWindow: (signal) =>
      whileOpen(signal, async (until) =>
        client.countTokens === null ? client.contextWindow(until) : (await describe(until)).context,
      ),
    get countTokens() {
      return client.countTokens === null ? null : countTokens
    },
    get countChat() {
      return client.countChat === null ? null : countChat
    },
    ...(client.watchHealth === undefined ? {} : { watchHealth: client.watchHealth }),
    complete: (request, signal) => client.complete(request, signal),
    chat: (request, signal) => client.chat(request, signal),
    async dispose() {
      life.abort()
      await client.dispose()
    },
  }
}

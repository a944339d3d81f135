import { AppError } from '../../shared/errors.ts'
import { createSerialQueue } from '../../shared/serial-queue.ts'
import type { ModelClient, ModelDescription, Prompt } from '../models/client/model-client.ts'

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
  const counts = cachedCounts(async (...asked) => {
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
    get lastRead() {
      return client.lastRead
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
    ...(client.watchHealth && { watchHealth: client.watchHealth }),
    complete: client.complete,
    chat: client.chat,
    async dispose() {
      life.abort()
      await client.dispose()
    },
  }
}

type Count = NonNullable<ModelClient['countTokens']>
type Open = { answer: Promise<number>; readers: number; cut: AbortController }

const mostKept = 2_000

/**
 * Caches the token counts of one backend by a hash of the text. Equal questions at the same time share one request,
 * which is aborted when its last caller has aborted; different requests run one after the other.
 *
 * Errors: as the backend's counter; failures are not remembered.
 */
export function cachedCounts(
  ask: Count,
  hash: (text: string) => string,
  limit = mostKept,
): { count: Count; forget(): void } {
  /** In order of use, oldest first. */
  const known = new Map<string, number>()
  const pending = new Map<string, Open>()
  const inTurn = createSerialQueue()

  function keep(key: string, tokens: number): void {
    known.delete(key)
    known.set(key, tokens)
    const [oldest] = known.keys()
    if (known.size > limit && oldest !== undefined) known.delete(oldest)
  }

  function close(key: string, open: Open): void {
    if (pending.get(key) === open) pending.delete(key)
  }

  function begin(key: string, prompt: string | Prompt, options: { isPiece?: boolean }): Open {
    const cut = new AbortController()
    const answer = inTurn(async () => {
      try {
        cut.signal.throwIfAborted()
        const tokens = await ask(prompt, cut.signal, options)
        if (pending.get(key) === open) keep(key, tokens)
        return tokens
      } finally {
        close(key, open)
      }
    })
    const open: Open = { answer, readers: 0, cut }
    pending.set(key, open)
    return open
  }

  async function wait(key: string, open: Open, signal: AbortSignal): Promise<number> {
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    open.readers += 1
    const leave = () => {
      reject(signal.reason)
      open.readers -= 1
      if (open.readers > 0) return
      // A later caller with the same question must not join a request that is being aborted.
      close(key, open)
      open.cut.abort(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([open.answer, aborted])
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  return {
    async count(prompt, signal, options = {}) {
      signal.throwIfAborted()
      const key = hash(keyText(prompt, options.isPiece === true))
      const tokens = known.get(key)
      if (tokens === undefined) return wait(key, pending.get(key) ?? begin(key, prompt, options), signal)
      keep(key, tokens)
      return tokens
    },
    /** Empties the cache, since another model answers from now on. */
    forget() {
      known.clear()
      pending.clear()
    },
  }
}

/** Returns a text for the cache key, in which markers differ from plain text of the same letters, like their tokens. */
function keyText(prompt: string | Prompt, isPiece: boolean): string {
  const segments = typeof prompt === 'string' ? [{ text: prompt, isSpecial: false }] : prompt
  const marked = segments.map(
    ({ text, isSpecial }) => `${isSpecial ? 'marker' : 'text'} ${text.length} ${text}`,
  )
  return `${isPiece ? 'piece' : 'whole'} ${marked.join('')}`
}

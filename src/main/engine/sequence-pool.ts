import { freemem } from 'node:os'
import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp'
import type { Log } from '../deps.ts'
import type { StateFiles } from './state-files.ts'

type Held = { context: LlamaContext; sequence: LlamaContextSequence }

const mostSequences = 4

export type SequencePool = ReturnType<typeof createSequencePool>

/**
 * Keeps one sequence (a prompt cache) per conversation, each in its own context, which is created when first needed.
 * When memory is short, the least recently used conversation is saved and its sequence is given to the new one; a
 * saved conversation is restored when it is used again.
 */
export function createSequencePool(
  create: () => Promise<LlamaContext>,
  states: SequenceStates | null,
  isRoomy = (bytes: number) => freemem() > bytes * 3,
) {
  /** In order of use, oldest first. */
  const pool = new Map<string, Held>()
  let spare: Held | null = null
  /** Size of the first context, which decides how long a prompt may be. Units: tokens. */
  let contextTokens = 0
  let limitSequences = mostSequences

  async function make(): Promise<Held> {
    const context = await create()
    return { context, sequence: context.getSequence() }
  }

  /**
   * Creates another context of the first one's size. Null where the memory has no room for it: the system's free memory
   * says nothing about a graphics processor's.
   */
  async function makeAnother(): Promise<Held | null> {
    const held = await make().catch(() => null)
    if (held === null || held.sequence.contextSize >= contextTokens) return held
    // A smaller one would silently lose the beginning of a prompt that fits into the first.
    await held.context.dispose()
    return null
  }

  async function free(): Promise<Held> {
    const first = spare
    spare = null
    if (first !== null) return first
    const [oldest] = pool
    if (oldest === undefined) return make()
    if (pool.size < limitSequences && isRoomy(bytesOf(oldest[1]))) {
      const another = await makeAnother()
      if (another !== null) return another
      limitSequences = pool.size
    }
    await save(oldest[0], true)
    pool.delete(oldest[0])
    return oldest[1]
  }

  async function add(conversation: string, prompt: readonly Token[]): Promise<Held> {
    const held = await free()
    await states?.restore(conversation, held.sequence, prompt)
    return held
  }

  /** Saves a conversation without a running request. `isEnding`: its sequence is about to be lost. */
  async function save(conversation: string, isEnding: boolean): Promise<void> {
    const held = pool.get(conversation)
    if (held === undefined) return
    await states?.save(conversation, held.sequence, { contextBytes: bytesOf(held), isEnding })
  }

  return {
    get size() {
      return pool.size
    },
    /** Oldest first. */
    get conversations() {
      return [...pool.keys()]
    },
    /** Creates the first context before it is used, and returns its size. Units: tokens. */
    async prepare(): Promise<number> {
      spare = await make()
      contextTokens = spare.sequence.contextSize
      return contextTokens
    },
    /** Returns the sequence of a conversation. `prompt`: the prompt that it will process. */
    async take(conversation: string, prompt: readonly Token[]): Promise<LlamaContextSequence> {
      const held = pool.get(conversation) ?? (await add(conversation, prompt))
      pool.delete(conversation)
      pool.set(conversation, held)
      return held.sequence
    },
    save,
    async dispose(): Promise<void> {
      const all = [...pool.values(), ...(spare === null ? [] : [spare])]
      spare = null
      pool.clear()
      for (const { context } of all) await context.dispose()
    },
  }
}

function bytesOf({ context }: Held): number {
  const { ram, vram } = context.memoryUsage
  return ram + vram
}

/** Minimum number of tokens that are saved: fewer are processed again faster than a state is written. */
const worthwhileTokens = 256
/** Minimum share of new tokens in a running conversation: a state contains all of it, too much for a few words. */
const worthwhileShare = 0.25

type SequenceStates = ReturnType<typeof sequenceStates>

/**
 * Keeps the prompt caches of conversations longer than their sequences.
 *
 * A state only saves time: after any error, which is logged, the prompt is processed from its beginning.
 */
export function sequenceStates(files: StateFiles, log: Pick<Log, 'write'>) {
  /** The tokens in the state files that this process wrote or read. */
  const stored = new Map<string, readonly number[]>()
  return {
    /**
     * Saves a conversation where enough of it would be lost. `contextBytes`: size of its whole context.
     * `isEnding`: its sequence is about to be lost.
     */
    async save(
      conversation: string,
      sequence: LlamaContextSequence,
      { contextBytes, isEnding }: { contextBytes: number; isEnding: boolean },
    ): Promise<void> {
      const tokens = sequence.contextTokens
      const unsaved = tokens.length - sharedTokens(stored.get(conversation) ?? [], tokens)
      if (unsaved < worthwhileTokens || (!isEnding && unsaved < tokens.length * worthwhileShare)) return
      try {
        const bytes = Math.ceil((contextBytes * tokens.length) / sequence.contextSize)
        const write = (path: string) => sequence.saveStateToFile(path)
        if (await files.save(conversation, tokens, bytes, write)) stored.set(conversation, tokens)
        else log.write('warn', 'engine.state-too-large', { tokens: tokens.length, bytes })
      } catch (error) {
        log.write('warn', 'engine.state-not-saved', { error: String(error) })
      }
    },
    /** Restores a conversation's state where `prompt` can use much more of it than of the sequence's present content. */
    async restore(
      conversation: string,
      sequence: LlamaContextSequence,
      prompt: readonly Token[],
    ): Promise<void> {
      try {
        const saved = await files.tokens(conversation)
        const gain = sharedTokens(saved, prompt) - sharedTokens(sequence.contextTokens, prompt)
        if (gain < worthwhileTokens || saved.length > sequence.contextSize) return
        await files.load(conversation, (path) => sequence.loadStateFromFile(path, { acceptRisk: true }))
        stored.set(conversation, saved)
      } catch (error) {
        log.write('warn', 'engine.state-not-restored', { error: String(error) })
      }
    },
  }
}

function sharedTokens(one: readonly number[], other: readonly number[]): number {
  let shared = 0
  while (shared < one.length && shared < other.length && one[shared] === other[shared]) shared += 1
  return shared
}

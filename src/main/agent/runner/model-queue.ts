import type { SessionActivity } from '../../../shared/domain/session/session.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import type { RequestContext, RequestHooks } from '../model/agent-model.ts'
import type { PromptEntry } from '../model/prompt/prompt-entry.ts'
import type { RunnerDeps } from './runner-deps.ts'
import { WrittenAnswer } from './written-answer.ts'

type Phase = SessionActivity['phase']

/** A request: what it does with its context, and what becomes of its failure. */
export type ModelQueueRequest = {
  phase: Phase
  purpose: 'reply' | 'work' | 'beside' | null
  run(context: RequestContext, hooks: RequestHooks, signal: AbortSignal, answer: WrittenAnswer): Promise<void>
  failed(error: unknown): void
}

/** A compaction that leaves more than this share of the prompt was not worth its time. */
const usefulShare = 0.9

/**
 * Everything that reads or writes a session's prompt, one after the other: requests to the model and what is
 * appended between them. So the prompt is only ever appended to, in the order in which things happened.
 */
export class ModelQueue {
  readonly #deps: RunnerDeps
  #last: Promise<void> = Promise.resolve()
  /** What the next request shall know, kept back so that a call's result stands beside its call. */
  #held: PromptEntry[] = []
  readonly #running = new Set<AbortController>()

  /** The folder's instructions were looked for. */
  #hasInstructions = false
  /** In this turn compacting has brought next to nothing: it is not tried again before the next message. */
  #fullTurn: number | null = null
  readonly #onIdle: () => void
  #isClosed = false

  constructor(deps: RunnerDeps, onIdle: () => void) {
    this.#deps = deps
    this.#onIdle = onIdle
  }

  get isBusy(): boolean {
    return this.#running.size > 0
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  append(entries: readonly PromptEntry[]): void {
    if (entries.length === 0) return
    void this.#next(async () => this.#deps.session.appendEntries(entries))
  }

  /** Appended with the next request: after the results of calls that still run. Instructions are told once. */
  hold(entry: PromptEntry): void {
    const known = entry.kind === 'instructions' ? [...this.#deps.session.log, ...this.#held] : []
    if (known.some(({ kind, text }) => kind === entry.kind && text === entry.text)) return
    this.#held.push(entry)
  }

  /** What stands before the next message. */
  get held(): readonly PromptEntry[] {
    return this.#held
  }

  /** The prompt was taken back: what was held for it belongs to it. */
  forget(): void {
    this.#hasInstructions = false
    this.#held = []
  }

  /** Asks the model when everything before is done. The signal ends it, whether it has begun or not. */
  request(request: ModelQueueRequest, abort: AbortController): void {
    if (this.#isClosed) return
    const { signal } = abort
    this.#running.add(abort)
    void this.#next(async () => {
      const answer = new WrittenAnswer(this.#deps.session, request.purpose)
      try {
        if (signal.aborted) return
        await this.#prepare(request, signal)
        const run = (): Promise<void> =>
          request.run(this.#context(), this.#hooks(request.phase, answer), signal, answer)
        await run().catch(async (error: unknown) => {
          if (!(await this.#hasMadeRoom(request, error, signal))) throw error
          await run()
        })
      } catch (error) {
        answer.close(signal.aborted ? 'stopped' : 'failed')
        if (!signal.aborted) request.failed(error)
      } finally {
        this.#leave(abort)
      }
    })
  }

  /** Compacts when everything before is done; a stop is a normal end. Errors: those of a request to the model. */
  compact(abort: AbortController): Promise<void> {
    this.#running.add(abort)
    return this.#next(async () => {
      try {
        await this.#compact(abort.signal)
      } catch (error) {
        if (!abort.signal.aborted) throw error
      } finally {
        this.#leave(abort)
      }
    })
  }

  abortAll(): void {
    for (const abort of this.#running) abort.abort()
  }

  /** Ends what runs; what is asked from now on is not asked. */
  close(): void {
    this.#isClosed = true
    this.abortAll()
  }

  /** Resolves when nothing is left to do. */
  idle(): Promise<void> {
    return this.#last
  }

  #leave(abort: AbortController): void {
    this.#running.delete(abort)
    this.#onIdle()
  }

  #next(work: () => Promise<void>): Promise<void> {
    const next = this.#last.then(work)
    this.#last = next.catch((error: unknown) => {
      // A failure that a user can meet is told by whoever waits for this work; anything else is a bug.
      if (isAppError(error)) this.#deps.log.write('warn', 'session.lane', { code: error.info.code })
      else this.#deps.log.bug(error, 'session.lane')
    })
    return next
  }

  #context(): RequestContext {
    const { session } = this.#deps
    const { sessionId, language, turn, log, state, folders } = session
    return { sessionId, language, turn, log, state, folders }
  }

  /** Before a request: the folder is there, its instructions are in the prompt, and there is room. */
  async #prepare(request: ModelQueueRequest, signal: AbortSignal): Promise<void> {
    const { session, model } = this.#deps
    if (!(await this.#deps.isFolderThere()))
      throw new AppError({ code: 'file/not-found', path: this.#deps.root })
    await this.#readInstructions()
    session.appendEntries(this.#held.splice(0))
    session.setActivity({ phase: 'queued', progress: null })
    if (request.purpose === 'beside') return
    if (this.#fullTurn === session.turn) return
    if (await model.needsCompaction(this.#context(), signal)) await this.#compact(signal)
  }

  /** After a refusal for length: true where a compaction was made, and the request can be made once more. */
  async #hasMadeRoom(request: ModelQueueRequest, error: unknown, signal: AbortSignal): Promise<boolean> {
    if (!isAppError(error, 'model/context-overflow') || request.purpose === 'beside') return false
    try {
      await this.#compact(signal)
      return true
    } catch (failure) {
      signal.throwIfAborted()
      // Not even the request for a summary fits: the refusal itself says what is wrong.
      if (isAppError(failure, 'model/context-overflow')) return false
      throw failure
    }
  }

  /** Once: at the first request, or at the first one after the user has come to trust the folder. */
  async #readInstructions(): Promise<void> {
    const { session, instructions, isTrusted } = this.#deps
    if (this.#hasInstructions || !isTrusted()) return
    this.#hasInstructions = true
    // Those of an added folder say so.
    if (session.log.some(({ kind, told }) => kind === 'instructions' && told === undefined)) return
    const text = await instructions()
    const turn = session.log.length === 0 ? 0 : session.turn
    if (text !== null) session.appendEntries([{ turn, role: 'system', kind: 'instructions', text }])
  }

  /** A prompt that would not become shorter stays as it is. */
  async #compact(signal: AbortSignal): Promise<void> {
    const { session, model } = this.#deps
    session.setActivity({ phase: 'compacting', progress: null })
    const hooks = this.#hooks('compacting', null)
    const { log, summary, tokensBefore, tokensAfter, usage } = await model.compact(
      this.#context(),
      hooks,
      signal,
    )
    session.count({}, usage)
    const isShorter = tokensAfter < tokensBefore
    if (isShorter) session.replaceLog(log)
    this.#fullTurn = tokensAfter > tokensBefore * usefulShare ? session.turn : null
    session.add({
      kind: 'compaction',
      summary: isShorter ? summary : '',
      tokensBefore,
      tokensAfter,
      state: isShorter ? 'finished' : 'failed',
    })
  }

  #hooks(phase: Phase, answer: WrittenAnswer | null): RequestHooks {
    const { session } = this.#deps
    let isSaying = false
    return {
      onPhase: (now, progress, waitMs) =>
        session.setActivity({
          phase: now === 'writing' && !isSaying ? phase : now,
          progress,
          ...(waitMs && { waitMs }),
        }),
      onText(text) {
        // Text for the user streams: no tool is used yet.
        if (!isSaying && phase !== 'writing') {
          isSaying = true
          session.setActivity({ phase: 'writing', progress: null })
        }
        answer?.grow('text', text)
      },
      onReasoning: (text) => answer?.grow('reasoning', text),
      onReplace: (text) => answer?.replace(text),
      onSent: (sent) => session.setSent(sent),
    }
  }
}

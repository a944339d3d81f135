import type { ReferenceAnswers } from '../../shared/domain/session/file-reference.ts'
import type { MessageSegment } from '../../shared/domain/session/message-segment.ts'
import type { MessageHow } from '../../shared/domain/session/session-item.ts'
import { AppError, isAppError } from '../../shared/errors.ts'
import type { PromptEntry } from '../agent/model/prompt/prompt-entry.ts'
import type { Log } from '../deps.ts'
import type { SessionFolder, SessionPlace } from './session-host.ts'
import type { NewItem } from './session-items.ts'

/** A message about to be sent. Nothing of it is in the conversation yet. */
export type PromptSubmit = {
  readonly sessionId: string
  readonly segments: readonly MessageSegment[]
  readonly how: MessageHow
  readonly references: ReferenceAnswers
  readonly folder: SessionFolder
  readonly signal: AbortSignal
}

/**
 * An attachment that follows a message.
 *
 * Shape: `item` is what the conversation shows, `entry` what the model reads, either may be missing;
 * `modelText` is the message as the model reads it, where an interceptor changes it.
 */
export type SubmitItem = {
  item: NewItem | null
  entry: Omit<PromptEntry, 'turn'> | null
  modelText?: string
}

/** Stops the message; its text goes back to the box. */
type CancelSubmit = { kind: 'cancel'; reason: string }
export type InterceptorAction =
  | { kind: 'continue' }
  | { kind: 'continueWith'; items: readonly SubmitItem[] }
  | CancelSubmit
/** A hook observes: it can add nothing. */
export type HookAction = { kind: 'continue' } | CancelSubmit

/** Takes part in each submit. One that throws cancels it: what it had to add would be missing. */
export type SubmitInterceptor = {
  readonly name: string
  onPromptSubmit(submit: PromptSubmit): Promise<InterceptorAction>
}

/** Observes each submit. One that throws cancels it: a check that did not run has not passed. */
type SubmitHook = {
  readonly name: string
  onPromptSubmit(submit: PromptSubmit): Promise<HookAction>
}

/** Returns a message of an open session in the form that hooks and interceptors receive. */
export function submitOf(
  { session, folder }: SessionPlace,
  message: Pick<PromptSubmit, 'segments' | 'how'> & { references?: ReferenceAnswers | undefined },
  signal: AbortSignal,
): PromptSubmit {
  const { sessionId } = session
  const { segments, how, references = {} } = message
  return { sessionId, folder, segments, how, references, signal }
}

export type PromptSubmits = ReturnType<typeof createPromptSubmits>

/** Hooks and interceptors of services, which run before a message is sent, in their order. */
export function createPromptSubmits(
  log: Log,
  hooks: readonly SubmitHook[],
  interceptors: readonly SubmitInterceptor[],
) {
  async function ask<T extends InterceptorAction>(
    part: { name: string; onPromptSubmit(submit: PromptSubmit): Promise<T> },
    submit: PromptSubmit,
  ): Promise<T | CancelSubmit> {
    try {
      return await part.onPromptSubmit(submit)
    } catch (error) {
      if (isAppError(error) || submit.signal.aborted) throw error
      log.bug(error, `submit ${part.name}`)
      return { kind: 'cancel', reason: part.name }
    }
  }

  return {
    /**
     * Asks the hooks, then the interceptors; returns the attachments of this message alone.
     *
     * Errors: `session/cancelled`; what an interceptor throws, where it is for the user.
     */
    async submit(submit: PromptSubmit): Promise<SubmitItem[]> {
      for (const hook of hooks) refuseCancelled(await ask(hook, submit))
      const items: SubmitItem[] = []
      for (const interceptor of interceptors) {
        const action = await ask(interceptor, submit)
        refuseCancelled(action)
        if (action.kind === 'continueWith') items.push(...action.items)
      }
      return items
    },
  }
}

function refuseCancelled(action: InterceptorAction): void {
  if (action.kind === 'cancel') throw new AppError({ code: 'session/cancelled', reason: action.reason })
}

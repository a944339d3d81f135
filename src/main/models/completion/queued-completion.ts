import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import type { ChatRequest, CompletionRequest, ModelEvent } from '../client/model-client.ts'
import { renderChat } from '../profiles/template-pack.ts'
import { checkRequest } from './request-check.ts'
import type { RequestQueue } from './request-queue.ts'

/**
 * Queues a completion, reports the wait, and ends it as every client does: a stop is a normal end, and so is the end of
 * a completion in the background that one in the foreground preempts.
 *
 * Shape: `run` gets a signal for both. Errors: `model/bad-request`, and errors of `run` before either of these.
 */
export async function* inTurn(
  queue: RequestQueue,
  request: Omit<CompletionRequest, 'prompt'>,
  userSignal: AbortSignal,
  run: (signal: AbortSignal) => AsyncGenerator<ModelEvent, void, void>,
): AsyncGenerator<ModelEvent, void, void> {
  checkRequest(request)
  const preemption = new AbortController()
  const signal = AbortSignal.any([userSignal, preemption.signal])
  let leave: (() => void) | undefined
  try {
    if (queue.mustWait(request.group)) yield { type: 'phase', phase: 'queued', progress: null }
    leave = await queue.enter(
      request.priority ?? 'foreground',
      signal,
      () => preemption.abort(),
      request.group,
    )
    let isDone = false
    for await (const event of run(signal)) {
      isDone = event.type === 'done'
      yield event
    }
    // An engine that is reading a long prompt may end without a last event.
    if (!isDone && signal.aborted) yield { type: 'done', stopReason: 'aborted' }
  } catch (error) {
    if (!signal.aborted) throw error
    yield { type: 'done', stopReason: 'aborted' }
  } finally {
    leave?.()
  }
}

/** Returns the completion that the template makes of a conversation. */
export function chatCompletion(
  { messages, ...rest }: ChatRequest,
  template: TemplatePack,
): CompletionRequest {
  return { ...rest, stops: [...rest.stops, ...template.stops], prompt: renderChat(template, messages) }
}

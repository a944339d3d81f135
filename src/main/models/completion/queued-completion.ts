import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import type { ChatRequest, CompletionRequest, ModelEvent } from '../client/model-client.ts'
import { renderChat } from '../profiles/template-pack.ts'
import { checkRequest } from './request-check.ts'
import type { RequestQueue } from './request-queue.ts'

/**
 * Lets a completion wait for its turn, says so, and ends it as every client does: a stop is a normal end, and so
 * is that of one in the background which somebody at the front waits for.
 *
 * Shape: `run` is given the signal of both. Errors: `model/bad-request`, and whatever `run` throws while neither has
 * happened.
 */
export async function* inTurn(
  queue: RequestQueue,
  request: Omit<CompletionRequest, 'prompt'>,
  userSignal: AbortSignal,
  run: (signal: AbortSignal) => AsyncGenerator<ModelEvent, void, void>,
): AsyncGenerator<ModelEvent, void, void> {
  checkRequest(request)
  const way = new AbortController()
  const signal = AbortSignal.any([userSignal, way.signal])
  let leave: (() => void) | undefined
  try {
    if (queue.mustWait(request.group)) yield { type: 'phase', phase: 'queued', progress: null }
    leave = await queue.enter(request.priority ?? 'foreground', signal, () => way.abort(), request.group)
    let isDone = false
    for await (const event of run(signal)) {
      isDone = event.type === 'done'
      yield event
    }
    // An engine that is deep in a prompt is left there, and says nothing more.
    if (!isDone && signal.aborted) yield { type: 'done', stopReason: 'aborted' }
  } catch (error) {
    if (!signal.aborted) throw error
    yield { type: 'done', stopReason: 'aborted' }
  } finally {
    leave?.()
  }
}

/** A conversation as the completion that the template makes of it. */
export function chatCompletion(
  { messages, ...rest }: ChatRequest,
  template: TemplatePack,
): CompletionRequest {
  return { ...rest, stops: [...rest.stops, ...template.stops], prompt: renderChat(template, messages) }
}

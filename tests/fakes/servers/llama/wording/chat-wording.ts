import type { LlamaCore } from '../core.ts'
import type { Ending, Step } from '../generation.ts'
import type { Chat } from '../requests/chat-request.ts'
import type { Delta } from '../shower.ts'
import type { Run, Wording } from '../work.ts'
import type { StreamEvent } from './event-stream.ts'
import { probabilitiesOf } from './probabilities.ts'

export const fingerprint = 'b0-unknown'

/** Words `/v1/chat/completions`. */
export function chatWording(core: LlamaCore, chat: Chat, body: Record<string, unknown>): Wording {
  // What was begun as a call is read as one.
  const prefill =
    chat.readsCalls && chat.rendered.prefill.startsWith('<tool_call>') ? '' : chat.rendered.prefill
  const hasUsage = (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true
  let isPrefillSent = prefill === ''
  const chunk = (run: Run, choices: unknown[], more: Record<string, unknown> = {}) => ({
    choices,
    created: Math.floor(Date.now() / 1000),
    id: run.id,
    model: core.modelName,
    system_fingerprint: fingerprint,
    object: 'chat.completion.chunk',
    ...more,
  })
  const choice = (delta: unknown, more: Record<string, unknown> = {}) => ({
    finish_reason: null,
    index: 0,
    delta,
    ...more,
  })
  return {
    before: () => [],
    step(run, step) {
      const { probabilities, hasTimingsPerToken } = run.work.params
      const content = probabilitiesOf(core.vocabulary, [step.tokenId], probabilities)
      const logprobs = probabilities > 0 ? { logprobs: { content } } : {}
      const timings = hasTimingsPerToken ? { timings: run.timings(step.predicted) } : {}
      const words = withPrefill(step)
        .filter(({ text }) => text !== '')
        .map(
          (delta): StreamEvent => ({
            kind: delta.kind === 'call' ? 'call' : 'delta',
            data: chunk(run, [choice(deltaOf(delta), logprobs)], timings),
          }),
        )
      // The role comes with the first token, and never where that is a part of a character.
      if (step.predicted > 1 || step.isPartial) return words
      const role = chunk(run, [choice({ role: 'assistant', content: null })])
      return [{ kind: 'other', data: role }, ...words]
    },
    last(run, ending) {
      const timings = { timings: run.timings(ending.predicted) }
      const end = [{ finish_reason: finishOf(ending, run), index: 0, delta: {} }]
      const events: StreamEvent[] = [{ kind: 'end', data: chunk(run, end, hasUsage ? {} : timings) }]
      if (hasUsage) {
        events.push({ kind: 'done', data: chunk(run, [], { usage: usageOf(run, ending), ...timings }) })
      }
      return [...events, { kind: 'done', data: '[DONE]' }]
    },
    whole(run, said, ending, tokens) {
      const message = messageOf(prefill, said)
      const probabilities = run.work.params.probabilities
      const logprobs =
        probabilities > 0
          ? { logprobs: { content: probabilitiesOf(core.vocabulary, tokens, probabilities) } }
          : {}
      return {
        choices: [{ finish_reason: finishOf(ending, run), index: 0, message, ...logprobs }],
        created: run.created,
        model: core.modelName,
        system_fingerprint: fingerprint,
        object: 'chat.completion',
        usage: usageOf(run, ending),
        id: run.id,
        timings: run.timings(ending.predicted),
      }
    },
  }

  /** The first text brings the prefilled one along. */
  function withPrefill({ deltas }: Step): readonly Delta[] {
    if (isPrefillSent) return deltas
    return deltas.map((delta) => {
      if (isPrefillSent || delta.kind !== 'text') return delta
      isPrefillSent = true
      return { kind: 'text', text: prefill + delta.text }
    })
  }
}

function deltaOf(delta: Delta): Record<string, unknown> {
  if (delta.kind !== 'call') {
    return delta.kind === 'text' ? { content: delta.text } : { reasoning_content: delta.text }
  }
  const { index, id, name } = delta.call
  if (!delta.isFirst) return { tool_calls: [{ index, function: { arguments: delta.text } }] }
  return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: delta.text } }] }
}

function messageOf(prefill: string, said: readonly Delta[]): Record<string, unknown> {
  const textOf = (kind: Delta['kind']) =>
    said.flatMap((delta) => (delta.kind === kind ? [delta.text] : [])).join('')
  const reasoning = textOf('reasoning')
  const calls = new Map<number, { type: string; function: { name: string; arguments: string }; id: string }>()
  for (const delta of said) {
    if (delta.kind !== 'call') continue
    const { index, id, name } = delta.call
    const call = calls.get(index) ?? { type: 'function', function: { name, arguments: '' }, id }
    call.function.arguments += delta.text
    calls.set(index, call)
  }
  return {
    role: 'assistant',
    content: prefill + textOf('text'),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.size === 0 ? {} : { tool_calls: [...calls.values()] }),
  }
}

function finishOf(ending: Ending, run: Run): 'stop' | 'length' | 'tool_calls' {
  if (ending.stopType === 'limit') return 'length'
  return run.hasCalls ? 'tool_calls' : 'stop'
}

export function usageOf(run: Run, ending: Ending): Record<string, unknown> {
  const prompt = run.lease.promptTokens.length
  return {
    completion_tokens: ending.predicted,
    prompt_tokens: prompt,
    total_tokens: prompt + ending.predicted,
    prompt_tokens_details: { cached_tokens: run.lease.reusedTokens },
  }
}

import type { LlamaCore } from '../core.ts'
import type { Ending } from '../generation.ts'
import type { Delta } from '../shower.ts'
import type { Run, Wording } from '../work.ts'
import type { StreamEvent } from './event-stream.ts'
import { probabilitiesOf } from './probabilities.ts'

/** Words `/completion`. */
export function completionWording(core: LlamaCore): Wording {
  const chunk = (run: Run, content: string, tokens: readonly number[], predicted: number) => ({
    index: 0,
    content,
    tokens,
    stop: false,
    id_slot: -1,
    tokens_predicted: predicted,
    tokens_evaluated: run.lease.promptTokens.length,
  })
  const result = (run: Run, content: string, ending: Ending, tokens: readonly number[]) => {
    const { lease, work } = run
    const whole: Record<string, unknown> = {
      index: 0,
      content,
      tokens,
      id_slot: lease.slot.id,
      stop: true,
      model: core.modelName,
      tokens_predicted: ending.predicted,
      tokens_evaluated: lease.promptTokens.length,
      generation_settings: work.params.settings,
      prompt: core.vocabulary.decode(lease.promptTokens),
      has_new_line: ending.hasNewLine,
      truncated: ending.isTruncated,
      stop_type: ending.stopType,
      stopping_word: ending.stoppingWord,
      tokens_cached: Math.max(0, lease.promptTokens.length + ending.predicted - 1),
      timings: run.timings(ending.predicted),
    }
    return whole
  }
  return {
    before(run) {
      if (!run.work.params.hasProgress) return []
      const total = run.lease.promptTokens.length
      const cache = run.lease.reusedTokens
      return [cache, total].map((processed): StreamEvent => {
        const prompt_progress = { total, cache, processed, time_ms: processed === cache ? 0 : 1 }
        return { kind: 'other', data: { ...chunk(run, '', [0], 0), prompt_progress } }
      })
    },
    step(run, step) {
      if (step.isPartial) return []
      const { params } = run.work
      const data = {
        ...chunk(run, textOf(step.deltas), [step.tokenId], step.predicted),
        ...(params.hasTimingsPerToken ? { timings: run.timings(step.predicted) } : {}),
        ...probabilities(core, run, [step.tokenId]),
      }
      return [{ kind: 'delta', data }]
    },
    last(run, ending) {
      return [{ kind: 'end', data: selected(run, result(run, '', ending, [])) }]
    },
    whole(run, said, ending, tokens) {
      const content = textOf(said)
      const shown = run.work.params.returnsTokens ? tokens : []
      return selected(run, {
        ...result(run, content, ending, shown),
        ...probabilities(core, run, tokens),
      })
    },
  }
}

function textOf(deltas: readonly Delta[]): string {
  return deltas.map(({ text }) => text).join('')
}

function probabilities(core: LlamaCore, run: Run, tokens: readonly number[]): Record<string, unknown> {
  const { probabilities: count, settings } = run.work.params
  if (count === 0) return {}
  const isPost = settings.post_sampling_probs === true
  return { completion_probabilities: probabilitiesOf(core.vocabulary, tokens, count, isPost) }
}

/** `response_fields`: only these, inner ones under their whole path. */
function selected(run: Run, whole: Record<string, unknown>): Record<string, unknown> {
  const fields = run.work.params.responseFields
  if (fields === null) return whole
  const found = fields.map((path) => {
    const value = path
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], whole)
    return [path, value] as const
  })
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

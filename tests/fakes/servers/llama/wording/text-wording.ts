import type { LlamaCore } from '../core.ts'
import type { Ending } from '../generation.ts'
import type { Run, Wording } from '../work.ts'
import { fingerprint, usageOf } from './chat-wording.ts'
import { probabilitiesOf } from './probabilities.ts'

/** Words `/v1/completions`. */
export function textWording(core: LlamaCore): Wording {
  const choice = (run: Run, text: string, tokens: readonly number[], finish: string | null) => {
    const { probabilities } = run.work.params
    const content = probabilitiesOf(core.vocabulary, tokens, probabilities)
    return {
      text,
      index: 0,
      logprobs: probabilities > 0 && tokens.length > 0 ? { content } : null,
      finish_reason: finish,
    }
  }
  const body = (run: Run, choices: unknown[], ending: Ending | null) => ({
    choices,
    created: Math.floor(Date.now() / 1000),
    model: core.modelName,
    system_fingerprint: fingerprint,
    object: 'text_completion',
    ...(ending === null ? {} : { usage: usageOf(run, ending) }),
    id: run.id,
    ...(ending === null ? {} : { timings: run.timings(ending.predicted) }),
  })
  const finishOf = (ending: Ending) => (ending.stopType === 'limit' ? 'length' : 'stop')
  return {
    before: () => [],
    step(run, step) {
      if (step.isPartial) return []
      const text = step.deltas.map((delta) => delta.text).join('')
      return [{ kind: 'delta', data: body(run, [choice(run, text, [step.tokenId], null)], null) }]
    },
    last: (run, ending) => [
      { kind: 'end', data: body(run, [choice(run, '', [], finishOf(ending))], ending) },
      { kind: 'done', data: '[DONE]' },
    ],
    whole(run, said, ending, tokens) {
      const text = said.map((delta) => delta.text).join('')
      return body(run, [choice(run, text, tokens, finishOf(ending))], ending)
    },
  }
}

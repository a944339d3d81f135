import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { createSuggestionFilter } from '../../src/main/suggestions/suggestion-filter.ts'
import { loadSuggestionCues, loadSuggestionWords } from '../../src/main/suggestions/suggestion-words.ts'
import { createTokenlessSuggestions } from '../../src/main/suggestions/tokenless-suggestions.ts'
import { type AcceptMethod, SuggestionController } from '../../src/shared/suggestion/suggestion-controller.ts'
import { manualClock } from '../../tests/fakes/manual-clock.ts'
import { difference, type VectorGroup } from './vector-group.ts'

const resourcesDir = fileURLToPath(new URL('../../resources/', import.meta.url))
let filtering: Promise<ReturnType<typeof createSuggestionFilter>> | undefined
let finding: Promise<ReturnType<typeof createTokenlessSuggestions>> | undefined

const FilterCase = z.object({ text: z.string(), expected: z.string().nullable() })
const EndingCase = z.object({
  reply: z.string(),
  expected: z.object({ source: z.string(), text: z.string() }).nullable(),
})
const ControllerCase = z.object({
  name: z.string(),
  steps: z.array(z.tuple([z.string()]).rest(z.unknown())),
  log: z.array(z.unknown()),
})

/** Plays the steps on a clock that stands between them. Shape: one entry for each event, as the vectors have them. */
async function play(steps: z.infer<typeof ControllerCase>['steps']): Promise<unknown[]> {
  const log: unknown[] = []
  const clock = manualClock()
  let throwsOnAccept = false
  const controller = new SuggestionController({
    clock,
    onState: ({ suggestion, isVisible }) => log.push(['state', suggestion, isVisible]),
    onOutcome: (outcome) => log.push(['outcome', outcome]),
    onAccept(text) {
      log.push(['onAccept', text])
      if (throwsOnAccept) throw new Error('as the case wants it')
    },
    onFailure: () => undefined,
  })
  const acts: Record<string, (value: unknown, options: unknown) => unknown> = {
    set: (text) => controller.set(text as string | null),
    tick: (ms) => clock.advance(ms as number),
    accept: (method, options) => controller.accept(method as AcceptMethod, options as object | undefined),
    dismiss: () => controller.dismiss(),
    clear: () => controller.clear(),
    cleanup: () => controller.cleanup(),
    enable: (isEnabled) => controller.enable(isEnabled !== false),
    throwOnAccept: (does) => {
      throwsOnAccept = does !== false
    },
  }
  for (const [name, value, options] of steps) {
    const act = acts[name]
    if (act === undefined) throw new Error(`no step is named ${name}`)
    await act(value, options)
    await Promise.resolve()
  }
  return log
}

/** Groups of the filter and the controller of suggestions; that of the generator is prose for people. */
export const suggestionGroups: VectorGroup[] = [
  {
    key: 'suggestionFilter',
    async run(vector) {
      const { text, expected } = FilterCase.parse(vector)
      filtering ??= loadSuggestionWords(resourcesDir).then(createSuggestionFilter)
      const found = difference((await filtering)(text), expected)
      return found === undefined ? undefined : `${JSON.stringify(text)}: ${found}`
    },
  },
  {
    key: 'controller',
    async run(vector) {
      const { name, steps, log } = ControllerCase.parse(vector)
      const found = difference(await play(steps), log)
      return found === undefined ? undefined : `${name}: ${found}`
    },
  },
  {
    key: 'turnEndings',
    async run(vector) {
      const { reply, expected } = EndingCase.parse(vector)
      finding ??= loadSuggestionCues(resourcesDir).then(createTokenlessSuggestions)
      const [first = null] = (await finding)({ reply, items: [], turn: 1, todos: [], language: 'en' })
      const found = difference(first, expected)
      return found === undefined ? undefined : `${JSON.stringify(reply)}: ${found}`
    },
  },
  { key: 'generator', isProse: true, run: () => undefined },
]

import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { DraftWords } from '../../src/main/drafting/draft-words.ts'
import { fitDraft } from '../../src/main/drafting/fitting/fit-draft.ts'
import {
  buildPrompt,
  formatMetadata,
  joinParts,
  type PromptFrame,
} from '../../src/main/drafting/prompt/build-prompt.ts'
import { draftRequest } from '../../src/main/drafting/prompt/draft-request.ts'
import { type Pick, pickWith, rollDraft } from '../../src/main/drafting/prompt/roll-draft.ts'
import { controlStringsOf } from '../../src/main/models/completion/break-control-strings.ts'
import { koboldPayload } from '../../src/main/models/kobold/kobold-api.ts'
import {
  type DialogueLevel,
  type DraftDetails,
  IdeaItem,
  IdeaTarget,
} from '../../src/shared/domain/drafting/draft-details.ts'
import { defaultDraftSettings } from '../../src/shared/domain/drafting/draft-settings.ts'
import { fieldChange, filterIdea, ideaStops } from '../../src/shared/domain/drafting/idea-sections.ts'
import { TemplatePack } from '../../src/shared/domain/model/template-pack.ts'
import { isAppError } from '../../src/shared/errors.ts'
import { splitTagInput } from '../../src/shared/text/manuscript/tags.ts'
import { emptyDraftDetails } from '../../tests/fakes/empty-draft-details.ts'
import { syntheticCounter } from './synthetic-tokenizers.ts'
import { chanceDifference, difference, everyRoll, type VectorCase, type VectorGroup } from './vector-group.ts'

const resource = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../resources/${path}`, import.meta.url), 'utf8'))
const words = DraftWords.parse(resource('prompts/ja/draft-words.json'))
const template = TemplatePack.parse(resource('templates/mistral.json'))

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const tags = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? [])

const Ui = z.object({
  mode: z.enum(['generate', 'idea']).default('generate'),
  main_text: text,
  title: text,
  keywords: tags,
  genres: tags,
  synopsis: text,
  setting: text,
  plot: text,
  dialogue_level: text,
  rating: text,
  authors_note: text,
})

const Settings = z.object({
  cont_prompt_order: z.string().default('reference_first'),
  authors_note_display_mode: z.string().default('default'),
  default_rating: z.string().default('general'),
  compression_mode: z.string().default('token_dynamic'),
  max_main_text_chars: z.number().default(defaultDraftSettings.maxBodyChars),
  token_compression_step_chars: z.number().default(defaultDraftSettings.stepChars),
  token_compression_offset_chars: z.number().default(defaultDraftSettings.offsetChars),
  max_length_generate: z.number().default(defaultDraftSettings.outputTokensGenerate),
  max_length_idea: z.number().default(defaultDraftSettings.outputTokensIdea),
})

function draftOf(ui: z.infer<typeof Ui>): { details: DraftDetails; files: { path: string; text: string }[] } {
  return {
    details: {
      ...emptyDraftDetails,
      title: ui.title,
      keywords: ui.keywords,
      genres: ui.genres,
      synopsis: ui.synopsis,
      setting: ui.setting,
      plot: ui.plot,
      dialogueLevel: dialogueLevelOf(ui.dialogue_level),
      authorsNote: ui.authors_note,
    },
    files: [{ path: 'body', text: ui.main_text }],
  }
}

function dialogueLevelOf(shown: string): DialogueLevel {
  const found = Object.entries(words.dialogueLevels).find(([, value]) => value === shown)
  return found === undefined ? 'none' : (found[0] as DialogueLevel)
}

function frameOf(ui: z.infer<typeof Ui>, settings: z.infer<typeof Settings>, fields: PromptFrame['fields']) {
  return {
    mode: ui.mode,
    fields,
    rating: (ui.rating || settings.default_rating) as PromptFrame['rating'],
    settings: {
      promptOrder:
        settings.cont_prompt_order === 'reference_first'
          ? ('reference_first' as const)
          : ('text_first' as const),
      noteHeader:
        settings.authors_note_display_mode === 'legacy' ? ('legacy' as const) : ('default' as const),
      extendedCompleteness: false,
    },
    words,
    template,
  }
}

const firstOption: Pick = pickWith({ next: () => 0, id: () => '' })

const FIT_MODES = ['token_dynamic', 'char_trim', 'anchored'] as const

function runPrompt(vector: VectorCase): string | undefined {
  const ui = Ui.parse(vector.ui)
  const rolled = rollDraft(draftOf(ui), firstOption)
  const built = buildPrompt(frameOf(ui, Settings.parse(vector.settings ?? {}), rolled.fields), rolled.body)
  return difference({ ...built, prompt: joinParts(built.parts) }, vector.expected)
}

async function runCompression(vector: VectorCase): Promise<string | undefined> {
  const ui = Ui.parse(vector.ui)
  const settings = Settings.parse(vector.settings ?? {})
  const rolled = rollDraft(draftOf(ui), firstOption)
  const contextTokens = vector.true_ctx
  try {
    const fitted = await fitDraft({
      frame: frameOf(ui, settings, rolled.fields),
      draft: rolled,
      settings: {
        fitMode: FIT_MODES.find((mode) => mode === settings.compression_mode) ?? 'none',
        stepChars: settings.token_compression_step_chars,
        offsetChars: settings.token_compression_offset_chars,
        maxBodyChars: settings.max_main_text_chars,
      },
      contextTokens: typeof contextTokens === 'number' ? contextTokens : undefined,
      outputTokens: ui.mode === 'idea' ? settings.max_length_idea : settings.max_length_generate,
      counter: syntheticCounter(String(vector.tokenizer)),
      signal: new AbortController().signal,
    })
    const { prompt, ...numbers } = fitted
    return difference({ ...numbers, ...prompt, prompt: joinParts(prompt.parts) }, vector.expected)
  } catch (error) {
    if (!isAppError(error)) throw error
    return difference({ error: error.info.code }, vector.expected)
  }
}

function runDice(vector: VectorCase): string | undefined {
  const files = [{ path: 'body', text: String(vector.text) }]
  const outputs = everyRoll((pick) => rollDraft({ details: emptyDraftDetails, files }, pick).body)
  return chanceDifference(outputs, vector.outputs)
}

function runFieldDice(vector: VectorCase): string | undefined {
  const details: DraftDetails = {
    ...emptyDraftDetails,
    keywords: tags.parse(vector.keywords),
    genres: tags.parse(vector.genres),
  }
  const outputs = everyRoll((pick) => {
    const { fields } = rollDraft({ details, files: [] }, pick)
    return formatMetadata(fields, 'generate', words)
  })
  return chanceDifference(outputs, vector.outputs)
}

function runIdea(vector: VectorCase): string | undefined {
  const target = IdeaTarget.parse(vector.item)
  if (vector.fn === 'filter')
    return difference(filterIdea(String(vector.output), target, words), vector.expected)
  if (vector.fn !== 'stop') return `unknown fn ${JSON.stringify(vector.fn)}`
  const stops = ideaStops(target, words)
  return difference(stops.length === 0 ? null : stops, vector.expected)
}

function runTransfer(vector: VectorCase): string | undefined {
  const change = fieldChange(String(vector.selected), IdeaItem.parse(vector.key), words)
  const expected = z.object({ set: z.record(z.string(), z.unknown()) }).parse(vector.expected)
  const extra = Object.keys(change).find((key) => !(key in expected.set))
  return extra === undefined ? difference({ set: change }, expected) : `sets ${extra}, wanted no change`
}

function runTagInput(vector: VectorCase): string | undefined {
  const added = splitTagInput(String(vector.text), tags.parse(vector.existing))
  return difference({ added_in_order: added }, vector.expected)
}

const PayloadSettings = z.object({
  max_length_idea: z.number().default(defaultDraftSettings.outputTokensIdea),
  max_length_generate: z.number().default(defaultDraftSettings.outputTokensGenerate),
  temperature: z.number(),
  min_p: z.number(),
  top_p: z.number(),
  top_k: z.number(),
  rep_pen: z.number(),
  stop_sequences: tags,
  banned_tokens: tags,
})
const PayloadCall = z.object({
  max_length: z.number().nullish(),
  current_mode: z.enum(['generate', 'idea']).default('generate'),
  stop_sequence: z.array(z.string()).nullish(),
})

function runPayload(vector: VectorCase): string | undefined {
  const settings = PayloadSettings.parse(vector.settings)
  const asked = PayloadCall.parse(vector.kwargs ?? {})
  const request = draftRequest({
    parts: [{ origin: 'instruction', text: String(vector.prompt) }],
    mode: asked.current_mode,
    ideaTarget: 'all',
    settings: {
      ...defaultDraftSettings,
      outputTokensGenerate: asked.max_length ?? settings.max_length_generate,
      outputTokensIdea: asked.max_length ?? settings.max_length_idea,
      stopSequences: asked.stop_sequence ?? settings.stop_sequences,
      bannedPhrases: settings.banned_tokens,
    },
    template,
    words,
  })
  const sampler = {
    temperature: settings.temperature,
    topK: settings.top_k,
    topP: settings.top_p,
    minP: settings.min_p,
    repeatPenalty: settings.rep_pen,
    repeatRange: 320,
  }
  const controls = controlStringsOf([template])
  return difference(koboldPayload({ ...request, sampler, seed: 1 }, 'vector', 4096, controls), vector.body)
}

/** Groups of `novel-prompts.json`. */
export const novelPromptGroups: VectorGroup[] = [
  { key: 'prompt_cases', run: runPrompt },
  { key: 'compression_cases', run: runCompression },
  { key: 'dynamic_prompt_cases', run: runDice },
  { key: 'comment_and_range_cases', run: runDice },
  { key: 'tag_format_cases', run: runFieldDice },
  { key: 'idea_cases', run: runIdea },
  { key: 'transfer_cases', run: runTransfer },
  { key: 'tag_input_cases', run: runTagInput },
  { key: 'payload_cases', run: runPayload },
]

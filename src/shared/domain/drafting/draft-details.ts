import { z } from 'zod'

/** The dialogue that the author asks for; its words for models are in `resources/prompts/ja/draft-words.json`. */
export const DialogueLevel = z.enum(['none', 'few', 'rather-few', 'normal', 'rather-many', 'many'])
export type DialogueLevel = z.infer<typeof DialogueLevel>

/** `default` = what the drafting settings say. */
export const WorkRating = z.enum(['default', 'general', 'r18'])

/** The language of the words that a work's prompts put around its text; `text`: that of the text itself. */
export const PromptLanguage = z.enum(['text', 'ja', 'en'])

/** The longest titles, tags and notes accepted. Units: UTF-16; entries. */
const title = z.string().max(10_000)
const tags = z.array(z.string().max(10_000)).max(10_000)
const text = z.string().max(4_000_000)

/** The prompts of a work: an instruction with blocks, or `text` alone for a model without instructions. */
export const PromptForm = z.enum(['instruction', 'text'])
export type PromptForm = z.infer<typeof PromptForm>

/**
 * The author's information about a work: the fields of a drafting prompt, and the memo, which never enters one.
 *
 * Shape: texts as typed (dice unrolled, spaces kept); tags in the author's order.
 * Source: the fields of *Novel prompts*.
 */
export const DraftDetails = z.object({
  title: title.default(''),
  keywords: tags.default([]),
  genres: tags.default([]),
  synopsis: text.default(''),
  setting: text.default(''),
  plot: text.default(''),
  dialogueLevel: DialogueLevel.default('none'),
  rating: WorkRating.default('default'),
  promptLanguage: PromptLanguage.default('text'),
  promptForm: PromptForm.default('instruction'),
  authorsNote: text.default(''),
  memo: text.default(''),
})
export type DraftDetails = z.infer<typeof DraftDetails>

/** The items that idea mode invents, in the order in which prompts list them. */
export const IdeaItem = z.enum(['title', 'keywords', 'genres', 'synopsis', 'setting', 'plot'])
export type IdeaItem = z.infer<typeof IdeaItem>

/** The items that the idea mode writes: all, or one. */
export const IdeaTarget = z.enum(['all', ...IdeaItem.options])
export type IdeaTarget = z.infer<typeof IdeaTarget>

/** The names in the headers of an idea, of one language, as prompts write them. */
export const IdeaWords = z.object({
  fields: z.record(z.enum([...IdeaItem.options, 'dialogueLevel']), z.string().min(1)),
})
export type IdeaWords = z.infer<typeof IdeaWords>

export const DraftMode = z.enum(['generate', 'idea'])
export type DraftMode = z.infer<typeof DraftMode>

/** The kind of a take: a continuation, an idea, another wording of a selection, or a summary. */
export const TakeMode = z.enum([...DraftMode.options, 'rewrite', 'summary'])
export type TakeMode = z.infer<typeof TakeMode>

import { z } from 'zod'

/** File formats of other programs that hold lore entries. */
export const LoreFormat = z.enum(['sillytavern', 'novelai', 'koboldai', 'card-v1', 'card-v2', 'card-v3'])
export type LoreFormat = z.infer<typeof LoreFormat>

/**
 * Features that another program's entry has and a work's entry lacks. `flags`: a regular expression loses its flags
 * (ours always ignore case); `decorators`: lines that begin with `@@`; `card`: text for a chat, which says nothing
 * about a work; `priority`: a number beyond ours, which becomes another one in the same order; `long-text`: a text is cut; `long-fields`: a field that would stay is too long. The other features stay
 * in the file, unread.
 */
export const LoreLoss = z.enum([
  'probability',
  'timing',
  'place',
  'group',
  'case',
  'flags',
  'logic',
  'bias',
  'priority',
  'decorators',
  'card',
  'long-keys',
  'long-text',
  'long-fields',
  'other',
])
export type LoreLoss = z.infer<typeof LoreLoss>

/** Losses of an import of which the file keeps nothing. */
export const leftOutOnImport: ReadonlySet<LoreLoss> = new Set([
  'flags',
  'decorators',
  'card',
  'long-keys',
  'long-text',
  'long-fields',
])

/** An entry that an import would make. */
export const LoreToImport = z.object({
  path: z.string(),
  name: z.string(),
  keys: z.array(z.string()),
  always: z.boolean(),
  enabled: z.boolean(),
  /** The beginning of the entry's text. */
  begins: z.string(),
  losses: z.array(LoreLoss),
})
export type LoreToImport = z.infer<typeof LoreToImport>

/**
 * A preview of an import. `hash` identifies the file's content; `empty` counts entries without text, and `tooMany` those
 * behind the last one that is imported.
 */
export const LoreImportPlan = z.object({
  file: z.string(),
  hash: z.string(),
  format: LoreFormat,
  entries: z.array(LoreToImport),
  empty: z.int(),
  tooMany: z.int(),
})
export type LoreImportPlan = z.infer<typeof LoreImportPlan>

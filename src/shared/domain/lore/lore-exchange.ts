import { z } from 'zod'

/** File formats of other programs that hold lore entries. */
export const LoreFormat = z.enum(['sillytavern', 'novelai', 'koboldai', 'card-v1', 'card-v2', 'card-v3'])
export type LoreFormat = z.infer<typeof LoreFormat>

/**
 * Features that another program's entry has and a work's entry lacks. `flags`: a regular expression loses its flags
 * (ours always ignore case); `decorators`: lines that begin with `@@`; `card`: text for a chat, which says nothing
 * about a work. The other features stay in the file, unread.
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
  'decorators',
  'card',
  'long-keys',
  'other',
])
export type LoreLoss = z.infer<typeof LoreLoss>

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

/** A preview of an import. `hash` identifies the file's content; `empty` counts entries with neither text nor keys. */
export const LoreImportPlan = z.object({
  file: z.string(),
  hash: z.string(),
  format: LoreFormat,
  entries: z.array(LoreToImport),
  empty: z.int(),
})
export type LoreImportPlan = z.infer<typeof LoreImportPlan>

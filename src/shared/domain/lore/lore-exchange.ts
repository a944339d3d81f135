import { z } from 'zod'

/** Files of other programs that hold entries. */
export const LoreFormat = z.enum(['sillytavern', 'novelai', 'koboldai', 'card-v1', 'card-v2', 'card-v3'])
export type LoreFormat = z.infer<typeof LoreFormat>

/**
 * What an entry of another program has and an entry of a work has not. `flags`: a regular expression loses its flags
 * (ours never tell case apart); `decorators`: lines that begin with `@@`; `card`: what is said in a chat, not known of
 * a work. The others are kept in the file, unread.
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
  /** The beginning of its text. */
  begins: z.string(),
  losses: z.array(LoreLoss),
})
export type LoreToImport = z.infer<typeof LoreToImport>

/** What an import would do. `hash` tells the file again; `empty`: so many entries have neither a text nor keys. */
export const LoreImportPlan = z.object({
  file: z.string(),
  hash: z.string(),
  format: LoreFormat,
  entries: z.array(LoreToImport),
  empty: z.int(),
})
export type LoreImportPlan = z.infer<typeof LoreImportPlan>

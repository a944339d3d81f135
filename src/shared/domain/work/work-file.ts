import { z } from 'zod'

/**
 * `manuscript` files in order make the body; `material` is other text of the work (notes, characters);
 * `unreadable` is a name that the file system cannot examine, such as a cyclic link.
 */
export const WorkFileKind = z.enum(['manuscript', 'material', 'folder', 'other', 'unreadable'])
export type WorkFileKind = z.infer<typeof WorkFileKind>

const materialFolder =
  /^(materials?|notes?|memos?|settings?|characters?|plots?|research|drafts?|資料|設定|メモ|ノート|プロット|人物|登場人物|没|下書き)$/i

/** Returns whether a folder of this name holds material about the work and no chapters. */
export function isMaterialFolder(name: string): boolean {
  // Some disks part a kana from its voicing mark.
  return materialFolder.test(name.normalize('NFC'))
}

/** The page that a text is set on: the one of Japanese text, or that of all other text. */
export const PageChoice = z.enum(['ja', 'en'])
export type PageChoice = z.infer<typeof PageChoice>

/**
 * A file or folder of a work.
 *
 * Shape: `path` is relative to the work, separated by `/`, unique; `order` counts from 0 over the whole list.
 * Units: `characters`, `words` and sheets of 400 as `TextCount` counts them; absent until counted. `language`: that of
 * the text around its end; absent also where it has no letters. `isIgnored`: an ignore file of the folder names it; absent
 * until that was found out. `page`: chosen by the author for this text; absent: as the settings say.
 */
export const WorkFile = z.object({
  path: z.string(),
  kind: WorkFileKind,
  characters: z.number().int().nonnegative().optional(),
  words: z.number().int().nonnegative().optional(),
  pages: z.number().int().nonnegative().optional(),
  language: z.enum(['ja', 'en']).optional(),
  isIgnored: z.boolean().optional(),
  page: PageChoice.optional(),
  order: z.number().int().nonnegative(),
})
export type WorkFile = z.infer<typeof WorkFile>

import type { UnreadLore } from '../../shared/domain/lore/lore.ts'
import { isMaterialFolder, type WorkFile } from '../../shared/domain/work/work-file.ts'
import { isAppError } from '../../shared/errors.ts'
import { languageOfText } from '../../shared/text/text-language.ts'
import { errorCode } from '../platform/files/disk.ts'
import { toFileError } from '../platform/files/file-error.ts'

/** Files under these folders are summaries, whatever their front matter says. Some disks part じ into two characters. */
export const summaryFolder = /(^|\/)(あらす(?:じ|し\u3099)|summaries)\//i

export function isSummaryFile({ path, kind }: Pick<WorkFile, 'path' | 'kind'>): boolean {
  return kind === 'material' && summaryFolder.test(path)
}

/**
 * Returns the folder for new materials: the existing one that makes its files materials, else one in the language of the
 * text. In any other folder with a material, a new file would be a chapter.
 */
export function materialFolderOf(files: readonly WorkFile[], text: string): string {
  for (const { kind, path } of files) {
    if (kind !== 'material') continue
    const folders = path.split('/').slice(0, -1)
    const at = folders.findIndex((name) => isMaterialFolder(name))
    if (at >= 0) return folders.slice(0, at + 1).join('/')
  }
  return languageOfText(text) === 'en' ? 'Notes' : '資料'
}

/** Waits for a file of a work; where it cannot be read, returns why, with its path in the work. */
export async function orFailure<T>(path: string, reading: Promise<T>): Promise<T | UnreadLore> {
  try {
    return await reading
  } catch (error) {
    if (errorCode(error) === undefined && !isAppError(error)) throw error
    const { info } = toFileError(error, path)
    return { path, error: 'path' in info ? { ...info, path } : info }
  }
}

/** Handles a rejection of a read: a file that cannot be read counts as absent. Errors: rethrows all but `AppError`. */
export function undefinedIfUnread(error: unknown): undefined {
  if (!isAppError(error)) throw error
  return undefined
}

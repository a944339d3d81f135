import type { WorkFile } from '../../shared/domain/work/work-file.ts'
import { languageOfText } from '../../shared/text/text-language.ts'

/** Files under these folders are summaries, whatever their front matter says. */
export const summaryFolder = /(^|\/)(あらすじ|summaries)\//i

export function isSummaryFile({ path, kind }: Pick<WorkFile, 'path' | 'kind'>): boolean {
  return kind === 'material' && summaryFolder.test(path)
}

/** Returns the folder for new materials: that of the first existing one, else one in the language of the text. */
export function materialFolderOf(files: readonly WorkFile[], text: string): string {
  const known = files.find(({ kind, path }) => kind === 'material' && path.includes('/'))?.path.split('/')[0]
  return known ?? (languageOfText(text) === 'en' ? 'Notes' : '資料')
}

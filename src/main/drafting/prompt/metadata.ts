import type { DialogueLevel, DraftMode } from '../../../shared/domain/drafting/draft-details.ts'
import type { DraftWords } from '../draft-words.ts'

/** The details as the prompt shows them: rolled, trimmed, empty tags dropped. */
export type DraftFields = {
  title: string
  keywords: readonly string[]
  genres: readonly string[]
  synopsis: string
  setting: string
  plot: string
  dialogueLevel: DialogueLevel
  authorsNote: string
}

/**
 * Lists the details under their headers; empty when there are none.
 *
 * An idea's prompt does not have the dialogue level.
 */
export function formatMetadata(fields: DraftFields, mode: DraftMode, words: DraftWords): string {
  const { dialogueLevel } = fields
  const names = words.fields
  const sections: [name: string, value: string][] = [
    [names.title, fields.title],
    [names.keywords, fields.keywords.join('\n')],
    [names.genres, fields.genres.join('\n')],
    [names.synopsis, fields.synopsis],
    [names.setting, fields.setting],
    [names.plot, fields.plot],
  ]
  if (mode === 'generate' && dialogueLevel !== 'none') {
    sections.push([names.dialogueLevel, words.dialogueLevels[dialogueLevel]])
  }
  return sections
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `# ${name}:\n${value}`)
    .join('\n\n')
}

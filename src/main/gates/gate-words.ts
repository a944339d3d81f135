import { z } from 'zod'
import type { DenialKind } from '../../shared/errors.ts'
import { clipLine } from '../../shared/text/clip-line.ts'
import type { Denial } from './judge.ts'

const sentence = z.string().min(1)

/** What a model reads where a call is denied. Source: `resources/prompts/<lang>/consent-words.json`. */
export const DenialWords = z.strictObject({
  rule: sentence.includes('{{detail}}'),
  executable: sentence.includes('{{detail}}'),
  untrusted: sentence,
  'plan-mode': sentence,
})
export type DenialWords = z.infer<typeof DenialWords>

const shownCharacters = 200

/** Returns the text of a denial for the model. Text that comes from a project is inserted as it is, on one line. */
export function denialText(words: DenialWords, by: Denial): string {
  const { denial, detail } = deniedBy(by)
  return words[denial].replace('{{detail}}', () => detail)
}

/** Returns a denial for the user. Shape: `detail` is the rule or the file, on one line; empty for the other kinds. */
export function deniedBy(by: Denial): { denial: DenialKind; detail: string } {
  const detail = by.kind === 'rule' ? by.pattern : by.kind === 'executable' ? by.path : ''
  return { denial: by.kind, detail: clipLine(detail, shownCharacters) }
}

import { z } from 'zod'
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

/** Returns the text of a denial. Text that comes from a project is inserted as it is, on one line. */
export function denialText(words: DenialWords, denial: Denial): string {
  const detail = denial.kind === 'rule' ? denial.pattern : denial.kind === 'executable' ? denial.path : ''
  return words[denial.kind].replace('{{detail}}', () => clipLine(detail, shownCharacters))
}

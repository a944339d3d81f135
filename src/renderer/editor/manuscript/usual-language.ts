import { Facet, type Text } from '@codemirror/state'
import { languageOfText } from '../../../shared/text/text-language.ts'

/** Length of the end of a text that is enough to tell its language. Units: UTF-16. */
const languageSample = 2_000

/** The language in which a text without letters will be written. */
export const usualLanguage = Facet.define<() => 'ja' | 'en', () => 'ja' | 'en'>({
  combine: ([first]) => first ?? (() => 'ja'),
})

/** Returns the language at the end of a text; null without letters. */
export function languageAtEnd(text: Text): 'ja' | 'en' | null {
  return languageOfText(text.sliceString(Math.max(0, text.length - languageSample)))
}

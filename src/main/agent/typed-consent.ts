import { z } from 'zod'
import { consentDelayMs, refusalReason } from '../../shared/consent/typed-refusal.ts'

const word = z.string().refine((text) => text !== '' && keyOf(text) !== '', 'a word')

/**
 * The whole messages that say yes or no to a gate. Data, for every language at once: a gate is asked in one,
 * answered in another.
 *
 * Source: `resources/words/consent.json`.
 */
export const ConsentWords = z
  .object({ approve: z.array(word).min(1), refuse: z.array(word).min(1) })
  .refine(({ approve, refuse }) => {
    const refusals = new Set(refuse.map(keyOf))
    return approve.every((text) => !refusals.has(keyOf(text)))
  }, 'no word says both')
export type ConsentWords = z.infer<typeof ConsentWords>

/** Shape: times of the same clock. `paintedAt` is null while the gate is not on the screen yet. Units: ms. */
export type TypedAnswer = { text: string; beganAt: number; paintedAt: number | null }

/**
 * What a typed message says to the front gate, or null: then it is no consent, and is answered beside.
 *
 * Only a whole message counts. *OK, and also …* is not consent.
 */
export function readTypedConsent(answer: TypedAnswer, words: ConsentWords): 'approve' | 'refuse' | null {
  if (answer.paintedAt === null || answer.beganAt - answer.paintedAt < consentDelayMs) return null
  const key = keyOf(answer.text)
  if (words.approve.some((text) => keyOf(text) === key)) return 'approve'
  if (words.refuse.some((text) => keyOf(text) === key)) return 'refuse'
  return null
}

/** What a typed message says. Shape: `reason` of a refusal that goes on. */
export type TypedWord = { verdict: 'approve' | 'refuse'; reason: string | null }

/** As `readTypedConsent`, with a refusal that goes on ("no, just list it") as a refusal with its reason. */
export function readTypedWord(answer: TypedAnswer, words: ConsentWords): TypedWord | null {
  const verdict = readTypedConsent(answer, words)
  if (verdict !== null) return { verdict, reason: null }
  const isReadable = answer.paintedAt !== null && answer.beganAt - answer.paintedAt >= consentDelayMs
  const reason = isReadable ? refusalReason(answer.text) : null
  return reason === null ? null : { verdict: 'refuse', reason }
}

/** A message without what does not matter: width, case, spaces, commas, the marks at its end. */
function keyOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/[\s,、]+/g, ' ')
    .trim()
    .replace(/[.!。…~〜ー]+$/u, '')
    .trim()
}

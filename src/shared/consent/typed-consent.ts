import { withoutEnd } from '../text/without-end.ts'
import words from './consent-words.json' with { type: 'json' }
import { consentDelayMs, refusalReason } from './typed-refusal.ts'

/** The whole messages that mean yes or no, in every language: a gate is shown in one and answered in another. */
const approvals = new Set(words.approve.map(keyOf))
const refusals = new Set(words.refuse.map(keyOf))

/** A typed answer. Shape: `paintedAt` is null while the gate is not on the screen yet. Units: ms. */
export type TypedAnswer = { text: string; beganAt: number; paintedAt: number | null }

/**
 * Reads a typed message as an answer to the front gate, or null: then it is no consent, and is answered beside.
 *
 * Only a whole message counts. *OK, and also …* is not consent.
 */
export function readTypedConsent(answer: TypedAnswer): 'approve' | 'refuse' | null {
  if (answer.paintedAt === null || answer.beganAt - answer.paintedAt < consentDelayMs) return null
  const key = keyOf(answer.text)
  if (approvals.has(key)) return 'approve'
  return refusals.has(key) ? 'refuse' : null
}

/** The meaning of a typed message. Shape: `reason` of a refusal that goes on. */
export type TypedWord = { verdict: 'approve' | 'refuse'; reason: string | null }

/** Reads as `readTypedConsent`, and takes a refusal that goes on ("no, just list it") as one with its reason. */
export function readTypedWord(answer: TypedAnswer): TypedWord | null {
  const verdict = readTypedConsent(answer)
  if (verdict !== null) return { verdict, reason: null }
  const isReadable = answer.paintedAt !== null && answer.beganAt - answer.paintedAt >= consentDelayMs
  const reason = isReadable ? refusalReason(answer.text) : null
  return reason === null ? null : { verdict: 'refuse', reason }
}

/** Returns a message without irrelevant differences: width, case, spaces, commas, the marks at its end. */
function keyOf(text: string): string {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/[\s,、]+/g, ' ')
    .trim()
  return withoutEnd(plain, '.!。…~〜ー').trim()
}

import words from './refusal-words.json' with { type: 'json' }

const openers = new Set(words.openers.map(keyOf))
const longest = Math.max(...words.openers.map((word) => word.length))
/** An answer that began sooner was meant for something else. Source: `docs/decisions/sessions.md`, point 19. Units: ms. */
export const consentDelayMs = 700

/** The marks between a refusal and its reason. */
const separator = /^[\s,、，.。．:：;；!！…―—–-]+/u

/**
 * Returns the reason of a typed refusal that goes on ("no, just list the folder"), or null.
 *
 * The reason is the whole message, so that none of the user's words are lost. A bare refusal has no reason.
 */
export function refusalReason(text: string): string | null {
  const trimmed = text.trim()
  const key = keyOf(trimmed)
  if (words.exceptions.some((one) => key === one || key.startsWith(`${one} `) || key.startsWith(`${one},`)))
    return null
  for (let length = Math.min(longest, trimmed.length - 1); length > 0; length--) {
    if (!openers.has(keyOf(trimmed.slice(0, length)))) continue
    const rest = trimmed.slice(length)
    const parted = separator.exec(rest)?.[0]
    if (parted !== undefined && /[\p{L}\p{N}]/u.test(rest.slice(parted.length))) return trimmed
  }
  return null
}

function keyOf(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('’', "'")
}

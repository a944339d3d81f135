import { z } from 'zod'
import { clipLine } from '../../../shared/text/clip-line.ts'

/**
 * A text that the session keeps in one line: constrained calls end at `limit`, others are clipped to it.
 *
 * Units: graphemes; a grammar counts code points, never fewer.
 * Source: `docs/decisions/sessions.md` point 6: a field over its limit is clipped, not refused.
 */
export function shortText(limit: number) {
  return z.string().min(1).meta({ maxLength: limit })
}

export function shortLine(text: string, limit: number): string {
  return clipLine(text.toWellFormed(), limit)
}

import { z } from 'zod'
import { clipLine } from '../../shared/text/clip-line.ts'

/**
 * A text that the session keeps in one line: constrained calls end at `limit`, others are clipped to it.
 *
 * Units: graphemes; a grammar counts code points, never fewer.
 * Source: `../shared/spec/3-agent.md` row 22: a field over its limit is clipped, not refused.
 */
export function shortText(limit: number) {
  return z.string().min(1).meta({ maxLength: limit })
}

export function shortLine(text: string, limit: number): string {
  return clipLine(text.toWellFormed(), limit)
}

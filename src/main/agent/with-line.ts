import { clipLine } from '../../shared/text/clip-line.ts'

/** Returns a list with one more line at its end; above the limit, the oldest lines are dropped. */
export function withLine(
  lines: readonly string[],
  line: string,
  limits: { items: number; characters: number },
): string[] {
  const clipped = clipLine(line, limits.characters)
  if (clipped === '' || lines.at(-1) === clipped) return [...lines]
  return [...lines.filter((other) => other !== clipped), clipped].slice(-limits.items)
}

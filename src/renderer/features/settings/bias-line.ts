import type { LogitBias } from '../../../shared/domain/model/sampler.ts'

/**
 * Reads a line of a text, a space and a number; null for any other line.
 *
 * Shape: the text stays as it was typed, since a wide character has other tokens than the ASCII that it resembles; only
 * the number may be in the digits and signs of a Japanese input method.
 */
export function readBias(line: string): LogitBias | null {
  const [, text = '', figure = ''] = /^(.+)[ \t\u3000]([-+−－＋]?[\d.０-９．]+)$/u.exec(line) ?? []
  const bias = Number(figure.normalize('NFKC').replace('−', '-'))
  return text.trim() === '' || figure === '' || !(Math.abs(bias) <= 100) ? null : { text, bias }
}

const special = ['[INST]', '[/INST]', '<s>', '</s>', '<|im_start|>', '<|im_end|>']
const pieces = /\[\/?INST\]|<\/?s>|<\|im_(?:start|end)\|>| ?[A-Za-z]{1,6}| ?[0-9]|[\s\S]/gu

/** The largest count that the server tells; from here on it answers 0. Source: KoboldCpp 1.76 as measured. */
export const tokenLimit = 50_000

/**
 * Splits text as a real vocabulary would in kind, not in detail: special tokens are one token wherever they
 * stand, English words a few, every other character one. NUL ends the text, as in the C++ side.
 */
export function tokenize(text: string): string[] {
  const end = text.indexOf('\0')
  return (end === -1 ? text : text.slice(0, end)).match(pieces) ?? []
}

export function isSpecialToken(token: string): boolean {
  return special.includes(token)
}

/** A stable number for a piece: control tokens low, the rest spread over a vocabulary of 32,000. */
export function tokenId(token: string): number {
  if (token === '<s>') return 1
  if (token === '</s>') return 2
  const known = special.indexOf(token)
  if (known !== -1) return 3 + known
  let hash = 7
  for (const unit of token) hash = (hash * 31 + (unit.codePointAt(0) ?? 0)) % 31_000
  return 1_000 + hash
}

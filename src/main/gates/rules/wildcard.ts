/** Says whether a text is what a pattern describes. */
export type TextMatch = (text: string) => boolean

type Token = { kind: 'run' } | { kind: 'one'; accepts: (char: string) => boolean }

/**
 * A pattern of one word: `*` is any run of characters; with `isGlob` also `?` and `[abc]`.
 *
 * Takes time with the product of both lengths at worst: patterns also come from folders that nobody trusts.
 */
export function wildcard(pattern: string, isGlob: boolean): TextMatch {
  const tokens = tokensOf(Array.from(pattern), isGlob)
  return (text) => isMatch(tokens, Array.from(text))
}

function tokensOf(chars: readonly string[], isGlob: boolean): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    const end = isGlob && char === '[' ? chars.indexOf(']', at + 2) : -1
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'run') tokens.push({ kind: 'run' })
    } else if (isGlob && char === '?') tokens.push({ kind: 'one', accepts: () => true })
    else if (end > 0) {
      tokens.push({ kind: 'one', accepts: classOf(chars.slice(at + 1, end)) })
      at = end
    } else tokens.push({ kind: 'one', accepts: (other) => other === char })
  }
  return tokens
}

function classOf(chars: readonly string[]): (char: string) => boolean {
  const isNegated = chars[0] === '!' || chars[0] === '^'
  const members = isNegated ? chars.slice(1) : chars
  const isMember = (char: string): boolean =>
    members.some((member, at) => {
      if (member === '-' && at > 0 && at < members.length - 1) {
        return (members[at - 1] ?? '') <= char && char <= (members[at + 1] ?? '')
      }
      return member === char
    })
  return (char) => isMember(char) !== isNegated
}

/** Goes back only to the last run: an earlier one need never take more. */
function isMatch(tokens: readonly Token[], text: readonly string[]): boolean {
  let at = 0
  let token = 0
  let back: { token: number; at: number } | null = null
  while (at < text.length) {
    const wanted = tokens[token]
    if (wanted?.kind === 'run') {
      back = { token, at }
      token += 1
    } else if (wanted?.accepts(text[at] ?? '')) {
      at += 1
      token += 1
    } else if (back !== null) {
      back.at += 1
      at = back.at
      token = back.token + 1
    } else return false
  }
  return tokens.slice(token).every(({ kind }) => kind === 'run')
}

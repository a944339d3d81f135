import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { WebHostLimits } from './limits.ts'

/** The tokens in links, and the secret for which they are exchanged. All become invalid when the host ends. */
export type Credentials = ReturnType<typeof createCredentials>

export function createCredentials(
  now: () => number,
  limits: Pick<WebHostLimits, 'wrongTokens' | 'wrongTokensMs' | 'onceLinkMs'>,
) {
  const printedToken = createToken()
  const secret = createToken()
  const onceTokens = new Map<string, { expiresAt: number }>()
  let wrongTokens = new Map<string, number>()
  let wrongTokensUntil = 0

  function countOf(address: string): number {
    if (now() >= wrongTokensUntil) {
      wrongTokens = new Map()
      wrongTokensUntil = now() + limits.wrongTokensMs
    }
    return wrongTokens.get(address) ?? 0
  }

  function takeOnceToken(candidate: string): boolean {
    for (const [token, { expiresAt }] of onceTokens) {
      if (expiresAt <= now()) onceTokens.delete(token)
      else if (isSame(token, candidate)) return onceTokens.delete(token)
    }
    return false
  }

  return {
    /** The token of the printed link: good as long as the host runs. */
    printedToken,
    /** Creates a token that is valid once, since other users can read command lines. */
    createOnceToken(): string {
      const token = createToken()
      onceTokens.set(token, { expiresAt: now() + limits.onceLinkMs })
      return token
    },
    /** `wait`: one more wrong token after too many from `address`. A right token is always accepted. */
    exchange(token: string, address: string): { secret: string } | 'wrong' | 'wait' {
      // A token has 256 bits and cannot be guessed, so that the limit only keeps the log small.
      if (isSame(printedToken, token) || takeOnceToken(token)) return { secret }
      const count = countOf(address)
      if (count >= limits.wrongTokens) return 'wait'
      wrongTokens.set(address, count + 1)
      return 'wrong'
    },
    isSecret: (candidate: string): boolean => isSame(secret, candidate),
  }
}

function createToken(): string {
  return randomBytes(32).toString('base64url')
}

// Digests have equal lengths, so that the comparison takes the same time for every candidate.
function isSame(expected: string, candidate: string): boolean {
  return timingSafeEqual(digest(expected), digest(candidate))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

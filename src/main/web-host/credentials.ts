import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { WebHostLimits } from './limits.ts'

/** The tokens that links carry and the secret they are exchanged for. All die with the host. */
export type Credentials = {
  /** The token of the printed link: good as long as the host runs. */
  printedToken: string
  /** A new token that is good for one exchange: command lines can be read by other users. */
  createOnceToken(): string
  /** `wait`: one more wrong token after too many from `address`. A right token is never told to wait. */
  exchange(token: string, address: string): { secret: string } | 'wrong' | 'wait'
  isSecret(candidate: string): boolean
}

export function createCredentials(
  now: () => number,
  limits: Pick<WebHostLimits, 'wrongTokens' | 'wrongTokensMs' | 'onceLinkMs'>,
): Credentials {
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
    printedToken,
    createOnceToken() {
      const token = createToken()
      onceTokens.set(token, { expiresAt: now() + limits.onceLinkMs })
      return token
    },
    exchange(token, address) {
      // A token has 256 bits: no number of guesses comes near one, so that waiting only spares the log.
      if (isSame(printedToken, token) || takeOnceToken(token)) return { secret }
      const count = countOf(address)
      if (count >= limits.wrongTokens) return 'wait'
      wrongTokens.set(address, count + 1)
      return 'wrong'
    },
    isSecret: (candidate) => isSame(secret, candidate),
  }
}

function createToken(): string {
  return randomBytes(32).toString('base64url')
}

// Digests have one length, so the comparison takes one time whatever the candidate.
function isSame(expected: string, candidate: string): boolean {
  return timingSafeEqual(digest(expected), digest(candidate))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

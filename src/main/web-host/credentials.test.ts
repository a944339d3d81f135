import { describe, expect, it } from 'vitest'
import { createCredentials } from './credentials.ts'

const limits = { wrongTokens: 2, wrongTokensMs: 1000, onceLinkMs: 500 }

describe('credentials', () => {
  it('tells an address that guesses to wait, until its time is over, but never one that has a right token', () => {
    let now = 0
    const credentials = createCredentials(() => now, limits)
    const guess = (address: string) => credentials.exchange('guess', address)
    expect([guess('a'), guess('a'), guess('a'), guess('b')]).toEqual(['wrong', 'wrong', 'wait', 'wrong'])
    now = 999
    expect(guess('a')).toBe('wait')
    expect(credentials.exchange(credentials.printedToken, 'a')).toHaveProperty('secret')
    expect(credentials.exchange(credentials.createOnceToken(), 'a')).toHaveProperty('secret')
    expect(guess('a')).toBe('wait')
    now = 1000
    expect(guess('a')).toBe('wrong')
  })

  it('takes a token for a browser within its time only', () => {
    let now = 0
    const credentials = createCredentials(() => now, limits)
    const [used, late] = [credentials.createOnceToken(), credentials.createOnceToken()]
    now = 499
    expect(credentials.exchange(used, 'a')).toHaveProperty('secret')
    now = 500
    expect(credentials.exchange(late, 'a')).toBe('wrong')
  })

  it('knows its own secret only', () => {
    const [one, other] = [createCredentials(() => 0, limits), createCredentials(() => 0, limits)]
    const exchanged = one.exchange(one.printedToken, 'a')
    const secret = typeof exchanged === 'object' ? exchanged.secret : ''
    expect(one.isSecret(secret)).toBe(true)
    expect(other.isSecret(secret)).toBe(false)
    expect(one.isSecret(one.printedToken)).toBe(false)
    expect(one.isSecret('')).toBe(false)
  })
})

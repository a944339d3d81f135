import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../tests/fakes/seeded-random.ts'
import { hasKey, withoutKeys } from './key-shapes.ts'

const all = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const hex = '0123456789abcdef'

function* keys(seed: number): Generator<string> {
  const random = seededRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const made = (length: number, letters = all): string =>
    Array.from({ length }, () => pick([...letters])).join('')
  const owners = [
    'gsk_',
    'r8_',
    'pplx-',
    'SG.',
    'sk_test_',
    'whsec_',
    'lin_api_',
    'hvs.',
    'dp.pt.',
    'figd_',
    'ntn_',
  ]
  const more = [
    'dckr_pat_',
    'ops_',
    'ya29.',
    'glsa_',
    'xai-',
    'sntrys_',
    'acme_live_',
    'zz9-',
    'new.vendor.v1_',
  ]
  const names = [
    'API_KEY',
    'aws_secret_access_key',
    'db-password',
    'authToken',
    'client_secret',
    'AccountKey',
    '_authToken',
  ]
  const signs = ['=', ' = ', ': ', '": "', "'] = '", ' => "', ' := `']
  for (let each = 0; each < 400; each += 1) {
    yield `${pick(['', '+', '-  ', '"', 'key='])}${pick([...owners, ...more])}${made(32 + Math.floor(random() * 40))}`
    yield `${pick(names)}${pick(signs)}${made(40 + Math.floor(random() * 30), pick([all, all, hex, `${all}+/`]))}`
  }
}

it('is looked for in one pass, whatever the text is made of', { timeout: 60_000 }, () => {
  expect(hasKey('eyJabcdefgh-'.repeat(100_000))).toBe(false)
  expect(hasKey(`x-eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.c`)).toBe(true)
})

describe('a key', () => {
  it('is told by its owner’s word or its name, whoever made it', () => {
    const all = [...keys(1)]
    const missed = all.filter((text) => !hasKey(text))
    // A random key may look like a word.
    expect(missed.length).toBeLessThan(all.length / 20)
  })

  it.each([
    '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----',
    '-----BEGIN PGP PRIVATE KEY BLOCK-----',
    'PuTTY-User-Key-File-3: ssh-ed25519',
    'AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0',
    'postgres://user:word@host/base',
  ])('begins: %s', (text) => expect(hasKey(text)).toBe(true))

  it.each([
    ...['const token = await readToken(stream, options)', 'password: z.string().min(16).max(400)'],
    ...[
      '"integrity": "sha512-Kx9mQ7rT2vWpY5sD8fGhJ4nC6aB3xZ9kLmQ7rT2vWpY5sD8fGhJ4nC6aB3xZ9kLmQ7rT2vWpY5sD8fGhJ4nC6=="',
    ],
    ...['index 5626abf0f72e58d7a153368ba57db4c673c0e171..f719efd430d52bcfc8566a43b2eb655688d38871'],
    ...[
      'test_shouldReturnTheValueForUtf8AndUtf16Strings',
      'apiKey: process.env.OPENAI_API_KEY',
      'my_very_long_snake_case_name_2',
    ],
    ...[
      'secretary = "The Lady of Shalott and others"',
      'tokens: 1234567890123456',
      'https://example.com/a-b-c-2024-01-31-some-title',
    ],
    ...[
      'key = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"',
      'uuid = 123e4567-e89b-12d3-a456-426614174000',
      'The token was lost.',
    ],
  ])('is not: %s', (text) => expect(hasKey(text)).toBe(false))
})

describe('a text without its keys', () => {
  it('has all other lines as they were', () => {
    const key = `ghp_${'a1B2'.repeat(9)}`
    expect(withoutKeys(`one\n+token: ${key}\n\ntwo\n`)).toEqual({ text: 'one\n\ntwo\n', leftOut: 1 })
    expect(withoutKeys('one\ntwo')).toEqual({ text: 'one\ntwo', leftOut: 0 })
  })

  it('has no line of a private key, nor loses what comes after one', () => {
    const code = `+${'MIIEpAIBAAKCAQEA'.repeat(4)}`
    const block = [
      '+-----BEGIN RSA PRIVATE KEY-----',
      code,
      '+',
      code,
      '+Qk9PVA==',
      '+-----END RSA PRIVATE KEY-----',
    ]
    expect(withoutKeys(['one', ...block, 'two'].join('\n'))).toEqual({ text: 'one\ntwo', leftOut: 6 })
    const cut = ['-----BEGIN PRIVATE KEY-----', code, 'That was the key.', 'two']
    expect(withoutKeys(cut.join('\n'))).toEqual({ text: 'That was the key.\ntwo', leftOut: 2 })
  })
})

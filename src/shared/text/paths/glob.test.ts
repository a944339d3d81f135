import { describe, expect, it } from 'vitest'
import { alternativesOf, pathGlob, textGlob } from './glob.ts'

describe('a pattern of paths', () => {
  it.each([
    ['src/**', 'src/a/b.ts', true, true],
    ['src/**', 'other/src/a.ts', false, false],
    ['src/*.ts', 'src/a.ts', true, true],
    ['src/*.ts', 'src/a/b.ts', false, false],
    ['**/*.md', 'docs/deep/x.md', true, true],
    ['{src,docs}/**', 'docs/x.md', true, true],
    ['*.{ts,tsx}', 'a.tsx', true, true],
    ['a[0-9].txt', 'a7.txt', true, true],
    ['a[!0-9].txt', 'a7.txt', false, false],
    ['.env', '.env', true, true],
    // Refusing reaches further: a name anywhere, what is under a folder, another spelling.
    ['.env', 'deep/.env', false, true],
    ['secrets', 'secrets/a/b.txt', false, true],
    ['secrets/**', 'secrets', true, true],
    ['secrets/**', 'SECRETS/a.txt', false, true],
    ['/notes.txt', 'notes.txt', true, true],
    ['/notes.txt', 'deep/notes.txt', false, false],
    ['\u30ac.txt', '\u30ab\u3099.txt', true, true],
    ['**', 'any/thing', true, true],
  ])('%s on %s', (pattern, path, isAllowed, isRefused) => {
    expect(pathGlob(pattern, 'exact')(path)).toBe(isAllowed)
    expect(pathGlob(pattern, 'wide')(path)).toBe(isRefused)
  })

  it('refuses everything, and allows nothing, where there are too many choices to write out', () => {
    const pattern = '{a,b}'.repeat(12)
    expect(pathGlob(pattern, 'wide')('x.txt')).toBe(true)
    expect(pathGlob(pattern, 'exact')('abababababab')).toBe(false)
  })

  it('is answered at once, however it is written', () => {
    const hostile = `${'*a'.repeat(200)}b`
    const steps = '**/'.repeat(200)
    const path = `${'a'.repeat(4_000)}/${'a/'.repeat(1_000)}c`
    expect(pathGlob(hostile, 'wide')(path)).toBe(false)
    expect(pathGlob(`${steps}x`, 'wide')(path)).toBe(false)
  })
})

describe('a word with *', () => {
  it.each([
    ['test:*', 'test:unit', true],
    ['test:*', 'test', false],
    ['*', '', true],
    ['a*c*e', 'abcde', true],
    ['a*c*e', 'abced', false],
    ['[', '[', true],
    ['?', 'x', false],
  ])('%s on %s', (pattern, text, isMatch) => {
    expect(textGlob(pattern, { hasSets: false })(text)).toBe(isMatch)
  })
})

describe('the dialect of searches', () => {
  it.each([
    ['a.ts', 'deep/a.ts', true],
    ['src/**', 'src', false],
    ['src/**', 'src/a/b', true],
    ['SRC/*', 'src/a', false],
    ['\\*.ts', '*.ts', true],
    ['\\*.ts', 'a.ts', false],
    ['{a}b', 'ab', true],
    ['a\\{b,c\\}', 'a{b,c}', true],
  ])('%s on %s', (pattern, path, isMatch) => {
    expect(pathGlob(pattern, 'search')(path)).toBe(isMatch)
  })
})

describe('alternatives', () => {
  it.each([
    ['{a,{b,c}}d', ['ad', 'bd', 'cd']],
    ['x{a,b', ['x{a,b']],
    ['{x{a,b}', ['{xa', '{xb']],
    ['{a}', ['{a}']],
    ['a}b', ['a}b']],
    ['{,a}', ['', 'a']],
  ])('of %s', (pattern, written) => {
    expect(alternativesOf(pattern, 'exact')).toEqual(written)
  })

  it('are written out in one pass, whatever the pattern is', () => {
    for (const long of ['{'.repeat(500_000), '{,'.repeat(300_000), `${'{'.repeat(300_000)}}`])
      expect(alternativesOf(long, 'wide')).toHaveLength(1)
    expect(alternativesOf('{a,b}'.repeat(100_000), 'wide')).toBe(null)
  })
})

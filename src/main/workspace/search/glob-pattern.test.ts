import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { comparePaths } from '../../platform/files/natural-order.ts'
import { firstPaths, parseGlob } from './glob-pattern.ts'

describe('parseGlob', () => {
  const cases: [pattern: string, matching: string[], others: string[]][] = [
    ['*.ts', ['a.ts', 'src/b/a.ts', '.x.ts'], ['a.tsx', 'a.ts/b']],
    ['src/*.ts', ['src/a.ts'], ['src/b/a.ts', 'a.ts', 'x/src/a.ts']],
    ['src/**/*.ts', ['src/a.ts', 'src/b/c/a.ts'], ['srcs/a.ts', 'src/a.js']],
    ['**/test/*', ['test/a', 'x/test/a'], ['test', 'atest/a', 'test/a/b']],
    ['**', ['a', 'a/b/c'], []],
    ['src/**', ['src/a', 'src/a/b'], ['src', 'a/src/b']],
    ['a**b', ['aXb', 'ab', 'x/ab'], ['a/b']],
    ['{a,b}.{md,txt}', ['a.md', 'x/b.txt'], ['c.md', 'a.b']],
    ['{src,lib}/**/x', ['src/x', 'lib/a/x'], ['x']],
    ['a?.t[xy][!0-9]', ['ab.txz', 'ab.tya'], ['a.txz', 'ab.tx1', 'ab.tzz']],
    ['日本*.txt', ['日本語.txt', '本/日本.txt'], ['英語.txt']],
    ['?.txt', ['🎈.txt'], ['ab.txt']],
    ['\\*.ts', ['*.ts'], ['a.ts']],
    ['a{b', ['a{b'], ['ab']],
    ['[', ['['], ['a']],
    ['./a.ts', ['a.ts'], []],
    ['/src/a.ts', ['src/a.ts'], []],
  ]
  it.each(cases)('%s', (pattern, matching, others) => {
    const glob = parseGlob(pattern)
    for (const path of matching) expect(glob?.matches(path), path).toBe(true)
    for (const path of others) expect(glob?.matches(path), path).toBe(false)
  })

  it('names the folder and the names that a search can begin with', () => {
    expect(parseGlob('src/a/**/*.{ts,js}')).toMatchObject({ folder: 'src/a', names: ['*.ts', '*.js'] })
    expect(parseGlob('*.md')).toMatchObject({ folder: '', names: ['*.md'] })
    expect(parseGlob('src/**')).toMatchObject({ folder: 'src', names: null })
    expect(parseGlob('{a,b}/c')).toMatchObject({ folder: '', names: ['c'] })
  })

  it('does not lose itself in a hostile pattern', () => {
    const glob = parseGlob(`${'*a'.repeat(200)}b`)
    expect(glob?.matches('a'.repeat(2_000))).toBe(false)
    expect(parseGlob(`${'**/'.repeat(100)}x`)?.matches(`${'a/'.repeat(300)}y`)).toBe(false)
    expect(parseGlob('{a,b}'.repeat(8))).toBeUndefined()
    expect(parseGlob('{'.repeat(400))).toBeDefined()
    expect(parseGlob('a'.repeat(501))).toBeUndefined()
  })
})

describe('firstPaths', () => {
  it('gives the same order as comparing whole paths', () => {
    const names = ['a', 'b', '2', '10', '第二章', '第十章', 'a.txt', 'A.txt', '.x', 'ａ']
    for (let seed = 1; seed <= 50; seed++) {
      const random = seededRandom(seed)
      const name = () => names[Math.floor(random() * names.length)] ?? ''
      const paths = new Set(
        Array.from({ length: 60 }, () => Array.from({ length: 1 + random() * 3 }, name).join('/')),
      )
      const wanted = [...paths].sort(comparePaths)
      expect(firstPaths([...paths], 1_000)).toEqual(wanted)
      expect(firstPaths([...paths], 7)).toEqual(wanted.slice(0, 7))
    }
  })
})

import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { gateData } from '../../../../tests/fakes/gate-rig.ts'
import { RiskRules } from '../../tools/shell/command-risk.ts'
import { isAllowedBy, isNamedBy, patternOf } from './command-pattern.ts'
import { pathGlob } from './path-glob.ts'
import { wildcard } from './wildcard.ts'

const { lists } = await gateData()
const words = (line: string): string[] => line.split(' ')

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
    expect(wildcard(pattern, false)(text)).toBe(isMatch)
  })
})

describe('a pattern of commands', () => {
  it.each([
    ['npm test', 'npm test', true],
    ['npm test', 'npm test x', false],
    ['npm test *', 'npm test', true],
    ['npm test *', 'npm test x --y', true],
    ['npm test *', 'npm run test', false],
    ['npm run test:*', 'npm run test:unit', true],
    ['git log *', '/tmp/git log', false],
    ['*', 'anything at all', true],
  ])('%s allows %s: %s', (pattern, line, isAllowed) => {
    expect(isAllowedBy(pattern, words(line))).toBe(isAllowed)
  })

  it('never allows what is known only when it runs', () => {
    expect(isAllowedBy('npm *', ['npm', null])).toBe(false)
  })

  it.each([
    ['git push', 'git push', true],
    ['git push *', 'git -C sub push origin', true],
    ['git push', 'sudo /usr/bin/git push --force', true],
    ['git push --force', 'git push origin --force', true],
    ['git push', 'git pull', false],
    ['rm *', 'RM.exe x', true],
    ['rm', 'npm run x', false],
    ['*', 'anything', true],
    ['npm * --force', 'npm install --force', true],
  ])('%s denies %s: %s', (pattern, line, isDenied) => {
    expect(isNamedBy(pattern, words(line))).toBe(isDenied)
  })

  it.each([
    ['npm test', 'npm test'],
    ['npm test -- --grep x', 'npm test *'],
    ['npm run lint', 'npm run lint'],
    ['npm run lint src', 'npm run lint *'],
    ['git commit -m x', 'git commit *'],
    ['git -C x commit', 'git -C x commit'],
    ['git branch new', 'git branch new'],
    ['git stash pop --index', 'git stash pop *'],
    ['pytest tests/a.py -k x', 'pytest *'],
    ['make', 'make'],
    // What takes a program, a variable or a recipe among its words is allowed as it stands.
    ['make test CC=x', 'make test CC=x'],
    ['mvn test exec:exec', 'mvn test exec:exec'],
    ['git apply a.patch', 'git apply a.patch'],
    ['git worktree add x', 'git worktree add x'],
    ['npm pkg set a=b', 'npm pkg set a=b'],
    ['npm version patch', 'npm version patch'],
    ['deno install x', 'deno install x'],
    ['yarn build x', 'yarn build *'],
    ['bundle exec rspec a', 'bundle exec rspec *'],
    ['bundle exec ruby a.rb', 'bundle exec ruby a.rb'],
    ['cargo unknown-plugin x', 'cargo unknown-plugin x'],
    ['node build.js --all', 'node build.js --all'],
    ['go run example.com/x@latest', 'go run example.com/x@latest'],
    ['echo *', null],
  ])('derived from %s is %s', (line, pattern) => {
    expect(patternOf(words(line), lists)).toBe(pattern)
  })

  it('is open only where nothing that may follow is of high risk by name', async () => {
    const { reasons, opaque } = RiskRules.parse(
      JSON.parse(await readFile(new URL('../../../../resources/shell/risk.json', import.meta.url), 'utf8')),
    )
    const risky = [...Object.values(reasons).flat(), ...opaque.filter((pattern) => !pattern.includes(' -'))]
    const covering = [...lists.depths.keys()].filter((open) => {
      return risky.some((pattern) => pattern.startsWith(`${open} `))
    })
    expect(covering).toEqual([])
  })

  it('is none for words that no pattern can say', () => {
    expect(patternOf(['touch', null], lists)).toBeNull()
    expect(patternOf(['node', '-e', 'a b'], lists)).toBeNull()
  })

  it('allows the command that it was derived from', () => {
    for (const line of [
      'npm test',
      'git commit -m x',
      'make build x',
      'cargo test a b',
      'touch a b',
      'go vet a',
    ]) {
      const pattern = patternOf(words(line), lists)
      expect(isAllowedBy(pattern ?? '', words(line))).toBe(true)
    }
  })
})

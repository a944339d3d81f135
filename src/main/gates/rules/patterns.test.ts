import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { gateData } from '../../../../tests/fakes/rigs/gate-rig.ts'
import { RiskRules } from '../../tools/shell/command-risk.ts'
import { isAllowedBy, isNamedBy, patternOf } from './command-pattern.ts'

const { lists } = await gateData()
const words = (line: string): string[] => line.split(' ')

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

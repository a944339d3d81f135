// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are the shell’s
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createShellCheck } from './create-shell-check.ts'
import { isRefusal } from './programs/read-options.ts'
import lines from './shell-lines.json' with { type: 'json' }

const check = await createShellCheck(fileURLToPath(new URL('../../../../resources/', import.meta.url)))

async function reasonOf(source: string): Promise<string> {
  const result = check.readOnly(await check.read(source))
  return isRefusal(result) ? result.reason : 'read-only'
}

async function operandsOf(source: string) {
  const result = check.readOnly(await check.read(source))
  return isRefusal(result) ? [] : result.operands
}

describe('lines that an attacker would write', () => {
  // The parser decides whether a line is broken or only not understood.
  it.each(lines.refused.unread)('does not pretend to understand: %j', async (line) => {
    expect(['syntax', 'structure']).toContain(await reasonOf(line))
  })

  const { unread: _, ...understood } = lines.refused
  for (const [reason, refused] of Object.entries(understood)) {
    it.each(refused)(`refuses for ${reason}: %j`, async (line) => {
      expect(await reasonOf(line)).toBe(reason)
    })
  }

  it('counts more than three hundred of them, each once', () => {
    const all = Object.values(lines.refused).flat()
    expect(new Set(all).size).toBe(all.length)
    expect(all.length).toBeGreaterThan(300)
  })
})

describe('lines that people and models write to look around', () => {
  it.each(lines.harmless)('lets pass: %j', async (line) => {
    expect(await reasonOf(line)).toBe('read-only')
  })

  it('refuses a line that is too long, nested too deeply, or no text at all', async () => {
    expect(await reasonOf(`echo ${'a'.repeat(20_000)}`)).toBe('syntax')
    expect(await reasonOf(`${'('.repeat(60)}ls${')'.repeat(60)}`)).not.toBe('read-only')
    expect(await reasonOf('ls \ud800')).toBe('structure')
    expect(await reasonOf(`${'('.repeat(2000)}ls${')'.repeat(2000)}`)).not.toBe('read-only')
  })
})

describe('what a line reads', () => {
  it('names the paths, and leaves patterns and texts out', async () => {
    const paths = (await operandsOf('grep -rn -e foo -f list src lib && sed -n 1p a.txt')).map(
      ({ raw }) => raw,
    )
    expect(paths).toEqual(['list', 'src', 'lib', 'a.txt'])
  })

  it('names the file inside a revision and a range', async () => {
    const paths = async (line: string) => (await operandsOf(line)).flatMap((operand) => operand.paths)
    expect(await paths('git show HEAD:.env')).toContain('.env')
    expect(await paths('git cat-file -p :0:.env')).toEqual([])
    expect((await operandsOf('git cat-file -p :0:.env'))[0]?.obstacle).toBe('glob')
    expect(await paths('git log -L1,5:.env')).toContain('.env')
    expect(await paths('git -C lib log -- a')).toEqual(['lib/a'])
  })

  it('says why a path is not known before the line runs', async () => {
    const obstacle = async (line: string) => (await operandsOf(line)).map((operand) => operand.obstacle)
    expect(await obstacle('cat $F')).toEqual(['variable'])
    expect(await obstacle('cat ~/.ssh/id_rsa')).toEqual(['home'])
    expect(await obstacle('cat a*.txt')).toEqual(['glob'])
    expect(await obstacle('cat a{1,2}')).toEqual(['brace'])
    expect(await obstacle("git diff -- '*.env'")).toEqual(['glob'])
    expect(await obstacle('grep $P a')).toEqual([null, 'variable'])
    expect(await obstacle('cat a.txt')).toEqual([null])
  })

  it('looks in every folder that a cd may lead to', async () => {
    const last = async (line: string) => (await operandsOf(line)).at(-1)
    expect((await last('cd a; cat b'))?.paths).toEqual(['b', 'a/b'])
    expect((await last('cd a && cd ../c; cat b'))?.obstacle).toBe('place')
    expect((await last('cd ..; cat b'))?.paths).toEqual(['b', '../b'])
    expect((await last('cd /etc && cat shadow'))?.paths).toEqual(['shadow', '/etc/shadow'])
    expect((await last('cd -; cat b'))?.obstacle).toBe('place')
    expect((await last('cd; cat b'))?.obstacle).toBe('place')
    expect((await last('cd "$D"; cat b'))?.obstacle).toBe('place')
    expect((await last('cd a; cat < b'))?.paths).toEqual(['b', 'a/b'])
  })

  it('tells names from contents, whole trees and followed links', async () => {
    const [listed] = await operandsOf('find -L src')
    expect(listed).toMatchObject({ reads: 'names', isDeep: true, followsLinks: true })
    const [searched] = await operandsOf('grep -R foo')
    expect(searched).toMatchObject({ paths: ['.'], reads: 'contents', isDeep: true, followsLinks: true })
    const [shown] = await operandsOf('head a')
    expect(shown).toMatchObject({ reads: 'contents', isDeep: false, followsLinks: false })
  })
})

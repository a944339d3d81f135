import { describe, expect, it } from 'vitest'
import { globalExcludes } from '../../platform/global-excludes.ts'
import { rulesFrom } from './ignore-rules.ts'

const lines = (text: string, below: string[] = [], above: string[] = []): string[] =>
  rulesFrom(text, { below, above })

describe('the lines of an ignore file', () => {
  it('of the searched folder keep their meaning', () => {
    expect(
      lines('\ufeff*.log\r\n# note\n\n!keep.log\n/build/\nsrc/x\n\\#name\n\\!name\ndir/  \nname\\ \n/\n!'),
    ).toEqual([
      '/**/*.log',
      '!/**/keep.log',
      '/build/',
      '/src/x',
      '/**/#name',
      '/**/!name',
      '/**/dir/',
      '/**/name\\ ',
    ])
  })

  it('of a folder below are about that folder, whatever its name', () => {
    expect(lines('*.log\n!/x/', ['a', 'b'])).toEqual(['/a/b/**/*.log', '!/a/b/x/'])
    expect(lines('x', ['[a]*{b,c}?\\'])).toEqual(['/\\[a\\]\\*\\{b,c\\}\\?\\\\/**/x'])
    expect(lines('x', ['two\nlines'])).toEqual(['/two?lines/**/x'])
  })

  it('of a folder above are what is left of them', () => {
    const from = (text: string): string[] => lines(text, [], ['home', 'project'])
    expect(from('*.log')).toEqual(['/**/*.log'])
    expect(from('/home/project/build/')).toEqual(['/build/'])
    expect(from('home/*/src/x')).toEqual(['/src/x'])
    expect(from('other/project/x\nhome/project\n/home\nhome/proj')).toEqual([])
    expect(from('home/**')).toEqual(['/**'])
    expect(new Set(from('**/project/x'))).toEqual(new Set(['/**/project/x', '/x']))
    expect(from('!home/p[r]o*/keep')).toEqual(['!/keep'])
  })

  it('take no longer for a line that means many places', () => {
    const many = `${'**/*/'.repeat(200)}x`
    const deep = Array.from({ length: 100 }, (_, at) => `d${at}`)
    expect(rulesFrom(many, { below: [], above: deep }).length).toBeLessThanOrEqual(201)
  })
})

describe("the user's own ignore file", () => {
  const at = (files: Record<string, string>, env: Record<string, string>) =>
    globalExcludes(env, async (path) => files[path] ?? null)

  it('is the one that a configuration names, else that of the settings folder', async () => {
    const home = { HOME: '/home/u' }
    const named = { '/home/u/.gitconfig': '[core]\n  excludesFile = "~/mine"\n', '/home/u/mine': '*.a' }
    const usual = { '/home/u/.config/git/ignore': '*.b' }
    expect(await at({ ...named, ...usual }, home)).toBe('*.a')
    expect(await at(usual, home)).toBe('*.b')
    const elsewhere = { ...home, XDG_CONFIG_HOME: '/conf' }
    const other = { '/conf/git/config': '[core]\nexcludesfile=/x\n', '/x': '*.c', '/conf/git/ignore': '*.d' }
    expect(await at(other, elsewhere)).toBe('*.c')
    expect(await at({}, home)).toBeNull()
    expect(await at({}, {})).toBeNull()
  })
})

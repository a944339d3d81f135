import { describe, expect, it } from 'vitest'
import { indexPaths, rankPaths } from './path-index.ts'

const files = [
  'README.md',
  'src/main/app.ts',
  'src/main/apply-change-set.ts',
  'src/renderer/state/app-store.ts',
  'tests/app.test.ts',
  'docs/map.md',
  '小説/第一章.md',
  '小説/第二章.md',
  '資料/ガイド.txt',
]
const index = indexPaths(files)
const paths = (query: string, recent: string[] = [], limit = 20) =>
  rankPaths(index, query, recent, limit).map(({ path }) => path)

describe('completion', () => {
  it('offers files and their folders', () => {
    expect(rankPaths(index, 'main', [], 20)).toEqual([
      { path: 'src/main/', kind: 'folder' },
      { path: 'src/main/app.ts', kind: 'file' },
      { path: 'src/main/apply-change-set.ts', kind: 'file' },
    ])
  })

  it('puts names that begin with it first, then the shorter', () => {
    expect(paths('app')).toEqual([
      'src/main/app.ts',
      'tests/app.test.ts',
      'src/main/apply-change-set.ts',
      'src/renderer/state/app-store.ts',
    ])
  })

  it('puts what was used last before the shorter, but not before a better name', () => {
    const recent = ['src/renderer/state/app-store.ts', 'docs/map.md']
    expect(paths('app', recent).slice(0, 2)).toEqual(['src/renderer/state/app-store.ts', 'src/main/app.ts'])
    expect(paths('ma', ['src/main/app.ts'])[0]).not.toBe('src/main/app.ts')
  })

  it('finds letters apart, after those together', () => {
    expect(paths('acs')).toEqual(['src/main/apply-change-set.ts'])
    expect(paths('app.st')[0]).toBe('tests/app.test.ts')
    expect(paths('smapp')).toContain('src/main/app.ts')
    expect(paths('zzz')).toEqual([])
  })

  it('offers each path once, also one that has the letters together and apart', () => {
    const both = indexPaths(['a-bab.md', 'x.md'])
    const found = rankPaths(both, 'ab', ['a-bab.md', 'a-bab.md'], 20)
    expect(found).toEqual([{ path: 'a-bab.md', kind: 'file' }])
  })

  it('knows no difference of width and case', () => {
    expect(paths('ｒｅａｄ')).toEqual(['README.md'])
    expect(paths('ｶﾞｲﾄﾞ')).toEqual(['資料/ガイド.txt'])
    expect(paths('か\u3099')).toEqual([])
  })

  it('follows folders', () => {
    expect(paths('小説/')).toEqual(['小説/', '小説/第一章.md', '小説/第二章.md'])
    expect(paths('小説/二')).toEqual(['小説/第二章.md'])
  })

  it('begins with what was used last, and gives no more than is wanted', () => {
    expect(paths('', ['docs/map.md', '小説/第二章.md'], 3).slice(0, 2)).toEqual([
      'docs/map.md',
      '小説/第二章.md',
    ])
    expect(paths('', [], 3)).toHaveLength(3)
  })
})

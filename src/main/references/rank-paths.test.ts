import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../tests/fakes/seeded-random.ts'
import { indexPaths, searchKey } from './path-index.ts'
import { rankPaths } from './rank-paths.ts'

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

/** Ranks each path as specified and sorts all of them: the slow reference for the real code. */
function slowlyRanked(paths: readonly string[], query: string, recent: readonly string[], limit: number) {
  const wanted = searchKey(query)
  const used = [...new Set(recent)]
  const rank = (path: string): number[] | undefined => {
    const key = searchKey(path)
    const name = key.slice(key.lastIndexOf('/', key.length - 2) + 1)
    const recency = used.includes(path) ? used.indexOf(path) : used.length
    const [inName, inPath] = [gapsBetween(name, wanted), gapsBetween(key, wanted)]
    const rest = [recency, key.length]
    if (name.includes(wanted)) return [0, 0, name.startsWith(wanted) ? 0 : 1, ...rest]
    if (key.includes(wanted)) return [1, 0, 1, ...rest]
    if (inName !== undefined) return [2, inName, 1, ...rest]
    return inPath === undefined ? undefined : [3, inPath, 1, ...rest]
  }
  const ranked = paths.flatMap((path) => {
    const parts = rank(path)
    return parts === undefined ? [] : [{ path, parts }]
  })
  const comes = (a: number[], b: number[]) => a.map((part, at) => part - (b[at] ?? 0)).find((by) => by !== 0)
  ranked.sort((a, b) => comes(a.parts, b.parts) ?? (a.path < b.path ? -1 : 1))
  return ranked.slice(0, limit).map(({ path }) => path)
}

function gapsBetween(text: string, wanted: string): number | undefined {
  const places: number[] = []
  for (const letter of wanted.split('')) {
    const found = text.indexOf(letter, (places.at(-1) ?? -1) + 1)
    if (found < 0) return undefined
    places.push(found)
  }
  return places.filter((place, at) => at > 0 && place > (places[at - 1] ?? 0) + 1).length
}

describe('completion, whatever the paths and the query', () => {
  const parts = [
    'a',
    'ab',
    'B',
    'ba',
    '-',
    '.',
    '_',
    '7',
    '第',
    '章',
    'が',
    'か\u3099',
    'ｶﾞ',
    'ß',
    'Σ',
    '𠮷',
    '／',
    'é',
    'e\u0301',
  ]

  it.each([1, 2, 3, 4])('gives what ranking each path and sorting them gives (%i)', (seed) => {
    const random = seededRandom(seed)
    const below = (count: number) => Math.floor(random() * count)
    const some = (most: number) =>
      Array.from({ length: 1 + below(most) }, () => parts[below(parts.length)] ?? '').join('')
    const madePath = () => Array.from({ length: 1 + below(3) }, () => some(4)).join('/')
    const changed = (query: string) => {
      if (random() < 0.25) return query.slice(0, -1 - below(2))
      return query + (random() < 0.2 ? '/' : some(1))
    }
    for (let folder = 0; folder < 25; folder++) {
      const files = new Set(Array.from({ length: 1 + below(80) }, madePath))
      let made = indexPaths([...files])
      let query = ''
      for (let keystroke = 0; keystroke < 12; keystroke++) {
        if (random() < 0.2) made = indexPaths([...files.add(madePath())])
        const recent = Array.from({ length: below(6) }, () => made.paths[below(made.paths.length)] ?? 'gone')
        const limit = 1 + below(25)
        const found = rankPaths(made, query, recent, limit).map(({ path }) => path)
        expect(found, JSON.stringify({ query, recent, limit })).toEqual(
          slowlyRanked(made.paths, query, recent, limit),
        )
        query = changed(query)
      }
    }
  })
})

import { expect, it } from 'vitest'
import { findMentions } from './mentions.ts'

const texts: Record<string, string> = {
  '001.txt': '　綾瀬《あやせ》さんが来た。\n　Annaと綾瀬。\n　Anna-Bananaではない。\n',
  '002.txt': '　誰もいない。\n',
  '003.txt': '　ＡＮＮＡ、ann、鐘が鳴った。',
}
const works = {
  rootOf: () => '/work',
  manuscripts: () => Object.keys(texts).map((path) => ({ path })) as never,
}
const documents = { read: async ({ path }: { path: string }) => ({ text: texts[path] ?? '', version: null }) }
const find = (keys: string[]) => findMentions({ works, documents }, 'w', keys)

it('finds every place of its keys by chapter, with the line, through ruby and widths', async () => {
  const { chapters, total } = await find(['綾瀬さん', '綾瀬', 'anna'])
  expect(total).toBe(5)
  expect(
    chapters.map(({ path, places }) => [path, places.map(({ line, match }) => `${line} ${match}`)]),
  ).toEqual([
    ['001.txt', ['1 綾瀬《あやせ》さん', '2 Anna', '2 綾瀬', '3 Anna']],
    ['002.txt', []],
    ['003.txt', ['1 ＡＮＮＡ']],
  ])
  const place = chapters[0]?.places[1]
  expect(texts['001.txt']?.slice(place?.from, place?.to)).toBe('Anna')
})

it('finds expressions in any width, at their places in the file', async () => {
  const { chapters } = await find(['/AN+A.鐘?/', '/綾瀬.ん/'])
  expect(chapters.map(({ places }) => places.map(({ match }) => match))).toEqual([
    ['綾瀬《あやせ》さん', 'Annaと', 'Anna-', 'anan'],
    [],
    ['ＡＮＮＡ、'],
  ])
})

it('finds expressions, and names those that fail', async () => {
  const { chapters, failedKeys } = await find(['/鐘|誰/', '/(/'])
  expect(chapters.map(({ places }) => places.map(({ match }) => match))).toEqual([[], ['誰'], ['鐘']])
  expect(failedKeys).toEqual(['/(/'])
})

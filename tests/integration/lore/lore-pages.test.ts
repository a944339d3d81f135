import { expect, it } from 'vitest'
import { openScriptedNovel } from '../../fakes/rigs/lore-app.ts'

const contextTokens = 3072
const pages = 24
const pageLines = 10
const names = ['綾瀬', '林', '氷室', '真壁', '葛西', '宇野', '榊', '堂島']
const materials = Object.fromEntries(
  names.map((name, at) => [
    `資料/${name}.md`,
    `---\nkeys: [${name}]\n---\n　${name}は${at + 3}階に住む。${'静かな人である。'.repeat(8)}\n`,
  ]),
)
/** A page names two entries, another one on each. */
const page = (nth: number) =>
  Array.from({ length: pageLines }, (_, line) => {
    const name = names[(nth + (line % 2)) % names.length] ?? ''
    return `　${name}は${nth}日目の${line}番目の角を曲がり、雨の中を静かに歩いていった。\n`
  }).join('')

it('a page with lore is read as a whole only where the beginning of the text moves', async () => {
  const files = { '001.txt': Array.from({ length: 6 }, (_, nth) => page(nth)).join(''), ...materials }
  const novel = await openScriptedNovel(files, { contextTokens, drafting: { loreScanChars: 600 } })

  const [cold, moved, used] = [new Set<number>(), new Set<number>(), new Set<string>()]
  let lastStart = ''
  for (let nth = 0; nth < pages; nth++) {
    const { parts, lore } = await novel.preview()
    const start = parts.find(({ origin }) => origin === 'body')?.text.slice(0, 60) ?? ''
    if (start !== lastStart) moved.add(nth)
    lastStart = start
    for (const { path, place } of lore?.uses ?? []) if (place !== 'left-out') used.add(path)
    const { promptTokens, reusedTokens } = await novel.draft({ isAccepted: true })
    if (promptTokens === null || reusedTokens === null) throw new Error('the server counted nothing')
    if ((promptTokens - reusedTokens) * 2 > promptTokens) cold.add(nth)
    await novel.append(page(nth + 6))
  }
  expect(moved.size).toBeGreaterThan(3)
  expect(moved.size).toBeLessThan(pages / 2)
  expect(used.size).toBeGreaterThan(names.length / 2)
  expect([...cold]).toEqual([...moved])
})

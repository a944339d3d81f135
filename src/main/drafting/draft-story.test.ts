import { expect, it } from 'vitest'
import { placeStory } from './draft-story.ts'

const whole = {
  file: '資料/あらすじ/全体.md',
  text: '全部の話。',
  episodes: ['1.txt', '2.txt'],
  isOutdated: (path: string, now: string) => path === '2.txt' && now !== '　二。\n',
}

/** Returns how the summary of both chapters is reported, where the second one has this text now. */
async function reported(second: string | undefined) {
  const texts: Record<string, string | undefined> = { '1.txt': '　一。\n', '2.txt': second }
  const earlier = ['1.txt', '2.txt'].map((path) => ({ path, endsAt: 0 }))
  const story = { earlier, episodes: [], whole, unread: [], textOf: (path: string) => texts[path] }
  return (await placeStory(story, 10, 100, async () => 5, undefined)).report?.uses
}

it('a summary of several chapters is reported as outdated where one of them has changed', async () => {
  expect(await reported('　別の夜。\n')).toMatchObject([{ path: null, place: 'standing', isOutdated: true }])
  expect(await reported('　二。\n')).toMatchObject([{ path: null, place: 'standing', isOutdated: false }])
  // Of a chapter that was not read no change is known.
  expect(await reported(undefined)).toMatchObject([{ isOutdated: false }])
})

it('summaries that cannot be read are reported instead of as missing, but not those of chapters that are sent', async () => {
  const error = { code: 'file/not-text' as const, path: 'x' }
  const unread = [null, '1.txt', '3.txt'].map((path) => ({ path, file: `${path}.md`, error }))
  const earlier = [
    { path: '1.txt', endsAt: 0 },
    { path: '2.txt', endsAt: 5 },
    { path: '3.txt', endsAt: 99 },
  ]
  const story = { earlier, episodes: [], whole: null, unread, textOf: () => undefined }
  const { report } = await placeStory(story, 10, 100, async () => 5, undefined)
  expect(report).toMatchObject({ missing: ['2.txt'], unread: [{ path: null }, { path: '1.txt' }] })
})

const isOutdated = () => false
const chapter = (name: string, text: string) => ({
  path: `${name}.txt`,
  file: `${name}.md`,
  text,
  isOutdated,
})
const told = (name: string, text: string) => ({
  path: `${name}.txt`,
  file: `${name}.md`,
  text,
  chapters: [`${name}.txt`],
})

it('tells what the last page told, and names the summaries that wait', async () => {
  const earlier = ['1.txt', '2.txt', '3.txt'].map((path, at) => ({ path, endsAt: at }))
  const episodes = [chapter('1', '新しい。'), chapter('2', '二。')]
  const story = { earlier, episodes, whole: null, unread: [], textOf: () => undefined }
  const placed = (held: ReturnType<typeof told>[], cutChars = 10, budget = 100) =>
    placeStory(story, cutChars, budget, async (text) => text.length, held)
  const { text, report, told: again } = await placed([told('1', '古い。')])
  expect([text, again, report?.isHeld]).toEqual(['古い。', [told('1', '古い。')], true])
  expect(report?.uses.map(({ file, place, tokens }) => [file, place, tokens])).toEqual([
    ['1.md', 'standing', 5],
    ['2.md', 'waiting', 4],
  ])
  expect(report).toMatchObject({ missing: ['3.txt'], usedTokens: 5 })
  // Nothing was told: the first summary waits, too.
  expect(await placed([])).toMatchObject({ text: '', report: { isHeld: true } })
  const now = { text: '新しい。\n\n二。', report: { isHeld: false } }
  expect(await placed([told('1', '新しい。'), told('2', '二。')])).toMatchObject(now)
  // A chapter that is sent, or comes later, is not told.
  expect(await placed([told('9', '先の話。')])).toMatchObject(now)
  expect(await placed([told('2', '二。')], 0)).toMatchObject({ text: '新しい。' })
  // The author has lowered the budget.
  expect(await placed([told('1', 'とても長い。')], 10, 6)).toMatchObject({ report: { isHeld: false } })
})

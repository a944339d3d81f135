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
  return (await placeStory(story, 10, 100, async () => 5)).report?.uses
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
  const { report } = await placeStory(story, 10, 100, async () => 5)
  expect(report).toMatchObject({ missing: ['2.txt'], unread: [{ path: null }, { path: '1.txt' }] })
})

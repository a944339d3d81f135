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
  const story = { earlier, episodes: [], whole, textOf: (path: string) => texts[path] }
  return (await placeStory(story, 10, 100, async () => 5)).report?.uses
}

it('a summary of several chapters is reported as outdated where one of them has changed', async () => {
  expect(await reported('　別の夜。\n')).toMatchObject([{ path: null, place: 'standing', isOutdated: true }])
  expect(await reported('　二。\n')).toMatchObject([{ path: null, place: 'standing', isOutdated: false }])
  // Of a chapter that was not read no change is known.
  expect(await reported(undefined)).toMatchObject([{ isOutdated: false }])
})

import { expect, it } from 'vitest'
import { fixtureTake } from '../../../../../tests/fakes/window-host/fixtures.ts'
import { IdeaItem, type IdeaWords } from '../../../../shared/domain/drafting/draft-details.ts'
import { ideaGroups } from './idea-groups.ts'

const fields = Object.fromEntries(IdeaItem.options.map((item) => [item, item])) as IdeaWords['fields']
const words: IdeaWords = { fields }

it('takes over nothing older than the shown section, also where that has no word in it', () => {
  const takes = ['# title:\n迷宮\n# keywords:\n- 雨', '# keywords:\n-'].map((text, index) =>
    fixtureTake({ takeId: `t${index}`, placeId: 't0', mode: 'idea', text, createdAt: index }),
  )
  const [group] = ideaGroups(takes, undefined, [words])
  expect(group?.sections).toMatchObject({ title: '迷宮', keywords: '-' })
  expect(group?.takeIds).toMatchObject({ title: 't0', keywords: 't1' })
  expect(group?.change).toEqual({ title: '迷宮' })
})

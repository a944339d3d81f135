import type { Thought } from '../../fakes/scripted-mind.ts'
import type { Room } from '../support/room.ts'
import { expect, type OpenRoom, type RoomOptions, test } from '../support/session-test.ts'

const reply = (say: string): Thought[] => [{ decide: {} }, { say }]

const ghostOf = (room: Room) => room.page.locator('.cm-ghost')

/** A session after two turns: before the second answer there is nothing to go on from. */
async function talkedTwice(openRoom: (options: RoomOptions) => Promise<OpenRoom>, suggestions: string[]) {
  const opened = await openRoom({ thoughts: [...reply('はい。'), ...reply('直しました。')], suggestions })
  await opened.room.say('読んでください。')
  await expect(opened.room.conversation).toContainText('はい。')
  await opened.room.isAt('済み')
  await opened.room.say('直してください。')
  await expect(opened.room.conversation).toContainText('直しました。')
  return opened
}

const events = async ({ client }: OpenRoom) => {
  const list = await client['suggestion.list']({})
  return list.events.map(({ outcome, method, reason, similarity }) => ({
    outcome,
    method,
    reason,
    similarity,
  }))
}

test('the next message stands in the box before it is typed: Tab takes it, Enter sends it', async ({
  openRoom,
}) => {
  const opened = await talkedTwice(openRoom, ['テストを実行して', '結果をまとめて'])
  const { room, mind } = opened
  const { keyboard } = room.page
  await expect(ghostOf(room)).toHaveText('テストを実行して')
  await keyboard.press('Tab')
  await expect(room.box).toHaveText('テストを実行して')
  mind.think(...reply('三件とも通りました。'))
  await keyboard.press('Enter')
  await expect(room.conversation).toContainText('三件とも通りました。')

  await expect(ghostOf(room)).toHaveText('結果をまとめて')
  mind.think(...reply('まとめました。'))
  await keyboard.press('Enter')
  await expect(room.conversation.getByRole('article', { name: 'あなた' }).last()).toContainText(
    '結果をまとめて',
  )
  await expect(room.conversation).toContainText('まとめました。')
  await expect
    .poll(() => events(opened))
    .toEqual([
      // The model said nothing more.
      { outcome: 'suppressed', method: null, reason: 'empty', similarity: null },
      { outcome: 'accepted', method: 'enter', reason: null, similarity: 1 },
      { outcome: 'accepted', method: 'tab', reason: null, similarity: 1 },
      { outcome: 'suppressed', method: null, reason: 'early_conversation', similarity: null },
    ])
})

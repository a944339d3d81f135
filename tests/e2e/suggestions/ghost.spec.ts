import { justAnswer } from '../../fakes/sessions/scripted-mind.ts'
import type { Room } from '../support/room.ts'
import { expect, type SharedOptions, type SharedRoom, test } from '../support/session-test.ts'

const ghostOf = (room: Room) => room.page.locator('.cm-ghost')

/** A session after two turns: before the second answer there is nothing to go on from. */
async function talkedTwice(
  openRoom: (options: SharedOptions) => Promise<SharedRoom>,
  suggestions: string[],
  files: Record<string, string> = {},
) {
  const opened = await openRoom({
    files,
    thoughts: [...justAnswer('はい。'), ...justAnswer('直しました。')],
    suggestions,
  })
  await opened.room.say('読んでください。')
  await expect(opened.room.conversation).toContainText('はい。')
  await opened.room.isAt('済み')
  await opened.room.say('直してください。')
  await expect(opened.room.conversation).toContainText('直しました。')
  return opened
}

const events = async ({ client }: SharedRoom) => {
  const list = await client['suggestion.list']({})
  return list.events.map(({ outcome, method, reason, similarity }) => ({
    outcome,
    method,
    reason,
    similarity,
  }))
}

test('the next message stands in the box before it is typed: Tab takes it, Enter sends it', async ({
  openSharedRoom,
}) => {
  const opened = await talkedTwice(openSharedRoom, ['テストを実行して', '結果をまとめて'])
  const { room, mind } = opened
  const { keyboard } = room.page
  await expect(ghostOf(room)).toHaveText('テストを実行して')
  await keyboard.press('Tab')
  await expect(room.box).toHaveText('テストを実行して')
  mind.think(...justAnswer('三件とも通りました。'))
  await keyboard.press('Enter')
  await expect(room.conversation).toContainText('三件とも通りました。')

  await expect(ghostOf(room)).toHaveText('結果をまとめて')
  mind.think(...justAnswer('まとめました。'))
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

test('two windows on one session: the first to take or dismiss it decides for both', async ({
  openSharedRoom,
}) => {
  const opened = await talkedTwice(openSharedRoom, ['@note.txt を要約して', 'もう少し短くして'], {
    'note.txt': '秘密の合言葉は山。\n',
  })
  const { room, mind, link } = opened
  await expect(ghostOf(room)).toHaveText('@note.txt を要約して')
  const second = await room.another(await room.page.context().newPage(), link)
  await expect(ghostOf(second)).toHaveText('@note.txt を要約して')

  await test.step('taken in one: gone as a ghost in both, and unsent text of the session', async () => {
    await second.box.click()
    await second.page.keyboard.press('Control+ArrowRight')
    await expect(ghostOf(room)).toHaveCount(0)
    await expect(second.page.getByRole('listbox')).toHaveCount(0)
    await expect(ghostOf(second)).not.toHaveCount(0)
    await second.page.keyboard.press('Tab')
    await expect(second.box).toHaveText('@note.txt を要約して')
    // Unsent text is the session's: an empty box in another window shows it, too.
    await expect(room.box).toHaveText('@note.txt を要約して')
  })
  await test.step('what was filled is sent as if it had been typed: its file goes with it', async () => {
    mind.think(...justAnswer('短い文です。'))
    await second.page.keyboard.press('Enter')
    await expect(second.conversation).toContainText('短い文です。')
    expect(JSON.stringify(opened.llama.requests.map(({ body }) => body))).toContain('秘密の合言葉は山。')
  })
  await test.step('dismissed in one: gone in both', async () => {
    await expect(ghostOf(room)).toHaveText('もう少し短くして')
    await expect(ghostOf(second)).toHaveText('もう少し短くして')
    await room.page.bringToFront()
    await room.box.click()
    await room.page.keyboard.press('Escape')
    await expect(ghostOf(room)).toHaveCount(0)
    await expect(ghostOf(second)).toHaveCount(0)
  })
  mind.think(...justAnswer('削りました。'))
  await room.say('もう少し短くして。')
  await expect(second.conversation).toContainText('削りました。')
  await expect
    .poll(() => events(opened))
    .toEqual([
      { outcome: 'suppressed', method: null, reason: 'empty', similarity: null },
      { outcome: 'ignored', method: null, reason: null, similarity: expect.closeTo(8 / 9) },
      { outcome: 'accepted', method: 'right', reason: null, similarity: 1 },
      { outcome: 'suppressed', method: null, reason: 'early_conversation', similarity: null },
    ])
  await second.page.close()
})

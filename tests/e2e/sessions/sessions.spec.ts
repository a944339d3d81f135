import { readFile } from 'node:fs/promises'
import { calls, justAnswer, noCalls, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { expect, type SharedOptions, type SharedRoom, test } from '../support/session-test.ts'

/** Two sessions with a turn each; the second one is open. */
async function twoSessions(openRoom: (options: SharedOptions) => Promise<SharedRoom>): Promise<SharedRoom> {
  const opened = await openRoom({
    thoughts: [...justAnswer('港には猫がいます。'), ...justAnswer('山には鳥がいます。')],
  })
  const { room } = opened
  await room.say('港について。')
  await expect(room.conversation).toContainText('港には猫がいます。')
  await room.isAt('済み')
  await room.list.getByRole('button', { name: '新しいセッション' }).click()
  await expect(room.conversation).not.toContainText('港には猫がいます。')
  await room.say('山について。')
  await expect(room.conversation).toContainText('山には鳥がいます。')
  return opened
}

test('a session is renamed in its place, and found by that name after a new start', async ({ openRoom }) => {
  const opened = await openRoom({ thoughts: justAnswer('はい。') })
  const { room } = opened
  await room.say('題について。')
  await expect(room.conversation).toContainText('はい。')
  const row = room.list.locator('.session-open')
  await expect(row).toHaveText('題について。')
  await row.focus()
  await room.page.keyboard.press('F2')
  await room.list.getByRole('textbox', { name: '名前を変える' }).fill('題の相談')
  await room.page.keyboard.press('Enter')
  await expect(row).toHaveText('題の相談')
  await opened.restart()
  await expect(room.list.locator('.session-open')).toHaveText('題の相談')
  await expect(room.conversation).toContainText('はい。')
})

test('a session is removed after it was asked once', async ({ openSharedRoom }) => {
  const { room, client, workId } = await twoSessions(openSharedRoom)
  const rows = room.list.locator('.session-open')
  await expect(rows).toHaveCount(2)
  await rows.filter({ hasText: '山について。' }).hover()
  await room.list.getByRole('button', { name: '「山について。」の操作' }).click()
  await room.page.getByRole('menuitem', { name: 'セッションを削除' }).click()
  const dialog = room.page.getByRole('dialog')
  await expect(dialog).toContainText('「山について。」の会話を削除します。')
  await dialog.getByRole('button', { name: 'キャンセル' }).click()
  await expect(rows).toHaveCount(2)
  await rows.filter({ hasText: '山について。' }).focus()
  await room.page.keyboard.press('Delete')
  await dialog.getByRole('button', { name: '削除' }).click()
  await expect(rows).toHaveText(['港について。'])
  await expect(room.page.getByText('何をしましょうか')).toBeVisible()
  await expect(room.page.getByText('山には鳥がいます。')).toHaveCount(0)
  const { hits } = await client['session.search']({ workId, query: '鳥' })
  expect(hits).toEqual([])
})

test('what was said is found in every session, by a single character, and opened where it was said', async ({
  openSharedRoom,
}) => {
  const { room } = await twoSessions(openSharedRoom)
  await room.page.keyboard.press('Control+Shift+F')
  const dialog = room.page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: '検索する言葉' }).fill('猫')
  const hits = dialog.getByRole('option')
  await expect(hits).toHaveCount(1)
  await expect(hits).toContainText('港には猫がいます。')
  await room.page.keyboard.press('Enter')
  await expect(room.conversation).toContainText('港には猫がいます。')
  await expect(room.conversation).not.toContainText('山には鳥がいます。')

  await room.page.keyboard.press('Control+Shift+F')
  await dialog.getByRole('combobox', { name: '検索する言葉' }).fill('がいます')
  await expect(hits).toHaveCount(2)
  await dialog.getByRole('combobox', { name: '検索する言葉' }).fill('魚')
  await expect(dialog).toContainText('見つかりません。')
})

test('a conversation is saved as Markdown', async ({ openSharedRoom }) => {
  const { room } = await openSharedRoom({
    files: { 'note.txt': '一行目\n```\n二行目\n' },
    thoughts: [
      workIn('PLANNING'),
      calls(['read_file', { path: 'note.txt' }]),
      noCalls,
      ...justAnswer('**二行**です。'),
    ],
  })
  await room.say('何行ですか。')
  await expect(room.conversation).toContainText('二行です。')
  const saved = room.page.waitForEvent('download')
  await room.say('/export')
  const file = await saved
  expect(file.suggestedFilename()).toBe('何行ですか。.md')
  const text = await readFile(await file.path(), 'utf8')
  expect(text).toMatch(/^# 何行ですか。\n\n## 利用者\n\n何行ですか。\n/)
  expect(text).toContain('\n## 返答\n\n**二行**です。\n')
  // The file's own fence does not end ours.
  expect(text).toMatch(/\n````\n[\s\S]*```\n[\s\S]*\n````\n/)
})

test('two windows on one session see the same, and either may answer its gate', async ({
  openSharedRoom,
}) => {
  const { room, link, onDisk, mind } = await openSharedRoom({
    thoughts: [...justAnswer('はい。'), workIn('PLANNING')],
    mode: 'ask',
  })
  await room.say('聞いてください。')
  await expect(room.conversation).toContainText('はい。')
  const second = await room.another(await room.page.context().newPage(), link)
  await expect(second.conversation).toContainText('はい。')

  mind.think(
    calls([
      'propose_plan',
      {
        title: '書く',
        purpose: '頼まれた',
        steps: [{ text: '書く', kind: 'write', path: 'new.txt' }],
        risk: 'low',
        successCriteria: 'ある',
      },
    ]),
    workIn('EXECUTION'),
    calls(['write_file', { path: 'new.txt', content: '中身\n', reason: '頼まれた' }]),
  )
  await second.say('書いてください。')
  await expect(room.conversation).toContainText('書いてください。')
  await expect(room.gate).toContainText('new.txt')
  await room.page.bringToFront()
  mind.think(
    { say: '' },
    calls(['submit_review', { rating: 'good', problems: [], improvements: [], verdict: 'approve' }]),
  )
  await room.approve()
  await expect.poll(() => onDisk('new.txt')).toBe('中身\n')
  await expect(second.gate).toHaveCount(0)
  await second.conversation.getByRole('button', { name: /手順/ }).last().click()
  await expect(second.conversation).toContainText('許可')
  await second.page.close()
})

test('a reload in the middle of a run: the run goes on, and the window shows it from where it is', async ({
  openSharedRoom,
}) => {
  const { room, mind, session } = await openSharedRoom({
    llama: { tokenMs: 30 },
    thoughts: [{ decide: {} }, { text: [...'海を見ていた。'.repeat(30), '終わり。'] }],
  })
  await room.say('海の話を書いてください。')
  await expect(room.conversation).toContainText('海を見ていた。'.repeat(2))
  await room.page.reload()
  await expect(room.conversation).toContainText('海を見ていた。'.repeat(3))
  await expect(room.conversation).toContainText('終わり。')
  const answers = async () => (await session()).items.filter((item) => item.kind === 'answer')
  await expect
    .poll(answers)
    .toMatchObject([{ state: 'finished', text: `${'海を見ていた。'.repeat(30)}終わり。` }])
  expect(mind.left).toEqual([])
})

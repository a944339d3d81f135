import { justAnswer } from '../../fakes/sessions/scripted-mind.ts'
import type { Room } from '../support/room.ts'
import { expect, type SharedOptions, type SharedRoom, test } from '../support/session-test.ts'

const suggested = 'テストを実行して'

const ghostOf = (room: Room) => room.page.locator('.cm-ghost')
const dialogOf = (room: Room) => room.page.getByRole('dialog')

/** A session after two turns, in which the next message is suggested. */
async function talkedTwice<Opened extends SharedRoom>(
  openRoom: (options: SharedOptions) => Promise<Opened>,
): Promise<Opened> {
  const opened = await openRoom({
    thoughts: [...justAnswer('はい。'), ...justAnswer('直しました。')],
    suggestions: [suggested, suggested],
  })
  await turn(opened, '読んでください。', 'はい。')
  await turn(opened, '直してください。', '直しました。')
  await expect(ghostOf(opened.room)).toHaveText(suggested)
  return opened
}

/** Says something and waits for the whole of the answer. */
async function turn({ room }: SharedRoom, message: string, answer: string): Promise<void> {
  await room.say(message)
  await expect(room.conversation).toContainText(answer)
  await room.isAt('済み')
}

async function openSettings(room: Room, page = '次の入力の提案'): Promise<void> {
  await room.page.keyboard.press('Control+,')
  await dialogOf(room).getByRole('tab', { name: page, exact: true }).click()
}

async function closeSettings(room: Room): Promise<void> {
  await room.page.keyboard.press('Escape')
  await expect(dialogOf(room)).toHaveCount(0)
}

/** How often the model was asked for the next message. */
function askedFor({ llama }: SharedRoom): number {
  return llama.requests.filter(
    ({ path, body }) =>
      path.endsWith('/chat/completions') && JSON.stringify(body ?? null).includes('【予測モード'),
  ).length
}

/** Returns the reasons why there were no suggestions, the newest first. */
async function reasons({ client }: SharedRoom): Promise<(string | null)[]> {
  return (await client['suggestion.list']({})).events.map(({ reason }) => reason)
}

test('suggestions are switched for all folders and for one, and what became of them is read and erased', async ({
  openRoom,
}) => {
  const opened = await talkedTwice(openRoom)
  const { room, mind, client } = opened
  const dialog = dialogOf(room)
  const everywhere = dialog.getByRole('checkbox', { name: '次の入力を提案する' })
  const here = dialog.getByRole('region', { name: /」では$/ }).getByLabel('次の入力を提案する')
  expect(askedFor(opened)).toBe(1)

  await test.step('off in this folder: the ghost goes', async () => {
    await openSettings(room)
    await expect(here).toHaveValue('app')
    await expect(here.getByRole('option', { name: '上の設定どおり（する）' })).toHaveCount(1)
    await here.selectOption('off')
    await expect(ghostOf(room)).toHaveCount(0)
    await expect.poll(() => reasons(opened)).toEqual(['setting_off', 'early_conversation'])
  })

  await test.step('off everywhere, and here as everywhere', async () => {
    // The host has the word; `uncheck` would want to see it in the same moment.
    await everywhere.click()
    await expect(everywhere).not.toBeChecked()
    await here.selectOption('app')
    await expect(here.getByRole('option', { name: '上の設定どおり（しない）' })).toHaveCount(1)
  })

  await test.step('off everywhere, but on here', async () => {
    await here.selectOption('on')
    await closeSettings(room)
    mind.think(...justAnswer('三つ目です。'))
    await turn(opened, '三つ目は？', '三つ目です。')
    await expect(ghostOf(room)).toHaveText(suggested)
    expect(askedFor(opened)).toBe(2)
    await room.page.keyboard.press('Tab')
    await expect(room.box).toHaveText(suggested)
  })

  await test.step('the record says what became of them, and nothing of what they said', async () => {
    await openSettings(room)
    const record = dialog.getByRole('region', { name: '提案の記録' })
    await expect(record).toContainText('示した提案2')
    await expect(record).toContainText('採用1（50%）')
    await expect(record).toContainText('使ったキーTab 1・Enter 0・→ 0')
    await expect(record).toContainText('提案がオフだった1')
    await expect(record).toContainText('会話が始まったばかり1')
    await expect(record.getByRole('list', { name: '新しい順' }).locator('time')).toHaveCount(3)
    await expect(record).not.toContainText(suggested)
    await record.getByRole('button', { name: '記録を消す' }).click()
    await record.getByRole('button', { name: 'キャンセル' }).click()
    await expect(record.getByRole('button', { name: '記録を消す' })).toBeFocused()
    await expect(record).toContainText('示した提案2')
    await record.getByRole('button', { name: '記録を消す' }).click()
    await record.getByRole('button', { name: 'すべて消す' }).click()
    await expect(record).toContainText('まだ記録はありません。')
    expect((await client['suggestion.list']({})).events).toEqual([])
  })

  await test.step('Enter, and how much of an attached file is sent', async () => {
    await dialog.getByLabel('空の入力欄での Enter').selectOption('fill')
    for (const name of ['提案を先回りで実行する', '書き込みは先回りしない', 'その次の提案も先回りする']) {
      const box = dialog.getByRole('checkbox', { name })
      await expect(box).not.toBeChecked()
      await box.click()
      await expect(box).toBeChecked()
    }
    await dialog.getByRole('tab', { name: '全般' }).click()
    const choice = dialog.getByLabel('添付するファイルの長さ')
    await expect(choice).toHaveValue('scaled')
    await choice.selectOption('fixed')
    const length = dialog.getByLabel('添付するファイルの上限')
    await expect(length).toHaveValue('16')
    await length.fill('2000')
    await length.press('Enter')
    await expect(length).toHaveValue('1024')
    await expect
      .poll(() => client['settings.get']({}))
      .toMatchObject({
        suggestionEnter: 'fill',
        attachedFileLimit: 1_048_576,
        enableSpeculation: true,
        stopAtFirstWrite: true,
        enableChainedSpeculation: true,
      })
  })

  await test.step('all of it is kept', async () => {
    await opened.restart()
    await openSettings(room)
    await expect(everywhere).not.toBeChecked()
    await expect(here).toHaveValue('on')
    await expect(dialog.getByLabel('空の入力欄での Enter')).toHaveValue('fill')
  })
})

test('/model --fast says, sets and clears the model for quick work; /stats lists what was asked in the background', async ({
  openSharedRoom,
}) => {
  const opened = await talkedTwice(openSharedRoom)
  const { room, client } = opened
  const { page } = room
  const dialog = dialogOf(room)

  await test.step('/stats hides what went on in the background until it is wanted', async () => {
    await room.say('/stats')
    const log = dialog.getByRole('list', { name: 'モデルへの依頼' })
    await expect(log.locator('time')).toHaveCount(4)
    await expect(log).not.toContainText('次の入力の提案')
    await dialog.getByRole('checkbox', { name: 'バックグラウンドの処理も' }).check()
    await expect(log).toContainText('次の入力の提案（会話の続き）')
    await expect(log).toContainText(/送信 [\d,]+（再利用 [\d,]+）・生成 \d+/)
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })

  await test.step('/model --fast', async () => {
    const [profile] = (await client['profile.list']({})).profiles
    if (profile === undefined) throw new Error('no model is known')
    await client['profile.save']({ profile: { ...profile, id: 'quick', name: '速い' } })
    await page.reload()
    const options = page.getByRole('listbox', { name: 'コマンド' }).getByRole('option')
    await room.say('/model --fast')
    await expect(page.getByText('補助モデルは選ばれていません。')).toBeVisible()
    await room.box.click()
    await page.keyboard.insertText('/model --f')
    await expect(options).toHaveText(['--fast補助モデルを選ぶ'])
    await page.keyboard.press('Tab')
    await expect(options).toHaveCount(2)
    await page.keyboard.insertText('速')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(page.getByText('補助モデルに 速い を使います。')).toBeVisible()
    await openSettings(room)
    await expect(dialog.getByRole('region', { name: '提案するモデル' })).toContainText(
      '「速い」には尋ねません',
    )
    const model = dialog.getByLabel('先回りに使うモデル')
    await model.selectOption('速い')
    await expect
      .poll(() => client['settings.get']({}))
      .toMatchObject({ speculationRole: 'speculation', speculationProfileId: 'quick' })
    await client['settings.update']({ patch: { speculationProfileId: null } })
    await expect(dialog).toContainText('先回り用に選んだモデルは削除されました')
    await model.selectOption('使用中のモデル')
    await expect(dialog).not.toContainText('先回り用に選んだモデルは削除されました')
    await closeSettings(room)

    await room.box.click()
    await page.keyboard.insertText('/model --fast ')
    await expect(options).toHaveText([/^fake/, '速い使用中', 'none補助モデルを外す'])
    await page.keyboard.insertText('none')
    await page.keyboard.press('Enter')
    await expect(page.getByText('補助モデルを外しました。')).toBeVisible()
    expect((await client['settings.get']({})).fastProfileId).toBeNull()
  })
})

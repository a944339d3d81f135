import { justAnswer } from '../../fakes/sessions/scripted-mind.ts'
import { expect, test } from '../support/session-test.ts'

test('commands are completed as they are typed, and none of them reaches the model', async ({
  openSharedRoom,
}) => {
  const { room, client, llama } = await openSharedRoom()
  const { page } = room
  const [profile] = (await client['profile.list']({})).profiles
  if (profile === undefined) throw new Error('no model is known')
  await client['profile.save']({ profile: { ...profile, id: 'quick', name: '速い' } })
  await page.reload()
  const options = page.getByRole('listbox', { name: 'コマンド' }).getByRole('option')
  await room.box.click()
  await page.keyboard.type('/')
  await expect(options).toHaveCount(9)
  await page.keyboard.type('s')
  await expect(options).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(options).toHaveCount(0)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('/mo')
  await page.keyboard.press('Tab')
  await expect(room.box).toHaveText('/model')

  await page.keyboard.type('--fast ')
  await expect(options).toHaveCount(2)
  await page.keyboard.insertText('速')
  await expect(options).toHaveText(['速い'])
  await page.keyboard.press('Tab')
  await expect(room.box).toHaveText('/model --fast 速い')
  await page.keyboard.press('Enter')
  await expect(page.getByText('補助モデルに 速い を使います。')).toBeVisible()
  await expect(room.box).toHaveText('頼みたいこと（@ でファイル、/ でコマンド）')
  expect(llama.requests.filter(({ path }) => path.endsWith('/chat/completions'))).toEqual([])
})

test('/help lists commands and keys, /stats says what the session has cost', async ({ openSharedRoom }) => {
  const { room } = await openSharedRoom({ thoughts: justAnswer('はい。') })
  const dialog = room.page.getByRole('dialog')
  await room.say('/help')
  await expect(dialog).toContainText('/model [--fast]')
  await expect(dialog).toContainText('作業に割り込む')
  await room.page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await room.say('聞いてください。')
  await expect(room.conversation).toContainText('はい。')
  await room.say('/stats')
  await expect(dialog).toContainText('やりとり1')
  await expect(dialog).toContainText('モデルへの依頼2')
})

test('/clear begins a new session, /undo asks what to take back', async ({ openSharedRoom }) => {
  const { room } = await openSharedRoom({ thoughts: justAnswer('はい。') })
  await room.say('聞いてください。')
  await expect(room.conversation).toContainText('はい。')
  await room.isAt('済み')
  await room.say('/undo')
  const dialog = room.page.getByRole('dialog')
  await expect(dialog).toContainText('会話から 1 件を取り除きます。')
  await expect(dialog).toContainText('変えたファイルはありません。')
  await room.page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await room.say('/clear')
  await expect(room.conversation).not.toContainText('はい。')
  await expect(room.list.locator('.session-open')).toHaveCount(2)
})

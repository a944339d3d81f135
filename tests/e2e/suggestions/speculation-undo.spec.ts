import { createTranslate } from '../../../src/shared/i18n/translate.ts'
import { approve, noCalls } from '../../fakes/sessions/scripted-mind.ts'
import { expect, test } from '../support/session-test.ts'
import { shoot } from '../support/shoot.ts'
import { appFile, appText, edit, openSpeculation } from './speculation-stage.ts'

const [ja, en] = [createTranslate('ja'), createTranslate('en')]
const refusal = 'error.speculation/accepting'

test('while an acceptance waits for its approval, undo is refused with the reason, nothing is lost, and both go on', async ({
  openSharedRoom,
}) => {
  const opened = await openSpeculation(openSharedRoom, {
    thoughts: [...edit('port = 1', 'port = 2', noCalls, approve), ...edit('"a"', '"b"', noCalls, approve)],
    suggestions: ['ポートを二にして', '名前も変えて'],
  })
  const { room, client, session, ghost, mark, newest, onDisk } = opened
  const { page, conversation, gate } = room
  const dialog = page.getByRole('dialog')
  const messages = conversation.getByRole('article', { name: 'あなた' })
  /** Counts the messages as the host has them: the window draws only those in sight. */
  const said = async () => (await session()).items.filter(({ kind }) => kind === 'user').length
  const withTwo = appText.replace('port = 1', 'port = 2')

  /** The approval is open, and neither the folder nor the conversation has changed. */
  const waits = async (): Promise<void> => {
    await expect(gate).toContainText(appFile)
    await expect(messages.last()).toContainText('ポートを二にして')
    expect(await said()).toBe(3)
    expect(await onDisk(appFile)).toBe(withTwo)
  }

  await test.step('one turn is taken over, and the approval of the next one is open', async () => {
    await expect(ghost).toHaveText('ポートを二にして')
    await expect(mark).toContainText('1 ファイル')
    await page.keyboard.press('Tab')
    await room.approve()
    await expect.poll(() => onDisk(appFile)).toBe(withTwo)
    await expect(ghost).toHaveText('名前も変えて')
    await expect(mark).toContainText('1 ファイル')
    await page.keyboard.press('Tab')
    await waits()
  })
  await test.step('undo says what has to be done first, in both languages', async () => {
    await room.inTurn(3, '元に戻す…')
    await expect(dialog.getByRole('listitem')).toContainText(appFile)
    await dialog.getByRole('button', { name: '元に戻す' }).click()
    await expect(dialog).toContainText(ja(refusal))
    await shoot(page, 'undo-while-accepting')
    await client['settings.update']({ patch: { language: 'en', theme: 'dark' } })
    await expect(dialog).toContainText(en(refusal))
    await shoot(page, 'undo-while-accepting-en')
    await client['settings.update']({ patch: { language: 'ja', theme: 'light' } })
    await dialog.getByRole('button', { name: 'キャンセル' }).click()
    await expect(dialog).toHaveCount(0)
    await waits()
  })
  await test.step('so does another try of the turn', async () => {
    await room.inTurn(3, 'もう一度')
    await expect(page.getByText(ja(refusal))).toBeVisible()
    await shoot(page, 'retry-while-accepting')
    await waits()
    await page.locator('.message-failure').getByRole('button', { name: '閉じる' }).click()
    await expect(page.getByText(ja(refusal))).toHaveCount(0)
  })
  await test.step('so does its message sent otherwise, which stays in the box', async () => {
    const message = messages.last()
    await message.hover()
    await message.getByRole('button', { name: '編集して送る' }).click()
    await page.keyboard.press('End')
    await page.keyboard.insertText('別の番号は？')
    await page.keyboard.press('Enter')
    await expect(page.getByText(ja(refusal))).toBeVisible()
    await expect(room.box).toContainText('別の番号は？')
    await shoot(page, 'edit-while-accepting')
    await waits()
    await room.box.press('Escape')
    await expect(room.box.locator('.cm-placeholder')).toBeVisible()
  })
  await test.step('the acceptance goes on', async () => {
    await room.approve()
    await expect.poll(() => onDisk(appFile)).toBe(withTwo.replace('"a"', '"b"'))
    await expect.poll(said).toBe(4)
    await expect.poll(newest).toMatchObject({ outcome: 'accepted' })
  })
  await test.step('and then undo takes back both turns', async () => {
    await room.inTurn(3, '元に戻す…')
    await dialog.getByRole('button', { name: '元に戻す' }).click()
    await expect.poll(() => onDisk(appFile)).toBe(appText)
    await expect.poll(said).toBe(2)
  })
})

import { expect, test } from './session-test.ts'

test('what is written in the box is there again, whatever lay over it or stood in its place', async ({
  session,
  page,
}) => {
  await session.open()
  const view = page.getByRole('banner')
  const message = session.log.getByRole('article', { name: 'あなた' })

  await test.step('a message that is written anew, and left', async () => {
    await page.keyboard.insertText('書きかけ')
    await message.hover()
    await message.getByRole('button', { name: '編集して送る' }).click()
    await expect(session.box.locator('.message-chip')).toHaveText('@src/date.ts')
    await page.keyboard.insertText('半分')
    await view.getByRole('radio', { name: '原稿' }).click()
    await expect(session.box).toHaveCount(0)
    await view.getByRole('radio', { name: 'セッション' }).click()
    await expect(session.box).toContainText('半分')
    await page.keyboard.press('Escape')
    await expect(session.box).toHaveText('書きかけ')
  })

  await test.step('another view, after something was put into the box', async () => {
    await message.hover()
    await message.getByRole('button', { name: '編集して送る' }).click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('End')
    await page.keyboard.insertText('、続き')
    await view.getByRole('radio', { name: '原稿' }).click()
    await view.getByRole('radio', { name: 'セッション' }).click()
    await expect(session.box).toHaveText('書きかけ、続き')
  })
})

test('/clear leaves nothing behind in the session that it was written in', async ({ session, page }) => {
  await session.open()
  await page.keyboard.insertText('/clear')
  await page.keyboard.press('Enter')
  await expect.poll(() => session.asked('session.create')).toHaveLength(1)
  await expect(session.log).not.toContainText('1900 年は')
  await session.list
    .getByRole('button', { name: /^日付の誤りを直す/ })
    .first()
    .click()
  await expect(session.log).toContainText('1900 年は 100 で割り切れ')
  await expect(session.box).not.toContainText('/clear')
})

import { expect, test } from '../support/drafting-test.ts'
import { shoot } from '../support/shoot.ts'

test('a chapter that was removed by a key is restored from the bin, also beside a new one of its name', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, onDisk } = await openSharedAppWindow({
    files: { '000.txt': '消した章。', '001.txt': '続き。' },
  })
  const { page } = appWindow
  const files = page.getByRole('navigation', { name: 'ファイル' })
  await files.getByRole('button', { name: /^000/ }).first().focus()
  await page.keyboard.press('Delete')
  const bin = files.getByRole('button', { name: '削除したもの（1）' })
  await expect(bin).toBeVisible()
  await expect(files.getByRole('button', { name: /^001/ }).first()).toBeFocused()
  await files.getByRole('button', { name: '新しい章' }).click()
  await page.getByRole('textbox', { name: '新しいファイルの名前' }).fill('000')
  await page.keyboard.press('Enter')
  await expect(files.getByRole('button', { name: /^000/ }).first()).toBeVisible()

  await appWindow.command('削除したものを表示')
  const dialog = page.getByRole('dialog', { name: '削除したもの' })
  await dialog.getByRole('button', { name: '000.txt を表示' }).click()
  await expect(dialog).toContainText('消した章。')
  await shoot(page, 'bin')
  await dialog.getByRole('button', { name: '000.txt を元に戻す' }).click()
  await expect(page.getByText('「000 (2).txt」として元に戻しました。')).toBeVisible()
  expect(await onDisk('000 (2).txt')).toBe('消した章。')
  await expect(bin).toHaveCount(0)
  expect(await onDisk('000.txt')).toBe('')
})

test('whoever works in the list of chapters by keyboard stays there', async ({ openSharedAppWindow }) => {
  const { appWindow } = await openSharedAppWindow({ files: { '000.txt': '一。', '001.txt': '二。' } })
  const { page } = appWindow
  const files = page.getByRole('navigation', { name: 'ファイル' })
  const row = (name: RegExp) => files.getByRole('button', { name }).first()
  await row(/^001/).focus()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: '名前を変える' }).fill('終章')
  await page.keyboard.press('Enter')
  await expect(row(/^終章/)).toBeFocused()
  await page.keyboard.press('Delete')
  await expect(row(/^000/)).toBeFocused()
  await page.keyboard.press('Control+Shift+P')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await row(/^000/).focus()
  await page.keyboard.press('Delete')
  await expect(files.getByRole('button', { name: /^000/ })).toHaveCount(0)
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('nav') !== null)).toBe(true)
})

test('the focus stays in the window when the last chapter goes from a list that lies over it', async ({
  openAppWindow,
}) => {
  const { appWindow } = await openAppWindow({ files: { '000.txt': '一。' } })
  const { page } = appWindow
  await page.setViewportSize({ width: 760, height: 560 })
  await appWindow.command('ファイルの一覧')
  const files = page.getByRole('navigation', { name: 'ファイル' })
  // What is typed now would go unseen into the text behind it.
  await expect(files.getByRole('button', { name: /^000/ }).first()).toBeFocused()
  await files.getByRole('button', { name: /^000/ }).first().focus()
  await page.keyboard.press('Delete')
  await expect(files.getByRole('button', { name: /^000/ })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
})

import { expect, type Page } from '@playwright/test'
import { harnessTest } from '../support/harness-test.ts'
import type {} from './harness/harness.ts'

const test = harnessTest(import.meta.url)

async function openAppWindow(page: Page, query = '?work&model'): Promise<void> {
  await page.goto(query)
  await expect(page.getByRole('textbox', { name: '本文' })).toContainText('時計の針が逆回転を始めた')
}

test('a window without a work offers one, and a model', async ({ page }) => {
  await page.goto('')
  const doors = page.getByRole('heading', { level: 2 })
  await expect(doors).toContainText(['小説を書く', 'コードに取り組む', '使うモデル'])
  await page.getByRole('button', { name: 'フォルダーを開く' }).click()
  const dialog = page.getByRole('dialog', { name: '作品を開く' })
  const entries = dialog.getByRole('listbox', { name: 'フォルダーの中身' })
  await expect(entries.getByRole('option')).toHaveText(['刻の迷宮', '潮騒の記録', '断片.txt'])
  await expect(entries).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await dialog.getByRole('button', { name: '開く', exact: true }).click()
  await expect(page.getByRole('heading', { name: '刻の迷宮' })).toBeVisible()
})

test('a refused model says why where it was chosen', async ({ page }) => {
  await page.goto('')
  await page.getByRole('button', { name: 'モデルを選ぶ' }).click()
  await page.getByRole('button', { name: /デモで試す/ }).click()
  await expect(page.getByRole('alert')).toContainText('http://127.0.0.1:5001 から応答がありません')
})

test('files are reached, renamed and ordered by keys', async ({ page }) => {
  await openAppWindow(page)
  const files = page.getByRole('navigation', { name: 'ファイル' })
  await files.getByRole('button', { name: /^003 逆回転/ }).focus()
  await page.keyboard.press('ArrowUp')
  await expect(files.getByRole('button', { name: /^002 時計塔/ })).toBeFocused()
  await page.keyboard.press('Alt+ArrowUp')
  await expect(files.getByRole('listitem').first()).toContainText('002 時計塔')
  await page.keyboard.press('F2')
  await page.keyboard.type('002 塔')
  await page.keyboard.press('Enter')
  await expect(files.getByRole('button', { name: /^002 塔/ })).toBeVisible()
})

test('a file that is gone to takes the caret with it', async ({ page }) => {
  await openAppWindow(page)
  await page.getByRole('button', { name: /^002 時計塔/ }).click()
  const text = page.getByRole('textbox', { name: '本文' })
  await expect(text).toContainText('塔の中は暗かった')
  await expect(text).toBeFocused()
})

test('below 1,100 px the panes lie over the page and Escape puts them away', async ({ page }) => {
  await page.setViewportSize({ width: 1000, height: 700 })
  await openAppWindow(page)
  await expect(page.getByRole('tab', { name: '詳細' })).toHaveCount(0)
  await page.getByRole('button', { name: 'サイドバー' }).click()
  await expect(page.getByRole('tab', { name: '詳細' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('tab', { name: '詳細' })).toHaveCount(0)
})

test('the palette runs a command and gives the focus on', async ({ page }) => {
  await openAppWindow(page)
  await page.keyboard.press('Control+Shift+P')
  await page.getByPlaceholder('したいこと、または原稿の名前').fill('設定：モデル')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: '設定' })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'モデル', exact: true })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // From one view to the other, the caret goes along.
  await page.keyboard.press('Control+Shift+S')
  await expect(page.getByRole('textbox', { name: 'メッセージ' })).toBeFocused()
  await page.keyboard.press('Control+Shift+S')
  await expect(page.getByRole('textbox', { name: '本文' })).toBeFocused()
})

test('a conflict and a failed save stand over the text with what can be done', async ({ page }) => {
  await openAppWindow(page)
  await page.evaluate(() => {
    const events = harness.host.documents.get('003 逆回転.txt')?.events
    events?.publish({ kind: 'conflict', conflict: { kind: 'changed' } })
    events?.publish({ kind: 'save-failed', error: { code: 'file/disk-full', path: '003 逆回転.txt' } })
  })
  await expect(page.getByRole('banner')).toContainText('別の場所で変更')
  await expect(page.getByRole('alert').filter({ hasText: 'ディスクに空きがなく' })).toBeVisible()
  await page.getByRole('button', { name: 'こちらを残す' }).click()
  await expect(page.getByRole('button', { name: 'こちらを残す' })).toHaveCount(0)
})

test('a lost connection is said and goes away by itself', async ({ page }) => {
  await openAppWindow(page)
  await page.evaluate(() => {
    harness.connection.onState((state) => {
      if (state === 'lost') document.body.dataset.wasLost = 'yes'
    })
    harness.connection.drop()
  })
  await expect(page.locator('body')).toHaveAttribute('data-was-lost', 'yes')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.getByRole('textbox', { name: '本文' }).click()
  await page.keyboard.type('雨。')
  await expect(page.getByRole('banner')).toContainText('保存済み')
})

test('the language changes at once, in every word', async ({ page }) => {
  await openAppWindow(page)
  await page.keyboard.press('Control+,')
  await page.getByLabel('言語', { exact: true }).selectOption('en')
  await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('textbox', { name: 'Text' })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Takes' })).toBeVisible()
})

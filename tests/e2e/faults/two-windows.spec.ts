/** Two windows on one file, as in two tabs or two browsers. */
import type { BrowserContext } from '@playwright/test'
import { AppWindow } from '../support/app-window.ts'
import { expect, openManuscript, test } from '../support/drafting-test.ts'

async function secondAppWindow(context: BrowserContext, link: string): Promise<AppWindow> {
  const appWindow = new AppWindow(await context.newPage())
  await appWindow.open(link)
  return appWindow
}

test('what is typed in both at once comes together in both and on disk', async ({
  openAppWindow,
  context,
}) => {
  const { appWindow, host, onDisk } = await openAppWindow({ files: { '01.txt': '一行目。\n' } })
  const other = await secondAppWindow(context, host.link)
  await other.press('Control+Home')
  await Promise.all([
    appWindow.page.keyboard.type('こちらの文章。', { delay: 20 }),
    other.page.keyboard.type('あちらの文章。', { delay: 20 }),
  ])
  const together = 'あちらの文章。一行目。\nこちらの文章。'
  await expect.poll(() => appWindow.text()).toBe(together)
  await expect.poll(() => other.text()).toBe(together)
  await expect.poll(() => onDisk()).toBe(together)
})

test('undo takes back what was typed here and not what was typed there', async ({
  openAppWindow,
  context,
}) => {
  const { appWindow, host } = await openAppWindow({ files: { '01.txt': '一行目。\n' } })
  const other = await secondAppWindow(context, host.link)
  await appWindow.page.keyboard.insertText('こちら。')
  await expect.poll(() => other.text()).toBe('一行目。\nこちら。')
  await other.press('Control+Home')
  await other.page.keyboard.insertText('あちら。')
  await expect.poll(() => appWindow.text()).toBe('あちら。一行目。\nこちら。')

  await appWindow.press('Control+z')
  await expect.poll(() => other.text()).toBe('あちら。一行目。\n')
  await appWindow.press('Control+z')
  await other.press('Control+z')
  await expect.poll(() => appWindow.text()).toBe('一行目。\n')
  await other.press('Control+Shift+z')
  await expect.poll(() => appWindow.text()).toBe('あちら。一行目。\n')
})

test('a continuation that is accepted in one is text in the other, and offered in neither', async ({
  openAppWindow,
  browser,
}) => {
  const answer = '、風が吹き込んだ。'
  const { appWindow, host } = await openAppWindow({ kobold: { answer } })
  const context = await browser.newContext({ locale: 'ja-JP' })
  const other = await secondAppWindow(context, host.link)
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await appWindow.idle()
  await appWindow.press('Tab')
  await expect.poll(() => other.text()).toBe(openManuscript + answer)
  await expect(other.pending).toHaveCount(0)
  await other.showTab('候補')
  await expect(other.takes).toHaveCount(1)
  await expect(other.takes).toContainText('挿入済み')
  await other.page.reload()
  await expect.poll(() => other.text()).toBe(openManuscript + answer)
  await expect(other.pending).toHaveCount(0)
  await context.close()
})

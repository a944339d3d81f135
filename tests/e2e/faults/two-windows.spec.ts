/** Two windows on one file, as in two tabs or two browsers. */
import { expect, openManuscript, test } from '../support/drafting-test.ts'

test('what is typed in both at once comes together in both and on disk', async ({ openSharedAppWindow }) => {
  const { appWindow, link, root, onDisk } = await openSharedAppWindow({ files: { '01.txt': '一行目。\n' } })
  const other = await appWindow.openAnother(link, root)
  await other.press('Control+Home')
  await Promise.all([
    appWindow.page.keyboard.type('こちらの文章。', { delay: 20 }),
    other.page.keyboard.type('あちらの文章。', { delay: 20 }),
  ])
  const together = 'あちらの文章。一行目。\nこちらの文章。'
  await expect.poll(() => appWindow.text()).toBe(together)
  await expect.poll(() => other.text()).toBe(together)
  await expect.poll(() => onDisk()).toBe(together)
  await other.page.close()
})

test('undo takes back what was typed here and not what was typed there', async ({ openSharedAppWindow }) => {
  const { appWindow, link, root } = await openSharedAppWindow({ files: { '01.txt': '一行目。\n' } })
  const other = await appWindow.openAnother(link, root)
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
  await other.page.close()
})

test('a continuation that is accepted in one is text in the other, and offered in neither', async ({
  openSharedAppWindow,
  context,
}) => {
  const answer = '、風が吹き込んだ。'
  const { appWindow, link, root } = await openSharedAppWindow({ kobold: { answer } })
  const other = await appWindow.openAnother(link, root, context)
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
})

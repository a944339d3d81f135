import { createTranslate } from '../../../src/shared/i18n/translate.ts'
import { expect, test } from '../support/drafting-test.ts'

const body = 'The rain had begun.\nHe opened his umbrella.\nAnd then'
const takes = [' the rain fell.', ' the rain stopped.', ' the wind rose.']
const answers = [...takes, 'He quietly opened his umbrella.', ' it was dark.', 'snow', ' fell.']

// In Japanese by the specifications of each part, summaries in both languages by theirs.
test('in English: takes, part of one, a rewriting and another word', async ({ openSharedAppWindow }) => {
  const t = createTranslate('en')
  const left = [...answers]
  const { appWindow, client, onDisk } = await openSharedAppWindow({
    files: { '000.txt': 'It was evening.\nA cat cried.\n', '001.txt': body },
    kobold: { answer: () => left.shift() ?? '' },
  })
  const { page } = appWindow
  await client['settings.update']({ patch: { language: 'en' } })
  const editor = page.getByRole('textbox', { name: t('editor.document') })
  const pending = page.locator('.cm-pending')
  const dialog = page.getByRole('dialog')
  const idle = () => expect(page.getByRole('button', { name: t('action.stop') })).toHaveCount(0)
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  await expect(editor).toBeVisible()
  await editor.focus()
  await page.keyboard.press('Control+End')

  await test.step('three takes are compared, and part of one goes in', async () => {
    await page.keyboard.press('Control+Alt+m')
    await expect(page.locator('.cm-pendingTakes')).toContainText('1/3')
    await idle()
    await page.getByRole('tab', { name: t('tab.takes'), exact: true }).click()
    await expect(page.getByRole('heading', { name: t('takes.samePlace', { count: 3 }) })).toBeVisible()
    const list = page.getByRole('list', { name: t('tab.takes') }).getByRole('listitem')
    const second = list.filter({ hasText: 'stopped.' })
    await second.getByRole('button', { name: t('action.compare') }).click()
    await expect(dialog.locator('mark').first()).toBeVisible()
    await inDialog(t('takes.part')).first().click()
    await expect(dialog.getByLabel(t('takes.partText'))).toBeFocused()
    await page.keyboard.press('Control+Home')
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => onDisk('001.txt')).toMatch(/^And then \w{3}$/m)
    await page.keyboard.press('Control+z')
    await expect.poll(() => onDisk('001.txt')).toBe(body)
  })

  await test.step('a selection is rewritten, put in its place and taken back', async () => {
    await editor.focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+End')
    await page.keyboard.press('Control+Alt+w')
    await dialog.getByLabel(t('rewrite.instruction'), { exact: true }).press('Control+Enter')
    await expect(dialog.getByRole('region', { name: t('rewrite.after') })).toContainText('quietly')
    await inDialog(t('rewrite.accept')).click()
    await expect.poll(() => onDisk('001.txt')).toContain('He quietly opened')
    await page.keyboard.press('Control+z')
    await expect.poll(() => onDisk('001.txt')).toBe(body)
  })

  await test.step('another word is chosen in mid-sentence', async () => {
    await editor.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Control+Enter')
    await expect(pending).toContainText('it was dark.')
    await idle()
    await page.keyboard.press('Alt+ArrowDown')
    const words = dialog.getByRole('list', { name: t('words.list') }).getByRole('button')
    await expect(words).toHaveCount(5)
    const chosen = ((await words.first().locator('.serif').textContent()) ?? '').trim()
    await words.first().click()
    await expect(pending).toContainText(`${chosen} fell.`)
    await idle()
    await page.keyboard.press('Tab')
    await expect.poll(() => onDisk('001.txt')).toContain(`${chosen} fell.`)
  })
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '../support/drafting-test.ts'

const prose = '　雨が降り始めた。\n　彼は運命を知らない。\n　窓の外で猫が鳴いた。\n'

test('a reading is asked for, written, drawn above its word and shown as its source at the caret', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, onDisk } = await openSharedAppWindow({ files: { '001.txt': prose } })
  const { page } = appWindow
  const ime = await page.context().newCDPSession(page)
  await appWindow.caretTo(2, 4)
  await appWindow.press('Control+Alt+R')
  const field = page.getByRole('textbox', { name: '読み' })
  await expect(field).toBeVisible()
  // Enter that ends a composition asks for nothing.
  await appWindow.compose(ime, 'さだめ')
  await appWindow.composingKey(ime, 'Enter')
  await expect(field).toBeVisible()
  await ime.send('Input.insertText', { text: 'さだめ' })
  await page.keyboard.press('Enter')
  await expect.poll(() => onDisk()).toBe(prose.replace('運命', '｜運命《さだめ》'))
  await expect(page.locator('.cm-rubySource')).toHaveText('｜運命《さだめ》')
  await appWindow.caretTo(1, 0)
  await expect(page.locator('ruby.cm-ruby rt')).toHaveText('さだめ')
  await expect(page.locator('.cm-rubySource')).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^28 字/ })).toBeVisible()

  await appWindow.caretTo(2, 6)
  await appWindow.press('Control+Alt+R')
  await page.getByRole('button', { name: 'ルビを取る' }).click()
  await expect.poll(() => onDisk()).toBe(prose)
})

test('the vertical view shows the text at its place, follows edits and goes back', async ({
  openSharedAppWindow,
}) => {
  const long = `｜運命《さだめ》は《《今》》、12月。@// 覚え\n${prose.repeat(300)}終わり。`
  const { appWindow, link, root, onDisk } = await openSharedAppWindow({ files: { '001.txt': long } })
  const { page } = appWindow
  const other = await appWindow.openAnother(link, root)
  await appWindow.press('Control+Home')
  await appWindow.press('Control+Alt+V')
  const view = page.getByRole('document', { name: '縦書き' })
  await expect(view).toBeFocused()
  await expect(view.locator('ruby')).toHaveText('運命さだめ')
  await expect(view.locator('p').first()).toHaveText('運命さだめは今、12月。')
  await expect(view.locator('p').first()).toHaveCSS('writing-mode', 'vertical-rl')
  expect(await view.locator('p').count()).toBeLessThan(300)

  await other.press('Control+Home')
  await page.bringToFront()
  await other.editor.focus()
  await other.page.keyboard.insertText('序。')
  await expect(view.locator('p').first()).toHaveText('序。運命さだめは今、12月。')
  // Typing into it changes nothing.
  await view.focus()
  await page.keyboard.insertText('風')
  await page.keyboard.press('Control+Alt+R')
  await page.keyboard.press('End')
  await expect(view.getByText('終わり。')).toBeVisible()

  await page.getByRole('radio', { name: 'ページごと' }).click()
  await expect(page.locator('.manuscript-vertical-figure')).toHaveText(/^(\d+) \/ \1$/)
  await expect(view.getByText('終わり。')).toBeVisible()
  await view.focus()
  await page.keyboard.press('Escape')
  await expect(view).toHaveCount(0)
  await expect(appWindow.editor).toBeFocused()
  await expect(appWindow.editor.getByText('終わり。')).toBeInViewport()
  await expect.poll(() => onDisk()).toBe(`序。${long}`)
  await other.page.close()
})

test('input aids help with what an input method has committed, and never before', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, onDisk } = await openSharedAppWindow({ files: { '001.txt': prose } })
  const { page } = appWindow
  const ime = await page.context().newCDPSession(page)
  const commit = (text: string) => ime.send('Input.insertText', { text })
  await appWindow.press('Enter')
  await appWindow.press('Backspace')
  await commit('　')
  for (const step of ['「', '「k', '「か', '「かz', '「風']) {
    await appWindow.compose(ime, step)
    expect(await appWindow.text()).toBe(`${prose}　${step}`)
  }
  await commit('「風')
  await expect.poll(() => appWindow.text()).toBe(`${prose}「風」`)
  await appWindow.compose(ime, '…')
  expect(await appWindow.text()).toBe(`${prose}「風…」`)
  await commit('…')
  await expect.poll(() => appWindow.text()).toBe(`${prose}「風……」`)
  await appWindow.press('Control+z')
  await expect.poll(() => appWindow.text()).toBe(`${prose}「風…」`)
  await appWindow.press('Control+Shift+Z')
  await commit('」')
  await expect.poll(() => appWindow.text()).toBe(`${prose}「風……」`)
  await commit('と')
  await expect.poll(() => appWindow.text()).toBe(`${prose}「風……」と`)
  // A composition that is cancelled leaves nothing, and nothing is helped with. Enter indents as the narration does.
  await appWindow.press('Enter')
  await appWindow.compose(ime, '「')
  await appWindow.compose(ime, '')
  await expect.poll(() => appWindow.text()).toBe(`${prose}「風……」と\n　`)
  await expect.poll(() => onDisk()).toBe(`${prose}「風……」と\n　`)
})

test('the count opens the goal and the days, which are kept with the work', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, root } = await openSharedAppWindow({ files: { '001.txt': prose } })
  const { page } = appWindow
  await page.keyboard.insertText('朝が来た。')
  await appWindow.status.getByRole('button', { name: /字/ }).click()
  await expect(page.getByText('今日 5 字')).toBeVisible()
  await page.getByRole('textbox', { name: '一日の目標（字）' }).fill('10')
  await page.keyboard.press('Enter')
  await expect(page.getByText('今日 5 字（目標 10 字）')).toBeVisible()
  const kept = async () => JSON.parse(await readFile(join(root, 'work.json'), 'utf8'))
  await expect
    .poll(kept)
    .toMatchObject({ goal: { count: 10, unit: 'characters' }, days: [{ characters: 5 }] })
  await page.keyboard.press('Escape')
  await expect(appWindow.status).toContainText('今日 5 / 10')
})

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from '../support/drafting-test.ts'
import { startHost, temporaryFolder } from '../support/host.ts'

const lines = Array.from({ length: 200 }, (_, at) => `${at + 1} 行目の文。`).join('\n')

const chosen = (page: Page) => page.evaluate(() => getSelection()?.toString() ?? '')
const firstInSight = (page: Page) =>
  page.locator('.cm-line').evaluateAll((all) => {
    const top = document.querySelector('.cm-scroller')?.getBoundingClientRect().top ?? 0
    return all.find((one) => one.getBoundingClientRect().bottom > top + 4)?.textContent ?? ''
  })

test('a work opens where the author writes on; selection and what is in sight come back after a reload and another host', async ({
  page,
}) => {
  const root = await temporaryFolder('work')
  const dataDir = await temporaryFolder('data')
  await mkdir(root, { recursive: true })
  await writeFile(join(root, '001.txt'), '前の章。')
  await writeFile(join(root, '002.txt'), lines)
  let host = await startHost({ project: root, dataDir, args: ['--no-model'] })
  const editor = page.getByRole('textbox', { name: '本文' })

  await test.step('at its writing edge, focus in the text', async () => {
    await page.goto(host.link)
    await expect(editor).toBeFocused()
    await expect(page.getByText('200 行目の文。')).toBeInViewport()
    await page.keyboard.type('続き')
    await expect.poll(() => readFile(join(root, '002.txt'), 'utf8')).toBe(`${lines}続き`)
  })
  let inSight = ''
  const isBack = async () => {
    await expect(editor).toBeFocused()
    await expect.poll(() => chosen(page)).toBe('120 行目')
    await expect.poll(() => firstInSight(page)).toBe(inSight)
  }
  await test.step('and where it was left after a reload', async () => {
    await page.locator('.cm-scroller').evaluate((scroller) => {
      scroller.scrollTop = (scroller.scrollHeight * 115) / 200
    })
    const line = page.locator('.cm-line').filter({ hasText: /^120 行目/ })
    await line.click({ position: { x: 2, y: 8 } })
    await page.keyboard.press('Home')
    for (let step = 0; step < 6; step += 1) await page.keyboard.press('Shift+ArrowRight')
    inSight = await firstInSight(page)
    expect(inSight).toMatch(/^1[01]\d 行目/)
    await page.waitForTimeout(600)
    await page.reload()
    await isBack()
  })
  await test.step('another file has its own place', async () => {
    const files = page.getByRole('navigation', { name: 'ファイル' })
    await files.getByRole('button', { name: /^001/ }).first().click()
    await expect(editor).toContainText('前の章。')
    await files.getByRole('button', { name: /^002/ }).first().click()
    await isBack()
  })
  await test.step('a text that is seen from its beginning keeps the room above it', async () => {
    const files = page.getByRole('navigation', { name: 'ファイル' })
    await files.getByRole('button', { name: /^001/ }).first().click()
    const line = page.locator('.cm-line').filter({ hasText: '前の章。' })
    const top = () => line.evaluate((one) => one.getBoundingClientRect().top)
    await expect(line).toBeVisible()
    const scrolled = () => page.locator('.cm-scroller').evaluate((scroller) => scroller.scrollTop)
    await expect.poll(scrolled).toBe(0)
    const before = await top()
    await page.keyboard.press('End')
    await page.waitForTimeout(600)
    for (const view of ['セッション', '原稿']) await page.getByRole('radio', { name: view }).click()
    await expect.poll(top).toBe(before)
    await files.getByRole('button', { name: /^002/ }).first().click()
    await isBack()
  })
  await test.step('each text has the page of its language, or the one that was chosen for it', async () => {
    const leading = () =>
      editor.evaluate((content) => content.closest('.cm-editor')?.getAttribute('style') ?? '')
    await expect.poll(leading).toContain('--manuscript-leading: 2.05')
    await page.getByRole('tab', { name: '詳細' }).click()
    const choice = page.getByRole('combobox', { name: '「002」の組み方' })
    await choice.selectOption('英語など')
    await expect.poll(leading).toContain('--manuscript-leading: 1.65')
    await expect.poll(() => readFile(join(root, 'work.json'), 'utf8')).toContain('"002.txt": "en"')
    const files = page.getByRole('navigation', { name: 'ファイル' })
    await files.getByRole('button', { name: /^001/ }).first().click()
    await expect.poll(leading).toContain('--manuscript-leading: 2.05')
    await files.getByRole('button', { name: /^002/ }).first().click()
    await expect.poll(leading).toContain('--manuscript-leading: 1.65')
    await page.keyboard.press('Control+Alt+P')
    await page.getByRole('combobox', { name: 'コマンド一覧' }).fill('組み方：設定に従う')
    await page.keyboard.press('Enter')
    await expect.poll(leading).toContain('--manuscript-leading: 2.05')
    await expect(choice).toHaveValue('settings')
    await isBack()
  })
  await test.step('what is being written in the scratchpad as the page goes is kept', async () => {
    await page.getByRole('tab', { name: 'メモ' }).click()
    await page.getByRole('tabpanel').getByRole('textbox').fill('鍵は時計塔の中。')
    await page.reload()
    await expect.poll(() => readFile(join(root, 'work.json'), 'utf8')).toContain('鍵は時計塔の中。')
    await isBack()
  })
  await test.step('and in a host that was started anew', async () => {
    await host.stop()
    host = await startHost({ project: root, dataDir, args: ['--no-model'] })
    await page.goto(host.link)
    await isBack()
  })
  await host.stop()
  await rm(root, { recursive: true, force: true })
  await rm(dataDir, { recursive: true, force: true })
})

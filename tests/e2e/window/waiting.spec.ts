import { expect, type Page } from '@playwright/test'
import { harnessTest } from '../support/harness-test.ts'
import type {} from './harness/harness.ts'

const test = harnessTest(import.meta.url)
const silence = '文脈を数えています。サーバーからまだ返事がありません。'
const status = (page: Page) => page.getByRole('contentinfo')

async function openAppWindow(page: Page): Promise<void> {
  await page.goto('?work&model')
  await expect(page.getByRole('textbox', { name: '本文' })).toContainText('時計の針が逆回転を始めた')
}

function inRun(page: Page, act: 'is silent' | 'estimates' | 'reads' | 'loses its model'): Promise<void> {
  return page.evaluate((what) => {
    const { runs } = globalThis.harness.host
    const { runId } = runs.running() ?? { runId: '' }
    if (what === 'is silent') runs.phase(runId, 'counting', null, 'silent')
    if (what === 'estimates') runs.phase(runId, 'reading', 0.4, 'estimated')
    if (what === 'reads') runs.phase(runId, 'reading', 0.4)
    if (what === 'loses its model') runs.end(runId, 'stopped', null, 'replaced')
  }, act)
}

test('a server that does not answer is named in the status bar, until it reads', async ({ page }) => {
  await openAppWindow(page)
  await page.keyboard.press('Control+Enter')
  await expect(status(page)).toContainText('文脈を数えています')
  await inRun(page, 'is silent')
  await expect(status(page).getByText(silence)).toBeVisible()
  await inRun(page, 'estimates')
  await expect(status(page)).not.toContainText('まだ返事')
  await expect(status(page).getByText('約 40%（推定）', { exact: true })).toBeVisible()
  await inRun(page, 'reads')
  await expect(status(page).getByText('40%', { exact: true })).toBeVisible()
  await expect(status(page)).not.toContainText('推定')
})

test('a start that is not answered is named, too', async ({ page }) => {
  await page.clock.install()
  await openAppWindow(page)
  await page.evaluate(() => {
    globalThis.harness.host.runs.held = new Promise(() => undefined)
  })
  await page.keyboard.press('Control+Enter')
  await expect(status(page).getByText('文脈を数えています', { exact: true })).toBeVisible()
  await page.clock.runFor(4_100)
  await expect(status(page).getByText(silence)).toBeVisible()
})

test('a server that does not answer is named where an idea is waited for', async ({ page }) => {
  await openAppWindow(page)
  await page.keyboard.press('Alt+i')
  await page.keyboard.press('Control+g')
  const panel = page.getByRole('region', { name: 'アイデア', exact: true })
  await expect(panel.getByText('文脈を数えています', { exact: true })).toBeVisible()
  await inRun(page, 'is silent')
  await expect(panel.getByText(silence)).toBeVisible()
})

test('a server that does not answer is named where a selection is rewritten', async ({ page }) => {
  await openAppWindow(page)
  await page.getByRole('textbox', { name: '本文' }).focus()
  for (const key of ['Control+a', 'Control+Alt+w']) await page.keyboard.press(key)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('静かに。')
  await page.keyboard.press('Control+Enter')
  await expect(dialog.getByText('文脈を数えています', { exact: true })).toBeVisible()
  await inRun(page, 'is silent')
  await expect(dialog.getByText(silence)).toBeVisible()
  await inRun(page, 'loses its model')
  await expect(dialog.getByText(/^モデルが切り替えられたか、設定が変わった/)).toBeVisible()
})

test('a run that wrote nothing says that another model was chosen', async ({ page }) => {
  await openAppWindow(page)
  await page.keyboard.press('Control+Enter')
  await expect(status(page)).toContainText('文脈を数えています')
  await inRun(page, 'loses its model')
  await expect(page.getByText(/^モデルが切り替えられたか、設定が変わった/)).toBeVisible()
})

test('a model that reads each page again is said, and a held beginning is one press away', async ({
  page,
}) => {
  await openAppWindow(page)
  await page.evaluate(() => {
    const { host } = globalThis.harness
    const drafting = { ...host.settings.drafting, fitMode: 'token_dynamic' as const }
    host.settings = { ...host.settings, drafting }
    host.topics.settings.publish(host.settings)
  })
  for (let nth = 0; nth < 2; nth += 1) {
    await page.keyboard.press('Control+Enter')
    await expect(status(page)).toContainText('文脈を数えています')
    await page.evaluate(() => {
      const { runs } = globalThis.harness.host
      const { runId } = runs.running() ?? { runId: '' }
      runs.write(runId, '雨。')
      runs.figures(runId, { promptTokens: 4000, reusedTokens: 200, completionTokens: 500 })
      runs.end(runId, 'finished')
    })
    await expect(status(page)).not.toContainText('文脈を数えています')
  }
  const notice = page.getByRole('status').filter({ hasText: '3,800 トークンを読み直しています' })
  await expect(notice).toContainText('およそ 1,328 トークン')
  await notice.getByRole('button', { name: '始まりを固定する' }).click()
  await expect(notice).toHaveCount(0)
  const mode = () => page.evaluate(() => globalThis.harness.host.settings.drafting.fitMode)
  await expect.poll(mode).toBe('anchored')
})

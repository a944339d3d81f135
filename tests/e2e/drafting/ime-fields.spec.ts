/**
 * A Japanese input method in every text field of the window: each view of the table is opened, and every field that
 * it shows is found and written in, so that a new field needs no line here.
 */
import type { CDPSession } from '@playwright/test'
import { createTranslate } from '../../../src/shared/i18n/translate.ts'
import type { AppWindow } from '../support/app-window.ts'
import { playComposition } from '../support/composition-series.ts'
import { expect, test } from '../support/drafting-test.ts'

const t = createTranslate('ja')
const files = { '資料/綾瀬.md': '　新聞記者である。\n', '001.txt': '　彼は運命を知らない。\n' }
const textFields = [
  'textarea:not([readonly])',
  '[contenteditable=true]',
  'input:not([type=checkbox]):not([type=radio]):not([type=range]):not([type=number]):not([type=password]):not([inputmode=numeric]):not([readonly])',
].join(',')

/** `scope`: where the fields are looked for; else in the dialog that is open, or in the whole page. */
type View = { name: string; fields: number; scope?: string; open(appWindow: AppWindow): Promise<void> }

const command = (name: string) => async (appWindow: AppWindow) => {
  await appWindow.command(name)
  await expect(appWindow.page.getByRole('dialog')).toBeVisible()
}
const settings = (section: string, fields: number): View => ({
  name: `settings: ${section}`,
  fields,
  scope: '[role=dialog]',
  async open({ page }) {
    await page.keyboard.press('Control+,')
    const dialog = page.getByRole('dialog')
    await dialog
      .getByRole('tab', { name: t(`settings.${section}` as 'settings.general'), exact: true })
      .click()
    for (const summary of await dialog.locator('summary').all()) await summary.click()
  },
})

/** `fields`: at least so many are there; a view that did not open has none. */
const views: View[] = [
  {
    name: 'text and details',
    fields: 6,
    async open(appWindow) {
      await appWindow.showTab('詳細')
    },
  },
  {
    name: 'search in the chapter',
    fields: 2,
    scope: '.cm-search',
    async open(appWindow) {
      await appWindow.editor.focus()
      await appWindow.press('Control+f')
    },
  },
  {
    name: 'memo',
    fields: 1,
    scope: '.tab-content[data-state=active]',
    open: (appWindow) => appWindow.showTab('メモ'),
  },
  {
    name: 'ideas',
    fields: 2,
    scope: '.idea-panel',
    async open(appWindow) {
      await appWindow.command(t('command.draftMode.idea'))
      await appWindow.showTab('アイデア')
    },
  },
  {
    name: 'ruby',
    fields: 1,
    scope: '[role=dialog]',
    async open(appWindow) {
      await appWindow.caretTo(1, 4)
      await appWindow.press('Control+Alt+R')
    },
  },
  {
    name: 'name of a chapter',
    fields: 1,
    scope: '.name-input',
    async open({ page }) {
      await page.locator('.file-row button').first().focus()
      await page.keyboard.press('F2')
    },
  },
  {
    name: 'lore entry',
    fields: 3,
    scope: '[role=dialog]',
    async open(appWindow) {
      await appWindow.showTab('文脈')
      const lore = appWindow.page.getByRole('region', { name: t('lore.title') })
      await lore.getByText('項目になっていない資料 1').click()
      await lore.getByRole('button', { name: '「資料/綾瀬.md」を項目にする' }).click()
    },
  },
  {
    name: 'new chapter',
    fields: 1,
    scope: '.name-input',
    open: ({ page }) => page.getByRole('button', { name: '新しい原稿' }).click({ timeout: 5_000 }),
  },
  {
    name: 'commands',
    fields: 1,
    scope: '[role=dialog]',
    open: ({ page }) => page.keyboard.press('Control+Shift+P'),
  },
  { name: 'replace in the work', fields: 2, open: command(t('command.workFind')) },
  { name: 'goal', fields: 1, open: command(t('command.writing')) },
  { name: 'folders', fields: 1, open: command(t('command.workOpen')) },
  { name: 'new work', fields: 2, open: command(t('command.workCreate')) },
  { name: 'export', fields: 0, open: command(t('command.publishExport')) },
  { name: 'post', fields: 0, open: command(t('command.publishPost')) },
  settings('editor', 0),
  settings('models', 0),
  settings('sampler', 2),
  settings('drafting', 1),
  settings('suggestions', 0),
  settings('rules', 0),
  {
    name: 'session: message, list, course',
    fields: 1,
    async open(appWindow) {
      await appWindow.command(t('command.sessionNew'))
      await expect(appWindow.page.locator('.cm-content').first()).toBeVisible()
    },
  },
  { name: 'search in sessions', fields: 1, open: command(t('command.sessionSearch')) },
]

test('conversions are confirmed and cancelled in every field, and no key of theirs closes, sends or leaves a form', async ({
  openAppWindow,
  page,
}) => {
  test.setTimeout(240_000)
  page.setDefaultTimeout(8_000)
  const { appWindow } = await openAppWindow({ files, kobold: { answer: '続き。' } })
  const ime = await page.context().newCDPSession(page)
  await page.evaluate(() => {
    addEventListener('submit', () => (document.body.dataset.submits = 'some'), true)
  })
  // Every view is played, so that one run names all fields that fail.
  const failures: string[] = []
  for (const view of views) {
    await test.step(view.name, async () => {
      try {
        await view.open(appWindow)
        await composeIn(appWindow, ime, view)
      } catch (error) {
        failures.push(`${view.name}: ${String(error).slice(0, 600)}`)
      }
      // The field of a name, a panel, a dialog and what it opened.
      for (let layer = 0; layer < 3; layer += 1) await page.keyboard.press('Escape')
      // A dialog that closes gives the focus back a moment later.
      await expect(page.getByRole('dialog')).toHaveCount(0)
    })
  }
  expect(failures).toEqual([])
  expect(await page.evaluate(() => document.body.dataset.submits)).toBeUndefined()
})

async function composeIn(appWindow: AppWindow, ime: CDPSession, view: View): Promise<void> {
  const { page } = appWindow
  const isDialog = (await page.getByRole('dialog').count()) > 0
  const scope = page.locator(view.scope ?? (isDialog ? '[role=dialog]' : 'body')).last()
  const fields = scope
    .locator(textFields)
    .or(scope.and(page.locator(textFields)))
    .filter({ visible: true })
  if (view.fields > 0) await expect(fields.nth(view.fields - 1)).toBeVisible({ timeout: 5_000 })
  const count = await fields.count()
  for (let at = 0; at < count; at += 1) {
    const field = fields.nth(at)
    if (await field.isEnabled()) await playComposition(appWindow.page, ime, field, `field ${at + 1}`)
  }
}

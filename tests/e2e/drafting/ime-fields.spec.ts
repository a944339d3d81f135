/**
 * A Japanese input method in every text field of the window: each view of the table is opened, and each of its fields
 * is found and written in. The table has the number of fields, so that a new or removed field is noticed;
 * `tests/architecture/text-fields.test.ts` lists the source files that have fields.
 */
import type { CDPSession, Locator } from '@playwright/test'
import { createTranslate } from '../../../src/shared/i18n/translate.ts'
import type { AppWindow } from '../support/app-window.ts'
import { playComposition, textFieldsIn } from '../support/composition-series.ts'
import { expect, test } from '../support/drafting-test.ts'

const t = createTranslate('ja')
const files = { '資料/綾瀬.md': '　新聞記者である。\n', '001.txt': '　彼は運命を知らない。\n' }

/** `scope`: where the fields are looked for; else in the dialog that is open, or in the whole page. */
type View = { name: string; fields: number; scope?: string; open(appWindow: AppWindow): Promise<void> }

const command = (name: string) => async (appWindow: AppWindow) => {
  await appWindow.command(name)
  await expect(appWindow.page.getByRole('dialog')).toBeVisible()
}
/** A page of the settings with all folded parts open; `more` opens further forms. */
const settings = (section: string, fields: number, more?: (dialog: Locator) => Promise<void>): View => ({
  name: `settings: ${section}`,
  fields,
  scope: '[role=dialog]',
  async open({ page }) {
    await page.keyboard.press('Control+,')
    const dialog = page.getByRole('dialog')
    await dialog
      .getByRole('tab', { name: t(`settings.${section}` as 'settings.general'), exact: true })
      .click()
    await more?.(dialog)
    for (const summary of await dialog.locator('summary').all()) await summary.click()
  },
})

/** `fields`: the expected number of fields, by which a new or removed field is distinguished from a missed one. */
const views: View[] = [
  {
    name: 'text and details',
    fields: 8,
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
    fields: 6,
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
    open: ({ page }) => page.getByRole('button', { name: '新しい章' }).click({ timeout: 5_000 }),
  },
  {
    name: 'commands',
    fields: 1,
    scope: '[role=dialog]',
    open: ({ page }) => page.keyboard.press('Control+Shift+P'),
  },
  { name: 'replace in the work', fields: 2, open: command(t('command.workFind')) },
  { name: 'goal', fields: 0, open: command(t('command.writing')) },
  { name: 'folders', fields: 1, open: command(t('command.workOpen')) },
  { name: 'new work', fields: 2, open: command(t('command.workCreate')) },
  { name: 'export', fields: 1, open: command(t('command.publishExport')) },
  { name: 'post', fields: 0, open: command(t('command.publishPost')) },
  {
    name: 'rewriting',
    fields: 2,
    async open(appWindow) {
      await appWindow.caretTo(1, 1)
      await appWindow.press('Shift+ArrowRight')
      await appWindow.command(t('command.draftRewrite'))
      await appWindow.page.getByRole('dialog').locator('summary').click()
    },
  },
  {
    name: 'part of a take',
    fields: 1,
    async open(appWindow) {
      await appWindow.command(t('command.draftMode.generate'))
      await expect(appWindow.page.getByRole('dialog')).toHaveCount(0)
      await appWindow.caretToEnd()
      await appWindow.press('Control+Enter')
      await expect.poll(() => appWindow.offered()).toBe('続き。')
      await appWindow.showTab('候補')
      await appWindow.takes
        .first()
        .getByRole('button', { name: t('takes.other') })
        .click()
      await appWindow.page.getByRole('menuitem', { name: t('takes.part') }).click()
    },
  },
  {
    name: 'question about the work',
    fields: 1,
    scope: '.ask-panel',
    open: (appWindow) => appWindow.command(t('command.workAsk')),
  },
  { name: 'where a name appears', fields: 1, open: command(t('command.mentions')) },
  {
    name: 'draft of a summary',
    fields: 1,
    async open(appWindow) {
      await command(t('command.summaries'))(appWindow)
      const dialog = appWindow.page.getByRole('dialog')
      await dialog
        .getByRole('button', { name: t('action.of', { action: t('summary.make'), name: '001' }) })
        .click()
      await expect(dialog.locator('textarea')).toBeVisible()
    },
  },
  {
    name: 'new folder in the picker',
    fields: 1,
    scope: '.picker-new',
    async open(appWindow) {
      await command(t('command.workOpen'))(appWindow)
      await appWindow.page.getByRole('button', { name: t('picker.newFolder') }).click()
    },
  },
  settings('editor', 1, async (dialog) => {
    await dialog.getByLabel(t('settings.font'), { exact: true }).first().selectOption('own')
  }),
  settings('models', 3, async (dialog) => {
    await dialog.getByRole('button', { name: t('models.addServer') }).click()
    await dialog
      .getByRole('button', { name: t('action.edit') })
      .first()
      .click()
  }),
  settings('sampler', 3, (dialog) => dialog.getByRole('button', { name: t('sampler.saveAs') }).click()),
  settings('drafting', 2),
  settings('suggestions', 0),
  settings('rules', 1),
  {
    name: 'file of a model',
    fields: 1,
    async open(appWindow) {
      await command(t('command.settingsModels'))(appWindow)
      await appWindow.page.getByRole('button', { name: t('models.path.title') }).click()
    },
  },
  {
    name: 'session: message, list, course',
    fields: 1,
    async open(appWindow) {
      await appWindow.command(t('command.sessionNew'))
      await expect(appWindow.page.locator('.cm-content').first()).toBeVisible()
    },
  },
  settings('tools', 6, async (dialog) => {
    for (const add of ['mcp.add', 'changeCheck.add', 'hook.add'] as const)
      await dialog.getByRole('button', { name: t(add), exact: true }).click()
  }),
  {
    name: 'name of a session',
    fields: 1,
    scope: '.name-input',
    async open({ page }) {
      await page.locator('.session-open').first().focus()
      await page.keyboard.press('F2')
    },
  },
  {
    name: 'record of approvals',
    fields: 1,
    scope: '.audit',
    open: (appWindow) => appWindow.command(t('command.sessionTab.audit')),
  },
  { name: 'search in sessions', fields: 1, open: command(t('command.sessionSearch')) },
]

test('conversions are confirmed and cancelled in every field, and no key of theirs closes, sends or leaves a form', async ({
  openAppWindow,
  page,
}) => {
  test.setTimeout(600_000)
  const { appWindow } = await openAppWindow({ files, kobold: { answer: '続き。' } })
  page.setDefaultTimeout(8_000)
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
      // A dialog that has closed gives the focus back a moment later, which would close the next field.
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await page.waitForTimeout(100)
    })
  }
  expect(failures).toEqual([])
  expect(await page.evaluate(() => document.body.dataset.submits)).toBeUndefined()
})

/** In the long series every field is played, else one of those with the same classes in the same form or part. */
const playsAll = process.env.TSUGI_SOAK !== undefined
const played = new Set<string>()

/** Describes a field by the classes of all that it is in and the name of its form or part. */
function placeOf(field: Locator): Promise<string> {
  return field.evaluate((element) => {
    const part = element.closest('form, [role=dialog], [role=region], section')
    const chain = [element.getAttribute('type') ?? '', part?.ariaLabel ?? part?.textContent ?? '']
    for (let at: Element | null = element; at !== null; at = at.parentElement)
      chain.push(`${at.tagName}.${at.className}`)
    return chain.join('<')
  })
}

async function composeIn({ page }: AppWindow, ime: CDPSession, view: View): Promise<void> {
  const isDialog = (await page.getByRole('dialog').count()) > 0
  const scope = page.locator(view.scope ?? (isDialog ? '[role=dialog]' : 'body')).last()
  const fields = textFieldsIn(page, scope)
  await expect(fields, 'fields of a text').toHaveCount(view.fields, { timeout: 5_000 })
  for (let at = 0; at < view.fields; at += 1) {
    const field = fields.nth(at)
    if (!(await field.isEnabled())) continue
    const place = await placeOf(field)
    if (played.has(place) && !playsAll) continue
    played.add(place)
    await playComposition(page, ime, field, `field ${at + 1}`)
  }
}

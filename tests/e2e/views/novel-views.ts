import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { type AppWindowOptions, expect, type OpenAppWindow } from '../support/drafting-test.ts'
import { viewTexts } from './view-texts.ts'

/** Called at each view, with its name. */
export type Visit = (name: string) => Promise<void>

type Opens = (options: AppWindowOptions) => Promise<OpenAppWindow>

/** Leads one window through the views of a work. */
export async function walkNovel(openAppWindow: Opens, language: Language, visit: Visit): Promise<void> {
  const texts = viewTexts[language]
  const t = createTranslate(language)
  const answers = [texts.offer, texts.other]
  let asked = 0
  let next: string | null = null
  const { appWindow, client, kobold } = await openAppWindow({
    files: texts.files,
    details: texts.details,
    kobold: { modelName: 'Gemma 3 12B', answer: () => next ?? answers[asked++ % answers.length] ?? '' },
  })
  const { page } = appWindow
  const editor = page.locator('.cm-content').first()
  const idle = () => expect(page.getByRole('button', { name: t('action.stop') })).toHaveCount(0)
  const showTab = (name: string) => page.getByRole('tab', { name, exact: true }).click()
  const toText = async () => {
    await editor.click()
    await page.keyboard.press('Control+End')
  }
  await client['settings.update']({ patch: { language } })
  await expect(page.getByRole('tab', { name: t('tab.details'), exact: true })).toBeVisible()
  await toText()
  await visit('work')

  await page.keyboard.press('Control+Enter')
  await expect(page.locator('.cm-pending')).toContainText(texts.offer.trim().slice(-8))
  await idle()
  await visit('offer')
  await page.keyboard.press('Alt+r')
  await expect(page.locator('.cm-pending')).toContainText(texts.other.trim().slice(-8))
  await idle()
  await showTab(t('tab.takes'))
  await visit('takes')
  // Nothing wraps: the buttons of each take, and the keys of the offer.
  for (const row of await page.locator('.take-actions, .cm-pendingHints').all())
    expect((await row.boundingBox())?.height).toBeLessThan(40)
  await showTab(t('tab.context'))
  await expect(page.getByRole('list', { name: t('context.prompt') })).toBeVisible()
  await visit('context')
  await page.getByText(t('lore.candidates', { count: 2 })).click()
  await page
    .getByRole('button')
    .filter({ hasText: t('lore.make') })
    .first()
    .click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await visit('lore')
  await page.keyboard.press('Escape')
  await showTab(t('tab.ask'))
  await visit('ask')
  await showTab(t('tab.memo'))
  await visit('memo')
  await showTab(t('tab.history'))
  await visit('history')

  await toText()
  await page.keyboard.press('Escape')
  next = Array.from({ length: 24 }, (_, at) => texts.long.replace('217', String(217 - at))).join('')
  kobold.options.tokenMs = 3
  await page.keyboard.press('Control+Enter')
  await expect(page.locator('.cm-pending')).toContainText(texts.long.replace('217', '211').trim())
  kobold.options.tokenMs = 400
  await visit('streaming')
  kobold.options.tokenMs = 0
  await idle()
  await visit('offer-long')
  await toText()
  await page.keyboard.press('Escape')

  await showTab(t('tab.details'))
  await toText()
  await page.keyboard.press('Control+f')
  await page.keyboard.insertText(texts.title.slice(-2))
  await visit('find')
  await page.keyboard.press('Escape')
  for (const section of [
    'general',
    'editor',
    'models',
    'sampler',
    'drafting',
    'suggestions',
    'shortcuts',
    'rules',
    'tools',
  ] as const) {
    if (section === 'general') await page.keyboard.press('Control+,')
    else
      await page
        .getByRole('dialog')
        .getByRole('tab', { name: t(`settings.${section}`), exact: true })
        .click()
    await visit(`settings-${section}`)
  }
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+Shift+P')
  await expect(page.getByRole('dialog')).toBeVisible()
  await visit('palette')
  await page.keyboard.press('Escape')
  for (const [name, command] of [
    ['summaries', t('command.summaries')],
    ['mentions', t('command.mentions')],
    ['export', t('command.publishExport')],
  ] as const) {
    await page.keyboard.press('Control+Shift+P')
    await page.keyboard.insertText(command)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: command })).toBeVisible()
    await visit(name)
    await page.keyboard.press('Escape')
  }
  await page.keyboard.press('Control+o')
  await expect(page.getByRole('dialog')).toBeVisible()
  await visit('picker')
  await page.keyboard.press('Escape')

  await toText()
  kobold.die()
  await page.keyboard.press('Control+Enter')
  await expect(page.locator('.manuscript .notice').first()).toBeVisible()
  await visit('error')
}

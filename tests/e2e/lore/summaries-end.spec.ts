import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { expect, test } from '../support/drafting-test.ts'
import { handOf } from '../support/hand.ts'
import { shootBoth } from '../support/shoot.ts'

const texts = {
  ja: { body: '雨が降り始めた。\n窓の外で猫が鳴いた。\n', answer: '雨の夜に猫が鳴いた。' },
  en: { body: 'The rain had begun.\nA cat cried outside.\n', answer: 'A cat cried on a night of rain.' },
}

for (const [language, told] of Object.entries(texts) as [Language, (typeof texts)['ja']][]) {
  test(`summaries go on while their dialog is closed, and their end is told, in ${language}`, async ({
    openSharedAppWindow,
  }) => {
    const t = createTranslate(language)
    const { appWindow, client, kobold } = await openSharedAppWindow({
      files: { '000.txt': told.body, '001.txt': told.body, '002.txt': told.body },
      kobold: { answer: told.answer, tokenMs: 80 },
    })
    const { page } = appWindow
    await client['settings.update']({ patch: { language } })
    const hand = handOf(page, 'mouse', t)
    const dialog = page.getByRole('dialog', { name: t('command.summaries') })
    await hand.command(t('command.summaries'))
    await dialog.getByRole('button', { name: t('summary.makeAll', { count: 3 }) }).click()
    await expect(dialog.getByRole('button', { name: t('editor.stop') })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    const progress = page.getByRole('button', { name: t('status.summaries', { nth: 2, total: 3 }) })
    await expect(progress).toBeVisible()
    await shootBoth(page, `summaries-going-on-${language}`)
    await expect(page.getByText(t('toast.summaries.made', { made: 3, total: 3 }))).toBeVisible()
    await expect(progress).toBeHidden()
    await shootBoth(page, `summaries-made-${language}`)
    await page.getByRole('button', { name: t('command.summaries'), exact: true }).click()
    const first = dialog.getByRole('listitem', { name: '000' })
    await expect(first.getByRole('textbox')).toHaveValue(told.answer)

    const again = dialog.getByRole('listitem', { name: '001' })
    await again.getByRole('button', { name: t('summary.discard') }).click()
    await again
      .getByRole('button', { name: t('action.of', { action: t('summary.make'), name: '001' }) })
      .click()
    // A summary that is stopped is offered as far as it was written, until a new one is.
    await expect(again.locator('.summary-text')).not.toBeEmpty()
    await dialog.getByRole('button', { name: t('editor.stop') }).click()
    await expect(again.getByText(t('summary.partial'))).toBeVisible()
    expect(told.answer).toContain(await again.getByRole('textbox').inputValue())
    await shootBoth(page, `summary-stopped-${language}`)
    await again
      .getByRole('button', { name: t('action.of', { action: t('summary.renew'), name: '001' }) })
      .click()
    await expect(dialog.getByRole('button', { name: t('editor.stop') })).toBeVisible()
    await page.keyboard.press('Escape')
    await kobold.close()
    const notices = page.getByRole('region', { name: t('toast.label') })
    await notices.getByRole('button', { name: t('command.summaries'), exact: true }).click()
    await expect(dialog.getByRole('listitem')).toHaveCount(3)
    await expect(dialog.getByRole('alert')).toHaveCount(1)
    await shootBoth(page, `summaries-failed-${language}`)
  })
}

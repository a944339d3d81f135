import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { createFakeLlamaServer } from '../../fakes/servers/fake-llama-server.ts'
import { servedModel } from '../../fakes/servers/session-llama.ts'
import { expect, test } from '../support/drafting-test.ts'
import { shootBoth } from '../support/shoot.ts'

const texts = {
  ja: { line: '　雨の中を、彼は静かに歩いていった。\n', answer: '　鐘が鳴った。' },
  en: { line: 'He walked on through the quiet rain.\n', answer: 'A bell rang.' },
}

for (const [language, told] of Object.entries(texts) as [Language, (typeof texts)['ja']][]) {
  test(`the tokens to read and the wait are predicted, then shown beside what was measured, in ${language}`, async ({
    openSharedAppWindow,
  }) => {
    const t = createTranslate(language)
    const server = await createFakeLlamaServer({
      answer: () => ({ text: told.answer }),
      promptTokenMs: 2,
    })
    try {
      const { appWindow, client } = await openSharedAppWindow({ files: { '001.txt': told.line.repeat(12) } })
      const { page } = appWindow
      await client['model.use'](servedModel(server.address))
      await client['settings.update']({ patch: { language } })
      await page.getByRole('tab', { name: t('tab.context'), exact: true }).click()
      const figures = page.getByRole('region', { name: t('context.figures') })
      const tokens = (text: string) => Number(/\d+/.exec(text.replaceAll(',', ''))?.[0])
      const prediction = figures.getByText(t('context.wait.unmeasured').trim())
      await expect(prediction).toBeVisible()
      const predicted = tokens((await prediction.innerText()).split('·')[1] ?? '')
      expect(predicted).toBeGreaterThan(64)
      await shootBoth(page, `prediction-${language}`)

      const editor = page.getByRole('textbox', { name: t('editor.document') })
      const write = async () => {
        await editor.focus()
        await page.keyboard.press('Control+End')
        await page.keyboard.press('Control+Enter')
        await expect(page.locator('.cm-pending')).toContainText(told.answer.trim())
        await expect(page.getByRole('button', { name: t('action.stop') })).toHaveCount(0)
        await page.keyboard.press('Escape')
      }
      await write()
      const start = t('context.last', { predicted: '@', predictedTime: '', measured: '', measuredTime: '' })
      const last = figures.getByText(start.split('@')[0] ?? '')
      await expect(last).toContainText(t('lore.tokens', { count: predicted }))
      await expect(last).toContainText(t('context.unmeasured'))
      const time = t('context.seconds', { seconds: '@' }).split('@')[1] ?? ''
      const measured = new RegExp(`\\d\\.\\d${time}`)
      await expect(last).toHaveText(measured)
      await expect(prediction).toBeHidden()

      // The same page once more is in the server's cache; behind a new line, both times are known.
      await editor.focus()
      await page.keyboard.press('Control+Home')
      await page.keyboard.type(told.line.trim())
      const [before = '', after = ''] = t('context.wait', { seconds: '@' }).split('@')
      const literal = (text: string) => text.trim().replace(/[()（）]/g, '\\$&')
      await expect(figures).toContainText(new RegExp(`${literal(before)} ?\\d+ ?${literal(after)}`))
      await write()
      await expect(last).not.toContainText(t('context.unmeasured'))
      expect(((await last.innerText()).match(new RegExp(measured, 'g')) ?? []).length).toBe(2)
      await shootBoth(page, `measured-${language}`)
    } finally {
      await server.close()
    }
  })
}

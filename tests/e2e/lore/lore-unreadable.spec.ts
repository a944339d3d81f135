import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { expect, test } from '../support/drafting-test.ts'
import { handOf } from '../support/hand.ts'
import { shootBoth } from '../support/shoot.ts'

const works = {
  ja: {
    broken: '資料/綾瀬.md',
    range: '資料/林.md',
    brokenText: '---\ntags: [人物]\nkeys: "綾瀬\n---\n　新聞記者である。\n',
    rangeText: '---\nkeys: [林, 林さん]\nrange: 来週\n---\n　猫を飼う。\n',
    rangeLine: 'range: 来週',
    saved: '---\nkeys: [林, 林さん]\nrange: 来週\nnever:\n  - 夢\n---\n　猫を飼う。\n',
    never: '夢',
    names: { broken: '綾瀬', range: '林' },
    body: '林が笑った。\n綾瀬が来た。\n',
  },
  en: {
    broken: 'Notes/Ayase.md',
    range: 'Notes/Hayashi.md',
    brokenText: '---\ntags: [person]\nkeys: "Ayase\n---\nA reporter.\n',
    rangeText: '---\nkeys: [Hayashi, Mr Hayashi]\nrange: next week\n---\nKeeps a cat.\n',
    rangeLine: 'range: next week',
    saved: '---\nkeys: [Hayashi, Mr Hayashi]\nrange: next week\nnever:\n  - dream\n---\nKeeps a cat.\n',
    never: 'dream',
    names: { broken: 'Ayase', range: 'Hayashi' },
    body: 'Hayashi laughed.\nAyase came.\n',
  },
}

for (const [language, told] of Object.entries(works) as [Language, (typeof works)['ja']][]) {
  test(`settings at the top of a note that cannot be read are said, and kept by a save, in ${language}`, async ({
    openSharedAppWindow,
  }) => {
    const t = createTranslate(language)
    const { appWindow, client, onDisk } = await openSharedAppWindow({
      files: {
        [told.broken]: told.brokenText,
        [told.range]: told.rangeText,
        '001.txt': told.body,
      },
      kobold: { modelName: 'SmolLM2-135M-Instruct' },
    })
    const { page } = appWindow
    await client['settings.update']({ patch: { language } })
    await page.getByRole('tab', { name: t('tab.context'), exact: true }).click()
    const lore = page.getByRole('region', { name: t('lore.title') })
    const values = { path: told.range, line: 3, reason: told.rangeLine }
    await expect(lore.getByText(t('lore.problem.front-matter.line', values))).toBeVisible()
    await lore.getByText(t('lore.unused', { count: 2 })).click()
    await expect(lore.getByText(t('lore.unreadable'))).toHaveCount(2)
    await shootBoth(page, `unreadable-list-${language}`)

    const dialog = page.getByRole('dialog')
    await lore.getByRole('button', { name: t('lore.edit.of', { name: told.names.broken }) }).click()
    await expect(dialog.getByRole('alert')).toContainText(t('lore.unreadable.line', { line: 3 }).trim())
    await shootBoth(page, `unreadable-whole-${language}`)
    await page.keyboard.press('Escape')
    await lore.getByRole('button', { name: t('lore.edit.of', { name: told.names.range }) }).click()
    await expect(dialog.getByRole('alert')).toContainText(
      t('lore.unreadable.values', { reason: told.rangeLine }),
    )
    await shootBoth(page, `unreadable-values-${language}`)
    await dialog.getByLabel(t('lore.never'), { exact: true }).fill(told.never)
    await dialog.getByRole('button', { name: t('action.save') }).click()
    await expect.poll(() => onDisk(told.range)).toBe(told.saved)

    await lore.getByRole('button', { name: t('lore.openFile.of', { path: told.broken }) }).click()
    await expect(page.locator('.header')).toContainText(told.names.broken)

    await handOf(page, 'mouse', t).command(t('command.summaries'))
    await expect(dialog.getByText(t('summary.tinyModel', { name: 'SmolLM2-135M-Instruct' }))).toBeVisible()
    await shootBoth(page, `summaries-tiny-${language}`)
  })
}

import { createTranslate, errorText, type Language } from '../../../src/shared/i18n/translate.ts'
import { expect, test } from '../support/drafting-test.ts'
import { handOf } from '../support/hand.ts'
import { temporaryFolder } from '../support/host.ts'
import { shoot, shootBoth } from '../support/shoot.ts'

/** More bytes than are read of a note, and a text that no encoding has. */
const large = 'あ'.repeat(700_000)
const noText = '\0\x01\x02'.repeat(500)
/** Summaries of the first chapter, and of several, that were made from another text of it. */
const first = (text: string) => `---\nmade-from: a0\n---\n${text}\n`
const whole = (text: string) => `---\nepisodes: [000.txt]\nmade-from:\n  000.txt: a0\n---\n${text}\n`

const works = {
  ja: {
    large: '資料/大きい.md',
    noText: '資料/絵.md',
    missing: ['資料/絵.md', '資料/大きい.md'],
    unreadable: '資料/覚え.md',
    unreadableText: '---\ntitle: "覚え\n---\n　傘は二本ある。\n',
    body: '雨が降った。\n',
    answer: '一晩中の雨。',
    summaries: { '資料/あらすじ/000.md': first('雨の話。'), '資料/あらすじ/全体.md': whole('前の話。') },
    unreadSummary: '資料/あらすじ/001.md',
  },
  en: {
    large: 'Notes/Large.md',
    noText: 'Notes/Picture.md',
    missing: ['Notes/Large.md', 'Notes/Picture.md'],
    unreadable: 'Notes/Memo.md',
    unreadableText: '---\ntitle: "Memo\n---\nThere are two umbrellas.\n',
    body: 'It rained all night.\n',
    answer: 'A night of rain.',
    summaries: {
      'Notes/Summaries/000.md': first('About the rain.'),
      'Notes/Summaries/Whole.md': whole('What was before.'),
    },
    unreadSummary: 'Notes/Summaries/001.md',
  },
}

for (const [language, told] of Object.entries(works) as [Language, (typeof works)['ja']][]) {
  test(`notes and summaries that a prompt does without, or has in an old form, are said, in ${language}`, async ({
    openSharedAppWindow,
  }) => {
    const t = createTranslate(language)
    // What is made anew is played in Japanese, with `TSUGI_SOAK` in both languages.
    const isWhole = language === 'ja' || process.env.TSUGI_SOAK !== undefined
    const { appWindow, client } = await openSharedAppWindow({
      files: {
        [told.large]: large,
        [told.noText]: noText,
        [told.unreadable]: told.unreadableText,
        ...told.summaries,
        [told.unreadSummary]: noText,
        '000.txt': told.body,
        '001.txt': told.body,
      },
      kobold: { answer: told.answer },
    })
    const { page } = appWindow
    await client['settings.update']({ patch: { language } })
    await page.getByRole('tab', { name: t('tab.context'), exact: true }).click()
    const lore = page.getByRole('region', { name: t('lore.title') })
    await expect(lore.getByText(t('lore.leftOut.unread', { count: 2, unread: 2 }))).toBeVisible()
    await expect(lore.getByText(t('lore.place.unread'))).toHaveCount(2)
    const sizes = { sizeBytes: 2_100_000, limitBytes: 2_000_000 }
    const reasons = (
      [
        { code: 'file/too-large', path: told.large, ...sizes },
        { code: 'file/not-text', path: told.noText },
      ] as const
    ).map((error) => errorText(t, language, error))
    for (const reason of reasons) await expect(lore.getByText(reason)).toBeVisible()
    await expect(
      lore.getByRole('button', { name: t('lore.openFile.of', { path: told.unreadable }) }),
    ).toBeVisible()
    await lore.getByText(t('lore.unused', { count: 1 })).click()
    await expect(lore.getByText(t('lore.unreadable'))).toBeVisible()
    await shootBoth(page, `left-out-list-${language}`)

    const hand = handOf(page, 'mouse', t)
    await hand.command(t('command.summaries'))
    const dialog = page.getByRole('dialog')
    const together = dialog.getByRole('region', { name: t('summary.whole') })
    await expect(together.getByText(t('summary.state.outdated'))).toBeVisible()
    const renewOf = (name: string) =>
      dialog.getByRole('button', { name: t('action.of', { action: t('summary.renew'), name }) })
    const renewWhole = renewOf(t('summary.whole'))
    const isFirst = together.getByText(t('summary.whole.first', { names: '000' }))
    await expect(isFirst).toBeVisible()
    await expect(renewWhole).toHaveCount(0)
    const second = dialog.getByRole('listitem', { name: '001', exact: true })
    await expect(second.getByText(t('summary.state.unreadable'), { exact: true })).toBeVisible()
    const notText = { code: 'file/not-text', path: told.unreadSummary } as const
    await expect(second.getByText(errorText(t, language, notText))).toBeVisible()
    await second
      .getByRole('button', { name: t('action.of', { action: t('summary.make'), name: '001' }) })
      .click()
    const refused = { code: 'lore/unread-summary', path: told.unreadSummary } as const
    await expect(dialog.getByText(errorText(t, language, refused))).toBeVisible()
    await shootBoth(page, `left-out-first-${language}`)
    if (isWhole) {
      await renewOf('000').click()
      await dialog.getByRole('button', { name: t('summary.accept') }).click()
      await expect(isFirst).toHaveCount(0)
      await shootBoth(page, `left-out-whole-${language}`)
      await renewWhole.click()
      await together.getByRole('button', { name: t('summary.accept') }).click()
      await expect(together.getByText(t('summary.state.current'))).toBeVisible()
    }
    await page.keyboard.press('Escape')

    await hand.command(t('command.check'))
    await dialog.getByRole('button', { name: t('check.start'), exact: true }).click()
    await expect(dialog.getByText(t('check.off', { paths: [told.unreadable] }))).toBeVisible()
    await expect(dialog.getByText(t('check.unread'))).toBeVisible()
    for (const reason of reasons) await expect(dialog.getByText(reason)).toBeVisible()
    await shootBoth(page, `left-out-check-${language}`)
    await page.keyboard.press('Escape')

    await hand.command(t('command.loreExport'))
    const folder = dialog.getByRole('textbox', { name: t('picker.path') })
    await folder.fill(await temporaryFolder('out'))
    await folder.press('Enter')
    await expect(dialog).toContainText(t('picker.empty'))
    await dialog.getByLabel(t('picker.export-lore.name')).fill('lore.json')
    await dialog.getByRole('button', { name: t('picker.export-lore.finish'), exact: true }).click()
    await expect(
      page.getByText(t('toast.loreExportedOff', { count: 1, paths: told.unreadable })),
    ).toBeVisible()
    const missing = { count: 2, paths: told.missing.join(' · ') }
    await expect(page.getByText(t('toast.loreNotExported', missing))).toBeVisible()
    await shootBoth(page, `left-out-export-${language}`)
  })
}

test('a summary that cannot be read is named where the prompt lacks it', async ({ openSharedAppWindow }) => {
  const { summaries, body, answer } = works.ja
  const [path = ''] = Object.keys(summaries)
  const { appWindow, client } = await openSharedAppWindow({
    files: { [path]: noText, '000.txt': body.repeat(2_000), '001.txt': body.repeat(2_000) },
    kobold: { answer },
  })
  const { page } = appWindow
  for (const language of ['ja', 'en'] as const) {
    const t = createTranslate(language)
    await client['settings.update']({ patch: { language, theme: language === 'en' ? 'dark' : 'light' } })
    await page.getByRole('tab', { name: t('tab.context'), exact: true }).click()
    const story = page.getByRole('region', { name: t('story.title') })
    await expect(story.getByText(t('lore.place.unread'))).toBeVisible()
    await expect(story.getByText(errorText(t, language, { code: 'file/not-text', path }))).toBeVisible()
    await expect(story.getByText(t('lore.leftOut.unread', { count: 1, unread: 1 }))).toBeVisible()
    await shoot(page, `left-out-summary-${language}`)
  }
})

import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { expect, test } from '../support/drafting-test.ts'
import { shootBoth } from '../support/shoot.ts'

const works = {
  ja: {
    folder: '資料',
    caller: '綾瀬',
    callerText: '　新聞記者で、林の姉である。\n',
    called: '林',
    calledText: '　猫を飼う。\n',
    body: '　雨が降る。\n　綾瀬が来た。\n　扉が開いた。\n',
    note: '鴉の話をする。',
    inNote: '鴉',
  },
  en: {
    folder: 'Notes',
    caller: 'Ayase',
    callerText: 'A reporter, the sister of Hayashi.\n',
    called: 'Hayashi',
    calledText: 'Keeps a cat.\n',
    body: 'It rained.\nAyase came.\nThe door opened.\n',
    note: 'Speak of the crow.',
    inNote: 'crow',
  },
}
/** A list longer than one part is made in Japanese, with `TSUGI_SOAK` in both languages. */
const othersIn = { ja: 210, en: process.env.TSUGI_SOAK === undefined ? 3 : 210 }
const partLength = 200

for (const [language, told] of Object.entries(works) as [Language, (typeof works)['ja']][]) {
  test(`an entry leads to the one that called it or to the note, and a list is shown in parts, in ${language}`, async ({
    openSharedAppWindow,
  }) => {
    const t = createTranslate(language)
    const others = othersIn[language]
    const { folder, caller, called, inNote } = told
    const entry = (key: string, text: string) => `---\nkeys: [${key}]\n---\n${text}`
    const many = Array.from({ length: others }, (_, at) => [
      `${folder}/x${at}.md`,
      entry(`zzz${at}`, `${at}\n`),
    ])
    const { appWindow, client, onDisk, root } = await openSharedAppWindow({
      files: {
        [`${folder}/${caller}.md`]: entry(caller, told.callerText),
        [`${folder}/${called}.md`]: entry(called, told.calledText),
        [`${folder}/${inNote}.md`]: entry(inNote, told.calledText),
        ...Object.fromEntries(many),
        '001.txt': told.body,
      },
      drafting: { loreRecursion: true },
    })
    const { page } = appWindow
    await client['settings.update']({ patch: { language } })
    const { workId } = await client['work.open']({ path: root })
    await client['work.updateDetails']({ workId, patch: { authorsNote: told.note } })
    const tab = (name: 'tab.context' | 'tab.details') => page.getByRole('tab', { name: t(name), exact: true })
    await tab('tab.context').click()
    const lore = page.getByRole('region', { name: t('lore.title') })

    const rows = lore.getByRole('button', { name: t('lore.edit') })
    await expect(rows).toHaveCount(3)
    await lore.getByText(t('lore.unused', { count: others })).click()
    await expect(rows).toHaveCount(Math.min(others, partLength) + 3)
    const more = lore.getByRole('button', { name: t('lore.more', { count: others - partLength }) })
    if (others > partLength) await more.click()
    await expect(rows).toHaveCount(others + 3)
    await lore.getByText(t('lore.unused', { count: others })).click()
    await expect(rows).toHaveCount(3)
    await shootBoth(page, `lore-callers-${language}`)

    await lore
      .getByRole('button', { name: t('lore.reason.match.note', { key: inNote, sentence: told.note }) })
      .click()
    await expect(tab('tab.details')).toHaveAttribute('aria-selected', 'true')
    await tab('tab.context').click()
    const sentence = told.callerText.trim()
    await lore
      .getByRole('button', { name: t('lore.reason.match.entry', { key: called, name: caller, sentence }) })
      .click()
    await expect(page.locator('.header')).toContainText(caller)
    await expect(page.getByRole('textbox', { name: t('editor.document'), exact: true })).toBeFocused()
    await page.keyboard.type('@')
    await expect.poll(() => onDisk(`${folder}/${caller}.md`)).toContain(`@${called}`)
  })
}

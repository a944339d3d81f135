import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { expect, test } from '../support/drafting-test.ts'
import { shootBoth } from '../support/shoot.ts'

const works = {
  ja: {
    entry: { path: '資料/綾瀬.md', name: '綾瀬', text: '---\nkeys: [綾瀬]\n---\n　新聞記者である。\n' },
    broken: { path: '資料/林.md', text: '---\nkeys: [林\n---\n　猫を飼う。\n' },
    note: { path: '資料/塔.md', text: '　石の塔。\n' },
    body: '　綾瀬が来た。\n',
    key: '綾瀬さん',
  },
  en: {
    entry: { path: 'Notes/Ayase.md', name: 'Ayase', text: '---\nkeys: [Ayase]\n---\nA reporter.\n' },
    broken: { path: 'Notes/Hayashi.md', text: '---\nkeys: [Hayashi\n---\nKeeps a cat.\n' },
    note: { path: 'Notes/Tower.md', text: 'A tower of stone.\n' },
    body: 'Ayase came.\n',
    key: 'Miss Ayase',
  },
}

for (const [language, told] of Object.entries(works) as [Language, (typeof works)['ja']][]) {
  test(`without a model, entries, notes and problems of the lore are shown and can be edited, in ${language}`, async ({
    openSharedAppWindow,
  }) => {
    const t = createTranslate(language)
    const { entry, broken, note } = told
    const { appWindow, client, onDisk } = await openSharedAppWindow({
      files: {
        [entry.path]: entry.text,
        [broken.path]: broken.text,
        [note.path]: note.text,
        [`${note.path.split('/')[0]}/image.md`]: '\0\x01\x02'.repeat(500),
        '001.txt': told.body,
      },
    })
    const { page } = appWindow
    await client['settings.update']({ patch: { language } })
    for (const { id } of (await client['profile.list']({})).profiles)
      await client['profile.remove']({ profileId: id })
    await page.getByRole('tab', { name: t('tab.context'), exact: true }).click()
    const lore = page.getByRole('region', { name: t('lore.title') })
    await expect(lore.getByText(t('lore.noPrompt'))).toBeVisible()
    await expect(lore.getByText(t('lore.place.unread'))).toBeVisible()
    await expect(lore.getByRole('alert').filter({ hasText: broken.path })).toBeVisible()
    await lore.getByText(t('lore.entries', { count: 2 })).click()
    await lore.getByText(t('lore.candidates', { count: 1 })).click()
    await expect(lore.getByRole('button', { name: t('lore.make.of', { path: note.path }) })).toBeVisible()
    await shootBoth(page, `lore-without-model-${language}`)

    await lore.getByRole('button', { name: t('lore.edit.of', { name: entry.name }) }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('lore.keys'), { exact: true }).fill(told.key)
    await dialog.getByRole('button', { name: t('action.save') }).click()
    await expect(dialog).toBeHidden()
    await expect.poll(() => onDisk(entry.path)).toContain(told.key)

    await lore.getByRole('button', { name: t('lore.make.of', { path: note.path }) }).click()
    await dialog.getByRole('button', { name: t('action.save') }).click()
    await expect(lore.getByText(t('lore.entries', { count: 3 }))).toBeVisible()
  })
}

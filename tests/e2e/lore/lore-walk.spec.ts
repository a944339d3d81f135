import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import {
  cardPng,
  cardV1,
  cardV2,
  cardV3,
  koboldLorebook,
  novelAiLorebook,
  tavernLorebook,
} from '../../fakes/lorebooks.ts'
import { expect, test } from '../support/drafting-test.ts'
import { handOf } from '../support/hand.ts'
import { temporaryFolder } from '../support/host.ts'
import { shoot } from '../support/shoot.ts'

const texts = {
  ja: {
    note: '資料/綾瀬.md',
    noteText: '　新聞記者である。\n',
    name: '綾瀬',
    body: '　雨が降り始めた。\n　綾瀬は傘を取った。\n',
    answer: '　綾瀬は歩き出した。\n',
    filler: '　誰もいない道を風が渡っていった。\n',
  },
  en: {
    note: 'Notes/Ayase.md',
    noteText: 'A reporter of the evening paper.\n',
    name: 'Ayase',
    body: 'The rain had begun.\nAyase took an umbrella.\n',
    answer: 'Ayase walked on.\n',
    filler: 'The wind crossed the empty street.\n',
  },
}
const oneEntry = { uid: 0, comment: 'crowd', content: 'A crowd.', probability: 40, useProbability: true }
/** More keys than a line of the dialog has room for. */
const crowdedLorebook = {
  entries: { 0: { ...oneEntry, key: Array.from({ length: 100 }, (_, at) => `passer-by ${at}`) } },
}
const lorebooks: { name: string; format: string; count: number; bytes: string | Buffer }[] = [
  { name: 'tavern.json', format: 'sillytavern', count: 2, bytes: JSON.stringify(tavernLorebook) },
  { name: 'crowded.json', format: 'sillytavern', count: 1, bytes: JSON.stringify(crowdedLorebook) },
  { name: 'novelai.lorebook', format: 'novelai', count: 1, bytes: JSON.stringify(novelAiLorebook) },
  { name: 'kobold.json', format: 'koboldai', count: 1, bytes: JSON.stringify(koboldLorebook) },
  { name: 'card-v1.json', format: 'card-v1', count: 1, bytes: JSON.stringify(cardV1) },
  { name: 'card.json', format: 'card-v3', count: 2, bytes: JSON.stringify(cardV3) },
  { name: 'card.png', format: 'card-v2', count: 2, bytes: cardPng({ chara: cardV2 }) },
]

for (const language of ['ja', 'en'] satisfies Language[]) {
  test(`an entry is made, matched, sticky and promoted, and lorebooks of each format are imported, in ${language}`, async ({
    openSharedAppWindow,
  }) => {
    const t = createTranslate(language)
    const told = texts[language]
    const { appWindow, client, generated, onDisk, root } = await openSharedAppWindow({
      files: { [told.note]: told.noteText, '001.txt': told.body },
      kobold: { answer: told.answer },
      drafting: { loreScanChars: 100, outputTokensGenerate: 64 },
    })
    const { page } = appWindow
    const folder = await temporaryFolder('books')
    await client['settings.update']({ patch: { language } })
    try {
      const hand = handOf(page, 'mouse', t)
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const dialog = page.getByRole('dialog')
      await page.getByRole('tab', { name: t('tab.context'), exact: true }).click()
      const lore = page.getByRole('region', { name: t('lore.title') })

      await test.step('a note becomes an entry that the next prompt holds', async () => {
        await lore.getByText(t('lore.candidates', { count: 1 })).click()
        await button(t('lore.make.of', { path: told.note })).click()
        await dialog.getByRole('button', { name: t('action.save') }).click()
        await expect(lore.getByText(t('lore.place.recent'))).toBeVisible()
        const [, sentence = ''] = told.body.split('\n')
        const values = { key: told.name, sentence: sentence.trim() }
        await expect(lore.getByRole('button', { name: t('lore.reason.match', values) })).toBeVisible()
      })

      await test.step('an expression that takes too long is told beside its field, and no more once it is gone', async () => {
        const slow = '/^(([^#]+)+)+#/'
        await button(t('lore.edit.of', { name: told.name })).click()
        const keys = dialog.getByLabel(t('lore.keys'), { exact: true })
        await hand.fill(keys, `${told.name}\n${slow}`)
        await dialog.getByRole('button', { name: t('action.save') }).click()
        await expect(dialog.getByText(t('lore.slowPattern', { key: slow }))).toBeVisible()
        await shoot(page, `lore-slow-${language}`)
        await hand.fill(keys, told.name)
        await expect(dialog.getByText(t('lore.slowPattern', { key: slow }))).toHaveCount(0)
        await dialog.getByRole('button', { name: t('action.save') }).click()
        await expect(dialog).toHaveCount(0)
        await expect(lore.getByText(t('lore.place.recent'))).toBeVisible()
      })

      await test.step('it stays when the text no longer names it, and is promoted when the text begins elsewhere', async () => {
        const editor = page.getByRole('textbox', { name: t('editor.document') })
        for (const pages of [1, 2]) {
          await editor.focus()
          await page.keyboard.press('Control+End')
          await page.keyboard.press('Control+Enter')
          await expect(page.locator('.cm-pending')).toContainText(told.answer.trim())
          await expect(page.getByRole('button', { name: t('action.stop') })).toHaveCount(0)
          await page.keyboard.press('Tab')
          await expect.poll(async () => (await onDisk('001.txt')).split(told.name).length).toBe(pages + 2)
        }
        expect(generated().at(-1)?.prompt).toContain(told.noteText.trim())
        const write = async (lines: number) => {
          const before = await readFile(join(root, '001.txt'), 'utf8')
          await writeFile(join(root, '001.txt'), before + told.filler.repeat(lines))
        }
        await write(8)
        await expect(lore.getByText(t('lore.reason.sticky'))).toBeVisible()
        await expect(lore.getByText(t('lore.place.recent'))).toBeVisible()
        await write(700)
        await expect(lore.getByText(t('lore.place.standing'))).toBeVisible()
        await shoot(page, `lore-${language}`)
      })

      for (const { name, format, count, bytes } of lorebooks) {
        await test.step(`import of ${name}`, async () => {
          await writeFile(join(folder, name), bytes)
          await hand.command(t('command.loreImport'))
          const path = page.locator('.picker-path input')
          await expect(path).not.toHaveValue('')
          await path.fill(join(folder, name))
          await path.press('Enter')
          const kind = t(`loreImport.format.${format}` as 'loreImport.format.novelai')
          await expect(dialog.getByText(t('loreImport.count', { format: kind, count }))).toBeVisible()
          const moved = dialog.getByText(t('loreImport.loss.priority'))
          if (name === 'tavern.json') await expect(moved.first()).toBeVisible()
          else await expect(moved).toHaveCount(0)
          const beyond = (body: HTMLElement) => body.scrollWidth - body.clientWidth
          expect(await dialog.locator('.dialog-body').evaluate(beyond), 'cut at the right').toBe(0)
          await shoot(page, `import-${name}-${language}`)
          await dialog.getByRole('button', { name: t('loreImport.run', { count }) }).click()
          await expect(page.getByText(t('toast.loreImported', { count })).last()).toBeVisible()
        })
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

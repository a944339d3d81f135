import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import JSZip from 'jszip'
import mammoth from 'mammoth'
import MarkdownIt from 'markdown-it'
import type { ExportFormat } from '../../../src/shared/domain/work/publishing.ts'
import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { expect, test } from '../support/drafting-test.ts'
import { type Hand, handOf } from '../support/hand.ts'
import { temporaryFolder } from '../support/host.ts'

const texts = {
  ja: {
    files: {
      '001 朝.txt': '王都に霧が出た。',
      '002 昼.txt': '霧は晴れない。',
      '003 夜.txt': '王都の夜。\n霧が深い。\n塔の鐘が鳴る。\n猫が起きた。\nそして',
    },
    idea: '# あらすじ:\n王都が霧に沈む。\n# 設定:\n海辺の国。\n',
    synopsis: '王都が霧に沈む。',
    takes: ['、霧が笑った。', '、鐘が止んだ。', `、${'長い夜だった。'.repeat(60)}`],
    word: '王都',
    reading: 'おうと',
    search: '霧',
    replacement: '煙霧',
    removed: '002 昼',
  },
  en: {
    files: {
      '001 Dawn.txt': 'Fog lay over Harbour Town.',
      '002 Noon.txt': 'The fog did not lift.',
      '003 Night.txt': 'Harbour at night.\nThe fog was thick.\nA bell rang.\nThe cat woke.\nAnd then',
    },
    idea: '# Synopsis:\nThe town drowns in fog.\n# Setting:\nA land by the sea.\n',
    synopsis: 'The town drowns in fog.',
    takes: [' it laughed.', ' the bell stopped.', ` ${'it was a long night, '.repeat(40)}`],
    word: 'Harbour',
    reading: 'harbor',
    search: 'fog',
    replacement: 'smog',
    removed: '002 Noon',
  },
}

/** With `TSUGI_SOAK` also the other pairs of language and hand are played, and every format is written. */
const isLong = process.env.TSUGI_SOAK !== undefined
const formats: ExportFormat[] = ['txt', 'md', 'docx', 'epub']
const walks: [Language, Hand['device'], ExportFormat[]][] = [
  ['ja', 'keyboard', isLong ? formats : ['docx']],
  ['en', 'mouse', isLong ? formats : ['epub']],
]
if (isLong) walks.push(['ja', 'mouse', formats], ['en', 'keyboard', formats])

for (const [language, device, formats] of walks) {
  test(`a day of writing in ${language}, by ${device} alone`, async ({ openAppWindow }) => {
    const t = createTranslate(language)
    const told = texts[language]
    const answers = [told.idea, ...told.takes]
    const open = await openAppWindow({
      files: told.files,
      kobold: { answer: () => answers.shift() ?? told.takes[2] ?? '', tokenMs: 10 },
    })
    const { appWindow, client, onDisk, generated } = open
    const { page, press } = { page: appWindow.page, press: (keys: string) => appWindow.press(keys) }
    await client['settings.update']({ patch: { language } })
    const hand = handOf(page, device, t)
    const byKeys = device === 'keyboard'
    const editor = page.getByRole('textbox', { name: t('editor.document') })
    await expect(editor).toBeFocused()
    const idle = () => expect(page.getByRole('button', { name: t('action.stop') })).toHaveCount(0)
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const [first = '', second = ''] = told.takes
    const [path1 = '', , path3 = ''] = Object.keys(told.files)

    await test.step('an idea goes into the details and comes back', async () => {
      if (byKeys) await press('Alt+i')
      else await page.getByRole('radio', { name: t('draftMode.idea') }).click()
      if (byKeys) await press('Control+Enter')
      else await button(t('ideas.start')).click()
      const ideas = page.getByRole('region', { name: t('tab.ideas'), exact: true })
      const synopsis = ideas.getByRole('region', { name: t('details.synopsis') })
      await expect(synopsis).toContainText(told.synopsis)
      await idle()
      await hand.act(synopsis.getByRole('button', { name: t('ideas.transfer') }))
      await expect(synopsis.getByRole('textbox')).toHaveValue(told.synopsis)
      if (byKeys) await press('Control+z')
      else await button(t('action.undo')).click()
      await expect(synopsis.getByRole('textbox')).toHaveValue('')
      if (byKeys) await press('Alt+i')
      else await page.getByRole('radio', { name: t('draftMode.generate') }).click()
    })

    await test.step('a run without end: takes in place, one accepted in its middle', async () => {
      if (byKeys) {
        await press('Escape')
        await expect(editor).toBeFocused()
        await press('Control+End')
        await press('Control+Alt+g')
      } else await button(t('command.draftEndless')).click()
      await expect(page.locator('.cm-pendingTakes')).toContainText('1/3')
      expect(await page.locator('.cm-pending').textContent()).toBe(first)
      if (byKeys) await press('Alt+ArrowRight')
      else await button(t('editor.nextTake')).click()
      await expect(page.locator('.cm-pending')).toHaveText(second)
      if (byKeys) await press('Tab')
      else await page.locator('.cm-pendingHint[data-keys=Tab]').click()
      await expect.poll(() => onDisk()).toBe(told.files[path3 as keyof typeof told.files] + second)
      await expect.poll(() => generated().at(-1)?.prompt ?? '').toContain(second)
      if (byKeys) await press('Control+Alt+g')
      else await button(t('command.draftEndless')).click()
      await idle()
      if (byKeys) await press('Escape')
      else await page.locator('.cm-pendingHint[data-keys=Esc]').click()
      await expect(page.locator('.cm-pending')).toHaveCount(0)
    })

    await test.step('ruby', async () => {
      if (byKeys) {
        await press('Control+Home')
        for (const _ of told.word) await press('Shift+ArrowRight')
        await press('Control+Alt+r')
      } else {
        await hand.drawOver(editor, told.word)
        await hand.command(t('command.editorRuby'))
      }
      await expect(page.getByRole('textbox', { name: t('ruby.reading') })).toBeFocused()
      await page.keyboard.insertText(told.reading)
      if (byKeys) await press('Enter')
      else await button(t('ruby.write')).click()
      await expect.poll(() => onDisk()).toContain(`｜${told.word}《${told.reading}》`)
    })

    await test.step('the vertical view, there and back', async () => {
      if (byKeys) await press('Control+Alt+v')
      else await hand.command(t('command.editorVertical'))
      const vertical = page.getByRole('document', { name: t('vertical.label') })
      await expect(vertical.locator('ruby rt')).toHaveText(told.reading)
      if (byKeys) await press('Escape')
      else await page.getByRole('button', { name: t('vertical.close') }).click()
      await expect(vertical).toHaveCount(0)
      await expect(editor).toBeFocused()
    })

    await test.step('a word is replaced over the work and comes back', async () => {
      if (byKeys) await press('Control+Shift+h')
      else await hand.choose(t('files.workMenu'), t('command.workFind'))
      const dialog = page.getByRole('dialog', { name: t('find.title') })
      await expect(dialog.getByRole('textbox', { name: t('search.find') })).toBeFocused()
      await page.keyboard.insertText(told.search)
      await hand.focus(dialog.getByRole('textbox', { name: t('search.replace') }))
      await page.keyboard.insertText(told.replacement)
      await hand.act(dialog.getByRole('button', { name: t('find.search'), exact: true }))
      await expect(dialog.getByRole('status')).toHaveText(t('find.total', { count: 3, chapters: 3 }))
      await hand.act(dialog.getByRole('button', { name: t('find.replace', { count: 3 }) }))
      await expect.poll(() => onDisk(path1)).toContain(told.replacement)
      await expect.poll(() => onDisk(path3)).toContain(told.replacement)
      if (byKeys) await hand.command(t('command.workUndoReplace'))
      else await button(t('action.undo')).last().click()
      await expect.poll(() => onDisk(path1)).toBe(told.files[path1 as keyof typeof told.files])
      await expect.poll(() => onDisk(path3)).not.toContain(told.replacement)
    })

    await test.step('a chapter goes to the bin and is restored', async () => {
      const files = page.getByRole('navigation', { name: t('files.label') })
      const row = files.getByRole('button', { name: new RegExp(`^${told.removed}`) }).first()
      if (byKeys) {
        await hand.focus(row)
        await press('Delete')
      } else {
        await row.hover()
        await hand.choose(t('files.more', { name: told.removed }), t('files.remove'))
      }
      await expect(row).toHaveCount(0)
      await hand.act(files.getByRole('button', { name: t('removed.link', { count: 1 }) }))
      const bin = page.getByRole('dialog', { name: t('removed.title') })
      await hand.act(
        bin.getByRole('button', { name: t('removed.restoreFile', { path: `${told.removed}.txt` }) }),
      )
      await expect(row).toBeVisible()
    })

    for (const format of formats)
      await test.step(`the work as ${format}, read by another library`, async () => {
        if (byKeys) await hand.command(t('command.publishExport'))
        else await hand.choose(t('files.workMenu'), t('command.publishExport'))
        const dialog = page.getByRole('dialog', { name: t('export.title') })
        await hand.act(dialog.getByRole('radio', { name: t(`export.format.${format}`) }))
        if (format === 'docx' || format === 'epub')
          await expect(dialog.getByLabel(t('export.vertical'))).toBeChecked({ checked: language === 'ja' })
        await hand.act(dialog.getByRole('button', { name: t('export.place') }))
        const picker = page.getByRole('dialog', { name: t('picker.export-text') })
        const out = await temporaryFolder('out')
        await hand.fill(picker.getByRole('textbox', { name: t('picker.path') }), out)
        await press('Enter')
        await expect(picker).toContainText(t('picker.empty'))
        await hand.fill(picker.getByRole('textbox', { name: t('picker.export-text.name') }), `book.${format}`)
        await hand.act(picker.getByRole('button', { name: t('picker.export-text.finish'), exact: true }))
        await expect(picker).toHaveCount(0)
        const written = join(out, `book.${format}`)
        await expect
          .poll(() =>
            readFile(written).then(
              ({ length }) => length,
              () => 0,
            ),
          )
          .toBeGreaterThan(20)
        const read = await textOf(written, format)
        expect(read).toContain(second.trim())
        // Word's text of a ruby is in fields that its readers leave out.
        if (format !== 'docx') expect(read).toContain(told.reading)
        await rm(out, { recursive: true, force: true })
      })
  })
}

async function textOf(path: string, format: ExportFormat): Promise<string> {
  if (format === 'docx') return (await mammoth.extractRawText({ path })).value
  if (format === 'txt') return iconv.decode(await readFile(path), 'utf8')
  if (format === 'md') return new MarkdownIt({ html: true }).render(await readFile(path, 'utf8'))
  const zip = await JSZip.loadAsync(await readFile(path))
  const pages = Object.values(zip.files).filter(({ name }) => name.endsWith('.xhtml'))
  return (await Promise.all(pages.map((page) => page.async('string')))).join('')
}

import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { expect, test } from '../support/drafting-test.ts'
import { type Hand, handOf } from '../support/hand.ts'
import { shoot } from '../support/shoot.ts'

const texts = {
  ja: {
    note: '資料/綾瀬.md',
    noteText: '---\nkeys:\n  - 綾瀬\n---\n　新聞記者である。\n',
    first: '　雨が降り始めた。\n　窓の外で猫が鳴いた。\n　綾瀬は傘を取った。\n',
    second: '　時計は五時を打った。\n',
    name: '綾瀬',
    cat: '猫が鳴いた',
    question: '猫はどこで鳴いたか',
    said: '猫は窓の外で鳴きました[1]。',
    foreign: 'ＸＹＺＺＹ',
    answer: { text: '傘を取った', entry: '新聞記者', reason: '記者は傘を持たない' },
  },
  en: {
    note: 'Notes/Ayase.md',
    noteText: '---\nkeys:\n  - Ayase\n---\nA reporter of the evening paper.\n',
    first: 'The rain had begun.\nA cat cried outside the window.\nAyase took an umbrella.\n',
    second: 'The clock struck five.\n',
    name: 'Ayase',
    cat: 'A cat cried',
    question: 'Where did the cat cry?',
    said: 'Outside the window [1].',
    foreign: 'xyzzy',
    answer: { text: 'took an umbrella', entry: 'reporter', reason: 'reporters carry no umbrellas' },
  },
}

/** The other two pairs of language and hand are played with `TSUGI_SOAK` only. */
const walks: [Language, Hand['device']][] = [
  ['ja', 'keyboard'],
  ['en', 'mouse'],
]
if (process.env.TSUGI_SOAK !== undefined) walks.push(['ja', 'mouse'], ['en', 'keyboard'])

for (const [language, device] of walks) {
  test(`facts are asked, found and checked by ${device} in ${language}, also where there are none, stopped, and without a model`, async ({
    openSharedAppWindow,
  }) => {
    const t = createTranslate(language)
    const told = texts[language]
    let said = '。'.repeat(200)
    const { appWindow, client, kobold, onDisk } = await openSharedAppWindow({
      files: { [told.note]: told.noteText, '001.txt': told.first, '002.txt': told.second },
      kobold: {
        answer: () => said,
        tokenMs: 30,
        grammarAnswer: () => JSON.stringify({ contradicts: 'yes', ...told.answer }),
      },
    })
    const { page } = appWindow
    await client['settings.update']({ patch: { language } })
    const hand = handOf(page, device, t)
    const dialog = page.getByRole('dialog')
    const status = dialog.getByRole('status').first()
    const button = (name: string | RegExp) => dialog.getByRole('button', { name, exact: true })
    const panel = page.getByRole('region', { name: t('command.workAsk'), exact: true })
    const found = panel.getByRole('status').first()
    const inPanel = (name: string | RegExp) => panel.getByRole('button', { name, exact: true })
    const picture = (name: string) => shoot(page, `${name}-${language}`)
    /** The dialog is closed, and the caret stands in the line. */
    const isAt = async (line: string) => {
      await expect(dialog).toHaveCount(0)
      await expect.poll(() => page.evaluate(() => getSelection()?.anchorNode?.textContent)).toContain(line)
      await expect(page.getByRole('textbox', { name: t('editor.document'), exact: true })).toBeFocused()
    }
    const showFirst = async () => {
      await hand.act(page.locator('.file-open').filter({ hasText: '001' }))
      await expect(page.locator('.header')).toContainText('001')
    }

    await test.step('a question without a shared word, then one with', async () => {
      await hand.command(t('command.workAsk'))
      await expect(panel.getByLabel(t('ask.question'))).toBeFocused()
      await page.keyboard.insertText(told.foreign)
      await hand.act(inPanel(t('ask.send')))
      await expect(found).toHaveText(t('ask.nothing'))
      await picture('ask-nothing')
      await hand.fill(panel.getByLabel(t('ask.question')), told.question)
      await page.keyboard.press('Enter')
      await expect(found).toHaveText(t('ask.found', { count: 1 }))
      await picture('ask')
    })

    await test.step('the model answers from the places: stopped, without an answer, with one', async () => {
      const state = panel.getByRole('status').last()
      const answer = panel.getByRole('region', { name: t('ask.modelAnswer') })
      await hand.act(inPanel(t('ask.model')))
      await expect(state).toHaveText(t('ask.modelReads', { count: 1 }))
      await hand.act(inPanel(t('editor.stop')))
      await expect(state).toHaveText(t('ask.modelStopped'))
      said = '[0]'
      await hand.act(inPanel(t('ask.modelAgain')))
      await expect(state).toHaveText(t('ask.modelNothing', { count: 1 }))
      await expect(answer).toHaveCount(0)
      said = told.said
      await hand.act(inPanel(t('ask.modelAgain')))
      await expect(state).toHaveText(t('ask.modelDone', { count: 1 }))
      await expect(answer).toContainText(told.said.slice(0, 6))
      await picture('ask-model')
      const place = inPanel(new RegExp(t('ask.place', { name: '001', line: 2 })))
      await hand.act(inPanel(t('ask.placeNumber', { nth: 1 })))
      await expect(place).toBeFocused()
      await hand.act(place)
      await isAt(told.cat)
      await page.keyboard.type('1')
      await expect.poll(() => onDisk('001.txt')).toMatch(/\n1[^\n]*(猫|cat)/)
    })

    await test.step('all of it stays beside the text, and the place is found again behind what was written', async () => {
      const place = inPanel(new RegExp(t('ask.place', { name: '001', line: 2 })))
      await expect(place).toHaveAttribute('aria-current', 'true')
      await picture('ask-kept')
      await page.keyboard.press('Control+Home')
      await page.keyboard.type('2'.repeat(30))
      await expect.poll(() => onDisk('001.txt')).toMatch(/^2{30}/)
      await page.getByRole('tab', { name: t('tab.details'), exact: true }).click()
      await expect(panel).toHaveCount(0)
      await hand.command(t('command.workAsk'))
      await expect(panel.getByLabel(t('ask.question'))).toBeFocused()
      await expect(panel.getByLabel(t('ask.question'))).toHaveValue(told.question)
      await expect(panel.getByRole('region', { name: t('ask.modelAnswer') })).toContainText(
        told.said.slice(0, 6),
      )
      await hand.act(place)
      await isAt(told.cat)
    })

    await test.step('a name that stands nowhere, then one that does', async () => {
      await hand.command(t('command.mentions'))
      await hand.fill(dialog.getByLabel(t('mentions.keys')), told.foreign)
      await hand.act(button(t('mentions.find')))
      await expect(status).toHaveText(t('mentions.nothing'))
      await hand.fill(dialog.getByLabel(t('mentions.keys')), told.name)
      await page.keyboard.press('Enter')
      await expect(status).toHaveText(t('mentions.found', { count: 1, chapters: 1 }))
      await picture('mentions')
      await hand.act(button(new RegExp(t('ask.place', { name: '001', line: 3 }))))
      await isAt(told.name)
    })

    await test.step('a check is stopped, made again, and leads to the entry', async () => {
      await hand.command(t('command.check'))
      await expect(button(t('check.start'))).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(status).toHaveText(t('check.running', { nth: 1, total: 1, name: told.name }))
      await hand.act(button(t('editor.stop')))
      await expect(status).toHaveText(t('check.stopped', { count: 0 }))
      await picture('check-stopped')
      await hand.act(button(t('check.again')))
      await expect(status).toHaveText(t('check.found', { count: 1 }))
      await expect(dialog.getByText(told.answer.reason)).toBeVisible()
      await expect(dialog.locator('mark')).toHaveText([told.answer.text, told.answer.entry])
      await picture('check')
      await hand.act(button(new RegExp(t('ask.place', { name: told.name, line: 5 }))))
      await isAt(told.answer.entry)
      await page.keyboard.type('2'.repeat(30))
      await expect.poll(() => onDisk(told.note)).toContain(`2${told.answer.entry}`)
      await showFirst()
      await hand.command(t('command.check'))
      await hand.act(button(new RegExp(t('ask.place', { name: told.name, line: 5 }))))
      await isAt(told.answer.entry)
      await page.keyboard.type('3')
      await expect.poll(() => onDisk(told.note)).toContain(`23${told.answer.entry}`)
    })

    await test.step('without a model a check says so; questions and names are answered all the same', async () => {
      kobold.die()
      await showFirst()
      await hand.command(t('command.check'))
      await hand.act(button(t('check.again')).or(button(t('check.start'))))
      await expect(dialog.getByRole('alert')).toBeVisible()
      await picture('check-no-model')
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
      await hand.command(t('command.workAsk'))
      await hand.fill(panel.getByLabel(t('ask.question')), told.question)
      await page.keyboard.press('Enter')
      await expect(found).toHaveText(t('ask.found', { count: 1 }))
    })
  })
}

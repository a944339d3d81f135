import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { expect, test } from '../support/drafting-test.ts'
import { handOf } from '../support/hand.ts'
import { shoot } from '../support/shoot.ts'

const body =
  '雨が降り始めた。\n窓の外で猫が鳴いた。\n綾瀬《あやせ》さんが傘を手に取った。\n時計は五時を打った。\n扉が開いた。\n風が吹いた。\n'

test('a material becomes an entry, is matched, shown with its reason, and sent; a click goes to its place', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, generated, onDisk } = await openSharedAppWindow({
    files: { '資料/綾瀬.md': '　新聞記者である。\n', '001.txt': body },
    kobold: {
      answer: '続き。',
      grammarAnswer: () =>
        '{"contradicts":"yes","text":"さんが傘を手に取った","entry":"新聞記者","reason":"記者は傘を持たない"}',
    },
  })
  const { page } = appWindow
  await appWindow.showTab('文脈')
  const lore = page.getByRole('region', { name: '設定資料' })
  await lore.getByText('項目になっていない資料 1').click()
  await lore.getByRole('button', { name: '「資料/綾瀬.md」を項目にする' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('キー', { exact: true })).toHaveValue('綾瀬')
  await dialog.getByLabel('キー', { exact: true }).fill('綾瀬さん\n/(/')
  await expect(dialog.getByText('正規表現として読めません：/(/')).toBeVisible()
  await expect(dialog.getByRole('button', { name: '保存' })).toBeDisabled()
  await dialog.getByLabel('キー', { exact: true }).fill('綾瀬さん')
  await dialog.getByRole('button', { name: '保存' }).click()
  await expect(dialog).toBeHidden()

  const reason = lore.getByRole('button', { name: '「綾瀬さん」：綾瀬《あやせ》さんが傘を手に取った。' })
  await expect(reason).toBeVisible()
  await expect(lore.getByText('本文の終わりの近く')).toBeVisible()
  expect(await onDisk('資料/綾瀬.md')).toBe('---\nkeys:\n  - 綾瀬さん\n---\n　新聞記者である。\n')
  await reason.click()
  await page.keyboard.type('あ')
  await expect.poll(() => onDisk('001.txt')).toContain('\nあ綾瀬《あやせ》さん')

  await appWindow.caretToEnd()
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toContain('続き。')
  expect(generated()[0]?.prompt).toContain('【追加の参考情報】\n```\n# 綾瀬:\n新聞記者である。\n```')
  await appWindow.idle()
  await appWindow.press('Escape')

  await appWindow.command('この章を設定資料と照らす')
  const check = page.getByRole('dialog', { name: '「001」を設定資料と照らす' })
  await check.getByRole('button', { name: '調べる' }).click()
  await expect(check.getByText('食い違いの疑い 1 件')).toBeVisible()
  await expect(check.getByText('記者は傘を持たない')).toBeVisible()
  await shoot(page, 'check-ja')
  await check.getByRole('button', { name: /綾瀬 5 行目/ }).click()
  await expect(check).toBeHidden()
  // The text takes the focus with its caret.
  await expect(page.getByRole('textbox', { name: '本文', exact: true })).toBeFocused()
  await page.keyboard.type('い')
  await expect.poll(() => onDisk('資料/綾瀬.md')).toContain('い新聞記者')
})

test('a question about the work is answered with its likeliest places; pressing one goes there', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, onDisk } = await openSharedAppWindow({
    files: { '資料/綾瀬.md': '　新聞記者である。\n', '001.txt': body },
    kobold: { answer: '続き。' },
  })
  const { page } = appWindow
  await appWindow.command('作品に質問する')
  const panel = page.getByRole('region', { name: '作品に質問する', exact: true })
  await panel.getByLabel('質問').fill('猫はどこで鳴いたか')
  await page.keyboard.press('Enter')
  await expect(panel.getByRole('status').first()).toHaveText(/か所（有力な順）/)
  await panel.getByRole('button', { name: /001 2 行目/ }).click()
  // The text takes the focus with its caret, and the places stay beside it.
  await expect(page.getByRole('textbox', { name: '本文', exact: true })).toBeFocused()
  await expect(panel).toBeVisible()
  await page.keyboard.type('あ')
  await expect.poll(() => onDisk('001.txt')).toContain('\nあ窓の外で')
})

const walks = {
  ja: {
    text: body,
    answer: '雨の夜に猫が鳴いた。',
    changed: '雨の夜、猫が鳴いた。',
    common: '猫が鳴いた。',
    file: '資料/あらすじ/000.md',
    ownFile: '資料/あらすじ/001.md',
    own: '　私が書いた猫の話。',
    name: '綾瀬さん',
    other: '全く違う文。',
  },
  en: {
    text: 'The rain had begun.\nA cat cried outside the window.\nAyase took an umbrella.\nThe clock struck five.\n',
    answer: 'A cat cried on a night of rain.',
    changed: 'On a night of rain a cat cried.',
    common: ' a cat cried.',
    file: 'Notes/Summaries/000.md',
    ownFile: 'Notes/Summaries/001.md',
    own: 'My own words about the cat.',
    name: 'Ayase',
    other: 'Another sentence. ',
  },
}

for (const [language, told] of Object.entries(walks) as [Language, (typeof walks)['ja']][]) {
  test(`a summary is made, changed, accepted, outdated and renewed, and a name is found by chapter, in ${language}`, async ({
    openSharedAppWindow,
  }) => {
    const t = createTranslate(language)
    const { appWindow, client, onDisk, root } = await openSharedAppWindow({
      files: { '000.txt': told.text, '001.txt': told.text, [told.ownFile]: told.own },
      kobold: { answer: told.answer },
    })
    const { page } = appWindow
    await client['settings.update']({ patch: { language } })
    const hand = handOf(page, 'mouse', t)
    const dialog = page.getByRole('dialog', { name: t('command.summaries') })
    const first = dialog.getByRole('listitem', { name: '000' })
    const offer = first.getByRole('textbox', { name: t('summary.offer', { name: '000' }) })
    const accept = first.getByRole('button', { name: t('summary.accept') })
    await hand.command(t('command.summaries'))
    await first
      .getByRole('button', { name: t('action.of', { action: t('summary.make'), name: '000' }) })
      .click()
    await expect(offer).toHaveValue(told.answer)
    await offer.fill(told.changed)
    // What was changed is there again when the page is.
    const { workId } = await client['work.open']({ path: root })
    const keptText = async () => (await client['summary.list']({ workId })).episodes[0]?.offer?.text
    await expect.poll(keptText).toBe(told.changed)
    await page.reload()
    await expect(page.getByRole('textbox', { name: t('editor.document'), exact: true })).toBeFocused()
    await hand.command(t('command.summaries'))
    await expect(offer).toHaveValue(told.changed)

    // A draft that is set aside is read and compared beside a new one, and offered again.
    const others = (count: number) =>
      first.getByRole('button', {
        name: t('action.of', { action: t('summary.takes', { count }), name: '000' }),
      })
    await first.getByRole('button', { name: t('summary.discard') }).click()
    await expect(offer).toBeHidden()
    await first
      .getByRole('button', { name: t('action.of', { action: t('summary.make'), name: '000' }) })
      .click()
    await expect(offer).toHaveValue(told.answer)
    await others(1).click()
    const compared = first.locator('.compare-columns section')
    await expect(compared.first()).toContainText(told.changed.slice(-4))
    await expect(compared.last()).toContainText(told.answer.slice(-4))
    await shoot(page, `summary-drafts-${language}`)
    await first.getByRole('button', { name: t('summary.offerAgain') }).click()
    await expect(offer).toHaveValue(told.changed)
    await accept.click()
    await expect(first.getByText(t('summary.state.current'))).toBeVisible()
    const whileIdle = dialog.getByLabel(t('summary.idle'), { exact: true })
    await whileIdle.click()
    await expect(dialog.getByText(t('summary.idle.waiting'))).toBeVisible()
    await shoot(page, `summaries-${language}`)
    await whileIdle.click()
    await expect(whileIdle).not.toBeChecked()
    await expect(dialog.getByText(t('summary.idle.waiting'))).toBeHidden()
    expect(await onDisk(told.file)).toContain(`---\n${told.changed}\n`)
    await page.keyboard.press('Escape')

    await hand.command(t('command.mentions'))
    const mentions = page.getByRole('dialog', { name: t('command.mentions') })
    await mentions.getByLabel(t('mentions.keys')).fill(told.name)
    await page.keyboard.press('Enter')
    await expect(mentions.getByRole('status')).toHaveText(t('mentions.found', { chapters: 2, count: 2 }))
    await mentions.getByRole('button', { name: new RegExp(t('ask.place', { name: '000', line: 3 })) }).click()
    await expect(mentions).toBeHidden()
    await expect(page.locator('.header')).toContainText('000')
    await expect(page.getByRole('textbox', { name: t('editor.document'), exact: true })).toBeFocused()
    await page.keyboard.type(told.other.repeat(3))
    await expect.poll(() => onDisk('000.txt')).toContain(told.other)

    await hand.command(t('command.summaries'))
    await expect(first.getByText(t('summary.state.outdated'))).toBeVisible()
    await first
      .getByRole('button', { name: t('action.of', { action: t('summary.renew'), name: '000' }) })
      .click()
    await expect(first.getByRole('region', { name: t('summary.before') })).toContainText(told.common)
    await accept.click()
    await expect(first.getByText(t('summary.state.current'))).toBeVisible()

    // A summary of the author's own is replaced by a button that says so.
    const second = dialog.getByRole('listitem', { name: '001' })
    await second
      .getByRole('button', { name: t('action.of', { action: t('summary.makeBesideOwn'), name: '001' }) })
      .click()
    await expect(second.getByRole('region', { name: t('summary.before') })).toContainText(told.own.slice(-4))
    await shoot(page, `summary-own-${language}`)
    await second.getByRole('button', { name: t('summary.acceptForOwn') }).click()
    await expect(second.getByText(t('summary.state.current'))).toBeVisible()
    await expect.poll(() => onDisk(told.ownFile)).toContain(`---\n${told.answer}\n`)
  })
}

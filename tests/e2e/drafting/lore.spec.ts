import { expect, test } from '../support/drafting-test.ts'

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
  await page.screenshot({ path: test.info().outputPath('check-ja.png') })
  await check.getByRole('button', { name: /綾瀬 5 行目/ }).click()
  await expect(check).toBeHidden()
  await expect.poll(() => page.evaluate(() => getSelection()?.anchorNode?.textContent)).toContain('新聞記者')
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
  const dialog = page.getByRole('dialog', { name: '作品に質問する' })
  await dialog.getByLabel('質問').fill('猫はどこで鳴いたか')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('status').first()).toHaveText(/か所（有力な順）/)
  await dialog.getByRole('button', { name: /001 2 行目/ }).click()
  await expect(dialog).toBeHidden()
  await page.keyboard.type('あ')
  await expect.poll(() => onDisk('001.txt')).toContain('\nあ窓の外で')
})

test('a summary is made, changed, accepted, outdated and renewed; a name is found by chapter', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, onDisk } = await openSharedAppWindow({
    files: { '000.txt': body, '001.txt': body },
    kobold: { answer: '雨の夜に猫が鳴いた。' },
  })
  const { page } = appWindow
  await appWindow.command('章のあらすじ')
  const dialog = page.getByRole('dialog', { name: '章のあらすじ' })
  const first = dialog.getByRole('listitem', { name: '000' })
  await first.getByRole('button', { name: '要約する：000' }).click()
  const offer = first.getByRole('textbox', { name: 'あらすじの下書き：000' })
  await expect(offer).toHaveValue('雨の夜に猫が鳴いた。')
  await offer.fill('雨の夜、猫が鳴いた。')
  // What was changed is there again when the dialog is.
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await appWindow.command('章のあらすじ')
  await expect(offer).toHaveValue('雨の夜、猫が鳴いた。')
  await first.getByRole('button', { name: '採用' }).click()
  await expect(first.getByText('最新')).toBeVisible()
  const whileIdle = dialog.getByLabel('モデルが空いているときに下書きを作る')
  await whileIdle.click()
  await expect(dialog.getByText('モデルが空くのを待っています。')).toBeVisible()
  await page.screenshot({ path: test.info().outputPath('summaries-ja.png') })
  await whileIdle.click()
  await expect(whileIdle).not.toBeChecked()
  await expect(dialog.getByText('モデルが空くのを待っています。')).toBeHidden()
  expect(await onDisk('資料/あらすじ/000.md')).toContain('---\n雨の夜、猫が鳴いた。\n')
  await page.keyboard.press('Escape')

  await appWindow.command('どこに出てくるか')
  const mentions = page.getByRole('dialog', { name: 'どこに出てくるか' })
  await mentions.getByLabel('名前・キー').fill('綾瀬さん')
  await page.keyboard.press('Enter')
  await expect(mentions.getByRole('status')).toHaveText('2 章に 2 か所')
  await mentions.getByRole('button', { name: /000 3 行目/ }).click()
  await expect(mentions).toBeHidden()
  await expect(page.locator('.header')).toContainText('000')
  await expect(appWindow.editor).toBeFocused()
  await page.keyboard.type('全く違う文。'.repeat(3))
  await expect.poll(() => onDisk('000.txt')).toContain('全く違う文。')

  await appWindow.command('章のあらすじ')
  await expect(first.getByText('本文が変わっています')).toBeVisible()
  await first.getByRole('button', { name: '作り直す：000' }).click()
  await expect(first.getByRole('region', { name: '今のもの' })).toContainText('猫が鳴いた。')
  await first.getByRole('button', { name: '採用' }).click()
  await expect(first.getByText('最新')).toBeVisible()
})

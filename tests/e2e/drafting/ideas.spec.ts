import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, openManuscript, page001, test } from '../support/drafting-test.ts'

const idea = `# タイトル:
刻の迷宮
# キーワード:
- 時計
- 館
# ジャンル:
# あらすじ:
時計の逆回る館に、少女が閉じこめられる。
# 設定:
海辺の館。
# プロット:
起。承。転。結。
`

test('an idea fills the details by mouse, each transfer as one undo', async ({ openSharedAppWindow }) => {
  const answers = [idea, '# タイトル:\n別の題\n']
  const { appWindow, root, onDisk } = await openSharedAppWindow({
    details: { synopsis: '元のあらすじ' },
    kobold: { answer: () => answers.shift() ?? '' },
  })
  const { page } = appWindow
  const details = async () => JSON.parse(await readFile(join(root, 'work.json'), 'utf8')) as object
  await page.getByRole('radio', { name: 'アイデア' }).click()
  await page.getByRole('button', { name: 'アイデアを出す', exact: true }).click()
  const synopsis = page.getByRole('region', { name: 'あらすじ' })
  await expect(synopsis).toContainText('時計の逆回る館に')
  await appWindow.idle()
  const genres = page.getByRole('region', { name: 'ジャンル' })
  await expect(genres.getByRole('button', { name: '← 転記' })).toBeDisabled()

  await synopsis.getByRole('button', { name: '← 転記' }).click()
  await expect(synopsis.getByRole('textbox')).toHaveValue(/時計の逆回る館/)
  await expect.poll(details).toMatchObject({ synopsis: '時計の逆回る館に、少女が閉じこめられる。' })
  await appWindow.press('Control+z')
  await expect(synopsis.getByRole('textbox')).toHaveValue('元のあらすじ')

  const title = page.getByRole('region', { name: 'タイトル' })
  await title.getByRole('button', { name: 'もう一度' }).click()
  await expect(title).toContainText('別の題')
  await appWindow.idle()
  await page.getByRole('button', { name: 'すべて転記' }).click()
  await expect
    .poll(details)
    .toMatchObject({ title: '別の題', keywords: ['時計', '館'], plot: '起。承。転。結。' })
  await expect(page.getByText(/^[2-6] 項目を詳細に転記しました/)).toBeVisible()
  await appWindow.press('Control+z')
  await expect(title.getByRole('textbox')).toHaveValue('')
  await expect(synopsis.getByRole('textbox')).toHaveValue('元のあらすじ')
  expect(await onDisk()).toBe(openManuscript)
})

test('an idea by keyboard; an answer without headings is said, and both are still there after a reload', async ({
  openSharedAppWindow,
}) => {
  const answers = [idea, 'よい考えが浮かびました。']
  const { appWindow } = await openSharedAppWindow({
    files: { [page001]: '' },
    kobold: { answer: () => answers.shift() ?? '' },
  })
  const { page } = appWindow
  await expect(appWindow.editor).toContainText('Ctrl+Enter で続きが出ます')
  await appWindow.press('Alt+i')
  await expect(appWindow.editor).toContainText('Ctrl+Enter でアイデアが出ます')
  await expect(page.getByRole('button', { name: 'もう一度' })).toHaveCount(0)
  await appWindow.press('Control+g')
  const panel = page.getByRole('region', { name: 'アイデア', exact: true })
  await expect(panel).toContainText('海辺の館。')
  await appWindow.idle()
  await appWindow.command('すべて転記')
  await expect(panel.getByRole('textbox', { name: 'プロット' })).toHaveValue('起。承。転。結。')
  await appWindow.command('アイデアの転記を元に戻す')
  await expect(panel.getByRole('textbox', { name: 'プロット' })).toHaveValue('')

  await appWindow.press('Control+Enter')
  await expect(panel).toContainText('見出しが読み取れませんでした')
  await expect(panel).toContainText('よい考えが浮かびました。')
  await appWindow.reload()
  await appWindow.showTab('アイデア')
  await expect(panel).toContainText('2/2')
  await panel.getByRole('button', { name: '前のアイデア' }).click()
  await expect(panel).toContainText('海辺の館。')
})

import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import JSZip from 'jszip'
import mammoth from 'mammoth'
import { expect, test } from '../support/drafting-test.ts'
import { temporaryFolder } from '../support/host.ts'
import { shoot } from '../support/shoot.ts'

/** With `TSUGI_SOAK` all are written; else `day.spec.ts` writes an EPUB. */
const isLong = process.env.TSUGI_SOAK !== undefined
const formats = [
  ['txt', 'テキスト'],
  ['docx', 'Word'],
  ['md', 'Markdown'],
  ['epub', 'EPUB'],
] as const
const files = { '001 雨.txt': '｜王都《おうと》に雨。\n雨が{降る|止む}。', '002 雪.txt': '雪と雨。' }

test('a word is replaced over the work, and comes back at once', async ({ openSharedAppWindow }) => {
  const { appWindow, onDisk } = await openSharedAppWindow({ files })
  const { page } = appWindow
  await appWindow.press('Control+Shift+H')
  const dialog = page.getByRole('dialog', { name: '作品全体で検索と置き換え' })
  await expect(dialog.getByRole('textbox', { name: '検索' })).toBeFocused()
  await page.keyboard.type('雨')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('button', { name: '3 か所を削除する' })).toBeEnabled()
  await dialog.getByRole('textbox', { name: '置き換え' }).fill('大雨')
  await expect(dialog.getByRole('status')).toContainText('3 か所（2 章）')
  await shoot(page, 'find-ja')
  await dialog.getByRole('checkbox', { name: /2.*雨が/ }).uncheck()
  await dialog.getByRole('button', { name: '2 か所を置き換える' }).click()
  await expect.poll(() => onDisk('001 雨.txt')).toBe('｜王都《おうと》に大雨。\n雨が{降る|止む}。')
  await expect.poll(() => onDisk('002 雪.txt')).toBe('雪と大雨。')
  await page.getByRole('button', { name: '元に戻す', exact: true }).click()
  await expect.poll(() => onDisk('001 雨.txt')).toBe(files['001 雨.txt'])
  await expect.poll(() => onDisk('002 雪.txt')).toBe(files['002 雪.txt'])

  await test.step('an expression that is none, and one that does not end, say so', async () => {
    await appWindow.press('Control+Shift+H')
    await dialog.getByRole('checkbox', { name: '正規表現' }).check()
    await dialog.getByRole('textbox', { name: '検索' }).fill('(雨')
    await dialog.getByRole('textbox', { name: '検索' }).press('Enter')
    await expect(dialog.getByRole('alert')).toContainText('正規表現が正しくありません')
    await appWindow.press('Escape')
  })

  await test.step('who only looks for something is led to it, and nothing is struck out', async () => {
    await appWindow.press('Control+Shift+H')
    await dialog.getByRole('checkbox', { name: '正規表現' }).uncheck()
    await dialog.getByRole('textbox', { name: '置き換え' }).fill('')
    await dialog.getByRole('textbox', { name: '検索' }).fill('雨')
    await dialog.getByRole('textbox', { name: '検索' }).press('Enter')
    await expect(dialog.locator('mark')).toHaveText(['雨', '雨', '雨'])
    await expect(dialog.locator('del')).toHaveCount(0)
    await dialog.getByRole('button', { name: '「002 雪」の 1 行目へ移動' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(appWindow.editor).toContainText('雪と雨。')
    await expect(appWindow.editor).toBeFocused()
    // The caret is at the word.
    await page.keyboard.press('Shift+ArrowRight')
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('雨')
    await page.keyboard.press('ArrowLeft')
  })

  await test.step('in the chapter the panel says how many', async () => {
    await appWindow.editor.focus()
    await appWindow.press('Control+F')
    await page.keyboard.type('雨')
    await expect(page.locator('.cm-search-count')).toHaveText('1 件')
    await appWindow.press('Enter')
    await expect(page.locator('.cm-search-count')).toHaveText('1 / 1 件')
    await page.getByRole('checkbox', { name: '正規表現' }).check()
    await page.getByRole('textbox', { name: '検索' }).fill('雨|雪')
    await expect(page.locator('.cm-search-count')).toHaveText('2 / 2 件')
    await shoot(page, 'count-ja')
  })
})

test('chapters are moved, made and renamed, and each comes back by a key', async ({
  openSharedAppWindow,
}) => {
  const { appWindow } = await openSharedAppWindow({
    files: { '001.txt': '一', '002.txt': '二', '003.txt': '三' },
  })
  const { page } = appWindow
  const list = page.getByRole('navigation', { name: 'ファイル' })
  const names = () => list.locator('section').first().locator('.file-open .grow').allTextContents()
  const row = (name: string) => list.getByRole('button', { name: new RegExp(`^${name}`) }).first()
  await row('003').dragTo(row('001'), { targetPosition: { x: 20, y: 3 } })
  await expect.poll(names).toEqual(['003', '001', '002'])
  await row('001').focus()
  await appWindow.press('Alt+ArrowDown')
  await expect.poll(names).toEqual(['003', '002', '001'])
  await row('002').focus()
  await appWindow.press('F2')
  await page.getByRole('textbox', { name: '名前を変える' }).fill('002 夜')
  await appWindow.press('Enter')
  await expect.poll(names).toEqual(['003', '002 夜', '001'])
  await expect(row('002 夜')).toBeFocused()
  await appWindow.press('Control+z')
  await expect.poll(names).toEqual(['003', '002', '001'])
  await expect(row('002')).toBeFocused()
  await appWindow.press('Control+z')
  await expect.poll(names).toEqual(['003', '001', '002'])
  await appWindow.press('Control+z')
  await expect.poll(names).toEqual(['001', '002', '003'])
})

test('a chapter is dragged by mouse to any place of the list, while an offer stands, and let go by Esc', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, onDisk } = await openSharedAppWindow({
    files: { '001.txt': '一', '002.txt': '二', '003.txt': '三' },
    kobold: { answer: '、続き。' },
  })
  const { page } = appWindow
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe('、続き。')
  await appWindow.idle()
  const list = page.getByRole('navigation', { name: 'ファイル' })
  const rows = list.locator('section').first().locator('.file-open')
  const names = () => rows.locator('.grow').allTextContents()
  const takeTo = async (name: string, y: number) => {
    const { x, y: top } = await boxOf(rows.filter({ hasText: name }))
    await page.mouse.move(x + 30, top + 12)
    await page.mouse.down()
    await page.mouse.move(x + 34, top + 20, { steps: 3 })
    await page.mouse.move(x + 40, y, { steps: 6 })
    // The first event over another element only says that it is entered.
    await page.mouse.move(x + 42, y)
  }
  // Below the last row, over what is no chapter.
  const notes = await boxOf(list.getByRole('heading', { name: '資料' }))
  await takeTo('001', notes.y + notes.height / 2)
  await expect(list.locator('.file-row-drop-after')).toContainText('003')
  await page.mouse.up()
  await expect.poll(names).toEqual(['002', '003', '001'])
  await expect(list.locator('[class*=file-row-dr]')).toHaveCount(0)
  // Above the first.
  const chapters = await boxOf(list.getByRole('heading', { name: '原稿' }))
  await takeTo('001', chapters.y + chapters.height / 2)
  await expect(list.locator('.file-row-drop-before')).toContainText('002')
  await page.mouse.up()
  await expect.poll(names).toEqual(['001', '002', '003'])
  await takeTo('001', notes.y + notes.height / 2)
  await expect(list.locator('.file-row-drop-after')).toContainText('003')
  await appWindow.press('Escape')
  await page.mouse.up()
  await expect(list.locator('[class*=file-row-dr]')).toHaveCount(0)
  expect(await names()).toEqual(['001', '002', '003'])
  // Out of the list it goes nowhere, and writes nothing.
  await takeTo('001', notes.y + notes.height / 2)
  await page.mouse.move(600, 300, { steps: 4 })
  await expect(list.locator('[class*=file-row-drop]')).toHaveCount(0)
  await page.mouse.up()
  expect(await names()).toEqual(['001', '002', '003'])
  await rows.first().focus()
  await appWindow.press('Control+z')
  await expect.poll(names).toEqual(['002', '003', '001'])
  await appWindow.press('Control+z')
  await expect.poll(names).toEqual(['001', '002', '003'])
  expect(await appWindow.offered()).toBe('、続き。')
  await appWindow.editor.focus()
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe('三、続き。')
})

async function boxOf(target: Locator) {
  const box = await target.boundingBox()
  if (box === null) throw new Error(`${target} is not shown`)
  return box
}

test('a new note is a note also where there is none yet', async ({ openSharedAppWindow }) => {
  const { appWindow, onDisk } = await openSharedAppWindow({ files: { '001.txt': '一' } })
  const { page } = appWindow
  const files = page.getByRole('navigation', { name: 'ファイル' })
  await files.getByRole('button', { name: '新しい資料' }).click()
  await expect(page.getByRole('textbox', { name: '新しいファイルの名前' })).toBeFocused()
  await page.keyboard.insertText('港町')
  await appWindow.press('Enter')
  const notes = files.getByRole('region', { name: '資料' })
  await expect(notes.getByRole('button', { name: /^港町/ })).toBeVisible()
  await expect(files.getByRole('region', { name: '原稿' }).getByRole('listitem')).toHaveCount(1)
  await expect(appWindow.editor).toBeFocused()
  await page.keyboard.insertText('霧の町。')
  await expect.poll(() => onDisk('資料/港町.txt')).toBe('霧の町。')
})

test('a chapter is copied for a site, the work exported and taken in again', async ({
  openSharedAppWindow,
}) => {
  const { appWindow } = await openSharedAppWindow({ files })
  const { page } = appWindow
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const out = await temporaryFolder('out')
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())

  await test.step('at once where nothing is to be asked', async () => {
    await appWindow.command('なろう用にコピー')
    await expect(page.getByText('なろう用に 4 字をコピーしました')).toBeVisible()
    expect(await clipboard()).toBe('雪と雨。\n')
  })
  await test.step('with the dice asked', async () => {
    await page.getByRole('button', { name: '作品全体の操作' }).click()
    await page.getByRole('menuitem', { name: '作品をカクヨム用にコピー' }).click()
    const dialog = page.getByRole('dialog', { name: /をコピー$/ })
    await dialog.getByRole('combobox', { name: '{降る|止む}' }).selectOption('止む')
    await expect(dialog.getByRole('textbox', { name: 'コピーされる文章' })).toHaveValue(/雨が止む。/)
    await shoot(page, 'post-ja')
    await dialog.getByRole('button', { name: 'コピー', exact: true }).click()
    await expect(dialog).toHaveCount(0)
    expect(await clipboard()).toBe('王都《おうと》に雨。\n雨が止む。\n\n\n雪と雨。\n')
  })

  const place = async (title: string, name: string) => {
    const picker = page.getByRole('dialog', { name: title })
    await picker.getByRole('textbox', { name: 'フォルダーの場所' }).fill(out)
    await picker.getByRole('textbox', { name: 'フォルダーの場所' }).press('Enter')
    await picker.getByRole('textbox', { name: 'ファイルの名前' }).fill(name)
    await picker.getByRole('button', { name: '書き出す', exact: true }).click()
    await expect(picker).toHaveCount(0)
  }
  for (const [format, label] of isLong ? formats : formats.slice(0, 2)) {
    await test.step(`export as ${format}`, async () => {
      await appWindow.command('作品を書き出す')
      const dialog = page.getByRole('dialog', { name: '作品を書き出す' })
      await dialog.getByRole('radio', { name: label }).click()
      await shoot(page, `export-${format}`)
      await dialog.getByRole('button', { name: '場所を選ぶ' }).click()
      await place('作品を書き出す', `本.${format}`)
      await expect
        .poll(() =>
          readFile(join(out, `本.${format}`)).then(
            (bytes) => bytes.length,
            () => 0,
          ),
        )
        .toBeGreaterThan(20)
    })
  }
  expect(await readFile(join(out, '本.txt'), 'utf8')).toContain('王都（おうと）に雨。')
  expect((await mammoth.extractRawText({ path: join(out, '本.docx') })).value).toContain('雪と雨。')
  if (isLong) {
    expect(await readFile(join(out, '本.md'), 'utf8')).toContain('<rt>おうと</rt>')
    const epub = await JSZip.loadAsync(await readFile(join(out, '本.epub')))
    expect(await epub.file('OEBPS/package.opf')?.async('string')).toContain(
      'page-progression-direction="rtl"',
    )
  }

  await test.step('the Word file comes in as chapters, and goes again', async () => {
    await appWindow.command('章を取り込む')
    const picker = page.getByRole('dialog', { name: '章を取り込む' })
    await picker.getByRole('textbox', { name: 'フォルダーの場所' }).fill(join(out, '本.docx'))
    await picker.getByRole('textbox', { name: 'フォルダーの場所' }).press('Enter')
    await expect(page.getByText('2 章を取り込みました。')).toBeVisible()
    await expect.poll(() => appWindow.text()).toContain('｜王都《おうと》に雨。')
    await page.getByRole('button', { name: '元に戻す', exact: true }).click()
    const list = page.getByRole('navigation', { name: 'ファイル' })
    await expect(list.getByRole('button', { name: '削除したもの（2）' })).toBeVisible()
  })
  await test.step('the project file of Project Wannabe, both ways', async () => {
    await appWindow.command('プロジェクトファイルに書き出す')
    await place('プロジェクトファイルに書き出す', '猫.json')
    const project = async () => JSON.parse(await readFile(join(out, '猫.json'), 'utf8'))
    await expect
      .poll(() => project().catch(() => null))
      .toMatchObject({ main_text: `${files['001 雨.txt']}\n\n${files['002 雪.txt']}`, memo_text: '' })
    const { details, ...texts } = await project()
    const changed = {
      ...texts,
      details: { ...details, title: '猫の題', plot: '起。' },
      main_text: '猫の文。',
    }
    await writeFile(join(out, '猫.json'), JSON.stringify(changed))
    await page.keyboard.press('Control+o')
    const picker = page.getByRole('dialog', { name: '作品を開く' })
    await picker.getByRole('textbox', { name: 'フォルダーの場所' }).fill(join(out, '猫.json'))
    await picker.getByRole('textbox', { name: 'フォルダーの場所' }).press('Enter')
    await expect(page.getByRole('heading', { name: '猫の題' })).toBeVisible()
    await expect.poll(() => appWindow.text()).toBe('猫の文。')
    await expect(page.getByRole('form', { name: '詳細' }).getByLabel('プロット')).toHaveValue('起。')
  })
  await test.step('what holds no text says so', async () => {
    await writeFile(join(out, 'x.docx'), 'no')
    await appWindow.command('章を取り込む')
    const picker = page.getByRole('dialog', { name: '章を取り込む' })
    // The picker begins where something was taken from last.
    await expect(picker.getByRole('textbox', { name: 'フォルダーの場所' })).toHaveValue(out)
    await picker.getByRole('option', { name: 'x.docx' }).dblclick()
    await expect(page.getByText(/取り込める文章がありません/)).toBeVisible()
  })
  await page.context().clearPermissions()
  await rm(out, { recursive: true, force: true })
})

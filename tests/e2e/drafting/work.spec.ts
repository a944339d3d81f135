import { expect, test } from '../support/drafting-test.ts'

const files = { '001 雨.txt': '｜王都《おうと》に雨。\n雨が{降る|止む}。', '002 雪.txt': '雪と雨。' }

test('a word is replaced over the work, and comes back at once', async ({ openDesk }) => {
  const { desk, onDisk } = await openDesk({ files })
  const { page } = desk
  await desk.press('Control+Shift+H')
  const dialog = page.getByRole('dialog', { name: '作品全体を置き換える' })
  await dialog.getByRole('textbox', { name: '探す' }).fill('雨')
  await dialog.getByRole('textbox', { name: '置き換え' }).fill('大雨')
  await page.keyboard.press('Enter')
  await dialog.getByRole('textbox', { name: '探す' }).press('Enter')
  await expect(dialog.getByRole('status')).toContainText('3 か所（2 章）')
  await page.screenshot({ path: test.info().outputPath('find-ja.png') })
  await dialog.getByRole('checkbox', { name: /2.*雨が/ }).uncheck()
  await dialog.getByRole('button', { name: '2 か所を置き換える' }).click()
  await expect.poll(() => onDisk('001 雨.txt')).toBe('｜王都《おうと》に大雨。\n雨が{降る|止む}。')
  await expect.poll(() => onDisk('002 雪.txt')).toBe('雪と大雨。')
  await page.getByRole('button', { name: '元に戻す', exact: true }).click()
  await expect.poll(() => onDisk('001 雨.txt')).toBe(files['001 雨.txt'])
  await expect.poll(() => onDisk('002 雪.txt')).toBe(files['002 雪.txt'])

  await test.step('an expression that is none, and one that does not end, say so', async () => {
    await desk.press('Control+Shift+H')
    await dialog.getByRole('checkbox', { name: '正規表現' }).check()
    await dialog.getByRole('textbox', { name: '探す' }).fill('(雨')
    await dialog.getByRole('textbox', { name: '探す' }).press('Enter')
    await expect(dialog.getByRole('alert')).toContainText('正規表現が正しくありません')
    await desk.press('Escape')
  })

  await test.step('in the chapter the panel says how many', async () => {
    await desk.editor.focus()
    await desk.press('Control+F')
    await page.keyboard.type('雨')
    await expect(page.locator('.cm-search-count')).toHaveText('1 件')
    await desk.press('Enter')
    await expect(page.locator('.cm-search-count')).toHaveText('1 / 1 件')
    await page.screenshot({ path: test.info().outputPath('count-ja.png') })
  })
})

test('chapters are moved, made and renamed, and each comes back by a key', async ({ openDesk }) => {
  const { desk } = await openDesk({ files: { '001.txt': '一', '002.txt': '二', '003.txt': '三' } })
  const { page } = desk
  const list = page.getByRole('navigation', { name: 'ファイル' })
  const names = () => list.locator('section').first().locator('.file-open .grow').allTextContents()
  const row = (name: string) => list.getByRole('button', { name: new RegExp(`^${name}`) }).first()
  await row('003').dragTo(row('001'), { targetPosition: { x: 20, y: 3 } })
  await expect.poll(names).toEqual(['003', '001', '002'])
  await row('001').focus()
  await desk.press('Alt+ArrowDown')
  await expect.poll(names).toEqual(['003', '002', '001'])
  await row('002').focus()
  await desk.press('F2')
  await page.getByRole('textbox', { name: '名前を変える' }).fill('002 夜')
  await desk.press('Enter')
  await expect.poll(names).toEqual(['003', '002 夜', '001'])
  await row('003').focus()
  await desk.press('Control+z')
  await expect.poll(names).toEqual(['003', '002', '001'])
  await desk.press('Control+z')
  await expect.poll(names).toEqual(['003', '001', '002'])
  await desk.press('Control+z')
  await expect.poll(names).toEqual(['001', '002', '003'])
})

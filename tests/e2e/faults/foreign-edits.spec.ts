/** Other programs change, remove or lock the file that is open. */

import { writeFileSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '../../../src/shared/contract/index.ts'
import { expect, test } from '../support/drafting-test.ts'
import { shoot } from '../support/shoot.ts'

const lines = ['一行目。', '二行目。', '三行目。', '']
const text = lines.join('\n')

test('an unedited text follows its file, and the caret stays in its sentence', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, root } = await openSharedAppWindow({ files: { '01.txt': text } })
  await appWindow.caretTo(3, 1)
  await writeFile(join(root, '01.txt'), `題\n\n${text}末尾。\n`)
  await expect.poll(() => appWindow.text()).toBe(`題\n\n${text}末尾。\n`)
  await appWindow.page.keyboard.insertText('＊')
  await expect.poll(() => appWindow.text()).toBe(`題\n\n${text.replace('三行目', '三＊行目')}末尾。\n`)
  await expect(appWindow.page.getByText('別の場所で書き換えられました')).toHaveCount(0)
})

for (const { choice, wanted } of [
  { choice: '再読み込み', wanted: '他人の文章。\n' },
  { choice: 'こちらを残す', wanted: `${text}私の文章。` },
]) {
  test(`an edited text asks after a change elsewhere: ${choice}`, async ({ openSharedAppWindow }) => {
    const { appWindow, client, root, onDisk } = await openSharedAppWindow({ files: { '01.txt': text } })
    const { page } = appWindow
    await conflict(client, root, '他人の文章。\n', () => page.keyboard.insertText('私の文章。'))
    await expect(page.getByText('このファイルは別の場所で書き換えられました')).toBeVisible()
    expect(await onDisk()).toBe('他人の文章。\n')

    await page.getByRole('main').getByRole('button', { name: '比べる' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('他人の文章。')
    await expect(dialog).toContainText('私の文章。')
    await page.keyboard.press('Escape')
    await page.getByRole('main').getByRole('button', { name: choice }).click()
    await expect(page.getByText('このファイルは別の場所で書き換えられました')).toHaveCount(0)
    await expect.poll(() => appWindow.text()).toBe(wanted)
    await expect.poll(() => onDisk()).toBe(wanted)
  })
}

test('where both changed the same lines each place is chosen by itself, and the rest is merged', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, client, root, onDisk } = await openSharedAppWindow({ files: { '01.txt': text } })
  const { page } = appWindow
  await appWindow.caretTo(1, 0)
  await conflict(client, root, '他の一行目。\n二行目。\n他の三行目。\n四行目。\n', async () => {
    await page.keyboard.insertText('私の')
    await appWindow.press('ArrowDown')
    await appWindow.press('ArrowDown')
    await appWindow.press('Home')
    await page.keyboard.insertText('僕の')
  })
  await page.getByRole('main').getByRole('button', { name: '比べる' }).click()
  const dialog = page.getByRole('dialog')
  const merge = dialog.getByRole('button', { name: '合わせる' })
  await expect(dialog).toContainText('ほかはすべて合わせます')
  await expect(merge).toBeDisabled()
  await expect(merge).toHaveAccessibleDescription('選んでいない変更：2')
  const [first, second] = [1, 2].map((nth) => dialog.getByRole('region', { name: `変更 ${nth}` }))
  // What differs is marked on either side.
  const marks = dialog.getByRole('region', { name: '変更 1' }).locator('mark')
  await expect(marks).toHaveText([/私の$/, /他の$/])
  await first?.getByRole('radio', { name: '両方' }).click()
  await second?.getByRole('radio', { name: 'この画面' }).focus()
  await page.keyboard.press('ArrowRight')
  const disk = dialog.getByRole('region', { name: '変更 2' }).getByRole('radio', { name: 'ディスク' })
  await expect(disk).toBeFocused()
  await page.keyboard.press('Space')
  await expect(disk).toBeChecked()
  await shoot(page, 'places-ja')
  await merge.click()
  const merged = '私の一行目。\n他の一行目。\n二行目。\n他の三行目。\n四行目。\n'
  await expect.poll(() => onDisk()).toBe(merged)
  await expect.poll(() => appWindow.text()).toBe(merged)
  await appWindow.press('Control+z')
  await expect.poll(() => appWindow.text()).toBe('私の一行目。\n二行目。\n僕の三行目。\n')
})

test('a file that is removed elsewhere is written again when the author says so', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, root, onDisk } = await openSharedAppWindow({
    files: { '00.txt': '前。\n', '01.txt': text },
  })
  const { page } = appWindow
  await page.getByRole('button', { name: '01', exact: false }).first().click()
  await rm(join(root, '01.txt'))
  await expect(page.getByText('このファイルは別の場所で削除されました')).toBeVisible()
  expect(await appWindow.text()).toBe(text)
  await page.getByRole('button', { name: 'もう一度書く' }).click()
  await expect.poll(() => onDisk('01.txt').catch(() => null)).toBe(text)
  await expect(page.getByText('このファイルは別の場所で削除されました')).toHaveCount(0)
})

test('a file that becomes read-only can be read and not written, until it may be again', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, root, onDisk } = await openSharedAppWindow({ files: { '01.txt': text } })
  const { page } = appWindow
  await chmod(join(root, '01.txt'), 0o444)
  await expect(page.getByText('このファイルは読み取り専用です')).toBeVisible()
  await page.keyboard.type('x')
  expect(await appWindow.text()).toBe(text)
  await chmod(join(root, '01.txt'), 0o644)
  await expect(page.getByText('このファイルは読み取り専用です')).toHaveCount(0)
  await page.keyboard.insertText('書ける。')
  await expect.poll(() => onDisk()).toBe(`${text}書ける。`)
})

/** Types, and writes the file as soon as the host has what was typed, which is before it saves. */
async function conflict(
  client: Client,
  root: string,
  onDisk: string,
  type: () => Promise<void>,
): Promise<void> {
  const { workId } = await client['work.open']({ path: root })
  for await (const event of client['document.watch']({ workId, path: '01.txt' })) {
    if (event.kind === 'snapshot') await type()
    if (event.kind !== 'changed') continue
    writeFileSync(join(root, '01.txt'), onDisk)
    return
  }
}

/** The host dies under an open window and another takes its place. */

import { readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { startFakeKobold } from '../../fakes/servers/fake-kobold.ts'
import { AppWindow } from '../support/app-window.ts'
import { playComposition } from '../support/composition-series.ts'
import { startHost, temporaryFolder } from '../support/host.ts'
import { openHostClient } from '../support/host-client.ts'
import { shoot } from '../support/shoot.ts'
import { test } from '../support/worker-test.ts'

const text = '雨が降り始めた。\n窓の外で猫が鳴いた。\nそして扉を開けると'

/** Closes a page that asks first, and answers that it stays. */
async function keepOpen(page: Page): Promise<void> {
  const asked = page.waitForEvent('dialog')
  const closing = page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  await closing
}

/** Opens a work in a host with a model, and returns functions that end both. */
async function startWork() {
  const [dataDir, root] = [await temporaryFolder('data'), await temporaryFolder('work')]
  const file = join(root, '01.txt')
  await writeFile(file, text)
  const kobold = await startFakeKobold({ contextTokens: 4096 })
  const host = await startHost({ dataDir, project: root })
  const { client, close } = await openHostClient(host.link)
  await client['model.use']({ backend: 'koboldcpp', address: kobold.address })
  close()
  return { dataDir, root, host, kobold, onDisk: () => readFile(file, 'utf8') }
}

test('a tab that is shut out says so, lets its text be copied, asks before it closes, and takes the new link', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { dataDir, root, host, kobold, onDisk } = await startWork()
  const appWindow = new AppWindow(page)
  await appWindow.open(host.link)
  await appWindow.caretTo(2, 3)
  await host.kill()
  await page.keyboard.insertText('黒い')
  const { port } = new URL(host.link)
  const next = await startHost({ dataDir, project: root, args: ['--port', port] })
  const notice = page.getByRole('alert').filter({ hasText: 'この画面のリンクは使えなくなりました' })
  await expect(notice).toBeVisible()
  await expect(notice).toContainText('まだ保存されていない文章があります')
  await notice.getByRole('button', { name: '未保存の文章をコピー' }).click()
  const expected = text.replace('窓の外', '窓の外黒い')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(expected)
  await shoot(page, 'refused')

  await keepOpen(page)

  const field = notice.getByRole('textbox', { name: '新しいリンク' })
  const connect = notice.getByRole('button', { name: 'つなぐ' })
  await field.fill(host.link)
  await connect.click()
  await expect(notice).toContainText('このリンクでは入れませんでした')
  await field.fill(new URL(next.link).origin)
  await connect.click()
  await expect(notice).toContainText('これはリンクの全体ではありません')
  await field.fill(next.link)
  await connect.click()
  await expect(notice).toHaveCount(0)
  await expect.poll(onDisk).toBe(expected)
  expect(await appWindow.text()).toBe(expected)
  // Nothing complains, and the caret is where it was.
  await expect(page.getByRole('alert')).toHaveCount(0)
  await appWindow.editor.focus()
  await page.keyboard.insertText('大きな')
  await expect.poll(onDisk).toBe(expected.replace('黒い', '黒い大きな'))
  await next.stop()
  await kobold.close()
})

test('a tab that is shut out and loaded anew names what it keeps, lets it be copied, asks before it closes, and saves it by the new link', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { dataDir, root, host, kobold, onDisk } = await startWork()
  const appWindow = new AppWindow(page)
  await appWindow.open(host.link)
  await host.kill()
  await page.keyboard.insertText('、風が')
  const { port } = new URL(host.link)
  const next = await startHost({ dataDir, project: root, args: ['--port', port] })
  await page.reload()
  await expect(page.getByRole('heading', { name: 'このアドレスだけでは開けません' })).toBeVisible()
  const notice = page.locator('.no-link .notice')
  await expect(notice).toContainText(`${root.split('/').at(-1)}/01.txt`)
  await notice.getByRole('button', { name: '未保存の文章をコピー' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(`${text}、風が`)
  await shoot(page, 'no-link-kept')

  await keepOpen(page)

  const field = page.getByRole('textbox', { name: '新しいリンク' })
  const connect = page.getByRole('button', { name: 'つなぐ' })
  await field.fill(next.link.replace('127.0.0.1', 'localhost'))
  await connect.click()
  await expect(page.getByText('文章をコピーしてから、そのリンクを開いてください')).toBeVisible()
  await field.fill(next.link)
  await connect.click()
  await expect.poll(onDisk).toBe(`${text}、風が`)
  await expect(appWindow.editor).toContainText('、風が')
  await next.stop()
  await kobold.close()
})

test('text of a chapter that was removed meanwhile is offered in the tab that it was typed in', async ({
  page,
}) => {
  const { dataDir, root, host, kobold } = await startWork()
  const second = join(root, '02.txt')
  await writeFile(second, '別の章。')
  const appWindow = new AppWindow(page)
  await appWindow.open(host.link)
  await page.getByRole('button', { name: /^02( |$)/ }).click()
  await expect(appWindow.editor).toContainText('別の章。')
  await appWindow.caretToEnd()
  await host.kill()
  await page.keyboard.insertText('終わり。')
  await unlink(second)
  const { port } = new URL(host.link)
  const next = await startHost({ dataDir, project: root, args: ['--port', port] })
  await page.goto('about:blank')
  await page.goto(next.link)
  const notice = page
    .getByRole('alert')
    .filter({ hasText: '「02.txt」に書いた文章は、まだこのタブにしかありません' })
  await expect(notice).toBeVisible()
  await shoot(page, 'kept-text')

  await keepOpen(page)

  await notice.getByRole('button', { name: '破棄' }).click()
  await expect(notice).toHaveCount(0)
  await page.getByRole('button', { name: '元に戻す' }).click()
  await expect(notice).toBeVisible()
  await next.stop()
  await kobold.close()
})

test('the tab of a host that was started again under its address has its work, file, caret and session by itself', async ({
  page,
}) => {
  const { dataDir, root, host, kobold } = await startWork()
  const second = join(root, '02.txt')
  await writeFile(second, '別の章。\n二行目。')
  const { client, close } = await openHostClient(host.link)
  const { workId } = await client['work.open']({ path: root })
  const { session } = await client['session.create']({ workId })
  await client['session.rename']({ sessionId: session.sessionId, title: '夜の相談' })
  close()
  const appWindow = new AppWindow(page)
  await appWindow.open(host.link)
  const views = page.locator('.header .segmented').last()
  const box = page.locator('.message-box .cm-content')
  await views.getByText('セッション').click()
  await page.locator('.session-open').filter({ hasText: '夜の相談' }).click()
  await box.focus()
  await page.keyboard.insertText('書きかけ')
  await views.getByText('原稿').click()
  await page.getByRole('button', { name: /^02( |$)/ }).click()
  await expect(appWindow.editor).toContainText('別の章。')
  await appWindow.caretTo(2, 2)

  await host.kill()
  const { port } = new URL(host.link)
  const next = await startHost({ dataDir, project: root, args: ['--port', port] })
  const { hash } = new URL(next.link)
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
  await expect(page.getByText('本体との接続が切れました')).toHaveCount(0)
  await page.keyboard.insertText('の雨')
  await expect.poll(() => readFile(second, 'utf8')).toBe('別の章。\n二行の雨目。')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await views.getByText('セッション').click()
  await expect(box).toContainText('書きかけ')
  await expect(page.locator('.session-open[aria-current=page]')).toContainText('夜の相談')
  await next.stop()
  await kobold.close()
})

test('the memo that was typed while no host was there is saved by the next one, whatever tab was shown meanwhile', async ({
  page,
}) => {
  const { dataDir, root, host, kobold } = await startWork()
  const appWindow = new AppWindow(page)
  await appWindow.open(host.link)
  await appWindow.showTab('メモ')
  const memo = page.getByRole('textbox', { name: 'メモ' })
  await memo.fill('一つめの段落。')
  const onDisk = async () => {
    const details = JSON.parse(await readFile(join(root, 'work.json'), 'utf8').catch(() => '{}'))
    return details.memo as string | undefined
  }
  await expect.poll(onDisk).toBe('一つめの段落。')
  await host.kill()
  await expect(page.getByText('Tsugi 本体との接続が切れました')).toBeVisible()
  await memo.fill('一つめの段落。\n\n二つめの段落。')
  // Longer than typing must pause before it is sent.
  await page.waitForTimeout(1_000)
  // A word that could not be added is in its box again.
  await appWindow.showTab('詳細')
  const keywords = page.getByRole('textbox', { name: 'キーワード' })
  await keywords.fill('雨宿り')
  await keywords.press('Enter')
  await expect(keywords).toHaveValue('雨宿り')

  const { port } = new URL(host.link)
  const next = await startHost({ dataDir, project: root, args: ['--port', port] })
  const notice = page.getByRole('alert').filter({ hasText: 'この画面のリンクは使えなくなりました' })
  await expect(notice).toContainText('まだ保存されていない文章があります')
  await appWindow.showTab('文脈')
  // Only the fragment differs: the page is not loaded again.
  await page.evaluate((link) => location.assign(link), next.link)
  await expect.poll(onDisk).toBe('一つめの段落。\n\n二つめの段落。')
  expect(new URL(page.url()).hash).toBe('')
  await appWindow.showTab('メモ')
  await expect(memo).toHaveValue('一つめの段落。\n\n二つめの段落。')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await next.stop()
  await kobold.close()
})

test('an address without its link explains itself in both languages, and takes the link', async ({
  page,
}) => {
  const { host, kobold } = await startWork()
  await page.goto(new URL(host.link).origin)
  await expect(page.getByRole('heading', { name: 'このアドレスだけでは開けません' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'This address alone does not open Tsugi' })).toBeVisible()
  await shoot(page, 'no-link')
  const field = page.getByRole('textbox', { name: '新しいリンク' })
  await playComposition(page, await page.context().newCDPSession(page), field, 'new link')
  await field.fill(host.link)
  await page.getByRole('button', { name: 'つなぐ' }).click()
  await expect(page.getByRole('textbox', { name: '本文' })).toBeVisible()
  await host.stop()
  await kobold.close()
})

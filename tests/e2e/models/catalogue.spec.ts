import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { type FakeHub, paddedGguf, startFakeHub } from '../../fakes/servers/fake-hub.ts'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'
import { AppWindow } from '../support/app-window.ts'
import { startHost, type TestHost, temporaryFolder } from '../support/host.ts'
import { test as base } from '../support/worker-test.ts'

const sizeBytes = 12 * 1024 * 1024
const says = '吾輩は猫である'
const entry = {
  name: '小さな猫',
  parameters: 0.1,
  languages: ['ja'],
  uses: ['prose'],
  licence: 'Apache-2.0',
  licenceUrl: 'https://www.apache.org/licenses/LICENSE-2.0',
  termsId: null,
  sha256: null,
  sizeBytes,
}

/** A machine without models, a catalogue with a small one and one that is too large, and a hub that has the small one. */
const test = base.extend<{ home: string; hub: FakeHub; host: TestHost; appWindow: AppWindow }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
  home: async ({}, use) => {
    const home = await temporaryFolder('catalogue')
    await use(home)
    await rm(home, { recursive: true, force: true })
  },
  hub: async ({ home }, use) => {
    writeTinyGguf(join(home, 'tiny.gguf'), { says, name: '小さな猫' })
    const hub = await startFakeHub(paddedGguf(await readFile(join(home, 'tiny.gguf')), sizeBytes))
    await use(hub)
    await hub.close()
  },
  host: async ({ home, hub }, use) => {
    const dataDir = join(home, 'data')
    await mkdir(dataDir, { recursive: true })
    const models = [
      { ...entry, modelId: 'neko', hf: 'hf:soseki/neko-gguf/neko-q4.gguf', memoryBytes: 1_000_000 },
      {
        ...entry,
        modelId: 'kujira',
        name: '大きな鯨',
        hf: 'hf:soseki/kujira-gguf/kujira.gguf',
        memoryBytes: 9e14,
      },
    ]
    await writeFile(join(dataDir, 'model-catalogue.json'), JSON.stringify({ models }))
    const host = await startHost({
      dataDir,
      args: ['--no-model'],
      env: { HOME: home, HF_ENDPOINT: hub.address },
    })
    await use(host)
    await host.stop()
  },
  appWindow: async ({ page, host }, use) => {
    await page.goto(host.link)
    await use(new AppWindow(page))
  },
})

test('a server is sought from the welcome page and a shortcut is chosen; a model is downloaded, paused, gone on with, used, and writes', async ({
  appWindow,
  page,
  hub,
}) => {
  await test.step('a server by its port', async () => {
    await page.getByRole('button', { name: 'サーバーを追加' }).click()
    const adding = page.getByRole('dialog', { name: 'サーバーを追加' })
    await expect(adding.getByLabel('アドレス')).toBeFocused()
    // It takes the place of the address that is shown.
    await page.keyboard.insertText('localhost:1')
    await page.keyboard.press('Enter')
    await expect(adding.getByText('http://localhost:1 から応答がありません')).toBeVisible()
    await page.keyboard.press('Escape')
  })
  await test.step('a shortcut', async () => {
    await page.keyboard.press('Control+,')
    const settings = page.getByRole('dialog')
    await settings.getByRole('tab', { name: 'ショートカット' }).click()
    const chosen = settings.getByRole('listitem').filter({ hasText: 'コマンド一覧' })
    await chosen.locator('.shortcut-keys').click()
    await page.keyboard.press('Control+n').catch(() => undefined)
    await expect(chosen.getByRole('alert')).toContainText('ブラウザーが手放しません')
    await page.keyboard.press('Control+Alt+k')
    await expect(chosen.locator('.shortcut-keys')).toHaveText('Ctrl Alt K')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Alt+k')
    await expect(page.getByRole('dialog', { name: 'コマンド一覧' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  await page.getByRole('button', { name: '見本の小説を開く' }).click()
  await expect(page.getByRole('navigation', { name: 'ファイル' })).toContainText('鐘の音')
  await page.keyboard.press('Control+,')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'モデル' }).click()
  const row = dialog.getByRole('listitem', { name: '小さな猫' })
  await expect(row).toContainText('Apache-2.0')
  await expect(dialog.getByRole('listitem', { name: '大きな鯨' })).toContainText(
    'このパソコンには大きすぎます',
  )
  expect(hub.requests).toEqual([])

  hub.holdFrom = 10 * 1024 * 1024
  await row.getByRole('button', { name: 'ダウンロード：小さな猫' }).click()
  await expect(row).toContainText(/8[0-9] ?%/)
  await row.getByRole('button', { name: '一時停止：小さな猫' }).click()
  await expect(row).toContainText('一時停止中')
  hub.holdFrom = null
  await row.getByRole('button', { name: '続ける：小さな猫' }).click()
  await row.getByRole('button', { name: '使う：小さな猫' }).click()
  await expect(row).toContainText('使用中')
  await expect(row.getByRole('button', { name: /^削除（12(\.6)? MB）：小さな猫$/ })).toBeVisible()
  await page.keyboard.press('Escape')

  await appWindow.caretToEnd()
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toContain('猫')
})

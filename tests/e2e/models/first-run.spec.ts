import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createTranslate, type Language } from '../../../src/shared/i18n/translate.ts'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'
import { AppWindow } from '../support/app-window.ts'
import { type Hand, handOf } from '../support/hand.ts'
import { startHost, type TestHost, temporaryFolder } from '../support/host.ts'
import { test as base } from '../support/worker-test.ts'

/** A machine on which nothing was opened yet: a home with one folder of texts, and one model file. */
const test = base.extend<{ language: Language; home: string; host: TestHost; appWindow: AppWindow }>({
  language: ['ja', { option: true }],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
  home: async ({}, use) => {
    const home = await temporaryFolder('home')
    await mkdir(join(home, '作品', '雨の話'), { recursive: true })
    await writeFile(join(home, '作品', '雨の話', '第一章.txt'), '雨が降り始めた。\n')
    await use(home)
    await rm(home, { recursive: true, force: true })
  },
  host: async ({ home, language }, use) => {
    const dataDir = join(home, 'data')
    await mkdir(join(dataDir, 'models'), { recursive: true })
    writeTinyGguf(join(dataDir, 'models', 'neko.gguf'), { says: '吾輩は猫である', name: '小さな猫' })
    const host = await startHost({ dataDir, env: { HOME: home }, args: ['--lang', language] })
    await use(host)
    await host.stop()
  },
  appWindow: async ({ page, host }, use) => {
    await page.goto(host.link)
    await use(new AppWindow(page))
  },
})

test('a folder is opened in the app’s own dialog, by mouse and by keys', async ({
  appWindow,
  page,
  home,
}) => {
  await page.getByRole('button', { name: 'フォルダーを開く' }).click()
  const picker = page.getByRole('dialog', { name: '作品を開く' })
  await picker.getByRole('option', { name: '作品' }).dblclick()
  await expect(picker.getByRole('textbox', { name: 'フォルダーの場所' })).toHaveValue(join(home, '作品'))
  await expect(picker.getByRole('option', { name: '雨の話' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(picker.getByRole('option', { name: '第一章' })).toBeVisible()
  await picker.getByRole('button', { name: '開く', exact: true }).click()
  await expect(page.getByRole('heading', { name: '雨の話' })).toBeVisible()
  await expect.poll(() => appWindow.text()).toBe('雨が降り始めた。\n')

  await appWindow.caretToEnd()
  await page.keyboard.insertText('風も出た。')
  const file = join(home, '作品', '雨の話', '第一章.txt')
  await expect.poll(() => readFile(file, 'utf8')).toBe('雨が降り始めた。\n風も出た。')
})

test('a folder of one’s own is looked through for models; without one in use one may write, and learns what is missing', async ({
  appWindow,
  page,
  home,
}) => {
  await expect(appWindow.status).toBeVisible()
  await mkdir(join(home, 'llm', 'author'), { recursive: true })
  writeTinyGguf(join(home, 'llm', 'author', 'inu.gguf'), { says: '犬である', name: '大きな犬' })
  await chooseModel(page)
  await page.getByRole('button', { name: 'フォルダーを追加' }).click()
  const picker = page.getByRole('dialog', { name: 'モデルのフォルダー' })
  await picker.getByRole('option', { name: 'llm' }).dblclick()
  await expect(picker.getByRole('textbox', { name: 'フォルダーの場所' })).toHaveValue(join(home, 'llm'))
  await picker.getByRole('button', { name: 'ここを探す' }).click()
  const found = page.getByRole('region', { name: 'このパソコン' })
  await expect(found).toContainText('大きな犬')
  await page.getByRole('button', { name: `「${join(home, 'llm')}」では探さない` }).click()
  await expect(found).not.toContainText('大きな犬')
  await expect(found).toContainText('小さな猫')

  await page.getByRole('button', { name: '見本の小説を開く' }).click()
  await appWindow.caretToEnd()
  await expect(page.getByText('続きを書くモデルがまだありません')).toBeVisible()
  await appWindow.press('Control+Enter')
  const refused = page.getByRole('alert').filter({ hasText: 'モデルが選ばれていません' })
  await refused.getByRole('button', { name: 'モデルを選ぶ' }).click()
  const settings = page.getByRole('dialog', { name: '設定' })
  await settings
    .getByRole('listitem')
    .filter({ hasText: '小さな猫' })
    .getByRole('button', { name: '使う' })
    .click()
  await page.keyboard.press('Escape')
  await expect(appWindow.status.getByText('小さな猫')).toBeVisible()
  await expect(page.getByText('続きを書くモデルがまだありません')).toHaveCount(0)
  await expect(refused).toHaveCount(0)
})

/** Opens what is behind the model's line. */
async function chooseModel(page: Page): Promise<void> {
  await page.getByRole('region', { name: '使うモデル' }).getByRole('button', { name: 'モデルを選ぶ' }).click()
}

/** The other two pairs of language and hand are played with `TSUGI_SOAK` only. */
const walks: [Language, Hand['device']][] = [
  ['ja', 'keyboard'],
  ['en', 'mouse'],
]
if (process.env.TSUGI_SOAK !== undefined) walks.push(['ja', 'mouse'], ['en', 'keyboard'])

for (const [language, device] of walks) {
  test.describe(`the first run in ${language}, by ${device} alone`, () => {
    test.use({ language })
    test('a model, a new work, and what was written is continued', async ({ appWindow, home }) => {
      const { page } = appWindow
      const t = createTranslate(language)
      const hand = handOf(page, device, t)
      await hand.act(page.getByRole('button', { name: t('welcome.chooseModel'), exact: true }))
      const found = page.getByRole('region', { name: t('models.found') })
      const model = found.getByRole('listitem').filter({ hasText: '小さな猫' })
      await expect(model).toContainText('2,048')
      await expect(model).toContainText('neko.gguf')
      await hand.act(model.getByRole('button', { name: t('models.use'), exact: true }))
      const used = t('status.modelButton', { model: '小さな猫' })
      await expect(appWindow.status.getByRole('button', { name: used, exact: true })).toBeVisible()

      await hand.act(page.getByRole('button', { name: t('welcome.create'), exact: true }))
      const picker = page.getByRole('dialog', { name: t('picker.create-work') })
      await expect(picker.getByRole('textbox', { name: t('picker.create-work.name') })).toBeFocused()
      await page.keyboard.insertText('猫の話')
      if (device === 'keyboard') await page.keyboard.press('Enter')
      else await picker.getByRole('button', { name: t('picker.create-work.finish'), exact: true }).click()

      await expect(page.getByRole('textbox', { name: t('editor.document') })).toBeFocused()
      // Until the author gives the work a title, the one that was named stands there.
      const title = page.getByRole('textbox', { name: t('details.title'), exact: true })
      await expect(title).toHaveAttribute('placeholder', '猫の話')
      await page.keyboard.insertText('吾輩は')
      if (device === 'keyboard') await page.keyboard.press('Control+Enter')
      else await hand.act(page.getByRole('button', { name: t('draftMode.generate.start') }))
      await expect(page.locator('.cm-pending')).toHaveText(/./)
      await expect(page.locator('.cm-pendingHint[data-keys=Tab]')).toBeVisible()
      if (device === 'keyboard') await page.keyboard.press('Tab')
      else await page.locator('.cm-pendingHint[data-keys=Tab]').click()
      const root = join(home, '猫の話')
      await expect.poll(() => textsIn(root).catch(() => '')).toMatch(/^吾輩は./)
    })
  })
}

/** The manuscripts of a folder, one after the other. */
async function textsIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.txt'))
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('')
}

import { expect, type Page } from '@playwright/test'
import type { FoundServer } from '../../../src/shared/domain/model/model-found.ts'
import { defaultTimeouts } from '../../../src/shared/domain/model/model-profile.ts'
import { harnessTest } from '../support/harness-test.ts'
import type {} from './harness/harness.ts'

const test = harnessTest(import.meta.url)

async function openModels(page: Page): Promise<void> {
  await page.goto('?work&model')
  await expect(page.getByRole('textbox', { name: '本文' })).toContainText('時計の針')
  await page.keyboard.press('Control+,')
  await page.getByRole('dialog').getByRole('tab', { name: 'モデル' }).click()
  await page.getByRole('button', { name: 'サーバーを追加' }).click()
}

function stand(page: Page, found: FoundServer | null): Promise<void> {
  return page.evaluate((value) => {
    globalThis.harness.host.server = value
  }, found)
}

test('a server is found out by its address alone, and its models are offered', async ({ page }) => {
  await openModels(page)
  const form = page.getByRole('dialog').locator('form')
  await form.getByLabel('アドレス').fill('http://127.0.0.1:11434')
  await form.getByRole('button', { name: '調べる' }).click()
  await expect(page.getByText('http://127.0.0.1:11434 から応答がありません')).toBeVisible()

  const choice = { backend: 'openai', flavour: 'ollama', address: 'http://127.0.0.1:11434' } as const
  const models = ['qwen3:4b', 'gemma3:4b'].map((model) => ({ name: model, choice: { ...choice, model } }))
  await stand(page, { ...choice, models, contextTokens: null, needsKey: false })
  await form.getByRole('button', { name: '調べる' }).click()
  await expect(form.getByRole('status')).toHaveText('Ollama です。モデルを選んでください。')
  await form.getByLabel('モデル').selectOption('gemma3:4b')
  await expect(form.getByRole('button', { name: '追加して試す' })).toBeEnabled()
  // Another address is another server.
  await form.getByLabel('アドレス').fill('http://127.0.0.1:8080')
  await expect(form.getByLabel('モデル')).toHaveCount(0)
  await expect(form.getByRole('button', { name: '調べる' })).toBeVisible()

  // The form goes, and the focus to what opened it.
  const opener = page.getByRole('dialog').getByRole('button', { name: 'サーバーを追加' })
  await form.getByRole('button', { name: 'キャンセル' }).click()
  await expect(opener).toBeFocused()
  await opener.press('Enter')
  await expect(form.getByLabel('アドレス')).toBeFocused()
})

test('a server that wants a key asks for it', async ({ page }) => {
  await openModels(page)
  const form = page.getByRole('dialog').locator('form')
  const found = { backend: 'openai', flavour: 'llama.cpp', address: '', models: [] } as const
  await stand(page, { ...found, models: [], contextTokens: null, needsKey: true })
  await form.getByRole('button', { name: '調べる' }).click()
  await expect(form.getByRole('status')).toHaveText(
    'llama.cpp です。API キーを入れて、もう一度調べてください。',
  )
  await form.getByLabel('API キー').fill('himitsu')
  await expect(form.getByRole('status')).toHaveCount(0)
})

test('a profile of each kind says what it is, and one can do quick work', async ({ page }) => {
  await openModels(page)
  await page.evaluate((timeouts) => {
    const common = { templateId: 'mistral', samplerPresetId: 'novel', timeouts, hasKey: false }
    const { host, connection } = globalThis.harness
    host.profiles.push(
      { ...common, id: 'k', name: '書斎', backend: 'koboldcpp', address: 'http://127.0.0.1:5001' },
      {
        ...common,
        id: 'o',
        name: '補佐',
        backend: 'openai',
        flavour: 'vllm',
        address: 'http://10.0.0.2',
        model: 'q',
      },
    )
    connection.drop()
  }, defaultTimeouts)
  const card = (name: string) => page.getByRole('dialog').getByRole('listitem').filter({ hasText: name })
  await expect(card('書斎')).toContainText('KoboldCpp · http://127.0.0.1:5001')
  await expect(card('補佐')).toContainText('vLLM · http://10.0.0.2')
  await card('補佐').getByRole('button', { name: '補助に使う' }).click()
  await expect(card('補佐')).toContainText('補助モデル')
  await card('補佐').getByRole('button', { name: '補助から外す' }).click()
  await expect(card('補佐').getByRole('button', { name: '補助に使う' })).toBeVisible()
  await card('補佐').getByRole('button', { name: '編集' }).click()
  await expect(card('補佐').getByLabel('モデル', { exact: true })).toHaveValue('q')
})

test('a guessed template says that it is one, and one press changes it', async ({ page }) => {
  await openModels(page)
  await page.evaluate((timeouts) => {
    const { host, connection } = globalThis.harness
    const common = { templateId: 'chatml', samplerPresetId: 'novel', timeouts, hasKey: false }
    const address = 'http://127.0.0.1:5001'
    const kobold = { ...common, backend: 'koboldcpp', address } as const
    host.profiles.push(
      { ...kobold, id: 'k', name: '書斎', isTemplateGuessed: true, templateGuessedFor: 'qwen' },
      { ...kobold, id: 'o', name: '離れ', isTemplateGuessed: true },
    )
    connection.drop()
  }, defaultTimeouts)
  const card = (name: string) => page.getByRole('dialog').getByRole('listitem').filter({ hasText: name })
  const guess = card('書斎').getByLabel('指示の書式（推測）')
  await expect(guess).toHaveValue('chatml')
  await expect(card('離れ')).toContainText('仮の書式です。')
  await guess.selectOption('plain')
  // A template that the user chose is not marked as a guess.
  await expect(guess).toHaveCount(0)
  const saved = () => page.evaluate(() => globalThis.harness.host.profiles.find(({ id }) => id === 'k'))
  expect(await saved()).toMatchObject({ templateId: 'plain', isTemplateGuessed: false })
})

test('a model file that is dropped in a browser asks for its place, and is not opened as a text', async ({
  page,
}) => {
  await page.goto('?work&model&theme=dark')
  const text = page.getByRole('textbox', { name: '本文' })
  await expect(text).toContainText('時計の針')
  const files = await page.evaluateHandle(() => {
    const data = new DataTransfer()
    data.items.add(new File(['GGUF'], 'neko.gguf'))
    return data
  })
  await text.dispatchEvent('dragover', { dataTransfer: files })
  await expect(page.getByText('GGUF ファイルをドロップすると使えます')).toBeVisible()
  await text.dispatchEvent('drop', { dataTransfer: files })
  const dialog = page.getByRole('dialog', { name: 'パスを入力' })
  await expect(dialog).toContainText('「neko.gguf」の場所がわかりません')
  await expect(page.locator('.cm-content').first()).not.toContainText('GGUF')
  await dialog.getByLabel('GGUF ファイルのパス').fill('https://example.com/neko.gguf')
  await dialog.getByRole('button', { name: '使う' }).click()
  await expect(dialog).toContainText('このパソコンのパスではありません')
  await dialog.getByLabel('GGUF ファイルのパス').fill('"file:///models/my%20neko.gguf"')
  await dialog.getByRole('button', { name: '使う' }).click()
  await expect
    .poll(() =>
      page.evaluate(() => globalThis.harness.host.calls.filter(({ method }) => method === 'model.use')),
    )
    .toEqual([{ method: 'model.use', input: { backend: 'embedded', file: '/models/my neko.gguf' } }])

  await test.step('on the desktop, which knows its place, it is used at once', async () => {
    await page.goto('?work&model&desktop')
    await expect(text).toContainText('時計の針')
    const dropped = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(['GGUF'], 'neko.GGUF'))
      return data
    })
    await text.dispatchEvent('drop', { dataTransfer: dropped })
    await expect
      .poll(() =>
        page.evaluate(() => globalThis.harness.host.calls.filter(({ method }) => method === 'model.use')),
      )
      .toEqual([{ method: 'model.use', input: { backend: 'embedded', file: '/dropped/neko.GGUF' } }])
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
})

import { type CDPSession, expect, type Page } from '@playwright/test'
import { EditorPage } from './editor-page.ts'
import { test } from './editor-test.ts'

const STORY = '　雨が降る。\n　その夜'

test('a composition goes on while text streams behind the caret', async ({ page }) => {
  const { editor, ime } = await start(page)
  await editor.offer({ phase: 'writing', text: '、' })
  let streamed = '、'
  for (const step of ['k', 'か', 'かz', 'かぜ', 'かぜが', '風が']) {
    await compose(ime, step)
    streamed += '私は歩いた。'
    await editor.offer({ phase: 'writing', text: streamed })
    expect(await page.evaluate(() => window.editorHarness.pane().view().composing)).toBe(true)
    expect(await editor.text()).toBe(STORY + step)
  }
  await ime.send('Input.insertText', { text: '風が' })
  expect(await editor.text()).toBe(`${STORY}風が`)
  // What streams is drawn once the author has stopped typing.
  await expect.poll(() => editor.pending()).toBe(streamed)
  await editor.press('Tab')
  expect(await editor.text()).toBe(`${STORY}風が${streamed}`)
})

test('keys that belong to the composition take nothing', async ({ page }) => {
  const { editor, ime } = await start(page)
  await editor.offer({ text: '私は歩いた。' })
  await compose(ime, 'か')
  for (const key of ['Tab', 'Escape', 'ArrowRight']) {
    const modifiers = key === 'ArrowRight' ? 2 : 0
    await ime.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      windowsVirtualKeyCode: 229,
      key,
      modifiers,
    })
    await ime.send('Input.dispatchKeyEvent', { type: 'keyUp', windowsVirtualKeyCode: 229, key, modifiers })
  }
  await ime.send('Input.dispatchKeyEvent', {
    type: 'rawKeyDown',
    windowsVirtualKeyCode: 9,
    key: 'Tab',
    code: 'Tab',
  })
  expect(await editor.text()).toBe(`${STORY}か`)
  expect(await editor.pending()).toBe('私は歩いた。')
  expect(await editor.events()).toEqual([])
})

test('what is composed is compared with the offer when it is committed, not before', async ({ page }) => {
  const { editor, ime } = await start(page)
  await editor.offer({ text: '風が吹いた。' })
  for (const step of ['か', 'かぜ', '風']) {
    await compose(ime, step)
    expect(await editor.pending()).toBe('風が吹いた。')
  }
  await ime.send('Input.insertText', { text: '風' })
  await expect(page.locator('.cm-pending')).toHaveText('が吹いた。')
  expect(await editor.text()).toBe(`${STORY}風`)
})

test('another window’s change waits until the composition is done', async ({ page }) => {
  const { editor, ime } = await start(page)
  await compose(ime, 'かぜ')
  await page.evaluate(() => {
    window.editorHarness.pane().authority.changeAsHost({ from: 0, insert: '序。\n' }, 'agent')
  })
  await page.waitForTimeout(200)
  expect(await editor.text()).toBe(`${STORY}かぜ`)
  await compose(ime, '風')
  await ime.send('Input.insertText', { text: '風' })
  await expect.poll(() => editor.text()).toBe(`序。\n${STORY}風`)
})

test('a cancelled composition leaves the text and the offer as they were', async ({ page }) => {
  const { editor, ime } = await start(page)
  await editor.offer({ text: '風が吹いた。' })
  await compose(ime, 'かぜ')
  await compose(ime, '')
  expect(await editor.text()).toBe(STORY)
  expect(await editor.pending()).toBe('風が吹いた。')
})

test('a take that is swapped beneath a composition leaves it whole, also with every aid on', async ({
  page,
}) => {
  const { editor, ime } = await start(page)
  await page.evaluate(() => {
    const { pane, settings } = window.editorHarness
    const aids = { ...settings.aids, digits: 'half' as const }
    pane().editor.setSettings({ ...settings, aids, isFocusMode: true, isTypewriter: true })
  })
  const take = (nth: number, text: string) =>
    editor.offer({ id: `take-${nth}`, placeId: 'place', nth, total: 2, text })
  await take(1, '風が吹いた。')
  for (const step of ['k', 'か', 'かぜ']) await compose(ime, step)
  await take(2, '風鈴が鳴った。')
  expect(await page.evaluate(() => window.editorHarness.pane().view().composing)).toBe(true)
  for (const step of ['かぜ', '風']) await compose(ime, step)
  expect(await editor.text()).toBe(`${STORY}風`)
  await ime.send('Input.insertText', { text: '風' })
  await expect(page.locator('.cm-pending')).toHaveText('鈴が鳴った。')
  await compose(ime, 'よる')
  await compose(ime, '')
  await editor.press('Tab')
  expect(await editor.text()).toBe(`${STORY}風鈴が鳴った。`)
})

test('an indent that is composed by habit behind that of Enter is taken in, once', async ({ page }) => {
  const { editor, ime } = await start(page)
  const commit = async (...steps: string[]) => {
    for (const step of steps) await compose(ime, step)
    await ime.send('Input.insertText', { text: steps.at(-1) ?? '' })
  }
  await editor.press('Enter')
  await commit('　')
  await expect.poll(() => editor.text()).toBe(`${STORY}\n　`)
  // A second one is intended.
  await commit('　')
  await page.waitForTimeout(200)
  expect(await editor.text()).toBe(`${STORY}\n　　`)
  await editor.press('Backspace')
  await commit('雨', '雨。')
  await editor.press('Enter')
  await commit('　', '　かぜ', '　風')
  await expect.poll(() => editor.text()).toBe(`${STORY}\n　雨。\n　風`)
  expect(await editor.caret()).toBe(`${STORY}\n　雨。\n　風`.length)
  await editor.press('Control+z')
  expect(await editor.text()).toBe(`${STORY}\n　雨。\n　　風`)
})

test('keys that come before the timers, as on a busy machine, leave one indent too', async ({ page }) => {
  const { editor, ime } = await start(page)
  await page.evaluate(() => {
    const plain = window.setTimeout
    window.setTimeout = ((act: () => void, ms = 0) => plain(act, ms + 500)) as typeof window.setTimeout
  })
  await compose(ime, '雨。')
  await ime.send('Input.insertText', { text: '雨。' })
  await editor.press('Enter')
  await compose(ime, '　風')
  await ime.send('Input.insertText', { text: '　風' })
  await expect.poll(() => editor.text()).toBe(`${STORY}雨。\n　風`)
})

test('an indent that is composed stays without the aid, and where Enter put none', async ({ page }) => {
  const { editor, ime } = await start(page)
  const commit = async () => {
    await compose(ime, '　')
    await ime.send('Input.insertText', { text: '　' })
    await page.waitForTimeout(200)
  }
  await page.evaluate(() => {
    const { pane, settings } = window.editorHarness
    pane().editor.setSettings({ ...settings, aids: { ...settings.aids, swallowsSpace: false } })
  })
  await editor.press('Enter')
  await commit()
  expect(await editor.text()).toBe(`${STORY}\n　　`)
  await page.evaluate(() => {
    const { pane, settings } = window.editorHarness
    pane().editor.setSettings(settings)
  })
  await editor.open('雨。')
  await page.evaluate(() => window.editorHarness.open('雨。', { key: '002.txt' }))
  await page.evaluate(() => window.editorHarness.pane().editor.focus())
  await editor.press('Control+End', 'Enter')
  await commit()
  const text = await page.evaluate(() => window.editorHarness.pane().editor.textOf('002.txt'))
  expect(text).toBe('雨。\n　')
})

async function start(page: Page): Promise<{ editor: EditorPage; ime: CDPSession }> {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  return { editor, ime: await page.context().newCDPSession(page) }
}

function compose(ime: CDPSession, text: string) {
  return ime.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
}

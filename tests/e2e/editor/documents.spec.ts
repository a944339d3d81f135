import { expect, type Page } from '@playwright/test'
import { EditorPage } from './editor-page.ts'
import { test } from './editor-test.ts'

test('each document keeps its caret, its scroll position, its undo and its offer', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('　雨が降る。\n'.repeat(400), 1_400)
  await page.keyboard.type('風。')
  await editor.offer({ text: '続き。' })
  const scrolled = await scrolledTo(page)
  expect(scrolled).toBeGreaterThan(1_000)
  await page.evaluate(() => window.editorHarness.open('別の章。', { key: '002.txt' }))
  expect(await shownText(page)).toBe('別の章。')
  expect(await editor.pending()).toBeNull()
  await editor.press('Control+z')
  expect(await shownText(page)).toBe('別の章。')

  await page.evaluate(() => window.editorHarness.open('', { key: '001.txt' }))
  expect(await editor.caret()).toBe(1_402)
  await expect.poll(() => scrollTop(page)).toBe(scrolled)
  await page.evaluate(() => window.editorHarness.pane().editor.focus())
  await editor.press('Control+z')
  expect(await editor.text()).toBe('　雨が降る。\n'.repeat(400))
  await editor.press('Tab', 'Tab')
  expect((await editor.text()).endsWith('続き。')).toBe(true)
})

test('two windows on one file write one text, each with its own undo', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('雨。')
  await page.evaluate(() => window.editorHarness.open('', { pane: 'second' }))
  await page.keyboard.type('風。')
  await page.locator('#second .cm-content').click()
  await editor.press('Control+Home')
  await page.keyboard.type('夜、')
  await expect.poll(() => editor.text()).toBe('夜、雨。風。')
  await editor.press('Control+z')
  await expect.poll(() => editor.text()).toBe('雨。風。')
  const texts = () =>
    page.evaluate(() => [
      window.editorHarness.pane('first').editor.textOf('001.txt'),
      window.editorHarness.pane('second').editor.textOf('001.txt'),
      window.editorHarness.pane().authority.text,
    ])
  await expect.poll(texts).toEqual(['雨。風。', '雨。風。', '雨。風。'])
})

test('a change by main is one undo step of the window', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('雨が降る。')
  await page.keyboard.type('風。')
  await page.evaluate(() => window.editorHarness.pane().editor.flush('001.txt'))
  await page.evaluate(() => {
    const { authority } = window.editorHarness.pane()
    authority.changeAsHost({ from: 0, to: 1, insert: '雪' }, 'agent')
  })
  await expect.poll(() => editor.text()).toBe('雪が降る。風。')
  await editor.press('Control+z')
  expect(await editor.text()).toBe('雨が降る。風。')
  await editor.press('Control+z')
  expect(await editor.text()).toBe('雨が降る。')
  await editor.press('Control+y', 'Control+y')
  await expect
    .poll(() => page.evaluate(() => window.editorHarness.pane().authority.text))
    .toBe('雪が降る。風。')
})

test('typing goes on without the connection and arrives when it is back', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('雨。')
  await page.evaluate(() => {
    const { link } = window.editorHarness.pane()
    link.isDown = true
    link.disconnect()
  })
  await page.keyboard.type('風。')
  await expect.poll(() => lastSync(page)).toBe('offline')
  await page.keyboard.type('夜。')
  await page.evaluate(() => {
    window.editorHarness.pane().link.isDown = false
  })
  await expect
    .poll(() => page.evaluate(() => window.editorHarness.pane().authority.text))
    .toBe('雨。風。夜。')
  await expect.poll(() => lastSync(page)).toBe('synced')
})

test('a take goes in at the caret as one step that main can tell from typing', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('雨。夜。', 2)
  await page.evaluate(() => window.editorHarness.pane().editor.insertTake({ text: '風が吹く。\n' }))
  expect(await editor.text()).toBe('雨。風が吹く。\n夜。')
  expect(await editor.caret()).toBe(8)
  await page.evaluate(() => window.editorHarness.pane().editor.flush('001.txt'))
  const origins = await page.evaluate(() =>
    window.editorHarness.pane().link.requests.map(({ origin }) => origin),
  )
  expect(origins).toEqual(['take'])
  await editor.press('Control+z')
  expect(await editor.text()).toBe('雨。夜。')
})

test('a closed document has sent its last words', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('雨。')
  await page.keyboard.type('風。')
  const text = await page.evaluate(async () => {
    const { editor, authority } = window.editorHarness.pane()
    const saving = setInterval(() => authority.save(), 20)
    await editor.closeDocument('001.txt')
    clearInterval(saving)
    return { main: authority.text, isOpen: editor.textOf('001.txt') !== null, shown: editor.shownKey() }
  })
  expect(text).toEqual({ main: '雨。風。', isOpen: false, shown: null })
})

test('a document that is shown again while it closes stays open', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('雨。')
  await page.keyboard.type('風。')
  await page.evaluate(async () => {
    const { editor, link, authority } = window.editorHarness.pane()
    const saving = setInterval(() => authority.save(), 20)
    const closed = editor.closeDocument('001.txt')
    editor.showDocument(link)
    await closed
    clearInterval(saving)
    editor.focus()
  })
  await page.keyboard.type('夜。')
  await expect
    .poll(() => page.evaluate(() => window.editorHarness.pane().authority.text))
    .toBe('雨。風。夜。')
})

test('figures follow the text and the selection', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('　雨が降る。\n「夜」')
  await page.keyboard.type('👩🏽‍🚀')
  await editor.press('Shift+Home')
  const figures = () => page.evaluate(() => window.editorHarness.pane().figures.at(-1))
  await expect
    .poll(figures)
    .toMatchObject({ count: { characters: 9 }, selected: { characters: 4 }, line: 2, selectionFrom: 7 })
})

test('figures are told at a pause, not with each key', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('　雨が降る。')
  const told = () => page.evaluate(() => window.editorHarness.pane().figures.length)
  await page.waitForTimeout(300)
  const before = await told()
  await page.evaluate(() => {
    const { view } = window.editorHarness.pane()
    for (let key = 0; key < 20; key++) {
      const at = view().state.selection.main.head
      view().dispatch({
        changes: { from: at, insert: '風' },
        selection: { anchor: at + 1 },
        userEvent: 'input.type',
      })
    }
  })
  expect(await told()).toBe(before)
  await expect.poll(told).toBe(before + 1)
  const last = await page.evaluate(() => window.editorHarness.pane().figures.at(-1))
  expect(last).toMatchObject({ count: { characters: 25 }, caret: 26 })
})

function shownText(page: Page): Promise<string> {
  return page.evaluate(() => window.editorHarness.pane().view().state.doc.toString())
}

function scrollTop(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelector('.cm-scroller')?.scrollTop ?? -1)
}

/** Where the text stands once it moves no more: an offer scrolls into sight after it is drawn. */
async function scrolledTo(page: Page): Promise<number> {
  for (let last = -1; ; ) {
    const now = await scrollTop(page)
    if (now === last) return now
    last = now
    await page.waitForTimeout(200)
  }
}

function lastSync(page: Page): Promise<string | undefined> {
  return page.evaluate(() => window.editorHarness.pane().sync.at(-1))
}

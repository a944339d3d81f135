import { expect } from '@playwright/test'
import { EditorPage } from './editor-page.ts'
import { test } from './editor-test.ts'

test('a line begins as the one before it, and an indent with nothing behind it moves down', async ({
  page,
}) => {
  const editor = new EditorPage(page)
  await editor.open('　雨が降る。')
  await editor.press('Enter')
  await page.keyboard.type('夜。')
  expect(await editor.text()).toBe('　雨が降る。\n　夜。')
  await editor.press('Enter', 'Enter')
  expect(await editor.text()).toBe('　雨が降る。\n　夜。\n\n　')
})

test('Tab indents by a full-width space, and the keyboard still gets out', async ({ page }) => {
  const editor = new EditorPage(page)
  await page.evaluate(() => document.body.prepend(document.createElement('button')))
  await editor.open('雨。', 0)
  await editor.press('Tab')
  expect(await editor.text()).toBe('　雨。')
  await editor.press('Shift+Tab')
  await expect(page.locator('body > button')).toBeFocused()
  await page.evaluate(() => window.editorHarness.pane().editor.focus())
  await editor.press('Escape', 'Tab')
  expect(await editor.text()).toBe('　雨。')
  await expect(page.locator('.cm-content')).not.toBeFocused()
})

test('chords of the window are left alone', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('雨。')
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    addEventListener('keydown', (event) => {
      if (!event.defaultPrevented && event.ctrlKey) seen.push(event.key)
      event.preventDefault()
    })
  })
  await editor.press('Control+Enter', 'Control+g', 'Control+Shift+P', 'Control+d')
  expect(await editor.text()).toBe('雨。')
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen)
  expect(seen.filter((key) => key.length === 1 || key === 'Enter')).toEqual(['Enter', 'g', 'P', 'd'])
})

test('keys by which a browser would leave the text are taken from it, with an offer and without', async ({
  page,
}) => {
  const editor = new EditorPage(page)
  await editor.open('雨。')
  await page.evaluate(() => {
    Object.assign(window, { left: [] })
    const { left } = window as unknown as { left: string[] }
    addEventListener('keydown', (event) => event.defaultPrevented || left.push(event.key))
  })
  await editor.press('Alt+ArrowLeft', 'Alt+ArrowRight', 'Control+f', 'Escape')
  await editor.offer({ text: '夜。' })
  await editor.press('Alt+ArrowLeft', 'Alt+ArrowRight')
  const left = await page.evaluate(() => (window as unknown as { left: string[] }).left)
  expect(left.filter((key) => key.length === 1 || key.startsWith('Arrow'))).toEqual([])
  expect(await editor.text()).toBe('雨。')
})

test('Ctrl+F finds, in the window’s language, and Esc gives the caret back', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('雨。風。雨。', 2)
  await editor.press('Control+f')
  await page.getByRole('textbox', { name: '検索' }).pressSequentially('雨')
  const selected = () =>
    page.evaluate(() => {
      const { from, to } = window.editorHarness.pane().view().state.selection.main
      return [from, to]
    })
  await editor.press('Enter')
  expect(await selected()).toEqual([4, 5])
  await editor.press('Shift+Enter')
  expect(await selected()).toEqual([0, 1])
  await editor.press('Escape')
  await expect(page.locator('.cm-content')).toBeFocused()
})

test('the search panel moves no text, and hides no match in the first line', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(`月。\n${'雨。\n'.repeat(80)}`, 60)
  const topOf = (position: number) =>
    page.evaluate((at) => window.editorHarness.pane().view().coordsAtPos(at)?.top, position)
  const before = await topOf(60)
  await editor.press('Control+f')
  const field = page.getByRole('textbox', { name: '検索' })
  await expect(field).toBeFocused()
  expect(await topOf(60)).toBe(before)
  await field.pressSequentially('月')
  await editor.press('Enter')
  const match = page.locator('.cm-searchMatch-selected')
  const panel = page.locator('.cm-panels-top')
  await expect
    .poll(async () => {
      const [found, over] = await Promise.all([match.boundingBox(), panel.boundingBox()])
      return found !== null && over !== null && found.y >= over.y + over.height
    })
    .toBe(true)
  await editor.press('Escape')
  await expect(panel).toHaveCount(0)
  expect(await page.evaluate(() => window.editorHarness.pane().view().scrollDOM.scrollTop)).toBe(0)
})

test('an expression without end is ended, the window goes on, and the next one finds', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(`${'あ'.repeat(60)}い。`, 0)
  await editor.press('Control+f')
  const field = page.getByRole('textbox', { name: '検索' })
  const count = page.locator('.cm-search-count')
  await page.getByRole('checkbox', { name: 'regexp' }).check()
  await field.fill('(あ+)+う')
  await field.press('Enter')
  await expect(count).toHaveText('too slow')
  await page.locator('.cm-content').click()
  await page.keyboard.type('夜')
  expect(await editor.text()).toContain('夜')
  await expect(field).toHaveValue('(あ+)+う')
  await field.fill('い|夜')
  // Enter at once: it is done when the matches are known.
  await field.press('Enter')
  await expect(count).toHaveText(/^[12]\/2$/)
})

test('the page keeps the measure, the leading and full-width columns', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(`　${'雨'.repeat(39)}\n${'雨'.repeat(40)}\n${'雨'.repeat(41)}`)
  const shape = await page.evaluate(() => {
    const { view } = window.editorHarness.pane()
    const at = (position: number, side: 1 | -1) => view().coordsAtPos(position, side)
    const heights = [...document.querySelectorAll('.cm-line')].map(
      (line) => line.getBoundingClientRect().height,
    )
    const style = getComputedStyle(document.querySelector('.cm-content') ?? document.body)
    return { heights, indent: at(1, 1)?.left, second: at(42, 1)?.left, spell: style.lineBreak }
  })
  const line = 17 * 2.05
  expect(shape.heights.map((height) => Math.round(height / line))).toEqual([1, 1, 2])
  expect(shape.indent).toBe(shape.second)
  expect(shape.spell).toBe('strict')
  await expect(page.locator('.cm-content')).toHaveAttribute('spellcheck', 'false')
})

test('settings and words change in place', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('雨。')
  await page.evaluate(() => {
    const { editor } = window.editorHarness.pane()
    const { settings, labels } = window.editorHarness
    const ja = { ...settings.ja, fontSizePx: 24, lineHeight: 1.5, measureEm: 30 }
    editor.setSettings({ ...settings, ja, isSpellchecked: true })
    editor.setLabels({ ...labels, document: 'Manuscript' })
  })
  const content = page.getByRole('textbox', { name: 'Manuscript' })
  await expect(content).toHaveAttribute('spellcheck', 'true')
  await expect(content).toHaveCSS('font-size', '24px')
  await expect(content).toHaveCSS('width', '720px')
  await expect(page.locator('.cm-line')).toHaveCSS('height', '36px')
  // The page of the other language, whatever language the text is in.
  await page.evaluate(() => {
    const { settings, pane } = window.editorHarness
    pane().editor.setSettings({ ...settings, page: 'en' })
  })
  await expect(page.locator('.cm-scroller')).toHaveCSS('line-height', '28.05px')
  await expect(page.locator('.cm-content')).toHaveCSS('font-family', /^"?Source Serif 4/)
})

test('an empty text counts as written in the window’s language, also after that changes', async ({
  page,
}) => {
  const editor = new EditorPage(page)
  await editor.open('')
  const text = page.locator('.cm-editor')
  const measured = () => page.evaluate(() => window.editorHarness.pane().figures.at(-1)?.language)
  await expect(text).toHaveAttribute('lang', 'ja')
  await page.evaluate(() => {
    const { pane, labels } = window.editorHarness
    pane().editor.setLabels({ ...labels, language: 'en' })
  })
  await expect(text).toHaveAttribute('lang', 'en')
  await expect.poll(measured).toBe('en')
})

test('an empty text counts as written in the language of the text that was opened before it', async ({
  page,
}) => {
  const editor = new EditorPage(page)
  await editor.open('It rained all night.')
  await page.evaluate(() => window.editorHarness.open('', { key: '002.txt' }))
  await expect(page.locator('.cm-editor')).toHaveAttribute('lang', 'en')
  await page.evaluate(() => window.editorHarness.pane().editor.focus())
  await editor.press('Tab')
  const newText = () => page.evaluate(() => window.editorHarness.pane().editor.textOf('002.txt'))
  expect(await newText()).toBe('\t')
  await page.evaluate(async () => {
    await window.editorHarness.open('　雨が降る。', { key: '003.txt' })
    await window.editorHarness.open('', { key: '002.txt' })
  })
  await expect(page.locator('.cm-editor')).toHaveAttribute('lang', 'ja')
  await page.evaluate(() => window.editorHarness.pane().editor.focus())
  await editor.press('Tab')
  expect(await newText()).toMatch(/^\t?　\t?$/)
})

test('typewriter mode keeps the caret’s line in the middle, focus mode dims every paragraph but its own', async ({
  page,
}) => {
  const editor = new EditorPage(page)
  await editor.open(Array.from({ length: 200 }, (_, nth) => `${nth} 行目。`).join('\n'), 0)
  await page.evaluate(() => {
    const { pane, settings } = window.editorHarness
    pane().editor.setSettings({ ...settings, isTypewriter: true, isFocusMode: true })
  })
  const middle = () =>
    page.evaluate(() => {
      const { view } = window.editorHarness.pane()
      const { top, height } = view().scrollDOM.getBoundingClientRect()
      const caret = view().coordsAtPos(view().state.selection.main.head)
      return ((caret?.top ?? 0) - top) / height
    })
  for (const key of ['Control+End', 'Control+Home']) {
    await editor.press(key)
    await page.keyboard.type('夜')
    await expect.poll(middle).toBeGreaterThan(0.4)
    await expect.poll(middle).toBeLessThan(0.6)
  }
  await expect(page.locator('.cm-focusedLine')).toHaveText(['夜0 行目。'])
  const colour = (line: string) =>
    page
      .locator(line)
      .first()
      .evaluate((shown) => getComputedStyle(shown).color)
  expect(await colour('.cm-line:not(.cm-focusedLine)')).not.toBe(await colour('.cm-focusedLine'))
})

test('comments, commands and what they shut out are dimmed, dice are marked', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('前置き\n@break\n本文{朝|夜}@// 覚え書き\n@endpoint\nのこり')
  await expect(page.locator('.cm-outside')).toHaveText(['前置き', 'のこり'])
  await expect(page.locator('.cm-command')).toHaveText(['@break', '@endpoint'])
  await expect(page.locator('.cm-comment')).toHaveText('@// 覚え書き')
  await expect(page.locator('.cm-dice')).toHaveText('{朝|夜}')
  await editor.press('Control+Home')
  await page.keyboard.type('@/* ')
  await page.keyboard.type('閉じる@*/')
  await expect(page.locator('.cm-comment').first()).toHaveText('@/* 閉じる@*/')
})

test('readings are drawn after each edit as if all were drawn anew, and those elsewhere stay in the page', async ({
  page,
}) => {
  const editor = new EditorPage(page)
  const line = '　その｜宿命《さだめ》は《《今》》、王都《おうと》へ。'
  await editor.open(Array.from({ length: 6 }, () => line).join('\n'), 5)
  const drawn = () => page.locator('.cm-content').evaluate((content) => content.innerHTML)
  const drawnAnew = () =>
    page.evaluate(() => {
      const { pane, settings } = window.editorHarness
      for (const isRubyDrawn of [false, true]) pane().editor.setSettings({ ...settings, isRubyDrawn })
    })
  await page
    .locator('.cm-line')
    .nth(4)
    .locator('ruby')
    .first()
    .evaluate((ruby) => {
      ruby.id = 'kept'
    })
  const edits = [
    ['ArrowDown', 'ArrowRight', 'ArrowRight'],
    ['Enter'],
    ['Shift+ArrowDown', 'Shift+ArrowDown', 'Delete'],
    ['Control+z'],
    ['Backspace', 'Backspace'],
    ['Control+End', 'Shift+Control+Home'],
    ['ArrowLeft', 'Delete'],
  ]
  for (const [at, keys] of edits.entries()) {
    await editor.press(...keys)
    if (at === 0) await expect(page.locator('#kept')).toHaveCount(1)
    const before = (await drawn()).replace(' id="kept"', '')
    await drawnAnew()
    expect(before).toBe(await drawn())
  }
})

test('the caret stays in sight while the page gets narrower, lower and wide again', async ({ page }) => {
  const editor = new EditorPage(page)
  const line = '雨は夕方になっても止まず、時計塔の影だけが石畳の上で少しずつ伸びていった。'
  const isInSight = () =>
    page.evaluate(() => {
      const view = window.editorHarness.pane().view()
      const caret = view.coordsAtPos(view.state.selection.main.head)
      const box = view.scrollDOM.getBoundingClientRect()
      return caret !== null && caret.top >= box.top && caret.bottom <= box.bottom
    })
  const rest = () => page.waitForTimeout(250)
  await page.setViewportSize({ width: 1200, height: 900 })
  const text = Array.from({ length: 80 }, (_, at) => `${at}${line.repeat(3)}`).join('\n')
  await editor.open(text, Math.floor(text.length / 2))
  // The caret stands far below the line at the top. Lines are measured as they come into view: it takes some steps.
  const toFoot = () =>
    page.evaluate(() => {
      const view = window.editorHarness.pane().view()
      const caret = view.coordsAtPos(view.state.selection.main.head)
      const below = (caret?.bottom ?? 0) - (view.scrollDOM.getBoundingClientRect().bottom - 60)
      view.scrollDOM.scrollTop += below
      return Math.abs(below)
    })
  await expect.poll(toFoot).toBeLessThan(2)
  await rest()
  expect(await isInSight()).toBe(true)
  for (const size of [
    { width: 420, height: 900 },
    { width: 420, height: 320 },
    { width: 1200, height: 900 },
  ]) {
    await page.setViewportSize(size)
    await expect.poll(isInSight).toBe(true)
    await rest()
    expect(await isInSight()).toBe(true)
  }
  // Where it had been left out of sight, nothing moves the page to it.
  await page.evaluate(() => {
    window.editorHarness.pane().view().scrollDOM.scrollTop = 0
  })
  await rest()
  await page.setViewportSize({ width: 420, height: 600 })
  await rest()
  expect(await isInSight()).toBe(false)
})

test('a place that is shown stays in sight where the page gets another size at once', async ({ page }) => {
  const editor = new EditorPage(page)
  const text = Array.from({ length: 400 }, (_, at) => `${at}行目の文。`).join('\n')
  await editor.open(text, 0)
  await page.waitForTimeout(250)
  await page.evaluate((at) => {
    const pane = window.editorHarness.pane()
    pane.editor.revealPosition(at)
    pane.view().dom.style.paddingBottom = '60px'
  }, text.length)
  await expect(page.getByText('399行目の文。')).toBeInViewport()
  await page.waitForTimeout(250)
  await expect(page.getByText('399行目の文。')).toBeInViewport()
})

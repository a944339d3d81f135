import { expect } from '@playwright/test'
import { EditorPage } from './editor-page.ts'
import { test } from './editor-test.ts'

const STORY = '　時計の針が逆回転を始めた。\n　その唇が形作ったのは'
const OFFER = '私の名前だった。雨が窓を叩く。三度、間を置いて。'

test('text that streams is appended to what stands and moves nothing above it', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ phase: 'writing', text: '――' })
  const moved = await page.evaluate(async (key) => {
    const { editor, view } = window.editorHarness.pane()
    const node = document.querySelector('.cm-pending')?.firstChild
    const lines = () =>
      [...document.querySelectorAll('.cm-line')].map((line) => line.getBoundingClientRect().top)
    const caret = () => view().coordsAtPos(view().state.selection.main.head, -1)?.top
    const before = { lines: lines(), caret: caret() }
    let text = '――'
    for (let i = 0; i < 60; i++) {
      text += i % 12 === 11 ? '\n　' : '音のない名前。'
      editor.showPending(key, { id: 'take-1', position: 0, lead: '', text, phase: 'writing' })
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    const shown = document.querySelector('.cm-pending')?.firstChild
    return {
      isSameNode: shown === node,
      isWhole: shown?.textContent === text,
      isStill: JSON.stringify({ lines: lines(), caret: caret() }) === JSON.stringify(before),
    }
  }, '001.txt')
  expect(moved).toEqual({ isSameNode: true, isWhole: true, isStill: true })
  expect(await editor.text()).toBe(STORY)
})

test('a press that begins while the text streams counts although the text ends meanwhile', async ({
  page,
}) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ phase: 'writing', text: OFFER })
  const accept = await page.locator('.cm-pendingHint[data-keys=Tab]').boundingBox()
  await page.mouse.move((accept?.x ?? 0) + 5, (accept?.y ?? 0) + 5)
  await page.mouse.down()
  await editor.offer({ text: OFFER })
  await page.mouse.up()
  expect(await editor.text()).toBe(STORY + OFFER)
})

test('a press on a button that the streaming text moves away counts once', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ phase: 'writing', text: OFFER })
  const accept = await page.locator('.cm-pendingHint[data-keys=Tab]').boundingBox()
  await page.mouse.move((accept?.x ?? 0) + 5, (accept?.y ?? 0) + 5)
  await page.mouse.down()
  await editor.offer({ phase: 'writing', text: `${OFFER}\n${OFFER}\n${OFFER}` })
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  await page.mouse.up()
  expect(await editor.text()).toBe(STORY + OFFER)
  expect((await editor.events()).filter(({ kind }) => kind === 'accepted')).toHaveLength(1)
})

test('a button of the offer is pressed without a mouse', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ text: OFFER })
  await page.locator('.cm-pendingHint[data-keys=Tab]').evaluate((button: HTMLElement) => button.click())
  expect(await editor.text()).toBe(STORY + OFFER)
})

test('Tab takes all of it as one undo step with the caret behind it', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await page.keyboard.type('、')
  await editor.offer({ text: OFFER })
  await editor.press('Tab')
  expect(await editor.text()).toBe(`${STORY}、${OFFER}`)
  expect(await editor.caret()).toBe(STORY.length + 1 + OFFER.length)
  expect(await editor.pending()).toBeNull()
  expect(await editor.events()).toEqual([
    {
      kind: 'accepted',
      id: 'take-1',
      key: '001.txt',
      acceptedLength: OFFER.length,
      isWhole: true,
      wasRunning: false,
    },
  ])
  await page.keyboard.type('続')
  await editor.press('Control+z')
  expect(await editor.text()).toBe(`${STORY}、${OFFER}`)
  await editor.press('Control+z')
  expect(await editor.text()).toBe(`${STORY}、`)
  await editor.press('Control+z')
  expect(await editor.text()).toBe(STORY)
})

test('a new paragraph is shown below its line and brings its line end along', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ lead: '\n', text: '　雨が降る。' })
  await expect(page.locator('div.cm-pendingBlock')).toHaveText('　雨が降る。', { useInnerText: false })
  await editor.press('Tab')
  expect(await editor.text()).toBe(`${STORY}\n　雨が降る。`)
  expect((await editor.events())[0]).toMatchObject({ acceptedLength: '　雨が降る。'.length })
})

test('Ctrl+→ takes one sentence at a time, and undo offers it again', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ text: OFFER })
  await editor.press('Control+ArrowRight')
  expect(await editor.text()).toBe(`${STORY}私の名前だった。`)
  expect(await editor.pending()).toBe('雨が窓を叩く。三度、間を置いて。')
  await editor.press('Control+ArrowRight')
  expect(await editor.pending()).toBe('三度、間を置いて。')
  await editor.press('Control+z')
  expect(await editor.text()).toBe(`${STORY}私の名前だった。`)
  expect(await editor.pending()).toBe('雨が窓を叩く。三度、間を置いて。')
  await editor.press('Control+ArrowRight', 'Control+ArrowRight')
  expect(await editor.text()).toBe(STORY + OFFER)
  expect(await editor.pending()).toBeNull()
  expect((await editor.events()).map((event) => event.kind === 'accepted' && event.acceptedLength)).toEqual([
    8, 15, 15, 24,
  ])
})

test('a sentence that is still being written is waited for', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ phase: 'writing', text: '私の名前だった。雨が' })
  await editor.press('Control+ArrowRight', 'Control+ArrowRight')
  expect(await editor.text()).toBe(`${STORY}私の名前だった。`)
  await editor.offer({ phase: 'writing', text: '私の名前だった。雨が降る。風' })
  await expect.poll(() => editor.pending()).toBe('雨が降る。風')
})

test('Ctrl+→ away from the place moves by words as always', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('one two three', 0)
  await editor.offer({ text: ' four.' })
  await expect(page.locator('.cm-pendingHint')).toHaveText(['Tab 採用', 'Alt R 書き直す', 'Esc 片づける'])
  await editor.press('Control+ArrowRight')
  expect(await editor.text()).toBe('one two three')
  expect(await editor.caret()).toBe(3)
})

test('taking it while it is written takes what is there and asks for the end of the run', async ({
  page,
}) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ phase: 'writing', text: '私の名' })
  await editor.press('Tab')
  await editor.offer({ phase: 'writing', text: '私の名前だっ' })
  expect(await editor.text()).toBe(`${STORY}私の名`)
  expect(await editor.pending()).toBeNull()
  expect(await editor.events()).toMatchObject([{ kind: 'accepted', isWhole: true, wasRunning: true }])
})

test('Esc stops first and then dismisses; Tab right after Esc still takes the text', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ phase: 'writing', text: OFFER })
  await editor.press('Escape')
  await editor.offer({ phase: 'stopped', text: OFFER })
  expect(await editor.pending()).toBe(OFFER)
  await editor.press('Escape')
  expect(await editor.pending()).toBeNull()
  await editor.offer({ phase: 'finished', text: `${OFFER}…` })
  expect(await editor.pending()).toBeNull()
  await editor.offer({ id: 'take-2', phase: 'writing', text: '別の続き。' })
  await editor.press('Escape', 'Tab')
  expect(await editor.text()).toBe(`${STORY}別の続き。`)
  expect((await editor.events()).map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    'stop take-1',
    'dismissed take-1',
    'stop take-2',
    'accepted take-2',
  ])
})

test('Alt+R and the buttons ask for what they say', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ phase: 'failed', text: '', note: '接続が切れました。' })
  await expect(page.locator('.cm-pendingFailure')).toHaveText('接続が切れました。')
  await editor.press('Alt+r')
  await page.getByRole('button', { name: '書き直す' }).click()
  await page.getByRole('button', { name: '片づける' }).click()
  expect((await editor.events()).map(({ kind }) => kind)).toEqual(['retry', 'retry', 'dismissed'])
  expect(await editor.text()).toBe(STORY)
})

test('typing what is offered uses it up; other typing goes before it', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ text: OFFER })
  await page.keyboard.type('私の')
  expect(await editor.pending()).toBe(OFFER.slice(2))
  await editor.press('Backspace')
  expect(await editor.pending()).toBe(OFFER.slice(1))
  await page.keyboard.type('☆')
  expect(await editor.pending()).toBe(OFFER.slice(1))
  await editor.press('Tab')
  expect(await editor.text()).toBe(`${STORY}私☆${OFFER.slice(1)}`)
  expect((await editor.events())[0]).toMatchObject({ acceptedLength: OFFER.length })
})

test('an offer that is typed to its end is accepted', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ text: '雨。' })
  await page.keyboard.type('雨。')
  await expect(page.locator('.cm-pendingHints')).toHaveCount(0)
  expect(await editor.events()).toMatchObject([{ kind: 'accepted', acceptedLength: 2, isWhole: true }])
})

test('it stays at its place when the author edits elsewhere', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY, 0)
  await editor.offer({ text: OFFER })
  await page.keyboard.type('序。')
  await editor.press('Tab')
  expect(await editor.text()).toBe(`序。${STORY}${OFFER}`)
})

test('nothing goes in unseen: the first Tab brings the place into view', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('　雨が降る。\n'.repeat(300), 0)
  await editor.offer({ text: OFFER })
  await editor.press('Tab')
  expect((await editor.events()).length).toBe(0)
  await expect(page.locator('.cm-pending')).toBeInViewport()
  await editor.press('Tab')
  expect((await editor.text()).endsWith(OFFER)).toBe(true)
})

test('on an empty page the offer takes the place of the hint to write', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open('')
  await expect(page.locator('.cm-placeholder')).toBeVisible()
  await editor.offer({ phase: 'waiting', note: '本文を読んでいます 62 %' })
  await expect(page.locator('.cm-placeholder')).toBeHidden()
  await expect(page.locator('.cm-pendingHints')).toHaveText('本文を読んでいます 62 %Esc 止める')
  await editor.press('Tab')
  expect(await editor.text()).toBe('')
  await editor.offer({ text: '雨。' })
  await editor.press('Tab')
  expect(await editor.text()).toBe('雨。')
})

test('one rule stands along every line; the hints stay in sight, with how much is below', async ({
  page,
}) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  const lines = Array.from({ length: 60 }, (_, at) => `　${at} 段目を降りた。`).join('\n')
  await editor.offer({ text: `最初の行。\n${lines}` })
  const offer = await page.locator('.cm-pending').boundingBox()
  const rule = await page.locator('.cm-seamRule').boundingBox()
  const hints = page.locator('.cm-pendingHints')
  expect(rule?.height ?? 0).toBeGreaterThanOrEqual(offer?.height ?? Number.POSITIVE_INFINITY)
  await expect(hints).toBeInViewport()
  await expect(hints).toContainText(/↓ あと \d+ 行/)
  await page.evaluate(() => {
    const { scrollDOM } = window.editorHarness.pane().view()
    scrollDOM.scrollTop = scrollDOM.scrollHeight
  })
  await expect(hints).not.toContainText('↓')
  // Dismissed far down, it leaves the author's text in sight.
  await editor.press('Escape')
  await expect(page.locator('.cm-line').last()).toBeInViewport()
})

test('the rule of an offer in mid-line is unbroken down to its keys, and what is taken fades into ink', async ({
  page,
}) => {
  const editor = new EditorPage(page)
  await editor.open('　扉は')
  await editor.offer({ text: `開いた。${'雨が窓を叩く。'.repeat(20)}` })
  const line = await page.locator('.cm-line').boundingBox()
  const rule = await page.locator('.cm-seamRule').boundingBox()
  const hints = await page.locator('.cm-pendingHints').boundingBox()
  if (!line || !rule || !hints) throw new Error('nothing is drawn')
  expect(rule.y).toBeLessThanOrEqual(line.y + 2)
  expect(rule.y + rule.height).toBeGreaterThanOrEqual(hints.y)
  // Observed inside the page: it fades for a tenth of a second, too short for Playwright on a busy machine.
  await page.evaluate(() => {
    const fading = new Promise<string>((done) => {
      new MutationObserver(() => {
        const accepted = document.querySelector('.cm-accepted')
        if (accepted) done(getComputedStyle(accepted).animationDuration)
      }).observe(document.body, { subtree: true, childList: true, attributes: true })
    })
    Object.assign(window, { fading })
  })
  await editor.press('Tab')
  expect(await page.evaluate(() => (window as unknown as { fading: Promise<string> }).fading)).toBe('0.12s')
  await expect(page.locator('.cm-accepted')).toHaveCount(0)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await editor.offer({ text: '風が止む。' })
  await editor.press('Tab')
  const still = await page.evaluate(
    () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
  )
  expect(still).toBe(0)
})

test('text that streams is followed until the author scrolls', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  const text = (count: number) =>
    Array.from({ length: count }, (_, at) => `　${at} 段目を降りた。`).join('\n')
  const scrolled = () => page.evaluate(() => window.editorHarness.pane().view().scrollDOM.scrollTop)
  await editor.offer({ phase: 'writing', text: text(2) })
  await editor.offer({ phase: 'writing', text: text(60) })
  await expect.poll(scrolled).toBeGreaterThan(100)
  await page.mouse.move(400, 300)
  await page.mouse.wheel(0, -400)
  await expect.poll(scrolled).toBeLessThan(2000)
  await page.waitForTimeout(100)
  const at = await scrolled()
  await editor.offer({ phase: 'writing', text: text(90) })
  await expect(page.locator('.cm-pending')).toContainText('89 段目')
  expect(await scrolled()).toBe(at)
})

test('text that streams gets its rule and wash in the frame that shows it', async ({ page }) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  await editor.offer({ phase: 'writing', text: '　雨が降る。' })
  // Text waits while the author types, and the opening counts as typing.
  await page.waitForTimeout(300)
  const late = await page.evaluate(async (key) => {
    const { editor } = window.editorHarness.pane()
    const shown = () => document.querySelector('.cm-pending')
    let text = '　雨が降る。'
    const late: number[] = []
    for (let line = 1; line <= 5; line += 1) {
      const before = shown()?.textContent
      text += `\n　${line} 段目を降りた。`
      editor.showPending(key, { id: 'take-1', position: 0, lead: '', text, phase: 'writing' })
      // This frame request comes after the one that draws, so that it runs in the same frame, before the paint.
      await new Promise<void>((resolve) => requestAnimationFrame(() => resolve()))
      const bottoms = ['.cm-pending', '.cm-seamRule'].map(
        (part) => document.querySelector(part)?.getBoundingClientRect().bottom ?? Number.NaN,
      )
      if (shown()?.textContent === before) throw new Error('it is not drawn in this frame')
      late.push(Math.max(0, Math.round((bottoms[0] ?? 0) - (bottoms[1] ?? 0))))
    }
    return late
  }, '001.txt')
  expect(late).toEqual([0, 0, 0, 0, 0])
})

test('a key beside text that streams measures the page once, and neither draws the text nor moves what stays', async ({
  page,
}) => {
  const editor = new EditorPage(page)
  await editor.open(STORY)
  const shown = '音のない名前。'.repeat(40)
  await editor.offer({ phase: 'writing', text: shown })
  const counted = await page.evaluate(
    async ([key, shown]) => {
      const { editor, view } = window.editorHarness.pane()
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const offer = document.querySelector('.cm-pending')
      const layer = document.querySelector('.cm-seamLayer')
      if (offer === null || layer === null) throw new Error('nothing is offered')
      const type = async (insert: string) => {
        const at = view().state.selection.main.head
        view().dispatch({
          changes: { from: at, insert },
          selection: { anchor: at + insert.length },
          userEvent: 'input.type',
        })
        await frame()
        await frame()
      }
      await type('、')
      let measures = 0
      const read = offer.getClientRects.bind(offer)
      offer.getClientRects = () => {
        measures += 1
        return read()
      }
      const drawn = new MutationObserver(() => undefined)
      drawn.observe(offer, { subtree: true, childList: true, characterData: true })
      const rebuilt = new MutationObserver(() => undefined)
      rebuilt.observe(layer, { subtree: true, childList: true })
      const keys = 10
      let text = shown
      for (let at = 0; at < keys; at++) {
        for (let piece = 0; piece < 3; piece++) {
          text += '雨。'
          editor.showPending(key, { id: 'take-1', position: 0, lead: '', text, phase: 'writing' })
        }
        await type('春')
      }
      return {
        measures: measures / keys,
        drawn: drawn.takeRecords().length,
        rebuilt: rebuilt.takeRecords().length,
      }
    },
    ['001.txt', shown] as const,
  )
  expect(counted).toEqual({ measures: 1, drawn: 0, rebuilt: 0 })
  await expect(page.locator('.cm-pending')).toContainText('雨。')
})

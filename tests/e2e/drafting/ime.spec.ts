import { expect, openManuscript, test } from '../support/drafting-test.ts'

const answer = `、${'風が吹いた。'.repeat(40)}`

test('a composition goes on unbroken while a continuation streams, and its keys touch nothing', async ({
  openDesk,
  page,
}) => {
  const { desk, kobold, onDisk, requestsTo } = await openDesk({ kobold: { answer, tokenMs: 150 } })
  const ime = await page.context().newCDPSession(page)
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toMatch(/^、風/)

  let streamed = (await desk.offered()).length
  for (const step of ['k', 'か', 'かz', 'かぜ', '風', '風g', '風が']) {
    await desk.compose(ime, step)
    await expect.poll(async () => (await desk.offered()).length).toBeGreaterThan(streamed)
    streamed = (await desk.offered()).length
    expect(await desk.text()).toBe(openManuscript + step)
  }
  for (const key of ['Tab', 'Escape', 'Enter']) await desk.composingKey(ime, key)
  expect(await desk.text()).toBe(`${openManuscript}風が`)
  expect(requestsTo('/abort')).toBe(0)
  expect(kobold.current?.isRunning).toBe(true)

  await ime.send('Input.insertText', { text: '風が' })
  await expect.poll(() => desk.text()).toBe(`${openManuscript}風が`)
  kobold.options.tokenMs = 0
  await expect.poll(() => desk.offered()).toBe(answer)
  await desk.idle()
  await expect.poll(() => onDisk()).toBe(`${openManuscript}風が`)
  await desk.press('Tab')
  await expect.poll(() => onDisk()).toBe(`${openManuscript}風が${answer}`)
})

test('a composition elsewhere in the text is committed where it was begun', async ({ openDesk, page }) => {
  const { desk, kobold, onDisk } = await openDesk({ kobold: { answer, tokenMs: 40 } })
  const ime = await page.context().newCDPSession(page)
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toMatch(/^、風/)
  await desk.caretTo(2, 0)
  for (const step of ['y', 'よ', 'よる', '夜、']) await desk.compose(ime, step)
  await ime.send('Input.insertText', { text: '夜、' })
  kobold.options.tokenMs = 0
  await expect.poll(() => desk.offered()).toBe(answer)
  await expect.poll(() => onDisk()).toBe(openManuscript.replace('窓の外', '夜、窓の外'))
})

test('Ctrl+Enter in the midst of a composition starts nothing', async ({ openDesk, page }) => {
  const { desk, generated } = await openDesk({ kobold: { answer } })
  const ime = await page.context().newCDPSession(page)
  await desk.compose(ime, 'かぜ')
  await desk.composingKey(ime, 'Enter', 'Control')
  await ime.send('Input.insertText', { text: '風' })
  await expect.poll(() => desk.text()).toBe(`${openManuscript}風`)
  expect(generated()).toEqual([])
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe(answer)
  expect(generated()).toHaveLength(1)
  expect(generated()[0]?.prompt).toMatch(/そして扉を開けると風$/)
})

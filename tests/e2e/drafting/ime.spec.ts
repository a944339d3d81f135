import { expect, openManuscript, test } from '../support/drafting-test.ts'

const answer = `、${'風が吹いた。'.repeat(40)}`

test('a composition goes on unbroken while a continuation streams, and its keys touch nothing', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, kobold, onDisk, requestsTo } = await openSharedAppWindow({
    kobold: { answer, tokenMs: 150 },
  })
  const { page } = appWindow
  const ime = await page.context().newCDPSession(page)
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toMatch(/^、風/)

  let streamed = (await appWindow.offered()).length
  for (const step of ['k', 'か', 'かz', 'かぜ', '風', '風g', '風が']) {
    await appWindow.compose(ime, step)
    await expect.poll(async () => (await appWindow.offered()).length).toBeGreaterThan(streamed)
    streamed = (await appWindow.offered()).length
    expect(await appWindow.text()).toBe(openManuscript + step)
  }
  for (const key of ['Tab', 'Escape', 'Enter']) await appWindow.composingKey(ime, key)
  expect(await appWindow.text()).toBe(`${openManuscript}風が`)
  expect(requestsTo('/abort')).toBe(0)
  expect(kobold.current?.isRunning).toBe(true)

  await ime.send('Input.insertText', { text: '風が' })
  await expect.poll(() => appWindow.text()).toBe(`${openManuscript}風が`)
  kobold.options.tokenMs = 0
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await appWindow.idle()
  await expect.poll(() => onDisk()).toBe(`${openManuscript}風が`)
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe(`${openManuscript}風が${answer}`)
})

test('a composition elsewhere in the text is committed where it was begun', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, kobold, onDisk } = await openSharedAppWindow({ kobold: { answer, tokenMs: 40 } })
  const { page } = appWindow
  const ime = await page.context().newCDPSession(page)
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toMatch(/^、風/)
  await appWindow.caretTo(2, 0)
  for (const step of ['y', 'よ', 'よる', '夜、']) await appWindow.compose(ime, step)
  await ime.send('Input.insertText', { text: '夜、' })
  kobold.options.tokenMs = 0
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await expect.poll(() => onDisk()).toBe(openManuscript.replace('窓の外', '夜、窓の外'))
})

test('Ctrl+Enter in the midst of a composition starts nothing', async ({ openSharedAppWindow }) => {
  const { appWindow, generated } = await openSharedAppWindow({ kobold: { answer } })
  const { page } = appWindow
  const ime = await page.context().newCDPSession(page)
  await appWindow.compose(ime, 'かぜ')
  await appWindow.composingKey(ime, 'Enter', 'Control')
  await ime.send('Input.insertText', { text: '風' })
  await expect.poll(() => appWindow.text()).toBe(`${openManuscript}風`)
  expect(generated()).toEqual([])
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  expect(generated()).toHaveLength(1)
  expect(generated()[0]?.prompt).toMatch(/そして扉を開けると風$/)
})

import { expect, openManuscript, test } from '../support/drafting-test.ts'

const answer = '、風が吹き込んだ。\n\n「待って」と誰かが言った。彼女は振り返った。'
/** Slow enough that a test sees the states in between even on a busy machine. */
const slowMs = 400

test('text streams at its place and is not in the manuscript before it is accepted', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, kobold, onDisk } = await openSharedAppWindow({ kobold: { answer, tokenMs: slowMs } })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toMatch(/^、風/)
  expect((await appWindow.offered()).length).toBeLessThan(answer.length)
  await expect(appWindow.status).toContainText('書いています')
  kobold.options.tokenMs = 0
  await expect.poll(() => appWindow.offered()).toBe(answer)
  expect(await appWindow.text()).toBe(openManuscript)
  expect(await onDisk()).toBe(openManuscript)
})

test('Tab takes all of it in one undo step, and the file has it at once', async ({ openSharedAppWindow }) => {
  const { appWindow, onDisk } = await openSharedAppWindow({ kobold: { answer } })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await appWindow.idle()
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe(openManuscript + answer)
  await expect(appWindow.pending).toHaveCount(0)
  expect(await appWindow.text()).toBe(openManuscript + answer)
  await appWindow.press('Control+z')
  await expect.poll(() => appWindow.text()).toBe(openManuscript)
  await expect.poll(() => onDisk()).toBe(openManuscript)
})

test('Ctrl+→ takes one sentence after the other', async ({ openSharedAppWindow }) => {
  const { appWindow, onDisk } = await openSharedAppWindow({ kobold: { answer } })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await appWindow.press('Control+ArrowRight')
  expect(await appWindow.text()).toBe(`${openManuscript}、風が吹き込んだ。\n`)
  await appWindow.press('Control+ArrowRight')
  const second = `${openManuscript}、風が吹き込んだ。\n\n「待って」と誰かが言った。`
  expect(await appWindow.text()).toBe(second)
  await expect.poll(() => appWindow.offered()).toBe('彼女は振り返った。')
  await expect.poll(() => onDisk()).toBe(second)
  await appWindow.showTab('候補')
  const accepted = appWindow.takes.first().locator('mark')
  await expect(accepted).toHaveAttribute('title', '本文に入れた部分')
  await expect(accepted).toContainText('「待って」と誰かが言った。')
  await expect(accepted).not.toContainText('彼女は振り返った。')
})

test('Esc stops the server by the run’s own key, then puts the offer aside into the takes', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, kobold, generated } = await openSharedAppWindow({
    kobold: { answer: answer.repeat(20), tokenMs: 40 },
  })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toMatch(/^、風が/)
  await appWindow.press('Escape')
  await expect.poll(() => kobold.current?.isRunning).toBe(false)
  await appWindow.idle()
  const aborts = kobold.requests.filter(({ path }) => path.endsWith('/abort'))
  expect(aborts.map(({ body }) => body)).toEqual([{ genkey: generated()[0]?.genkey }])
  expect(kobold.current?.isAborted).toBe(true)

  const written = await appWindow.offered()
  expect(written).toMatch(/^、風が/)
  await appWindow.press('Escape')
  await expect(appWindow.pending).toHaveCount(0)
  expect(await appWindow.text()).toBe(openManuscript)
  await appWindow.showTab('候補')
  await expect(appWindow.takes).toHaveCount(1)
  expect(await appWindow.takes.locator('.take-text').textContent()).toBe(written)
})

test('Alt+R asks again, while it writes and after, and every take stays', async ({ openSharedAppWindow }) => {
  let asked = 0
  const answers = ['、一つ目。', '、二つ目。', `、三つ目。${'長い話。'.repeat(200)}`, '、四つ目。']
  const { appWindow, kobold } = await openSharedAppWindow({
    kobold: { answer: () => answers[asked++] ?? '' },
  })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe('、一つ目。')
  await appWindow.idle()
  await appWindow.press('Alt+r')
  await expect.poll(() => appWindow.offered()).toBe('、二つ目。')
  await appWindow.idle()
  kobold.options.tokenMs = 40
  await appWindow.press('Alt+r')
  await expect.poll(() => appWindow.offered()).toMatch(/^、三つ目。/)
  await appWindow.press('Alt+r')
  await expect.poll(() => appWindow.offered()).toBe('、四つ目。')
  expect(await appWindow.text()).toBe(openManuscript)

  await appWindow.showTab('候補')
  await expect(appWindow.takes).toHaveCount(4)
  const texts = await appWindow.takes.locator('.take-text').allTextContents()
  expect(texts.map((text) => text.slice(0, 5))).toEqual([
    '、四つ目。',
    '、三つ目。',
    '、二つ目。',
    '、一つ目。',
  ])
})

test('what the author types goes on while text streams, before the offer and away from it', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, kobold, onDisk } = await openSharedAppWindow({ kobold: { answer, tokenMs: slowMs } })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toMatch(/^、風/)
  await appWindow.caretTo(1, 0)
  await appWindow.page.keyboard.insertText('その日、')
  kobold.options.tokenMs = 0
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await appWindow.idle()
  await appWindow.press('Tab')
  const whole = `その日、${openManuscript}${answer}`
  await expect.poll(() => appWindow.text()).toBe(whole)
  await expect.poll(() => onDisk()).toBe(whole)
})

test('Tab while it writes takes what is there and ends the run', async ({ openSharedAppWindow }) => {
  const { appWindow, kobold, generated, onDisk } = await openSharedAppWindow({
    kobold: { answer: `、${'風が吹いた。'.repeat(300)}`, tokenMs: 40 },
  })
  await appWindow.press('Control+Enter')
  await expect.poll(async () => (await appWindow.offered()).length).toBeGreaterThan(10)
  await appWindow.press('Tab')
  await appWindow.idle()
  await expect.poll(() => kobold.current?.isRunning).toBe(false)
  expect(kobold.current?.isAborted).toBe(true)
  await expect(appWindow.pending).toHaveCount(0)
  const text = await appWindow.text()
  expect(text).toMatch(/扉を開けると、風が吹いた。/)
  await expect.poll(() => onDisk()).toBe(text)
  expect(generated()).toHaveLength(1)
  await appWindow.press('Control+z')
  await expect.poll(() => appWindow.text()).toBe(openManuscript)
})

test('the status bar tells the phases: waiting, reading the prompt, writing, with tokens', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, kobold } = await openSharedAppWindow({
    kobold: { answer: answer.repeat(60), tokenMs: 40, promptTokenMs: 20 },
  })
  await appWindow.press('Control+Enter')
  await expect(appWindow.status).toContainText(/順番を待っています|文脈を読んでいます/)
  await expect(appWindow.status).toContainText('書いています')
  await expect(appWindow.status).toContainText(/\d+ \/ 500 トークン/)
  await expect(appWindow.status).toContainText(/tok\/s/)
  await expect(
    appWindow.status.getByRole('button', { name: 'モデル：tiny-llama', exact: true }),
  ).toBeVisible()
  await appWindow.status.getByRole('button', { name: '停止' }).click()
  await expect.poll(() => kobold.current?.isAborted).toBe(true)
  await appWindow.idle()
})

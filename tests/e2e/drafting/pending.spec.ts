import { expect, openManuscript, test } from '../support/drafting-test.ts'

const answer = '、風が吹き込んだ。\n\n「待って」と誰かが言った。彼女は振り返った。'
/** So slow that what a test looks at in the meantime is there, however busy the machine is. */
const slowMs = 400

test('text streams at its place and is not in the manuscript before it is accepted', async ({ openDesk }) => {
  const { desk, kobold, onDisk } = await openDesk({ kobold: { answer, tokenMs: slowMs } })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toMatch(/^、風/)
  expect((await desk.offered()).length).toBeLessThan(answer.length)
  await expect(desk.status).toContainText('書いています')
  kobold.options.tokenMs = 0
  await expect.poll(() => desk.offered()).toBe(answer)
  expect(await desk.text()).toBe(openManuscript)
  expect(await onDisk()).toBe(openManuscript)
})

test('Tab takes all of it in one undo step, and the file has it at once', async ({ openDesk }) => {
  const { desk, onDisk } = await openDesk({ kobold: { answer } })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe(answer)
  await desk.idle()
  await desk.press('Tab')
  await expect.poll(() => onDisk()).toBe(openManuscript + answer)
  await expect(desk.pending).toHaveCount(0)
  expect(await desk.text()).toBe(openManuscript + answer)
  await desk.press('Control+z')
  await expect.poll(() => desk.text()).toBe(openManuscript)
  await expect.poll(() => onDisk()).toBe(openManuscript)
})

test('Ctrl+→ takes one sentence after the other', async ({ openDesk }) => {
  const { desk, onDisk } = await openDesk({ kobold: { answer } })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe(answer)
  await desk.press('Control+ArrowRight')
  expect(await desk.text()).toBe(`${openManuscript}、風が吹き込んだ。\n`)
  await desk.press('Control+ArrowRight')
  const second = `${openManuscript}、風が吹き込んだ。\n\n「待って」と誰かが言った。`
  expect(await desk.text()).toBe(second)
  await expect.poll(() => desk.offered()).toBe('彼女は振り返った。')
  await expect.poll(() => onDisk()).toBe(second)
})

test('Esc stops the server by the run’s own key, then puts the offer aside into the takes', async ({
  openDesk,
}) => {
  const { desk, kobold, generated } = await openDesk({ kobold: { answer: answer.repeat(20), tokenMs: 40 } })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toMatch(/^、風が/)
  await desk.press('Escape')
  await expect.poll(() => kobold.current?.isRunning).toBe(false)
  await desk.idle()
  const aborts = kobold.requests.filter(({ path }) => path.endsWith('/abort'))
  expect(aborts.map(({ body }) => body)).toEqual([{ genkey: generated()[0]?.genkey }])
  expect(kobold.current?.isAborted).toBe(true)

  const written = await desk.offered()
  expect(written).toMatch(/^、風が/)
  await desk.press('Escape')
  await expect(desk.pending).toHaveCount(0)
  expect(await desk.text()).toBe(openManuscript)
  await desk.showTab('候補')
  await expect(desk.takes).toHaveCount(1)
  expect(await desk.takes.locator('.take-text').textContent()).toBe(written)
})

test('Alt+R asks again, while it writes and after, and every take stays', async ({ openDesk }) => {
  let asked = 0
  const answers = ['、一つ目。', '、二つ目。', `、三つ目。${'長い話。'.repeat(200)}`, '、四つ目。']
  const { desk, kobold } = await openDesk({ kobold: { answer: () => answers[asked++] ?? '' } })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe('、一つ目。')
  await desk.idle()
  await desk.press('Alt+r')
  await expect.poll(() => desk.offered()).toBe('、二つ目。')
  await desk.idle()
  kobold.options.tokenMs = 40
  await desk.press('Alt+r')
  await expect.poll(() => desk.offered()).toMatch(/^、三つ目。/)
  await desk.press('Alt+r')
  await expect.poll(() => desk.offered()).toBe('、四つ目。')
  expect(await desk.text()).toBe(openManuscript)

  await desk.showTab('候補')
  await expect(desk.takes).toHaveCount(4)
  const texts = await desk.takes.locator('.take-text').allTextContents()
  expect(texts.map((text) => text.slice(0, 5))).toEqual([
    '、四つ目。',
    '、三つ目。',
    '、二つ目。',
    '、一つ目。',
  ])
})

test('what the author types goes on while text streams, before the offer and away from it', async ({
  openDesk,
}) => {
  const { desk, kobold, onDisk } = await openDesk({ kobold: { answer, tokenMs: slowMs } })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toMatch(/^、風/)
  await desk.caretTo(1, 0)
  await desk.page.keyboard.insertText('その日、')
  kobold.options.tokenMs = 0
  await expect.poll(() => desk.offered()).toBe(answer)
  await desk.idle()
  await desk.press('Tab')
  const whole = `その日、${openManuscript}${answer}`
  await expect.poll(() => desk.text()).toBe(whole)
  await expect.poll(() => onDisk()).toBe(whole)
})

test('Tab while it writes takes what is there and ends the run', async ({ openDesk }) => {
  const { desk, kobold, generated, onDisk } = await openDesk({
    kobold: { answer: `、${'風が吹いた。'.repeat(300)}`, tokenMs: 40 },
  })
  await desk.press('Control+Enter')
  await expect.poll(async () => (await desk.offered()).length).toBeGreaterThan(10)
  await desk.press('Tab')
  await desk.idle()
  await expect.poll(() => kobold.current?.isRunning).toBe(false)
  expect(kobold.current?.isAborted).toBe(true)
  await expect(desk.pending).toHaveCount(0)
  const text = await desk.text()
  expect(text).toMatch(/扉を開けると、風が吹いた。/)
  await expect.poll(() => onDisk()).toBe(text)
  expect(generated()).toHaveLength(1)
  await desk.press('Control+z')
  await expect.poll(() => desk.text()).toBe(openManuscript)
})

test('the status bar tells the phases: waiting, reading the prompt, writing, with tokens', async ({
  openDesk,
}) => {
  const { desk, kobold } = await openDesk({
    kobold: { answer: answer.repeat(60), tokenMs: 40, promptTokenMs: 20 },
  })
  await desk.press('Control+Enter')
  await expect(desk.status).toContainText(/順番を待っています|文脈を読んでいます/)
  await expect(desk.status).toContainText('書いています')
  await expect(desk.status).toContainText(/\d+ \/ 500 トークン/)
  await expect(desk.status).toContainText(/tok\/s/)
  await expect(desk.status.getByRole('button', { name: 'モデル：tiny-llama', exact: true })).toBeVisible()
  await desk.status.getByRole('button', { name: '停止' }).click()
  await expect.poll(() => kobold.current?.isAborted).toBe(true)
  await desk.idle()
})

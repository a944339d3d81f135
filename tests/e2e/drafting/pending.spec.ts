import { expect, openManuscript, test } from '../support/drafting-test.ts'

const answer = '、風が吹き込んだ。\n\n「待って」と誰かが言った。彼女は振り返った。'

test('text streams at its place and is not in the manuscript before it is accepted', async ({ openDesk }) => {
  const { desk, kobold, onDisk } = await openDesk({ kobold: { answer, tokenMs: 60 } })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toMatch(/^、風/)
  expect((await desk.offered()).length).toBeLessThan(answer.length)
  await expect(desk.status).toContainText('書いています')
  await expect.poll(() => desk.offered()).toBe(answer)
  expect(await desk.text()).toBe(openManuscript)
  expect(await onDisk()).toBe(openManuscript)
  kobold.options.tokenMs = 0
})

test('Tab takes all of it in one undo step, and the file has it within a second', async ({ openDesk }) => {
  const { desk, onDisk } = await openDesk({ kobold: { answer } })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe(answer)
  await desk.idle()
  const acceptedAt = Date.now()
  await desk.press('Tab')
  await expect(desk.pending).toHaveCount(0)
  expect(await desk.text()).toBe(openManuscript + answer)
  await expect.poll(onDisk, { intervals: [50] }).toBe(openManuscript + answer)
  expect(Date.now() - acceptedAt).toBeLessThan(1_500)
  await desk.press('Control+z')
  await expect.poll(() => desk.text()).toBe(openManuscript)
  await expect.poll(() => onDisk()).toBe(openManuscript)
})

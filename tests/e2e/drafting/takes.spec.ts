import { expect, openManuscript, page001, test } from '../support/drafting-test.ts'

const first = '、一つ目。'
const second = '、二つ目。'

test('a take is inserted from its card at the caret, as one undo step', async ({ openDesk }) => {
  const answers = [first, second]
  const { desk, onDisk } = await openDesk({
    kobold: { answer: () => answers.shift() ?? '' },
    drafting: { transferMode: 'cursor' },
  })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe(first)
  await desk.idle()
  await desk.press('Alt+r')
  await expect.poll(() => desk.offered()).toBe(second)
  await desk.idle()
  await desk.caretTo(1, 0)
  await desk.showTab('候補')
  const older = desk.takes.filter({ hasText: first })
  await older.getByRole('button', { name: '挿入' }).click()
  await expect.poll(() => onDisk()).toBe(first + openManuscript)
  await expect(older).toContainText('挿入済み')
  await desk.press('Control+z')
  await expect.poll(() => onDisk()).toBe(openManuscript)

  await desk.takes.filter({ hasText: second }).getByRole('button', { name: '挿入' }).click()
  await expect.poll(() => onDisk()).toBe(openManuscript + second)
  await expect(desk.pending).toHaveCount(0)
})

test('each take shows the very prompt that it was made from', async ({ openDesk }) => {
  const answers = [first, second]
  const { desk, generated } = await openDesk({ kobold: { answer: () => answers.shift() ?? '' } })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe(first)
  await desk.idle()
  await desk.press('Tab')
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe(second)
  await desk.showTab('候補')
  const prompts = generated().map(({ prompt }) => prompt)
  expect(prompts).toHaveLength(2)
  for (const [index, text] of [first, second].entries()) {
    await desk.showTab('候補')
    await desk.takes.filter({ hasText: text }).getByRole('button', { name: '文脈' }).click()
    await expect.poll(() => desk.shownPrompt()).toBe(prompts[index])
  }
  expect(prompts[0]).not.toBe(prompts[1])
})

test('a take of a complete sentence begins on a new line, and says so before it is taken', async ({
  openDesk,
}) => {
  const manuscript = `${openManuscript}、雨だった。`
  const { desk, onDisk } = await openDesk({
    files: { [page001]: manuscript },
    kobold: { answer: '\n　次の朝。\n晴れていた。' },
  })
  await desk.press('Control+Enter')
  await desk.idle()
  await expect.poll(() => desk.offered()).toContain('晴れていた。')
  await desk.press('Tab')
  await expect.poll(() => onDisk()).toBe(`${manuscript}\n　次の朝。\n晴れていた。`)
})

test('loading the window anew in mid-generation loses nothing', async ({ openDesk }) => {
  const answer = `、${'風が吹いた。'.repeat(30)}終わり。`
  const { desk, kobold, generated, onDisk } = await openDesk({ kobold: { answer, tokenMs: 200 } })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toMatch(/^、風が/)
  await desk.reload()
  await expect.poll(() => desk.offered()).toMatch(/^、風が吹いた。/)
  const seen = (await desk.offered()).length
  expect(seen).toBeLessThan(answer.length)
  await expect.poll(async () => (await desk.offered()).length).toBeGreaterThan(seen)
  kobold.options.tokenMs = 0
  await expect.poll(() => desk.offered()).toBe(answer)
  await desk.idle()
  expect(generated()).toHaveLength(1)
  await desk.caretToEnd()
  await desk.press('Tab')
  await expect.poll(() => onDisk()).toBe(openManuscript + answer)
})

test('an undecided continuation is still offered after the window, and after the host, came back', async ({
  openDesk,
}) => {
  const { desk, restart, onDisk } = await openDesk({ kobold: { answer: first } })
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe(first)
  await desk.idle()
  await desk.reload()
  await expect.poll(() => desk.offered()).toBe(first)
  await restart()
  await expect.poll(() => desk.offered()).toBe(first)
  expect(await onDisk()).toBe(openManuscript)
  await desk.press('Tab')
  await expect.poll(() => onDisk()).toBe(openManuscript + first)
  await desk.reload()
  await expect(desk.pending).toHaveCount(0)
})

test('a second window sees the run of the first', async ({ openDesk, context }) => {
  const { desk, host, onDisk } = await openDesk({ kobold: { answer: first } })
  const other = await desk.openAnother(context, host.link)
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe(first)
  await desk.idle()
  await desk.press('Tab')
  await expect.poll(() => onDisk()).toBe(openManuscript + first)
  await expect.poll(() => other.text()).toBe(openManuscript + first)
  await other.showTab('候補')
  await expect(other.takes.filter({ hasText: first })).toContainText('挿入済み')
})

test('a host that is killed in mid-generation leaves what was written among the takes', async ({
  openDesk,
}) => {
  const answer = `、${'風が吹いた。'.repeat(60)}`
  const { desk, restart, onDisk } = await openDesk({ kobold: { answer, tokenMs: 40 } })
  await desk.press('Control+Enter')
  await expect.poll(async () => (await desk.offered()).length).toBeGreaterThan(40)
  await restart('SIGKILL')
  expect(await onDisk()).toBe(openManuscript)
  await desk.showTab('候補')
  await expect(desk.takes).toHaveCount(1)
  const kept = (await desk.takes.locator('.take-text').textContent()) ?? ''
  expect(kept.length).toBeGreaterThan(10)
  expect(answer.startsWith(kept)).toBe(true)
  await expect.poll(() => desk.offered()).toBe(kept)
  await desk.editor.focus()
  await desk.press('Tab')
  await expect.poll(() => onDisk()).toBe(openManuscript + kept)
})

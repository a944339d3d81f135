import { expect, openManuscript, test } from '../support/drafting-test.ts'

const first = '、一つ目。'
const second = '、二つ目。'
const third = '　三つ目。'

/** Says one after another, then waits. */
function answering(...texts: string[]) {
  return { answer: () => texts.shift() ?? `、${'長い続き。'.repeat(80)}`, tokenMs: 15 }
}

test('endless generation piles up takes, goes on behind what is taken, and stops', async ({ openDesk }) => {
  const { desk, onDisk, generated } = await openDesk({ kobold: answering(first, second) })
  const { page } = desk
  await page.getByRole('button', { name: '続けて生成する' }).click()
  await desk.editor.focus()
  await expect(page.locator('.cm-pendingTakes')).toContainText('1/3')
  await expect(page.locator('.cm-pendingNote')).toContainText('3 本目 · Ctrl+Shift+G で停止')
  expect(await desk.offered()).toBe(first)

  await desk.press('Alt+ArrowRight')
  await expect.poll(() => desk.offered()).toBe(second)
  await desk.press('Tab')
  await expect.poll(() => onDisk()).toBe(openManuscript + second)
  await expect.poll(() => generated().at(-1)?.prompt ?? '').toContain(second)
  await expect.poll(() => desk.offered()).toMatch(/^\n?、長い/)
  await desk.press('Control+Shift+G')
  await desk.idle()
  await expect(page.locator('.cm-pendingNote')).not.toContainText('停止')
  expect(await onDisk()).toBe(openManuscript + second)
})

test('endless generation ends with a word where the server is gone', async ({ openDesk }) => {
  const { desk, kobold } = await openDesk({ kobold: answering(first) })
  await desk.press('Control+Shift+G')
  await expect.poll(() => desk.offered()).toBe(first)
  await expect(desk.page.locator('.cm-pendingTakes')).toContainText('1/2')
  await kobold.close()
  await expect(desk.page.getByText(/続けて生成は 2 本目で終わりました。.+/)).toBeVisible()
  expect(await desk.offered()).toBe(first)
})

test('takes are swapped where they stand, by mouse, by key and while an input method composes', async ({
  openDesk,
}) => {
  const answers = [first, second]
  const { desk, onDisk, context } = await openInPlace(openDesk, answers)
  const { page } = desk
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe(first)
  await desk.idle()
  // Over an offer the same key makes another take.
  await desk.press('Control+Enter')
  await expect.poll(() => desk.offered()).toBe(second)
  await desk.idle()
  await expect(page.locator('.cm-pendingTakes')).toContainText('2/2')
  await page.getByRole('button', { name: '前の候補' }).click()
  await expect.poll(() => desk.offered()).toBe(first)
  await desk.press('Alt+ArrowRight')
  await expect.poll(() => desk.offered()).toBe(second)

  const ime = await context.newCDPSession(page)
  await desk.compose(ime, 'かぜ')
  await page.getByRole('button', { name: '前の候補' }).click()
  await ime.send('Input.insertText', { text: '風' })
  await expect.poll(() => desk.text()).toBe(`${openManuscript}風`)
  expect(await desk.offered()).toMatch(/[一二]つ目。$/)
  await desk.press('Tab')
  await expect.poll(async () => (await onDisk()).startsWith(`${openManuscript}風、`)).toBe(true)
})

test('in mid-chapter it is asked once where to continue, and the view goes there', async ({ openDesk }) => {
  const { desk, onDisk, generated } = await openDesk({ kobold: { answer: third } })
  const { page } = desk
  await desk.caretTo(2, 0)
  await desk.press('Control+Enter')
  await page.getByRole('button', { name: '章の末尾から' }).click()
  await expect.poll(() => desk.offered()).toContain('三つ目。')
  await desk.idle()
  // The caret is at the place: one sentence can be taken at once.
  await desk.press('Control+ArrowRight')
  await expect.poll(() => onDisk()).toBe(openManuscript + third)
  await desk.caretTo(2, 0)
  await desk.press('Control+Enter')
  await expect.poll(() => generated().length).toBe(2)
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

type OpenDesk = Parameters<Parameters<typeof test>[2]>[0]['openDesk']
async function openInPlace(openDesk: OpenDesk, answers: string[]) {
  const open = await openDesk({ kobold: { answer: () => answers.shift() ?? '' } })
  return { ...open, context: open.desk.page.context() }
}

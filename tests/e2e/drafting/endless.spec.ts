import { expect, openManuscript, test } from '../support/drafting-test.ts'

const first = '、一つ目。'
const second = '、二つ目。'
const third = '　三つ目。'

/** Says one after another, then waits. */
function answering(...texts: string[]) {
  return { answer: () => texts.shift() ?? `、${'長い続き。'.repeat(80)}`, tokenMs: 15 }
}

test('endless generation piles up takes, goes on behind what is taken, and stops', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, onDisk, generated } = await openSharedAppWindow({ kobold: answering(first, second) })
  const { page } = appWindow
  await page.getByRole('button', { name: '連続で生成する' }).click()
  await appWindow.editor.focus()
  await expect(page.locator('.cm-pendingTakes')).toContainText('1/3')
  await expect(page.locator('.cm-pendingNote')).toContainText('3 本目 · Ctrl+Alt+G で停止')
  expect(await appWindow.offered()).toBe(first)

  await appWindow.press('Alt+ArrowRight')
  await expect.poll(() => appWindow.offered()).toBe(second)
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe(openManuscript + second)
  await expect.poll(() => generated().at(-1)?.prompt ?? '').toContain(second)
  await expect.poll(() => appWindow.offered()).toMatch(/^\n?、長い/)
  await appWindow.press('Control+Shift+G')
  await appWindow.idle()
  await expect(page.locator('.cm-pendingNote')).not.toContainText('停止')
  expect(await onDisk()).toBe(openManuscript + second)
})

test('endless generation ends with a word where the server is gone', async ({ openSharedAppWindow }) => {
  const { appWindow, kobold } = await openSharedAppWindow({ kobold: answering(first) })
  await appWindow.press('Control+Shift+G')
  await expect.poll(() => appWindow.offered()).toBe(first)
  await expect(appWindow.page.locator('.cm-pendingTakes')).toContainText('1/2')
  await kobold.close()
  await expect(appWindow.page.getByText(/連続生成は 2 本目で終わりました。.+/)).toBeVisible()
  expect(await appWindow.offered()).toBe(first)
})

test('takes are swapped where they stand, by mouse, by key and while an input method composes', async ({
  openSharedAppWindow,
}) => {
  const answers = [first, second]
  const { appWindow, onDisk, context } = await openInPlace(openSharedAppWindow, answers)
  const { page } = appWindow
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(first)
  await appWindow.idle()
  // Over an offer the same key makes another take.
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(second)
  await appWindow.idle()
  await expect(page.locator('.cm-pendingTakes')).toContainText('2/2')
  await page.getByRole('button', { name: '前の候補' }).click()
  await expect.poll(() => appWindow.offered()).toBe(first)
  await appWindow.press('Alt+ArrowRight')
  await expect.poll(() => appWindow.offered()).toBe(second)

  const ime = await context.newCDPSession(page)
  await appWindow.compose(ime, 'かぜ')
  await page.getByRole('button', { name: '前の候補' }).click()
  await ime.send('Input.insertText', { text: '風' })
  await expect.poll(() => appWindow.text()).toBe(`${openManuscript}風`)
  expect(await appWindow.offered()).toMatch(/[一二]つ目。$/)
  await appWindow.press('Tab')
  await expect.poll(async () => (await onDisk()).startsWith(`${openManuscript}風、`)).toBe(true)
})

test('in mid-chapter it is asked once where to continue, and the view goes there', async ({
  openSharedAppWindow,
}) => {
  const filling = '風が立った。\n窓の外で猫が鳴いた。時計は'
  const answer = (prompt: string) => (prompt.includes('【この後に') ? filling : third)
  const { appWindow, onDisk, generated } = await openSharedAppWindow({ kobold: { answer } })
  const { page } = appWindow
  await appWindow.caretTo(2, 0)
  await appWindow.press('Control+Enter')
  await page.getByRole('button', { name: '章の末尾から' }).click()
  await expect.poll(() => appWindow.offered()).toContain('三つ目。')
  await appWindow.idle()
  // The caret is at the place: one sentence can be taken at once.
  await appWindow.press('Control+ArrowRight')
  await expect.poll(() => onDisk()).toBe(openManuscript + third)
  await appWindow.caretTo(2, 0)
  await appWindow.press('Control+Enter')
  await expect.poll(() => generated().length).toBe(2)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await appWindow.idle()

  // From the caret: the model is told what follows, and the offer ends where it arrives there.
  await appWindow.press('Escape')
  const before = await onDisk()
  await appWindow.caretTo(2, 0)
  await appWindow.press('Control+Shift+Enter')
  await expect.poll(() => appWindow.offered()).toBe('風が立った。\n')
  await appWindow.idle()
  expect(generated().at(-1)?.prompt).toContain('【この後に続く文章】\n```\n窓の外で猫が鳴いた。\n')
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe(before.replace('窓の外で', '風が立った。\n窓の外で'))
  await appWindow.showTab('候補')
  await expect(appWindow.takes.first()).toContainText('この後に続く文章につながったところで終えました。')
})

type OpenSharedAppWindow = Parameters<Parameters<typeof test>[2]>[0]['openSharedAppWindow']
async function openInPlace(openSharedAppWindow: OpenSharedAppWindow, answers: string[]) {
  const open = await openSharedAppWindow({ kobold: { answer: () => answers.shift() ?? '' } })
  return { ...open, context: open.appWindow.page.context() }
}

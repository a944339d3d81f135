import { expect, openManuscript, page001, test } from '../support/drafting-test.ts'
import { shoot } from '../support/shoot.ts'

const first = '、一つ目。'
const second = '、二つ目。'

test('a take is inserted from its card at the caret, as one undo step', async ({ openSharedAppWindow }) => {
  const answers = [first, second]
  const { appWindow, onDisk } = await openSharedAppWindow({
    kobold: { answer: () => answers.shift() ?? '' },
    drafting: { transferMode: 'cursor' },
  })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(first)
  await appWindow.idle()
  await appWindow.showTab('候補')
  await expect(appWindow.takes).toHaveCount(1)
  await expect(appWindow.takes.getByRole('button', { name: '比べる' })).toHaveCount(0)
  await appWindow.editor.focus()
  await appWindow.press('Alt+r')
  await expect.poll(() => appWindow.offered()).toBe(second)
  await appWindow.idle()
  await appWindow.caretTo(1, 0)
  await appWindow.showTab('候補')
  const older = appWindow.takes.filter({ hasText: first })
  await test.step('two takes are compared, with what only one of them has marked', async () => {
    await older.getByRole('button', { name: '比べる' }).click()
    const dialog = appWindow.page.getByRole('dialog', { name: '候補を比べる' })
    await expect(dialog.getByRole('status')).toHaveText('下線は、もう一方にない語です。')
    await expect(dialog.locator('.compare-only')).toHaveText([/一/, /二/])
    await expect(dialog.locator('.compare-only').first()).not.toContainText('目')
    await shoot(appWindow.page, 'compare-ja')
    await appWindow.press('Escape')
    await appWindow.caretTo(1, 0)
  })
  await older.getByRole('button', { name: '挿入' }).click()
  await expect.poll(() => onDisk()).toBe(first + openManuscript)
  await expect(older).toContainText('挿入済み')
  await appWindow.press('Control+z')
  await expect.poll(() => onDisk()).toBe(openManuscript)

  await appWindow.takes.filter({ hasText: second }).getByRole('button', { name: '挿入' }).click()
  await expect.poll(() => onDisk()).toBe(openManuscript + second)
  await expect(appWindow.pending).toHaveCount(0)
})

test('each take shows the very prompt that it was made from', async ({ openSharedAppWindow }) => {
  const answers = [first, second]
  const { appWindow, generated } = await openSharedAppWindow({
    kobold: { answer: () => answers.shift() ?? '' },
  })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(first)
  await appWindow.idle()
  await appWindow.press('Tab')
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(second)
  await appWindow.showTab('候補')
  const prompts = generated().map(({ prompt }) => prompt)
  expect(prompts).toHaveLength(2)
  for (const [index, text] of [first, second].entries()) {
    await appWindow.showTab('候補')
    await appWindow.takes.filter({ hasText: text }).getByRole('button', { name: 'その他の操作' }).click()
    await appWindow.page.getByRole('menuitem', { name: '送った内容' }).click()
    await expect.poll(() => appWindow.shownPrompt()).toBe(prompts[index])
  }
  expect(prompts[0]).not.toBe(prompts[1])
})

test('a take of a complete sentence begins on a new line, and says so before it is taken', async ({
  openSharedAppWindow,
}) => {
  const manuscript = `${openManuscript}、雨だった。`
  const { appWindow, onDisk } = await openSharedAppWindow({
    files: { [page001]: manuscript },
    kobold: { answer: '\n　次の朝。\n晴れていた。' },
  })
  await appWindow.press('Control+Enter')
  await appWindow.idle()
  await expect.poll(() => appWindow.offered()).toContain('晴れていた。')
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe(`${manuscript}\n　次の朝。\n晴れていた。`)
  await appWindow.showTab('候補')
  expect(await appWindow.takes.first().locator('.take-text').innerText()).toBe('　次の朝。\n晴れていた。')
})

test('loading the window anew in mid-generation loses nothing', async ({ openSharedAppWindow }) => {
  const answer = `、${'風が吹いた。'.repeat(30)}終わり。`
  const { appWindow, kobold, generated, onDisk } = await openSharedAppWindow({
    kobold: { answer, tokenMs: 200 },
  })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toMatch(/^、風が/)
  await appWindow.reload()
  await expect.poll(() => appWindow.offered()).toMatch(/^、風が吹いた。/)
  const seen = (await appWindow.offered()).length
  expect(seen).toBeLessThan(answer.length)
  await expect.poll(async () => (await appWindow.offered()).length).toBeGreaterThan(seen)
  kobold.options.tokenMs = 0
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await appWindow.idle()
  expect(generated()).toHaveLength(1)
  await appWindow.caretToEnd()
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe(openManuscript + answer)
})

test('an undecided continuation is still offered after the window, and after the host, came back; a host that is killed in mid-generation leaves what was written among the takes', async ({
  openAppWindow,
}) => {
  const short = '、一つ目の'
  const long = `、${'風が吹いた。'.repeat(200)}`
  const answers = [short, long]
  const { appWindow, kobold, restart, onDisk } = await openAppWindow({
    kobold: { answer: () => answers.shift() ?? '' },
  })
  await test.step('after the window, and after the host', async () => {
    await appWindow.press('Control+Enter')
    await expect.poll(() => appWindow.offered()).toBe(short)
    await appWindow.idle()
    await appWindow.reload()
    await expect.poll(() => appWindow.offered()).toBe(short)
    await restart()
    await expect.poll(() => appWindow.offered()).toBe(short)
    expect(await onDisk()).toBe(openManuscript)
    await appWindow.press('Tab')
    await expect.poll(() => onDisk()).toBe(openManuscript + short)
    await appWindow.reload()
    await expect(appWindow.pending).toHaveCount(0)
  })
  await test.step('killed in mid-generation', async () => {
    kobold.options.tokenMs = 40
    await appWindow.caretToEnd()
    await appWindow.press('Control+Enter')
    await expect.poll(async () => (await appWindow.offered()).length).toBeGreaterThan(20)
    const sure = await appWindow.offered()
    // Text older than a second is not lost, unless the machine is too slow; hence the longer wait.
    await appWindow.page.waitForTimeout(3_000)
    await restart('SIGKILL')
    expect(await onDisk()).toBe(openManuscript + short)
    await appWindow.showTab('候補')
    await expect(appWindow.takes).toHaveCount(2)
    const kept = (await appWindow.takes.first().locator('.take-text').textContent()) ?? ''
    expect(kept.startsWith(sure)).toBe(true)
    expect(kept.length).toBeLessThan(long.length)
    expect(long.startsWith(kept)).toBe(true)
    await expect.poll(() => appWindow.offered()).toBe(kept)
    await appWindow.editor.focus()
    await appWindow.press('Tab')
    await expect.poll(() => onDisk()).toBe(openManuscript + short + kept)
  })
})

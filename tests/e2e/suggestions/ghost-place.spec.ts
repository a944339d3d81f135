import { expect, test } from '../window/session-test.ts'
import { GhostPage } from './ghost-page.ts'

const words = 'テストを実行'
const long =
  'src/renderer/features/message-box/very/long/path/of/a/file/that/nobody/types.test.ts を直して、もう一度テスト'

test('the ghost is no part of the text, and is heard with how it is taken', async ({ session, page }) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  await expect(session.box).toHaveAttribute('aria-placeholder', /./)
  await ghost.offer(words)
  await expect(ghost.text).toHaveAttribute('aria-hidden', 'true')
  await expect(session.box).not.toHaveAttribute('aria-placeholder', /./)
  await expect(session.box).toHaveAccessibleDescription(`提案：${words} Tab 採用 Enter 送る Ctrl → 一語ずつ`)
  await expect(page.locator('.box-hint')).toHaveRole('status')
  await page.keyboard.press('Control+a')
  expect(await page.evaluate(() => getSelection()?.toString().trim())).toBe('')
  const copied = await page.evaluate(() => {
    const data = new DataTransfer()
    const event = new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true })
    document.querySelector('.message-box .cm-content')?.dispatchEvent(event)
    return data.getData('text/plain')
  })
  expect(copied.trim()).toBe('')
  await expect(ghost.text).toHaveText(words)
  await expect(page.getByRole('button', { name: '送る', exact: true })).toBeDisabled()
})

test('nothing that is being read moves for a ghost of several lines', async ({ session, page }) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  const above = () => session.log.boundingBox()
  const box = page.locator('.message-box')
  const before = await above()
  const height = (await box.boundingBox())?.height ?? 0
  await ghost.offer(words)
  expect([await above(), (await box.boundingBox())?.height]).toEqual([before, height])
  await page.keyboard.press('Escape')
  await ghost.offer(long)
  expect((await box.boundingBox())?.height).toBeGreaterThan(height)
  expect(await above()).toEqual(before)
  await page.keyboard.press('Escape')
  await expect(ghost.text).toHaveCount(0)
  expect([await above(), (await box.boundingBox())?.height]).toEqual([before, height])
})

test('it gives way to whatever asks for the user, and comes back after it', async ({ session, page }) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  await ghost.offer(words)
  await test.step('a dialog', async () => {
    await page.keyboard.press('Control+Shift+p')
    await expect(page.getByRole('dialog')).toBeVisible()
    await expect(ghost.text).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(ghost.text).toHaveText(words)
  })
  await test.step('a gate', async () => {
    await page.evaluate(() => harness.host.sessions.change('session-3', { openGates: ['gate-1'] }))
    await expect(ghost.text).toHaveCount(0)
    await page.evaluate(() => harness.host.sessions.change('session-3', { openGates: [] }))
    await expect(ghost.text).toHaveText(words)
  })
  await test.step('a run', async () => {
    await session.works(true)
    await expect(ghost.text).toHaveCount(0)
    await session.works(false)
    await expect(ghost.text).toHaveText(words)
  })
  await test.step('a message that is written anew', async () => {
    await session.box.focus()
    const message = session.log.getByRole('article', { name: 'あなた' })
    await message.hover()
    await message.getByRole('button', { name: '編集して送る' }).click()
    await expect(ghost.text).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(ghost.text).toHaveText(words)
  })
  await test.step('a lost connection', async () => {
    await page.evaluate(() => harness.connection.drop())
    await expect.poll(() => session.asked('suggestion.watch').then(({ length }) => length)).toBeGreaterThan(1)
    await expect(ghost.text).toHaveText(words)
  })
  expect(await session.asked('suggestion.outcome')).toEqual([])
  await test.step('another session', async () => {
    await page.evaluate(() => harness.host.suggestions.offer('別の'))
    await session.list
      .getByRole('button', { name: /^テストを増やす/ })
      .first()
      .click()
    await expect(ghost.text).toHaveText('別の')
    await page.keyboard.press('Tab')
    await expect(session.box).toHaveText('別の')
    expect(await session.asked('suggestion.outcome')).toMatchObject([{ sessionId: 'session-2' }])
  })
})

test('one that another window has taken stays in the box, unsent', async ({ session, page }) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  await page.evaluate(() => {
    harness.host.suggestions.isTooLate = true
  })
  await ghost.offer(words)
  await page.keyboard.press('Enter')
  await expect(session.box).toHaveText(words)
  await expect.poll(() => session.asked('suggestion.outcome')).toHaveLength(1)
  expect(await ghost.sent()).toEqual([])
  await page.keyboard.press('Alt+m')
  await page.keyboard.press('Enter')
  await expect.poll(() => ghost.sent()).toEqual([words])
})

test('a pause for the cost is said in one line, which resumes or hides', async ({ session, page }) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  const notice = page.locator('.paused-suggestions')
  const pause = (suppressed: string) =>
    page.evaluate(
      (reason) =>
        harness.host.suggestions.become({ suggestionId: null, text: null, source: null, suppressed: reason }),
      suppressed,
    )
  await pause('paused_cache')
  await expect(notice).toContainText('会話を読み直し')
  await notice.getByRole('button', { name: '再開する' }).click()
  await expect(notice).toHaveCount(0)
  expect(await session.asked('suggestion.resume')).toHaveLength(1)
  await pause('paused_timeouts')
  await expect(notice).toContainText('続けて時間切れ')
  await notice.getByRole('button', { name: '隠す' }).click()
  await expect(notice).toHaveCount(0)
  await pause('no_shared_prefix')
  await pause('paused_timeouts')
  await ghost.offer(words)
  await expect(notice).toHaveCount(0)
  expect(await session.asked('suggestion.resume')).toHaveLength(1)
})

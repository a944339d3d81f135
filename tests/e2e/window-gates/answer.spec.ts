import { expect, type Page } from '@playwright/test'
import { stillTest, test } from './gates-test.ts'

stillTest('a gate takes no answer before it could be read, and looks that way', async ({ gates, page }) => {
  await gates.openStill('scene=edit')
  const apply = gates.gate.getByRole('button', { name: '適用' })
  await expect(apply).toHaveAttribute('aria-disabled', 'true')
  await expect(apply).toHaveCSS('opacity', '0.5')
  await expect(gates.gate).toContainText('読むための間を置いています')
  // Playwright itself would wait until it can be pressed.
  await apply.click({ force: true })
  await gates.gate.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await gates.pass(700)
  await expect(apply).toHaveAttribute('aria-disabled', 'false')
  expect(await gates.answers()).toEqual([])
  await apply.click()
  await expect(page.getByText('許可')).toBeVisible()
  const [answer] = await gates.answers()
  expect(answer).toMatchObject({ gateId: 'gate-1', verdict: 'approve', remember: null, reason: null })
  expect(answer?.sincePaintedMs).toBeGreaterThanOrEqual(700)
  expect(answer?.answers).toEqual([
    { callId: 'call-1', shownHash: 'hash-1', isApproved: true, refusedHunks: [] },
  ])
})

stillTest(
  'a press that began before the gate could be read says nothing when it ends later',
  async ({ gates, page }) => {
    await gates.openStill('scene=quiet')
    const run = gates.gate.getByRole('button', { name: '実行' })
    await run.hover({ force: true })
    await page.mouse.down()
    await gates.pass(700)
    await expect(run).toHaveAttribute('aria-disabled', 'false')
    await page.mouse.up()
    await expect(run).toBeVisible()
    expect(await gates.answers()).toEqual([])
    await page.mouse.down()
    await page.mouse.up()
    await expect(page.getByText('許可')).toBeVisible()
  },
)

stillTest('a key that is held down from before does not answer', async ({ gates, page }) => {
  await gates.openStill('scene=quiet')
  const run = gates.gate.getByRole('button', { name: '実行' })
  for (const held of [gates.gate, run]) {
    await held.focus()
    await page.keyboard.down('Enter')
    await gates.passUntilRead()
    for (let times = 0; times < 5; times++) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await expect(run).toBeVisible()
    expect(await gates.answers()).toEqual([])
    await changeHash(page)
    await expect(run).toHaveAttribute('aria-disabled', 'true')
  }
})

/** Changes the gate's content and hash, as an edit from outside does. */
async function changeHash(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { host, sessionId } = parts
    const item = host.sessions.get(sessionId).items.find((one) => one.kind === 'gate')
    if (item?.kind !== 'gate') throw new Error('no gate')
    const calls = item.gate.calls.map((call) => ({ ...call, hash: `${call.hash}'` }))
    host.sessions.put(sessionId, { ...item, gate: { ...item.gate, calls } })
  })
}

stillTest(
  'a gate out of sight is not read: the time begins when it is scrolled to',
  async ({ gates, page }) => {
    await page.clock.install()
    await gates.open('scene=quiet&far&later')
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000))
    await page.evaluate(() => dispatchEvent(new Event('open-gates')))
    const run = gates.gate.getByRole('button', { name: '実行' })
    for (let times = 0; times < 10; times++) await gates.pass(200)
    await expect(run).toHaveAttribute('aria-disabled', 'true')
    await gates.gate.scrollIntoViewIfNeeded()
    await gates.painted('gate-1')
    await expect(run).toHaveAttribute('aria-disabled', 'true')
    await gates.pass(700)
    await expect(run).toHaveAttribute('aria-disabled', 'false')
  },
)

stillTest(
  'a gate under a dialog is not read: the time begins when nothing lies over it',
  async ({ gates, page }) => {
    await page.clock.install()
    await gates.open('scene=quiet&later')
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000))
    await page.evaluate(() => parts.store.getState().ui.open({ kind: 'undo-turn', turn: 1 }))
    await page.evaluate(() => dispatchEvent(new Event('open-gates')))
    for (let times = 0; times < 10; times++) await gates.pass(200)
    await page.keyboard.press('Escape')
    const run = gates.gate.getByRole('button', { name: '実行' })
    await gates.painted('gate-1')
    await expect(run).toHaveAttribute('aria-disabled', 'true')
    await gates.pass(700)
    await expect(run).toHaveAttribute('aria-disabled', 'false')
  },
)

test('Enter approves only on the card itself; Escape steps back to it, then refuses', async ({
  gates,
  page,
}) => {
  await gates.open('scene=edit')
  await gates.read()
  const refuseFirst = gates.gate
    .getByRole('group', { name: /^変更 1（/ })
    .getByRole('button', { name: '却下' })
  await refuseFirst.focus()
  await page.keyboard.press('Enter')
  await expect(refuseFirst).toHaveAttribute('aria-pressed', 'true')
  expect(await gates.answers()).toEqual([])
  await page.keyboard.press('Escape')
  await expect(gates.gate).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByText('却下')).toBeVisible()
  const [answer] = await gates.answers()
  expect(answer).toMatchObject({ verdict: 'refuse', reason: null })
  expect(answer?.answers.map((one) => one.isApproved)).toEqual([false])
})

test('a new gate leaves the focus where it is; Alt+G leads to it, and an answer leads back', async ({
  gates,
  page,
}) => {
  await gates.open('scene=edit&later')
  const box = page.getByRole('textbox', { name: 'box' })
  await box.focus()
  await page.keyboard.type('書きか')
  await page.evaluate(() => dispatchEvent(new Event('open-gates')))
  await gates.read()
  await page.keyboard.type('け')
  await page.keyboard.press('Enter')
  await expect(box).toHaveValue('書きかけ\n')
  expect(await gates.answers()).toEqual([])
  await expect(gates.gate).toContainText('Alt G')
  await page.keyboard.press('Alt+g')
  await expect(gates.gate).toBeFocused()
  await expect(gates.gate).toContainText('Enter')
  await expect(gates.gate).toHaveCSS('outline-style', 'solid')
  await page.keyboard.press('Enter')
  await expect(page.getByText('許可')).toBeVisible()
  await expect(box).toBeFocused()
})

test('the reason of a refusal is written with an input method; its keys belong to it', async ({
  gates,
  page,
}) => {
  await gates.open('scene=edit')
  await gates.read()
  await gates.gate.getByRole('button', { name: '理由を添えて却下' }).click()
  const reason = gates.gate.getByRole('textbox', { name: '却下の理由' })
  await expect(reason).toBeFocused()
  const ime = await page.context().newCDPSession(page)
  await ime.send('Input.imeSetComposition', { text: 'ひょうじゅん', selectionStart: 6, selectionEnd: 6 })
  for (const key of ['Enter', 'Escape']) {
    await ime.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, windowsVirtualKeyCode: 229 })
    await ime.send('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode: 229 })
  }
  await expect(reason).toBeVisible()
  await ime.send('Input.insertText', { text: '標準を使う' })
  await expect(reason).toHaveValue('標準を使う')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('理由：標準を使う')).toBeVisible()
  expect(await gates.answers()).toMatchObject([{ verdict: 'refuse', reason: '標準を使う' }])
})

test('Escape closes the reason and leaves the gate open', async ({ gates, page }) => {
  await gates.open('scene=edit')
  await gates.read()
  await gates.gate.getByRole('button', { name: '理由を添えて却下' }).click()
  await page.keyboard.press('Escape')
  await expect(gates.gate.getByRole('textbox')).toHaveCount(0)
  await expect(gates.gate).toBeFocused()
  expect(await gates.answers()).toEqual([])
})

test('what may be allowed from now on is named by its pattern', async ({ gates, page }) => {
  await gates.open('scene=quiet')
  await gates.read()
  await gates.gate.getByRole('button', { name: '常に許可：npm test *' }).click()
  await expect(page.getByText('許可')).toBeVisible()
  expect(await gates.answers()).toMatchObject([{ verdict: 'approve', remember: 'always' }])
})

test('what may never be allowed for good is not offered to be', async ({ gates }) => {
  await gates.open('scene=command')
  await gates.read()
  await expect(gates.gate.getByRole('button', { name: /許可/ })).toHaveCount(0)
})

test('an answer that came too late or too early says why, at the gate', async ({ gates, page }) => {
  await gates.open('scene=quiet')
  await gates.read()
  await page.evaluate(() => {
    parts.host.sessions.get(parts.sessionId).items = []
  })
  await gates.gate.getByRole('button', { name: '実行' }).click()
  await expect(gates.gate.getByRole('alert')).toContainText(/承認/)
  await expect(gates.gate.getByRole('button', { name: '実行' })).toHaveAttribute('aria-disabled', 'false')
})

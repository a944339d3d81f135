import { expect, test } from './session-test.ts'

test('Alt+G brings a gate that is out of sight, an answer by key leads back to the message', async ({
  session,
  page,
}) => {
  await session.open()
  await page.keyboard.type('書きかけ')
  await page.evaluate(() => {
    const { sessions } = harness.host
    const answer = sessions.get('session-3').items.find((item) => item.kind === 'answer')
    if (answer?.kind !== 'answer') throw new Error('no answer')
    for (let at = 0; at < 30; at++) {
      sessions.put('session-3', {
        ...answer,
        itemId: `later-${at}`,
        seq: 500 + at,
        text: '段落。\n\n'.repeat(8),
      })
    }
  })
  const gate = page.getByRole('region', { name: /^承認：/ })
  await page.getByRole('log', { name: '会話' }).evaluate((log) => log.scrollTo(0, log.scrollHeight))
  await expect(gate).not.toBeInViewport()
  await page.keyboard.press('Alt+g')
  await expect(gate).toBeInViewport()
  await expect(gate).toBeFocused()
  await expect(gate.getByRole('button', { name: '適用' })).toHaveAttribute('aria-disabled', 'false')
  await page.keyboard.press('Enter')
  await expect(page.getByText('許可')).toBeVisible()
  await expect(session.box).toBeFocused()
  await expect(session.box).toHaveText('書きかけ')
})

test('choices at a gate outlive being scrolled away from', async ({ session, page }) => {
  await session.open()
  const gate = page.getByRole('region', { name: /^承認：/ })
  const refuse = gate.getByRole('group', { name: /^変更 1（/ }).getByRole('button', { name: '却下' })
  await refuse.click()
  await page.evaluate(() => {
    const { sessions } = harness.host
    const answer = sessions.get('session-3').items.find((item) => item.kind === 'answer')
    if (answer?.kind !== 'answer') throw new Error('no answer')
    for (let at = 0; at < 60; at++) {
      sessions.put('session-3', {
        ...answer,
        itemId: `later-${at}`,
        seq: 500 + at,
        text: '段落。\n\n'.repeat(8),
      })
    }
  })
  await page.getByRole('log', { name: '会話' }).evaluate((log) => log.scrollTo(0, log.scrollHeight))
  await expect(gate).toHaveCount(0)
  await page.keyboard.press('Alt+g')
  await expect(refuse).toHaveAttribute('aria-pressed', 'true')
  await expect(gate).toContainText('却下')
})

test('of a long gate what it asks and its answers stay in sight, and never over what has the focus', async ({
  session,
  page,
}) => {
  await session.open()
  await page.evaluate(() => {
    const { sessions } = harness.host
    const lines = Array.from({ length: 120 }, (_, at) => `export const value${at} = ${at}`)
    const oldText = lines.join('\n')
    const newText = lines.map((line, at) => (at % 30 === 5 ? line.replace('const', 'let') : line)).join('\n')
    sessions.diffs = [{ path: 'src/date.ts', oldText, newText }]
    const item = sessions.get('session-3').items.find((one) => one.kind === 'gate')
    if (item?.kind !== 'gate') throw new Error('no gate')
    const calls = item.gate.calls.map((call) => ({
      ...call,
      hash: 'hash-long',
      files: call.files.map((file) => ({ ...file, hunks: 4 })),
    }))
    sessions.put('session-3', { ...item, gate: { ...item.gate, calls } })
  })
  const gate = page.getByRole('region', { name: /^承認：/ })
  const title = gate.getByText('1 個のファイルを変更')
  const approve = gate.getByRole('button', { name: '適用' })
  const places = gate.getByRole('group').getByRole('button', { name: '却下' })
  await expect(places).toHaveCount(4)
  const log = page.getByRole('log', { name: '会話' })
  for (const end of ['end', 'start'] as const) {
    await gate.evaluate((card, block) => card.scrollIntoView({ block }), end)
    await expect(title).toBeInViewport()
    await expect(approve).toBeInViewport()
  }
  expect((await gate.boundingBox())?.height).toBeGreaterThan((await log.boundingBox())?.height ?? 0)
  for (const place of await places.all()) {
    await place.focus()
    const isOnTop = await place.evaluate((button) => {
      const { left, top, width, height } = button.getBoundingClientRect()
      return button.contains(document.elementFromPoint(left + width / 2, top + height / 2))
    })
    expect(isOnTop).toBe(true)
  }
})

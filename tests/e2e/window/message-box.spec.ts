import { expect, test } from './session-test.ts'

const text = (value: string) => [{ kind: 'text', text: value }]

test('Enter sends, Shift+Enter breaks the line', async ({ session, page }) => {
  await session.open()
  await page.keyboard.type('一行目')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('二行目')
  await page.keyboard.press('Enter')
  await expect.poll(() => session.asked('session.send')).toHaveLength(1)
  expect(await session.asked('session.send')).toMatchObject([
    { segments: text('一行目\n二行目'), how: 'send' },
  ])
  await expect(session.box).not.toContainText('一行目')
})

test('Enter that belongs to an input method sends nothing', async ({ session, page }) => {
  await session.open()
  const ime = await session.keyboard()
  const compose = (value: string) =>
    ime.send('Input.imeSetComposition', {
      text: value,
      selectionStart: value.length,
      selectionEnd: value.length,
    })
  for (const step of ['h', 'は', 'はi', 'はい']) await compose(step)
  const enter = { type: 'rawKeyDown', windowsVirtualKeyCode: 229, key: 'Enter', code: 'Enter' } as const
  await ime.send('Input.dispatchKeyEvent', enter)
  await ime.send('Input.dispatchKeyEvent', {
    type: 'rawKeyDown',
    windowsVirtualKeyCode: 13,
    key: 'Enter',
    code: 'Enter',
  })
  expect(await session.asked('session.send')).toEqual([])
  await ime.send('Input.insertText', { text: 'はい' })
  await expect(session.box).toHaveText('はい')
  await page.keyboard.press('Enter')
  await expect.poll(() => session.asked('session.send')).toMatchObject([{ segments: text('はい') }])
})

test('a message names the gate that stood there, and how long it had stood', async ({ session, page }) => {
  await session.open()
  // It can be pressed once it was painted for 700 ms.
  const yes = session.log.getByRole('button', { name: '適用' })
  await expect(yes).not.toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.type('はい')
  await page.keyboard.press('Enter')
  await expect.poll(() => session.asked('session.send')).toHaveLength(1)
  const [sent] = (await session.asked('session.send')) as {
    gate: { gateId: string; sincePaintedMs: number }
  }[]
  expect(sent?.gate.gateId).toBe('gate-1')
  expect(sent?.gate.sincePaintedMs).toBeGreaterThanOrEqual(700)
})

test('a message begun before the gate stood there says so', async ({ session, page }) => {
  await session.open()
  const gate = await page.evaluate(() => {
    const { sessions } = harness.host
    const item = sessions.get('session-3').items.at(-1)
    sessions.change('session-3', { openGates: [] })
    return item
  })
  await page.keyboard.type('はい')
  await page.evaluate((item) => {
    if (item?.kind !== 'gate') throw new Error('no gate')
    const next = { ...item, itemId: 'late', seq: 900, gate: { ...item.gate, gateId: 'gate-2' } }
    harness.host.sessions.put('session-3', next)
    harness.host.sessions.change('session-3', { openGates: ['gate-2'] })
  }, gate)
  // For Enter the gate was shown long enough: the time at which the message was begun counts.
  const yes = session.log.getByRole('button', { name: '適用' }).last()
  await expect(yes).not.toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('Enter')
  await expect.poll(() => session.asked('session.send')).toHaveLength(1)
  const [sent] = (await session.asked('session.send')) as { gate: { sincePaintedMs: number } }[]
  expect(sent?.gate.sincePaintedMs).toBeLessThan(0)
})

test('during a run Enter queues, Ctrl+Enter steers, Alt+Enter asks beside', async ({ session, page }) => {
  await session.open()
  await session.works(true)
  for (const keys of ['Enter', 'Control+Enter', 'Alt+Enter']) {
    await session.box.fill('次')
    await page.keyboard.press(keys)
    await expect(session.box).not.toContainText('次')
  }
  const how = ((await session.asked('session.send')) as { how: string }[]).map((one) => one.how)
  expect(how).toEqual(['send', 'steer', 'beside'])
})

test('what waits can be taken back', async ({ session, page }) => {
  await session.open()
  await session.works(true)
  await page.evaluate(() => {
    const queue = [{ messageId: 'm1', segments: [{ kind: 'text' as const, text: '型も直して' }] }]
    harness.host.sessions.change('session-3', { queue })
  })
  await expect(page.getByRole('list', { name: '順番待ちのメッセージ' })).toContainText('型も直して')
  await page.keyboard.press('ArrowUp')
  await expect(session.box).toHaveText('型も直して')
  await expect(page.getByRole('list', { name: '順番待ちのメッセージ' })).toHaveCount(0)
})

test('the box and what waits over it stay within a low window', async ({ session, page }) => {
  await session.open()
  await session.works(true)
  await page.setViewportSize({ width: 1100, height: 400 })
  await page.evaluate(() => {
    const queue = Array.from({ length: 6 }, (_, at) => ({
      messageId: `m${at}`,
      segments: [{ kind: 'text' as const, text: `続き ${at}` }],
    }))
    harness.host.sessions.change('session-3', { queue })
  })
  const queued = page.getByRole('list', { name: '順番待ちのメッセージ' })
  await expect(queued).toContainText('続き 5')
  await session.box.fill('貼り付けた長い文章。\n'.repeat(40))
  await page.keyboard.press('Control+End')
  for (const part of [queued, page.locator('.message-box'), page.locator('.box-bar')])
    await expect(part).toBeInViewport({ ratio: 1 })
  const row = session.box.locator('.cm-line').last()
  await expect(row).toBeInViewport({ ratio: 1 })
  await queued.getByRole('button').last().focus()
  await expect(queued.getByRole('button').last()).toBeInViewport({ ratio: 1 })
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(400)
})

test('a toast over a tall box stays within a low window, with what closes it', async ({ session, page }) => {
  await session.open()
  await session.box.fill('貼り付けた長い文章。\n'.repeat(40))
  await page.setViewportSize({ width: 1100, height: 400 })
  const path = `資料/${'とても長い名前'.repeat(30)}.md`
  await page.evaluate((one) => {
    harness.host.sessions.refusal = { code: 'file/not-found', path: one }
  }, path)
  await session.list.getByRole('button', { name: 'テストを増やす', exact: true }).focus()
  await page.keyboard.press('Delete')
  await page.getByRole('dialog', { name: 'セッションを削除' }).getByRole('button', { name: '削除' }).click()
  const toast = page.locator('.toast')
  await expect(toast).toContainText(path)
  await expect
    .poll(() =>
      toast.evaluate((part) => {
        const { top, bottom } = part.getBoundingClientRect()
        return part.getAnimations().length === 0 && top >= 0 && bottom <= innerHeight
      }),
    )
    .toBe(true)
  await expect(toast.getByRole('button', { name: '閉じる' })).toBeInViewport({ ratio: 1 })
})

test('Escape stops at once where nothing is written, else at the second press', async ({ session, page }) => {
  await session.open()
  await session.works(true)
  await page.keyboard.type('書きかけ')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('main')).toContainText('もう一度 Esc を押すと停止します')
  expect(await session.asked('session.stop')).toEqual([])
  await page.keyboard.press('Escape')
  await expect.poll(() => session.asked('session.stop')).toHaveLength(1)
  await expect(session.box).toHaveText('書きかけ')
  await session.works(true)
  await session.box.fill('')
  await page.keyboard.press('Escape')
  await expect.poll(() => session.asked('session.stop')).toHaveLength(2)
})

test('↑ brings earlier messages back and ↓ the draft', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => harness.host.sessions.put('session-3', harness.make.user(2, '二つ目')))
  await expect(session.log).toContainText('二つ目')
  await page.keyboard.press('ArrowUp')
  await expect(session.box).toHaveText('二つ目')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowUp')
  await expect(session.box).toContainText('の閏年の判定が')
  await expect(session.box.locator('.message-chip')).toHaveText('@src/date.ts')
  await page.keyboard.press('Escape')
  await expect(session.box).not.toContainText('の閏年の判定が')
})

test('each session keeps what was being written in it', async ({ session, page }) => {
  await session.open()
  await page.keyboard.type('書きかけ')
  await session.list
    .getByRole('button', { name: /^テストを増やす/ })
    .first()
    .click()
  await expect(session.box).not.toContainText('書きかけ')
  await session.list
    .getByRole('button', { name: /^日付の誤りを直す/ })
    .first()
    .click()
  await expect(session.box).toHaveText('書きかけ')
})

test('a message that was not taken stands in the box again, with the reason', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => {
    harness.host.sessions.refusal = { code: 'gate/too-early' }
  })
  await page.keyboard.type('はい')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('表示された直後の入力')
  await expect(session.box).toHaveText('はい')
})

test('a long paste is one piece that goes in one key and unfolds', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.setData('text/plain', Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n'))
    const target = document.querySelector('.message-box .cm-content')
    target?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    )
  })
  const chip = session.box.locator('.message-chip')
  await expect(chip).toHaveText('貼り付け 40 行')
  await page.keyboard.type(' を直して')
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => session.asked('session.send')).toHaveLength(1)
  const [sent] = (await session.asked('session.send')) as { segments: { kind: string; text: string }[] }[]
  expect(sent?.segments.map((one) => one.kind)).toEqual(['paste', 'text'])
})

test('commands are offered, completed and carried out; none is sent', async ({ session, page }) => {
  await session.open()
  await page.keyboard.type('/')
  const options = page.getByRole('listbox', { name: 'コマンド' }).getByRole('option')
  await expect(options).toHaveCount(9)
  await page.keyboard.press('ArrowDown')
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Tab')
  await expect(session.box).toHaveText('/stats')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'セッションの統計' })).toContainText('40,944')
  await page.keyboard.press('Escape')
  await session.box.fill('/statz')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toContainText('そのコマンドはありません')
  await expect(session.box).toHaveText('/statz')
  expect(await session.asked('session.send')).toEqual([])
})

test('a sent message is written anew and sent in its place', async ({ session, page }) => {
  await session.open()
  const message = session.log.getByRole('article', { name: 'あなた' })
  await message.hover()
  await message.getByRole('button', { name: '編集して送る' }).click()
  await expect(session.box.locator('.message-chip')).toHaveText('@src/date.ts')
  await page.keyboard.type('テストも。')
  await page.keyboard.press('Enter')
  await expect.poll(() => session.asked('session.resend')).toHaveLength(1)
  const [sent] = (await session.asked('session.resend')) as { turn: number; segments: { text?: string }[] }[]
  expect(sent?.turn).toBe(1)
  expect(sent?.segments.at(-1)?.text).toContain('直してください。テストも。')
  await expect(session.box).not.toContainText('テストも')
})

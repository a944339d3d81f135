import type { Page } from '@playwright/test'
import { expect, test } from './session-test.ts'

/** Waits until a scroll position stays the same for a while: scrolling by wheel takes longer on a busy machine. */
async function atRest(page: Page, read: () => Promise<number>): Promise<number> {
  let last = await read()
  for (let same = 0; same < 4; ) {
    await page.waitForTimeout(100)
    const now = await read()
    same = now === last ? same + 1 : 0
    last = now
  }
  return last
}

test('5,000 items open at their end with a handful of rows, and go back by pages', async ({
  session,
  page,
}) => {
  await session.open()
  await page.evaluate(() => {
    const items = Array.from({ length: 2500 }, (_, i) => [
      harness.make.user(i + 1, `${i + 1} 番目の問い`),
      harness.make.answer(i + 1, `${i + 1} 番目の答え。\n\n${'雨が窓を叩く。'.repeat(1 + (i % 9) * 4)}`),
    ]).flat()
    harness.host.sessions.add({ title: '長い会話' }, items)
  })
  await session.list
    .getByRole('button', { name: /^長い会話/ })
    .first()
    .click()
  await expect(
    session.log.getByText('2,500 番目の答え。').or(session.log.getByText('2500 番目の答え。')),
  ).toBeInViewport()
  expect(await session.asked('session.items')).toEqual([])
  expect(await session.rows.count()).toBeLessThan(30)

  const reading = session.log.getByText('2470 番目の問い')
  await session.log.hover()
  await expect(async () => {
    await page.mouse.wheel(0, -600)
    await expect(reading).toBeInViewport({ timeout: 100 })
  }).toPass()
  const before = await atRest(page, async () => (await reading.boundingBox())?.y ?? 0)
  await expect.poll(() => session.asked('session.items').then((asked) => asked.length)).toBeGreaterThan(0)
  const after = await atRest(page, async () => (await reading.boundingBox())?.y ?? 0)
  expect(Math.abs(after - before)).toBeLessThan(2)
  expect(await session.rows.count()).toBeLessThan(40)
})

test('what streams is followed at the end and moves nothing that is being read', async ({
  session,
  page,
}) => {
  await session.open()
  await page.evaluate(() => {
    const { sessions } = harness.host
    sessions.change('session-3', { openGates: [] })
    for (let turn = 2; turn < 20; turn += 1) {
      sessions.put('session-3', harness.make.user(turn, `${turn} 番目の問い`))
      sessions.put('session-3', harness.make.answer(turn, '雨が窓を叩く。'.repeat(30)))
    }
    const item = harness.make.answer(20, '', { state: 'writing', itemId: 'live' })
    sessions.put('session-3', item)
  })
  const grow = (count: number) =>
    page.evaluate(async (times) => {
      for (let i = 0; i < times; i += 1) {
        harness.host.sessions.grow('session-3', 'live', 'text', `風が吹いた ${i}。\n\n`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }, count)
  await grow(20)
  await expect(session.log.getByText('風が吹いた 19。')).toBeInViewport()

  await session.log.hover()
  await page.mouse.wheel(0, -1200)
  await expect(page.getByRole('button', { name: '最新へ移動' })).toBeVisible()
  const place = await atRest(page, () => session.log.evaluate((log) => log.scrollTop))
  await grow(20)
  expect(await session.log.evaluate((log) => log.scrollTop)).toBe(place)
  await page.getByRole('button', { name: '最新へ移動' }).click()
  await expect(session.log.getByText('風が吹いた 19。').last()).toBeInViewport()
})

test('a token changes the last block of the page and nothing else', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => {
    const { sessions } = harness.host
    sessions.put(
      'session-3',
      harness.make.answer(2, '一。\n\n二。\n\n三', { state: 'writing', itemId: 'live' }),
    )
  })
  await expect(session.log.getByText('三', { exact: true })).toBeVisible()
  // The gate above changes by itself once it could be read.
  await expect(session.log.getByRole('button', { name: '適用' })).not.toHaveAttribute('aria-disabled', 'true')
  await expect(session.log.getByText('読むための間を置いています')).toHaveCount(0)
  const touched = await page.evaluate(async () => {
    const log = document.querySelector('.conversation-list')
    const targets = new Set<string>()
    const observer = new MutationObserver((records) => {
      for (const { target, type } of records) {
        if (type === 'attributes') continue
        const element = target instanceof Element ? target : target.parentElement
        targets.add(element?.closest('.markdown > *')?.textContent?.slice(0, 1) ?? element?.className ?? '')
      }
    })
    if (log) observer.observe(log, { childList: true, characterData: true, subtree: true })
    for (let i = 0; i < 30; i += 1) {
      harness.host.sessions.grow('session-3', 'live', 'text', '雨')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    for (let tries = 0; tries < 500; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      if (document.querySelector('.conversation-list')?.textContent?.includes('雨'.repeat(30))) break
    }
    return [...targets]
  })
  expect(touched).toEqual(['三'])
})

test('code is coloured, copied and offered to a file', async ({ session, page }) => {
  await session.open()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(() => {
    const code = '```ts src/date.ts\nexport const isLeap = true\n```'
    harness.host.sessions.put('session-3', harness.make.answer(2, code))
  })
  const block = session.log.getByRole('figure', { name: 'src/date.ts' })
  await expect(block.locator('.tok-keyword').first()).toHaveText('export')
  await block.getByRole('button', { name: 'コピー' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('export const isLeap = true\n')
})

test('a hostile answer is only text', async ({ session, page }) => {
  await session.open()
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.evaluate(() => {
    const text = [
      '<img src="https://evil.example/a.png" onerror="document.title=1">',
      '![絵](https://evil.example/b.png)',
      '[押す](javascript:document.title=2) と [中](data:text/html,hello)',
      '<script>document.title=3</script>',
      '<iframe src="https://evil.example/"></iframe>',
    ].join('\n\n')
    harness.host.sessions.put('session-3', harness.make.answer(2, text))
  })
  const link = session.log.getByRole('link', { name: /絵/ })
  await expect(link).toHaveAttribute('rel', 'noreferrer noopener')
  await expect(link).toHaveAttribute('target', '_blank')
  await expect(link).toHaveText('絵 (evil.example/b.png)')
  await expect(session.log).toContainText('<script>document.title=3</script>')
  await expect(session.log.locator('img, script, iframe, [onerror]')).toHaveCount(0)
  await expect(session.log.getByRole('link', { name: /^(押す|中)$/ })).toHaveCount(0)
  await session.log.getByText('押す').last().click()
  expect(requests.filter((url) => url.includes('evil'))).toEqual([])
  await expect(page).toHaveTitle(/parser/)
})

test('calls, questions, notices, errors and marks say what they are', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => {
    const { host, make } = harness
    const put = (item: Parameters<typeof host.sessions.put>[1]) => host.sessions.put('session-3', item)
    host.sessions.change('session-3', { openGates: [], canRecover: true })
    put(
      make.call(2, 'run_command', 'npm test', {
        state: 'running',
        text: '1 passed\n2 passed\n',
        itemId: 'run',
      }),
    )
    put(make.question(2, 'どちらにしますか。', ['標準の Date', '自前の判定']))
    put(make.notice(2, { kind: 'limit', limit: 'decisions' }))
    put(make.compaction(2, '閏年の話をした。'))
    put(make.undo(2, 1, ['src/date.ts']))
    put(make.error(2))
  })
  await expect(session.log.getByRole('article', { name: /npm test/ })).toContainText('2 passed')
  await session.log.getByRole('button', { name: '自前の判定' }).click()
  await expect
    .poll(() => session.asked('session.answerQuestion'))
    .toMatchObject([{ segments: [{ kind: 'text', text: '自前の判定' }] }])
  await expect(session.log).toContainText('ここまでを短縮しました（6,560 → 720 トークン）')
  await expect(session.log).toContainText('元に戻しました：ファイル 1 件')
  await expect(session.log).toContainText('1 つのメッセージで決められる回数に達しました')
  await session.log.getByRole('alert').getByRole('button', { name: 'もう一度' }).click()
  await expect.poll(() => session.asked('session.recover')).toHaveLength(1)

  // What is proposed to be remembered is kept, or not, by one press.
  const patterns = ['感嘆符は使わない', '絵文字は使わない']
  await page.evaluate((proposedPatterns) => {
    const { host, make } = harness
    for (const pattern of proposedPatterns)
      host.sessions.put('session-3', make.notice(2, { kind: 'pattern-proposed', pattern }))
    host.sessions.change('session-3', { proposedPatterns })
  }, patterns)
  const learn = session.log.getByRole('button', { name: '覚えておく', exact: true })
  await expect(learn).toHaveCount(2)
  for (const pattern of patterns) await expect(session.log).toContainText(`覚えておきますか：${pattern}`)
  await learn.first().click()
  await expect(session.log).toContainText('覚えました。')
  await session.log.getByRole('button', { name: '覚えない', exact: true }).click()
  await expect(learn).toHaveCount(0)
  const [kept, left] = patterns
  await expect
    .poll(() => session.asked('session.editCourse'))
    .toEqual([
      { sessionId: 'session-3', edit: { kind: 'learn', pattern: kept } },
      { sessionId: 'session-3', edit: { kind: 'decline', pattern: left } },
    ])
})

test('a call opens to what was asked and what came back', async ({ session }) => {
  await session.open()
  const call = session.log.getByRole('article', { name: /isLeap/ })
  await call.getByRole('button').press('Enter')
  await expect(call.getByRole('term')).toHaveText('pattern')
  await expect(call.getByRole('definition')).toHaveText('isLeap')
  await expect(call).toContainText('test/date.test.ts:3')
})

test('a review is told in words, a question once', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => {
    const { host, make } = harness
    const improvements = ['境界の年を足す']
    const report = { rating: 'fair', problems: ['1900 年のテストがない'], improvements, verdict: 'revise' }
    const args = JSON.stringify(report)
    host.sessions.put('session-3', make.call(1, 'submit_review', 'revise', { args }))
    const asked = make.call(1, 'ask_user', 'どの年まで？', { state: 'asked' })
    const question = make.question(1, 'どの年まで？', ['2100'])
    if (asked.kind !== 'call' || question.kind !== 'question') return
    host.sessions.put('session-3', asked)
    host.sessions.put('session-3', { ...question, callId: asked.callId })
  })
  const review = session.log.getByRole('article', { name: '見直し' })
  await expect(review).toContainText('見直し：手直しします')
  await expect(review).toContainText('評価：まずまず')
  await expect(review.getByRole('listitem')).toHaveText(['1900 年のテストがない', '境界の年を足す'])
  await expect(review).not.toContainText('revise')
  await expect(session.log.getByText('どの年まで？')).toHaveCount(1)
})

test('a turn is tried again and branched from its foot, one that failed from its error', async ({
  session,
  page,
}) => {
  await session.open()
  await page.evaluate(() => {
    const position = { step: 'PLANNING', status: 'SUCCESS', waiting: 'none' } as const
    harness.host.sessions.change('session-3', { openGates: [], position })
  })
  await expect(session.log).toContainText('再利用 3,390 · 読み込み 22 · 52 tok/s · 3.3 秒')
  const more = session.log.getByRole('button', { name: '1 番目のやりとりの操作' })
  await more.click()
  await page.getByRole('menuitem', { name: 'もう一度' }).click()
  await expect.poll(() => session.asked('session.resend')).toMatchObject([{ turn: 1 }])

  // A turn that failed and cannot go on is sent once more.
  await page.evaluate(() => {
    const { host, make } = harness
    host.sessions.put('session-3', make.user(2, 'もう一度見て'))
    host.sessions.put('session-3', make.error(2))
    host.sessions.change('session-3', { canRecover: false })
  })
  await session.log.getByRole('button', { name: 'もう一度', exact: true }).click()
  await expect.poll(() => session.asked('session.resend')).toMatchObject([{ turn: 1 }, { turn: 2 }])
  expect(await session.asked('session.recover')).toEqual([])
  await more.click()
  await page.getByRole('menuitem', { name: 'ここから分ける' }).click()
  await expect.poll(() => session.asked('session.branch')).toMatchObject([{ turn: 1 }])
  await expect(page.getByRole('banner')).toContainText('日付の誤りを直す 2')
})

test('the menu of a turn closes when its turn is scrolled away or the window becomes too small for it', async ({
  session,
  page,
}) => {
  await session.open()
  await page.evaluate(() => {
    const { sessions } = harness.host
    const position = { step: 'PLANNING', status: 'SUCCESS', waiting: 'none' } as const
    sessions.change('session-3', { openGates: [], position })
    for (let turn = 2; turn < 6; turn += 1) {
      sessions.put('session-3', harness.make.answer(turn, '雨が窓を叩く。'.repeat(40)))
    }
  })
  const more = session.log.getByRole('button', { name: '1 番目のやりとりの操作' })
  const menu = page.getByRole('menu')
  await more.click()
  await expect(menu).toBeVisible()
  await session.log.evaluate((log) => log.scrollBy(0, 2_000))
  await expect(menu).toHaveCount(0)
  await more.click()
  await expect(menu).toBeVisible()
  await page.setViewportSize({ width: 1100, height: 120 })
  await expect(menu).toHaveCount(0)
})

test('the gate that waits is one key away, wherever one reads', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => {
    const { sessions } = harness.host
    for (let turn = 2; turn < 30; turn += 1) {
      sessions.put('session-3', harness.make.answer(turn, '雨が窓を叩く。'.repeat(40)))
    }
  })
  await session.log.focus()
  // The answers may come after the first key.
  await expect(async () => {
    await page.keyboard.press('End')
    await expect(session.log.getByRole('button', { name: '適用' })).toHaveCount(0, { timeout: 1_000 })
  }).toPass()
  // At the end, too: what was asked beside it stands below the gate.
  await expect(page.getByRole('button', { name: '承認へ移動' })).toBeVisible()
  await page.keyboard.press('Alt+g')
  await expect(session.log.getByRole('button', { name: '適用' })).toBeInViewport()
})

test('a new conversation is followed from its first line', async ({ session, page }) => {
  await session.open()
  await session.list.getByRole('button', { name: '新しいセッション' }).click()
  await expect(page.getByRole('region', { name: '何をしましょうか' })).toBeVisible()
  await page.evaluate(async () => {
    const { sessions } = harness.host
    sessions.put('session-4', harness.make.user(1, '雨の話を'))
    const item = harness.make.answer(1, '', { state: 'writing' })
    sessions.put('session-4', item)
    for (let i = 0; i < 40; i += 1) {
      sessions.grow('session-4', item.itemId, 'text', `${i} 雨が窓を叩く。\n\n`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const queue = [{ messageId: 'm1', segments: [{ kind: 'text' as const, text: '続き' }] }]
    sessions.change('session-4', { queue })
  })
  await expect(session.log.getByText('39 雨が窓を叩く。')).toBeInViewport()
  await expect(page.getByRole('button', { name: '最新へ移動' })).toHaveCount(0)
})

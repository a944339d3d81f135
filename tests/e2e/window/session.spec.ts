import { expect, test } from './session-test.ts'

test('a folder of code shows its sessions; the manuscripts are one press away', async ({ session, page }) => {
  await session.open()
  await expect(page.getByRole('radio', { name: 'セッション' })).toBeChecked()
  await expect(page.getByRole('contentinfo')).toContainText('実行 · 承認待ち')
  await page.getByRole('radio', { name: '原稿' }).click()
  await expect(page.getByRole('tab', { name: '詳細' })).toBeVisible()
  await page.keyboard.press('Control+Shift+S')
  await expect(session.log).toContainText('1900 年は')
})

test('a session is made, named and removed', async ({ session, page }) => {
  await session.open()
  await session.list.getByRole('button', { name: '新しいセッション' }).click()
  await expect(page.getByRole('region', { name: '何をしましょうか' })).toBeVisible()
  // What a small model can do here is said before anything is asked of it, with the ways to another one.
  const start = page.getByRole('region', { name: '何をしましょうか' })
  await expect(start).toContainText('Gemma 3 270M はとても小さいモデルです。')
  await start
    .getByRole('group', { name: 'より力のあるモデル' })
    .getByRole('button', { name: 'サーバーを追加' })
    .click()
  await expect(page.getByRole('dialog')).toContainText('サーバー')
  await page.keyboard.press('Escape')
  const row = session.list.getByRole('button', { name: '無題のセッション', exact: true })
  await row.focus()
  await page.keyboard.press('F2')
  await page.keyboard.type('祝日の表')
  await page.keyboard.press('Enter')
  const named = session.list.getByRole('button', { name: '祝日の表', exact: true })
  await named.focus()
  await page.keyboard.press('Delete')
  await page.getByRole('dialog', { name: 'セッションを削除' }).getByRole('button', { name: '削除' }).click()
  await expect(named).toHaveCount(0)
})

test('a session that cannot be shown says why, and is tried again', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => {
    harness.host.sessions.watchRefusal = { code: 'folder/gone', path: '/home/author/資料' }
  })
  await session.list.getByRole('button', { name: /^テストを増やす/ }).click()
  const again = page.getByRole('button', { name: 'もう一度', exact: true })
  await expect(page.getByText('追加したフォルダー「/home/author/資料」がなくなったか')).toBeVisible()
  await again.click()
  await expect(again).toBeVisible()
  await page.evaluate(() => {
    harness.host.sessions.watchRefusal = null
  })
  await again.click()
  await expect(session.log).toBeVisible()
  await expect(again).toHaveCount(0)
})

test('the first message makes the session', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => harness.host.sessions.add({ title: '別の窓の会話' }))
  await session.list
    .getByRole('button', { name: /^日付の誤りを直す/ })
    .first()
    .press('Delete')
  await page.getByRole('button', { name: '削除' }).click()
  await page.evaluate(() => {
    harness.host.sessions.heldCreation = new Promise((resolve) => {
      Object.assign(window, { makeSession: resolve })
    })
  })
  await session.box.fill('閏年とは何ですか。')
  await page.keyboard.press('Enter')
  await expect(session.box).not.toContainText('閏年')
  await page.keyboard.type('次の頼み')
  const ime = await page.context().newCDPSession(page)
  await ime.send('Input.imeSetComposition', { text: 'かん', selectionStart: 2, selectionEnd: 2 })
  await page.evaluate(() => (window as unknown as { makeSession: () => void }).makeSession())
  await expect.poll(() => session.asked('session.send')).toHaveLength(1)
  expect(await session.asked('session.create')).toEqual([{ workId: 'work-1' }])
  // What is being written stays in the box, and candidates stand.
  await ime.send('Input.imeSetComposition', { text: 'かんじ', selectionStart: 3, selectionEnd: 3 })
  await ime.send('Input.insertText', { text: '漢字' })
  await expect(session.box).toHaveText('次の頼み漢字')
})

test('modes change by key and by press', async ({ session, page }) => {
  await session.open()
  for (const name of ['自動編集', 'おまかせ', '計画', '承認']) {
    await page.keyboard.press('Alt+m')
    await expect(page.getByRole('radio', { name, exact: true })).toBeChecked()
  }
  await page.getByRole('radio', { name: '計画' }).click()
  await expect
    .poll(() => session.asked('session.setMode'))
    .toEqual(['auto-edit', 'full', 'plan', 'ask', 'plan'].map((mode) => ({ sessionId: 'session-3', mode })))
})

test('what was said is found in every session and shown in its place', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => {
    const { sessions } = harness.host
    const other = sessions.get('session-1')
    const items = Array.from({ length: 300 }, (_, i) => harness.make.user(i + 1, `${i} 行目の話`))
    other.items = items
    const [hit] = items.filter((item) => item.turn === 120)
    if (!hit) throw new Error('no item')
    const { sessionId, workId, title } = other.listed
    const { root, name: workName } = harness.host.work
    const place = { root, workName, itemId: hit.itemId, turn: hit.turn, at: hit.at }
    sessions.hits = [{ sessionId, workId, title, ...place, excerpt: '119 行目の話' }]
  })
  await page.keyboard.press('Control+Shift+F')
  await page.keyboard.type('119')
  await expect(page.getByRole('option', { name: /119 行目の話/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(session.log.getByText('119 行目の話')).toBeInViewport()
})

test('what was said in another folder is opened there', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => {
    const { host, make } = harness
    const root = '/home/author/tower'
    const item = make.user(1, '鐘の音の話')
    const { sessionId, title } = host.sessions.add({ workId: 'work-2', title: '鐘の音' }, [item]).listed
    const place = { itemId: item.itemId, turn: 1, at: item.at, excerpt: '鐘の音の話' }
    host.sessions.hits = [{ sessionId, workId: 'work-2', root, workName: '時計塔', title, ...place }]
    host.work = { ...host.work, workId: 'work-2', root, name: '時計塔' }
  })
  await page.keyboard.press('Control+Shift+F')
  await page.keyboard.type('鐘')
  await expect(page.getByRole('option', { name: /鐘の音/ })).toContainText('時計塔')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('banner')).toContainText('時計塔')
  await expect(session.log.getByText('鐘の音の話')).toBeInViewport()
})

test('what keeps a session from going on as expected is told, with the way out', async ({
  session,
  page,
}) => {
  await session.open()
  await test.step('messages that wait after a stop', async () => {
    await session.works(true)
    await page.evaluate(() => {
      const queue = [{ messageId: 'm1', segments: [{ kind: 'text' as const, text: '続きも頼みます' }] }]
      harness.host.sessions.change('session-3', { queue })
    })
    const queued = page.getByRole('list', { name: '順番待ちのメッセージ' })
    await expect(queued).toContainText('待機')
    await page.locator('.message-box').getByRole('button', { name: '停止' }).click()
    await expect(queued).toContainText('保留')
    await expect(page.getByRole('contentinfo')).toContainText('保留 1 件')
    await page.getByRole('button', { name: '順に送る' }).click()
    await expect.poll(() => session.asked('session.sendQueued')).toEqual([{ sessionId: 'session-3' }])
    await expect(queued).toHaveCount(0)
  })
  await test.step('rules of the project that cannot be read', async () => {
    await page.evaluate(() => {
      const problem = { kind: 'unreadable', reason: 'no-rules', detail: 'rules[0].effect' } as const
      const { sessions } = harness.host
      sessions.ruleProblems = [problem, { kind: 'allow-ignored', pattern: 'npm test' }]
      sessions.rulesTopic.publish({ problems: sessions.ruleProblems })
    })
    const notice = page.getByRole('status').filter({ hasText: '.tsugi/rules.json' })
    await expect(notice).toContainText('規則の形ではありません（rules[0].effect）')
    await expect(notice).toHaveCount(1)
    await notice.getByRole('button', { name: '承認の規則' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('alert')).toContainText('変更とコマンドはすべて承認を求めます')
    await expect(dialog).toContainText('許可「npm test」は使いません')
  })
})

test('the palette knows what a session can do', async ({ session, page }) => {
  await session.open()
  await page.keyboard.press('Control+Shift+P')
  await page.keyboard.type('会話を短縮')
  await page.keyboard.press('Enter')
  await expect.poll(() => session.asked('session.compact')).toHaveLength(1)
})

test('a conversation is saved as a file', async ({ session, page }) => {
  await session.open()
  const download = page.waitForEvent('download')
  await session.box.fill('/export')
  await page.keyboard.press('Enter')
  expect((await download).suggestedFilename()).toBe('日付の誤りを直す.md')
})

test('a lost connection goes on where it was', async ({ session, page }) => {
  await session.open()
  await page.evaluate(async () => {
    harness.connection.drop()
    harness.host.sessions.put('session-3', harness.make.user(2, '切れた間の一言'))
  })
  await expect(session.log).toContainText('切れた間の一言')
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('a session that is gone says so', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => {
    harness.host.sessions.byId.delete('session-1')
  })
  await session.list
    .getByRole('button', { name: /^README/ })
    .first()
    .click()
  await expect(page.getByRole('alert')).toContainText('このセッションはもうありません')
})

test('below 1,100 px the panes lie over the conversation', async ({ session, page }) => {
  await session.open()
  await page.setViewportSize({ width: 900, height: 700 })
  await expect(page.getByRole('tab', { name: '方針' })).toHaveCount(0)
  await page.getByRole('button', { name: 'サイドバー' }).click()
  await expect(page.getByRole('tab', { name: '方針' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('tab', { name: '方針' })).toHaveCount(0)
})

import { expect } from '@playwright/test'
import { test } from './gates-test.ts'

test('an item is changed in its place and kept by Enter; Escape leaves it', async ({ gates, page }) => {
  await gates.open('side=course')
  await page.getByRole('button', { name: '今それをする理由を編集' }).click()
  const editor = page.getByRole('textbox', { name: '今それをする理由を編集' })
  await expect(editor).toBeFocused()
  await editor.fill('表を直す日が近い')
  await page.keyboard.press('Escape')
  await expect(page.getByText('1900 年の表が誤っている')).toBeVisible()
  await page.getByRole('button', { name: '今それをする理由を編集' }).click()
  await editor.fill('表を直す日が近い')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: '今それをする理由を編集' })).toHaveText('表を直す日が近い')
  expect(await gates.calls('session.editCourse')).toEqual([
    { sessionId: 'session-1', edit: { kind: 'write', item: 'whyNow', value: '表を直す日が近い' } },
  ])
  // What the user wrote is pinned.
  await expect(page.getByRole('button', { name: '今それをする理由の固定を外す' })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
})

test('what is empty is not shown, and is added from a menu', async ({ gates, page }) => {
  await gates.open('side=course')
  await expect(page.getByRole('heading', { name: '目標' })).toBeVisible()
  await expect(page.getByRole('heading', { name: '未決の点' })).toHaveCount(0)
  const add = page.getByRole('button', { name: '方針に追加' })
  await add.click()
  await expect(page.getByRole('menuitem')).toHaveText(['未決の点'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const editor = page.getByRole('textbox', { name: '未決の点を編集' })
  await expect(editor).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: '未決の点' })).toHaveCount(0)
  await add.click()
  await page.getByRole('menuitem').click()
  await editor.fill('税の端数')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('button', { name: '未決の点を編集' })).toHaveText('税の端数')
  await page.getByRole('button', { name: '「税の端数」に答える' }).click()
  expect(await page.evaluate(() => parts.store.getState().composer.wanted)).toEqual({
    segments: [{ kind: 'text', text: '「税の端数」について：' }],
  })
  await expect(add).toHaveCount(0)
})

test('a list has a line for each of its entries; what is over the limit is said and not cut', async ({
  gates,
  page,
}) => {
  await gates.open('side=course')
  await page.getByRole('button', { name: '制約を編集' }).click()
  const editor = page.getByRole('textbox', { name: '制約を編集' })
  await editor.fill('一\n二\n三')
  await expect(page.getByText('2 行までにしてください。')).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await expect(editor).toBeVisible()
  await editor.fill('👩‍👩‍👧‍👦'.repeat(101))
  await expect(page.getByText('101 / 100')).toBeVisible()
  await expect(page.getByText('100 文字までにしてください。')).toBeVisible()
  await editor.fill('一\n二')
  await page.getByRole('heading', { name: '目標' }).click()
  await expect(editor).toHaveCount(0)
  expect(await gates.calls('session.editCourse')).toEqual([
    { sessionId: 'session-1', edit: { kind: 'write', item: 'constraints', value: ['一', '二'] } },
  ])
})

test('an Enter that ends a composition keeps nothing', async ({ gates, page }) => {
  await gates.open('side=course')
  await page.getByRole('button', { name: '目標を編集' }).click()
  const editor = page.getByRole('textbox', { name: '目標を編集' })
  await editor.fill('')
  const ime = await page.context().newCDPSession(page)
  await ime.send('Input.imeSetComposition', { text: 'こよみ', selectionStart: 3, selectionEnd: 3 })
  await ime.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', windowsVirtualKeyCode: 229 })
  await ime.send('Input.insertText', { text: '暦' })
  await expect(editor).toHaveValue('暦')
  expect(await gates.calls('session.editCourse')).toEqual([])
})

test('an item is pinned and freed; the model only proposes for a pinned one', async ({ gates, page }) => {
  await gates.open('side=course')
  const proposal = page.getByRole('status').filter({ hasText: 'モデルの提案' })
  await expect(proposal).toContainText('暦の計算を直す')
  await page.getByRole('button', { name: '目標の固定を外す' }).click()
  await expect(proposal).toHaveCount(0)
  await page.getByRole('button', { name: '目標を固定する' }).click()
  await proposal.getByRole('button', { name: '採用' }).click()
  await expect(page.getByRole('button', { name: '目標を編集' })).toHaveText('暦の計算を直す')
  await expect(proposal).toHaveCount(0)
})

test('a proposal that is left does not come back by itself', async ({ gates, page }) => {
  await gates.open('side=course')
  await page.getByRole('button', { name: '見送る' }).click()
  await expect(page.getByText('モデルの提案')).toHaveCount(0)
  await expect(page.getByRole('button', { name: '目標を編集' })).toHaveText('閏年の判定を直す')
  expect(await gates.calls('session.editCourse')).toEqual([])
})

test('the plan tells what is done and what is now, and where the session stands', async ({ gates, page }) => {
  await gates.open('side=course')
  const plan = page.getByRole('region', { name: '計画' })
  await expect(plan.locator('.course-todo')).toHaveText([
    '1テストを足す済み',
    '2判定を直す実行中',
    '3テストを走らせる',
  ])
  await expect(page.getByRole('region', { name: '方針' })).toContainText('段階承認待ちモード')
  await page.getByText('判断の記録').click()
  await expect(page.getByText('テストから始める')).toBeVisible()

  // A decision is kept for the folder's later sessions, until the user forgets it.
  const pattern = 'テストから始める'
  await page.getByRole('button', { name: `このフォルダーで覚えておく：${pattern}` }).click()
  await page.getByText('覚えたこと').click()
  await page.getByRole('button', { name: `忘れる：${pattern}` }).click()
  await expect(page.getByText('覚えたこと')).toHaveCount(0)
  await expect(page.getByRole('button', { name: `このフォルダーで覚えておく：${pattern}` })).toBeVisible()
  expect(await gates.calls('session.editCourse')).toEqual([
    { sessionId: 'session-1', edit: { kind: 'learn', pattern } },
    { sessionId: 'session-1', edit: { kind: 'forget', pattern } },
  ])
})

test('a pattern that the host proposes is kept, or not, by one press', async ({ gates, page }) => {
  await gates.open('side=course')
  await page.getByText('覚えておく候補').click()
  await page.getByRole('button', { name: 'このフォルダーで覚えておく：タブを使う' }).click()
  await page.getByRole('button', { name: '覚えない：冗談を書かない' }).click()
  await expect(page.getByText('覚えておく候補')).toHaveCount(0)
  await page.getByText('覚えたこと').click()
  await expect(page.getByRole('button', { name: '忘れる：タブを使う' })).toBeVisible()
  expect(await gates.calls('session.editCourse')).toEqual([
    { sessionId: 'session-1', edit: { kind: 'learn', pattern: 'タブを使う' } },
    { sessionId: 'session-1', edit: { kind: 'decline', pattern: '冗談を書かない' } },
  ])
})

test('the course is reset only when it is asked once more', async ({ gates, page }) => {
  await gates.open('side=course')
  await page.getByRole('button', { name: '方針をリセット' }).click()
  await expect(page.getByRole('alert')).toContainText('会話とファイルは残ります')
  await page.getByRole('button', { name: 'キャンセル' }).click()
  expect(await gates.calls('session.reset')).toEqual([])
  await page.getByRole('button', { name: '方針をリセット' }).click()
  await page.getByRole('button', { name: 'リセット' }).click()
  await expect.poll(() => gates.calls('session.reset')).toEqual([{ sessionId: 'session-1' }])

  await page.evaluate(() => parts.store.getState().ui.open({ kind: 'session-reset' }))
  const dialog = page.getByRole('dialog', { name: '方針をリセット' })
  await dialog.getByRole('button', { name: 'キャンセル' }).click()
  await expect(dialog).toHaveCount(0)
  expect(await gates.calls('session.reset')).toHaveLength(1)
  await page.evaluate(() => parts.store.getState().ui.open({ kind: 'session-reset' }))
  await dialog.getByRole('button', { name: 'リセット' }).click()
  await expect.poll(() => gates.calls('session.reset')).toHaveLength(2)
})

test('what the model was sent is shown message by message, with what fills the context', async ({
  gates,
  page,
}) => {
  await gates.open('side=sent')
  const sent = page.getByRole('region', { name: 'モデルに送った内容' })
  await expect(sent).toContainText('3,412 / 8,192')
  await expect(sent.getByRole('img')).toHaveAttribute(
    'aria-label',
    '基本 260 · ツール 980 · 会話 1,210 · ファイル 740 · 方針 222',
  )
  await expect(sent).toContainText('再利用 3,390 · 読み込み 22')
  const layers = sent.getByRole('list', { name: 'トークン予算' }).getByRole('listitem')
  await expect(layers).toHaveText(['基本文 260 / 500', '状況 790 / 800 参照 3 件を省略', '手順 420 / 1,200'])
  await sent.getByRole('listitem').filter({ hasText: 'システム' }).getByText('基本').click()
  await expect(sent.locator('pre')).toHaveText('あなたは次に何をするかを…U+202E')
})

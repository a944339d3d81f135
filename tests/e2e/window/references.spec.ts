import { expect, type SessionPage, test } from './session-test.ts'

const paths = [
  'src/',
  'src/date.ts',
  'src/第一章.md',
  '小説/',
  '小説/第一章.md',
  '小説/第二 章.md',
  '資料 集/',
  '資料 集/地図.md',
]
const file = (path: string, range: { from: number; to: number } | null = null) => ({
  kind: 'file-ref',
  path,
  range,
})
const text = (value: string) => ({ kind: 'text', text: value })

async function openWith(session: SessionPage): Promise<void> {
  await session.open()
  await session.page.evaluate((all) => {
    harness.host.references.paths = all
  }, paths)
}

const options = (session: SessionPage) =>
  session.page.getByRole('listbox', { name: 'ファイルとフォルダー' }).getByRole('option')
const chips = (session: SessionPage) => session.box.locator('.message-chip')

/** Types the beginning of a path and takes the best of what is offered. */
async function choose(session: SessionPage, typed: string): Promise<void> {
  const count = await chips(session).count()
  await session.page.keyboard.type(typed)
  await expect(options(session)).not.toHaveCount(0)
  await session.page.keyboard.press('Enter')
  await expect(chips(session)).toHaveCount(count + 1)
}

/** Sends what stands in the box; answers with its pieces. */
async function send(session: SessionPage): Promise<unknown> {
  const before = (await session.asked('session.send')).length
  await session.page.keyboard.press('Enter')
  await expect.poll(async () => (await session.asked('session.send')).length).toBe(before + 1)
  return ((await session.asked('session.send')) as { segments: unknown }[]).at(-1)?.segments
}

test('a file is chosen by key and the sentence goes on right behind it', async ({ session, page }) => {
  await openWith(session)
  await page.keyboard.type('前の章、@第一')
  await expect(options(session)).toHaveText([/第一章\.md\s*src/, /第一章\.md\s*小説/])
  await expect(options(session).first()).toHaveAttribute('aria-selected', 'true')
  await expect(session.box).toHaveAttribute('aria-activedescendant', /.+/)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(chips(session)).toHaveText('@小説/第一章.md')
  await expect(options(session)).toHaveCount(0)
  await expect(session.box).not.toHaveAttribute('aria-activedescendant', /.*/)
  await page.keyboard.type('を推敲して、@第二')
  await page.keyboard.press('Tab')
  await page.keyboard.type('。')
  expect(await send(session)).toEqual([
    text('前の章、'),
    file('小説/第一章.md'),
    text('を推敲して、'),
    file('小説/第二 章.md'),
    text('。'),
  ])
})

test('a folder is gone into, also one with a space; its listing stands at the end', async ({
  session,
  page,
}) => {
  await openWith(session)
  await page.keyboard.type('@資料')
  await page.keyboard.press('Enter')
  await expect(session.box).toHaveText('@"資料 集/')
  await expect(options(session)).toHaveText([/地図\.md/, /資料 集\/\s*フォルダーの一覧/])
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(chips(session)).toHaveText('@"資料 集/"')
  await page.keyboard.type(' @小説/')
  await options(session).filter({ hasText: '第一章' }).click()
  expect(await send(session)).toEqual([file('資料 集/'), text(' '), file('小説/第一章.md')])
})

test('lines are typed before the choice or behind the piece', async ({ session, page }) => {
  await openWith(session)
  await page.keyboard.type('@date.ts#L5-10')
  await page.keyboard.press('Enter')
  await expect(chips(session)).toHaveText('@src/date.ts#L5-10')
  await page.keyboard.type('と@第二')
  await expect(options(session)).toHaveCount(0)
  await page.keyboard.type(' @第二')
  await page.keyboard.press('Enter')
  await page.keyboard.type('#L3を')
  await expect(session.box.locator('.message-chip-lines')).toHaveText('#L3')
  expect(await send(session)).toEqual([
    file('src/date.ts', { from: 5, to: 10 }),
    text('と@第二 '),
    file('小説/第二 章.md', { from: 3, to: 3 }),
    text('を'),
  ])
})

test('Escape closes the list for this one; what was typed is sent as it stands', async ({
  session,
  page,
}) => {
  await openWith(session)
  await page.keyboard.type('@date')
  await expect(options(session)).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(options(session)).toHaveCount(0)
  await page.keyboard.type('.')
  await expect(session.box).toHaveText('@date.')
  await expect(options(session)).toHaveCount(0)
  await page.keyboard.type(' @date')
  await expect(options(session)).toHaveCount(1)
  await page.keyboard.press('Escape')
  expect(await send(session)).toEqual([text('@date. @date')])
})

test('addresses and decorators are text', async ({ session, page }) => {
  await openWith(session)
  await page.keyboard.type('me@date.example @param を')
  await expect(options(session)).toHaveCount(0)
  expect(await session.asked('reference.complete')).not.toContainEqual(
    expect.objectContaining({ query: expect.stringContaining('date') }),
  )
  expect(await send(session)).toEqual([text('me@date.example @param を')])
})

test('the caret passes a piece in one step, Backspace takes it whole, undo brings it back', async ({
  session,
  page,
}) => {
  await openWith(session)
  await page.keyboard.type('前@')
  await page.keyboard.press('Backspace')
  await page.keyboard.type(' @date')
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('|')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type('を')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await expect(chips(session)).toHaveCount(0)
  await expect(session.box).toHaveText('前 |')
  await page.keyboard.press('Control+z')
  await expect(chips(session)).toHaveText('@src/date.ts')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.type('@第二')
  await page.keyboard.press('Enter')
  await expect(chips(session)).toHaveText('@"小説/第二 章.md"')
  await page.keyboard.press('Control+z')
  await expect(session.box).toHaveText('@第二')
})

test('pieces are copied, cut and pasted whole; other programs get the text', async ({ session, page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await openWith(session)
  await choose(session, '@第二')
  await page.keyboard.type('を')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+x')
  await expect(chips(session)).toHaveCount(0)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('@"小説/第二 章.md"を')
  await page.keyboard.press('Control+v')
  await page.keyboard.press('Control+v')
  await expect(chips(session)).toHaveCount(2)
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+c')
  await page.keyboard.press('End')
  await page.keyboard.press('Control+Shift+v')
  await expect(chips(session)).toHaveCount(2)
  const piece = [file('小説/第二 章.md'), text('を')]
  expect(await send(session)).toEqual([
    ...piece,
    piece[0],
    text('を@"小説/第二 章.md"を@"小説/第二 章.md"を'),
  ])
})

test('what another page put on the clipboard is text', async ({ session, page }) => {
  await openWith(session)
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.setData('text/plain', 'ただの文')
    data.setData('application/x-tsugi-message', '[{"kind":"file-ref","path":7}]')
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
    document.querySelector('.message-box .cm-content')?.dispatchEvent(event)
  })
  await expect(session.box).toHaveText('ただの文')
  expect(await send(session)).toEqual([text('ただの文')])
})

test('while an input method composes no key is taken; what it composed is the query', async ({
  session,
  page,
}) => {
  await openWith(session)
  const ime = await session.keyboard()
  const compose = (value: string) =>
    ime.send('Input.imeSetComposition', {
      text: value,
      selectionStart: value.length,
      selectionEnd: value.length,
    })
  await page.keyboard.type('@')
  await expect(options(session)).not.toHaveCount(0)
  for (const step of ['d', 'だ', 'だい', 'だいi', 'だいいち']) await compose(step)
  await expect(options(session)).toHaveCount(0)
  for (const [key, code] of [
    ['ArrowDown', 40],
    ['Enter', 13],
  ] as const) {
    await ime.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      windowsVirtualKeyCode: 229,
      key,
      code: key,
    })
    await ime.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      windowsVirtualKeyCode: code,
      key,
      code: key,
    })
  }
  await expect(session.box).toHaveText('@だいいち')
  expect(await session.asked('session.send')).toEqual([])
  await compose('第一')
  await ime.send('Input.insertText', { text: '第一' })
  await expect(session.box).toHaveText('@第一')
  await expect(options(session)).toHaveCount(2)
  await page.keyboard.press('Enter')
  await expect(chips(session)).toHaveText('@src/第一章.md')
})

test('an answer to what is no longer typed is dropped; a key that came too early takes from the right one', async ({
  session,
  page,
}) => {
  await openWith(session)
  await page.evaluate(() => {
    const late = harness.host.references.hold('第')
    const last = harness.host.references.hold('第二')
    Object.assign(globalThis, { late, last })
  })
  await page.keyboard.type('@')
  await expect(options(session)).not.toHaveCount(0)
  await page.keyboard.type('第二')
  await page.keyboard.press('Enter')
  await expect(chips(session)).toHaveCount(0)
  expect(await session.asked('session.send')).toEqual([])
  await page.evaluate(() => (globalThis as unknown as { last(): void }).last())
  await expect(chips(session)).toHaveText('@"小説/第二 章.md"')
  await page.evaluate(() => (globalThis as unknown as { late(): void }).late())
  await page.waitForTimeout(100)
  await expect(options(session)).toHaveCount(0)
})

test('a folder that is still being read is asked again; a look at the window reads it anew', async ({
  session,
  page,
}) => {
  await openWith(session)
  await page.evaluate(() => {
    Object.assign(harness.host.references, { paths: [], isComplete: false })
  })
  await page.keyboard.type('@date')
  await expect.poll(() => session.asked('reference.complete')).not.toHaveLength(0)
  await page.evaluate(() => {
    Object.assign(harness.host.references, { paths: ['src/date.ts'], isComplete: true })
  })
  await expect(options(session)).toHaveCount(1)
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await expect.poll(() => session.asked('reference.refresh')).toEqual([{ workId: 'work-1' }])
})

test('a secret is asked about in a small dialog, and cancelled the message stands there again', async ({
  session,
  page,
}) => {
  await openWith(session)
  await page.evaluate(() => {
    harness.host.references.paths = ['.env', 'keys/id_rsa']
    harness.host.references.secrets = ['.env', 'keys/id_rsa']
  })
  const dialog = page.getByRole('dialog', { name: '秘密の情報を送りますか' })
  const answers = async () =>
    ((await session.asked('session.send')) as { references: { allowSecrets?: string[] } }[]).map(
      ({ references }) => references.allowSecrets ?? null,
    )
  await choose(session, '@.env')
  await page.keyboard.type('と@')
  await page.keyboard.press('Backspace')
  await choose(session, ' @rsa')
  await expect(chips(session)).toHaveCount(2)
  await page.keyboard.press('Enter')
  await expect(dialog).toContainText('.env')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(chips(session)).toHaveText(['@.env', '@keys/id_rsa'])
  await expect(session.box).toBeFocused()
  await expect(page.getByRole('alert')).toHaveCount(0)

  await page.keyboard.press('Enter')
  await dialog.getByRole('checkbox', { name: '.env' }).uncheck()
  await dialog.getByRole('button', { name: '今回だけ送る' }).click()
  await expect(chips(session)).toHaveCount(0)
  await expect(session.box).toBeFocused()
  expect(await answers()).toEqual([null, null, ['keys/id_rsa']])

  await choose(session, '@.env')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('checkbox')).toHaveCount(0)
  await dialog.getByRole('button', { name: '除いて送る' }).click()
  await expect.poll(answers).toEqual([null, null, ['keys/id_rsa'], null, []])
})

test('a message that was stopped on its way says why and stands in the box again', async ({
  session,
  page,
}) => {
  await openWith(session)
  await page.evaluate(() => {
    harness.host.sessions.refusal = { code: 'session/cancelled', reason: '下書きの検査' }
  })
  await choose(session, '@date')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('下書きの検査')
  await expect(chips(session)).toHaveText('@src/date.ts')
})

test('under the message stands what became of its files', async ({ session, page }) => {
  await openWith(session)
  await page.evaluate(() => {
    const { host, make } = harness
    const lines = Array.from({ length: 30 }, (_, i) => `${i + 1} 行目`).join('\n')
    const put = (path: string, change: object) => host.sessions.put('session-3', make.file(2, path, change))
    host.sessions.put('session-3', make.user(2, '読んで'))
    put('小説/第二 章.md', { text: `[File: x]\n${lines}`, sizeBytes: 20_480, isCut: true, isUnsaved: true })
    put('小説/', { what: 'folder', text: '[Dir: 小説/]\n第一章.md' })
    put('無い.md', { state: 'not-found', range: { from: 1, to: 2 } })
    put('古い.txt', { state: 'encoding', encodings: ['shift_jis', 'euc-jp'] })
  })
  const card = session.log.locator('.attached').first()
  await expect(card.locator('summary')).toHaveText(
    /@"小説\/第二 章\.md"（20 [kK]B）の初めの部分を添付\s*未保存の文章/,
  )
  await card.locator('summary').click()
  await expect(card).toContainText('12 行目')
  await expect(card).not.toContainText('[File')
  await expect(card).toContainText('ほか 18 行')
  await expect(session.log).toContainText('@小説/ の一覧を添付')
  await expect(session.log).toContainText('@無い.md#L1-2 が見つからないため、添付しませんでした。')
  await session.log.getByRole('button', { name: 'EUC-JP として送り直す' }).click()
  await expect
    .poll(() => session.asked('session.resend'))
    .toEqual([{ sessionId: 'session-3', turn: 2, references: { encodings: { '古い.txt': 'euc-jp' } } }])
})

import { expect, type SessionPage, test } from './session-test.ts'

const paths = ['.env', 'src/date.ts', '小説/第一章.md', '小説/第二 章.md']

const field = (session: SessionPage) => session.log.getByRole('textbox', { name: '自分の言葉で答える' })
const options = (session: SessionPage) =>
  session.log.getByRole('listbox', { name: 'ファイルとフォルダー' }).getByRole('option')

async function openQuestion(session: SessionPage): Promise<void> {
  await session.open()
  await session.page.evaluate((all) => {
    const { host, make } = harness
    host.references.paths = all
    host.sessions.change('session-3', { openGates: [] })
    host.sessions.put('session-3', make.question(2, 'どこを読めばよいですか。', ['全部']))
  }, paths)
  await expect(field(session)).toBeVisible()
}

test('a question is answered with files, by the keys and pieces of the message box', async ({
  session,
  page,
}) => {
  await openQuestion(session)
  await test.step('a path is completed where it stands; the list reads as one', async () => {
    await field(session).click()
    await page.keyboard.type('前の章、@第')
    await expect(options(session)).toHaveCount(2)
    await expect(field(session)).toHaveAttribute('aria-activedescendant', /.+/)
    await page.keyboard.press('Escape')
    await expect(options(session)).toHaveCount(0)
    await page.keyboard.type('二')
    await expect(options(session)).toHaveCount(0)
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('@第')
    await expect(options(session)).toHaveCount(2)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(field(session).locator('.message-chip')).toHaveText('@"小説/第二 章.md"')
    await page.keyboard.type('を。')
  })
  await test.step('Escape goes back to the message box and stops nothing; what was written waits', async () => {
    await page.keyboard.press('Escape')
    await expect(session.box).toBeFocused()
    expect(await session.asked('session.stop')).toEqual([])
    await session.list.getByRole('button').filter({ hasText: 'README' }).first().click()
    await expect(session.log).not.toContainText('どこを読めばよいですか。')
    await session.list
      .getByRole('button', { name: /^日付の誤りを直す/ })
      .first()
      .click()
    await expect(field(session)).toHaveText('前の章、@"小説/第二 章.md"を。')
  })
  await test.step('Shift+Enter is a line, Enter answers once, and the box has the focus', async () => {
    await field(session).click()
    await page.keyboard.press('End')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('以上')
    await page.keyboard.press('Enter')
    await expect(session.box).toBeFocused()
    expect(await session.asked('session.answerQuestion')).toMatchObject([
      {
        segments: [
          { kind: 'text', text: '前の章、' },
          { kind: 'file-ref', path: '小説/第二 章.md', range: null },
          { kind: 'text', text: 'を。\n以上' },
        ],
      },
    ])
    await expect(field(session)).toHaveCount(0)
    await expect(session.log).toContainText('を。')
  })
})

test('an input method keeps its Enter, and an answer that is refused stays', async ({ session, page }) => {
  await openQuestion(session)
  const keyboard = await session.keyboard()
  await field(session).click()
  await keyboard.send('Input.imeSetComposition', { text: 'これ', selectionStart: 2, selectionEnd: 2 })
  for (const windowsVirtualKeyCode of [229, 13]) {
    const press = { type: 'rawKeyDown', windowsVirtualKeyCode, key: 'Enter', code: 'Enter' } as const
    await keyboard.send('Input.dispatchKeyEvent', press)
  }
  await keyboard.send('Input.insertText', { text: 'これ' })
  await expect(field(session)).toHaveText('これ')
  expect(await session.asked('session.answerQuestion')).toEqual([])
  await page.evaluate(() => {
    harness.host.references.secrets = ['.env']
  })
  await page.keyboard.type('、@.e')
  await expect(options(session)).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(field(session).locator('.message-chip')).toHaveText('@.env')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: '秘密の情報を送りますか' })).toContainText('.env')
  await page.keyboard.press('Escape')
  await expect(field(session)).toBeFocused()
  await expect(field(session)).toHaveText('これ、@.env')
})

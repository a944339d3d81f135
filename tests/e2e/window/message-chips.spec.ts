/** Pieces of a message under the keyboard, an input method and the mouse. */
import type { Locator, Page } from '@playwright/test'
import { expect, type SessionPage, test } from './session-test.ts'

const file = (path: string) => ({ kind: 'file-ref', path, range: null })
const text = (value: string) => ({ kind: 'text', text: value })
const dates = file('src/date.ts')

const chips = ({ box }: SessionPage): Locator => box.locator('.message-chip')

/** `前@src/date.ts後`, with the caret at its end. */
async function writeAround(session: SessionPage, page: Page): Promise<void> {
  await session.open()
  await page.keyboard.type('前 @src/date')
  await expect(page.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(chips(session)).toHaveCount(1)
  await page.keyboard.insertText('後')
}

/** Returns the content of the box as it would be sent. */
async function standing(session: SessionPage, page: Page): Promise<unknown> {
  const sent = (await session.asked('session.send')).length
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await session.asked('session.send')).length).toBe(sent + 1)
  return ((await session.asked('session.send')) as { segments: unknown }[]).at(-1)?.segments
}

test('the keyboard selects, deletes and passes a piece as one', async ({ session, page }) => {
  await writeAround(session, page)
  await page.keyboard.press('Shift+ArrowLeft')
  await page.keyboard.press('Shift+ArrowLeft')
  await page.keyboard.insertText('間')
  await expect(session.box).toHaveText('前 間')
  await page.keyboard.press('Control+z')
  await expect(chips(session)).toHaveText('@src/date.ts')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Delete')
  await expect(session.box).toHaveText('前 後')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+y')
  await expect(session.box).toHaveText('前 後')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Control+Backspace')
  await expect(chips(session)).toHaveCount(0)
  await page.keyboard.press('Control+z')
  await expect(chips(session)).toHaveCount(1)
  expect(await standing(session, page)).toEqual([text('前 '), dates, text('後')])
})

test('an input method composes before, between and behind pieces, and leaves them whole', async ({
  session,
  page,
}) => {
  await writeAround(session, page)
  const ime = await session.keyboard()
  const compose = async (...steps: string[]) => {
    for (const step of steps)
      await ime.send('Input.imeSetComposition', {
        text: step,
        selectionStart: step.length,
        selectionEnd: step.length,
      })
    await ime.send('Input.insertText', { text: steps.at(-1) ?? '' })
  }
  // Right behind the piece.
  await page.keyboard.press('ArrowLeft')
  await compose('w', 'を', 'をs', 'をす', '推す')
  await expect(session.box).toHaveText('前 @src/date.ts推す後')
  // Right before it.
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await compose('k', 'こ', 'この')
  await expect(session.box).toHaveText('前 この@src/date.ts推す後')
  // Between two that stand side by side, and at both ends of the box.
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  for (const count of [1, 2]) {
    await page.keyboard.type('@src/date')
    await expect(page.getByRole('option')).toHaveCount(1)
    await page.keyboard.press('Enter')
    await expect(chips(session)).toHaveCount(count)
  }
  await compose('t', 'と')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await compose('t', 'と')
  await page.keyboard.press('Home')
  await compose('s', 'そ', 'その')
  // One that is given up leaves nothing.
  await ime.send('Input.imeSetComposition', { text: 'あ', selectionStart: 1, selectionEnd: 1 })
  await ime.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 })
  await expect(chips(session)).toHaveCount(2)
  expect(await standing(session, page)).toEqual([text('その'), dates, text('と'), dates, text('と')])
})

test('a piece is dragged whole, alone or with what is selected; with Ctrl it is copied', async ({
  session,
  page,
}) => {
  await writeAround(session, page)
  const at = async (locator: Locator, x: number) => {
    const box = await locator.boundingBox()
    return { x: (box?.x ?? 0) + x, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }
  }
  const drag = async (from: { x: number; y: number }, to: { x: number; y: number }) => {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x + 8, from.y)
    await page.mouse.move(to.x, to.y, { steps: 4 })
    await page.mouse.up()
  }
  const line = session.box.locator('.cm-line')
  await drag(await at(chips(session), 20), await at(line, 400))
  await expect(session.box).toHaveText('前 後@src/date.ts')
  await expect(chips(session)).toHaveCount(1)
  await page.keyboard.press('Control+z')
  await expect(session.box).toHaveText('前 @src/date.ts後')
  await page.keyboard.down('Control')
  await drag(await at(chips(session), 20), await at(line, 400))
  await page.keyboard.up('Control')
  await expect(chips(session)).toHaveCount(2)
  expect(await standing(session, page)).toEqual([text('前 '), dates, text('後'), dates])

  await page.keyboard.type('甲 @src/date')
  await page.keyboard.press('Enter')
  await expect(chips(session)).toHaveCount(1)
  await page.keyboard.insertText('乙丙')
  await page.keyboard.press('ArrowLeft')
  for (let step = 0; step < 3; step++) await page.keyboard.press('Shift+ArrowLeft')
  await drag(await at(chips(session), 20), await at(line, 400))
  await expect(session.box).toHaveText('甲丙 @src/date.ts乙')
  expect(await standing(session, page)).toEqual([text('甲丙 '), dates, text('乙')])
})

test('pieces go from one session to another, and a copy of a part has its pieces', async ({
  session,
  page,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await writeAround(session, page)
  await page.keyboard.press('Shift+Home')
  await page.keyboard.press('Control+x')
  await expect(session.box).not.toContainText('前')
  await session.list
    .getByRole('button', { name: /^テストを増やす/ })
    .first()
    .click()
  await expect(session.box).toBeFocused()
  await page.keyboard.press('Control+v')
  await expect(chips(session)).toHaveText('@src/date.ts')
  expect(await standing(session, page)).toEqual([text('前 '), dates, text('後')])
})

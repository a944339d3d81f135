import { calls, plan, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { Room } from '../support/room.ts'
import { expect, type OpenRoom, test } from '../support/session-test.ts'

/** Returns the unsent messages that the host keeps, as one text. */
async function kept({ client, workId }: OpenRoom): Promise<string> {
  for await (const { messages } of client['unsent.watch']({ workId })) return JSON.stringify(messages)
  throw new Error('the host has gone')
}

test('what is written outlasts a reload, the host and the window, and is one text in two windows', async ({
  openRoom,
  browser,
}) => {
  const opened = await openRoom({
    files: { '章.md': '雨。\n' },
    thoughts: [
      workIn('PLANNING'),
      calls(['ask_user', { question: 'どこまで直しますか。', options: ['全部'] }]),
      plan('直す'),
    ],
  })
  const { room, session, client, workId } = opened
  const { page } = room
  await client['session.create']({ workId })
  await page.getByText('無題のセッション').first().click()

  await test.step('a reload right behind the last key', async () => {
    await room.box.click()
    await page.keyboard.type('@章')
    await expect(page.getByRole('option')).not.toHaveCount(0)
    await page.keyboard.press('Enter')
    await page.keyboard.insertText('を直して')
    await page.reload()
    await expect(room.box).toHaveText('@章.mdを直して')
    await expect(room.box.locator('.message-chip')).toHaveText('@章.md')
  })

  await test.step('kill -9 and another address', async () => {
    await room.box.click()
    await page.keyboard.press('End')
    await page.keyboard.insertText('、声に')
    await expect.poll(() => kept(opened)).toContain('、声に')
    await opened.restart('SIGKILL')
    await expect(room.box).toHaveText('@章.mdを直して、声に')
  })

  const context = await browser.newContext({ locale: 'ja-JP' })
  const other = new Room(await context.newPage())
  await test.step('a window that never was here; each shows what the other one writes', async () => {
    await other.open(opened.host.link)
    await expect(other.box).toHaveText('@章.mdを直して、声に')
    await other.box.click()
    await other.page.keyboard.press('End')
    await other.page.keyboard.insertText('出して。')
    await expect(room.box).toHaveText('@章.mdを直して、声に出して。')
  })

  await test.step('what is sent in one is gone in both, for good', async () => {
    await other.page.keyboard.press('Enter')
    await expect(room.conversation).toContainText('どこまで直しますか。')
    await expect(room.box).not.toContainText('声に')
    await expect(other.box).not.toContainText('声に')
    expect(await kept(opened)).toBe('[]')
  })

  await test.step('an answer that is being written is kept alike', async () => {
    const field = room.conversation.getByRole('textbox', { name: '自分の言葉で答える' })
    await field.click()
    await page.keyboard.insertText('冒頭だけ')
    await expect(other.conversation.getByRole('textbox', { name: '自分の言葉で答える' })).toHaveText(
      '冒頭だけ',
    )
    await page.reload()
    await expect(field).toHaveText('冒頭だけ')
    await other.conversation.getByRole('button', { name: '全部' }).click()
    await expect(field).toHaveCount(0)
    await expect.poll(() => kept(opened)).toBe('[]')
    expect((await session()).items.find((item) => item.kind === 'question')).toMatchObject({ answer: '全部' })
  })
  await context.close()
})

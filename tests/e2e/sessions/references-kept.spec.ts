/** Attached files keep their content until the author attaches them again; unsent messages return to the box. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calls, justAnswer, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { sentTurn, withFiles } from '../support/sent-message.ts'
import { expect, type OpenRoom, test } from '../support/session-test.ts'

async function answered({ room }: OpenRoom, text: string): Promise<void> {
  await expect(room.conversation).toContainText(text)
}

async function write({ root }: OpenRoom, path: string, text: string): Promise<void> {
  await writeFile(join(root, path), text)
}

/** The message with its files at the beginning of its turn, to the byte. */
function expectSent(open: OpenRoom, message: string, ...files: [string, string][]): void {
  const wanted = withFiles(message, ...files)
  expect(sentTurn(open, message).slice(0, wanted.length)).toBe(wanted)
}

test('a message that is edited and sent again has its piece whole, and its files are read anew', async ({
  openRoom,
}) => {
  const open = await openRoom({
    files: { '章.md': '一度目の文。\n' },
    thoughts: [...justAnswer('一返事。'), ...justAnswer('読み直した返事。')],
  })
  const { room } = open
  await room.box.click()
  await room.page.keyboard.insertText('@章')
  await expect(room.page.getByRole('listbox', { name: 'ファイルとフォルダー' })).toBeVisible()
  await room.page.keyboard.press('Enter')
  await room.page.keyboard.insertText('を読んで')
  await room.page.keyboard.press('Enter')
  await answered(open, '一返事。')
  await room.isAt('済み')
  expectSent(open, '@章.mdを読んで', ['File: 章.md', '一度目の文。\n'])

  await write(open, '章.md', '二度目の文。\n')
  const message = room.conversation.getByRole('article', { name: 'あなた' }).first()
  await message.hover()
  await message.getByRole('button', { name: '編集して送る' }).click()
  await expect(room.box.locator('.message-chip')).toHaveText('@章.md')
  await room.page.keyboard.insertText('ください')
  await room.page.keyboard.press('Enter')
  await answered(open, '読み直した返事。')
  expectSent(open, '@章.mdを読んでください', ['File: 章.md', '二度目の文。\n'])
  expect(open.asked()).not.toContain('一度目の文。')
  await expect(room.conversation.locator('.attached')).toHaveCount(1)
  expect(open.mind.left).toEqual([])
})

test('an open file goes as it stands in the window, an answer brings its files, and what cannot go comes back', async ({
  openRoom,
}) => {
  const long = 'あ'.repeat(5_400)
  const open = await openRoom({
    files: {
      '章.md': '古い文。',
      '資料/地図 帳.md': '北は山。',
      ...Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`長${at}.md`, long])),
    },
    thoughts: [
      ...justAnswer('読みました。'),
      workIn('PLANNING'),
      calls(['ask_user', { question: 'どの資料ですか？', options: [] }]),
      { say: '' },
      ...justAnswer('答えを読みました。'),
    ],
  })
  const { room, client, workId } = open
  const { page } = room

  await test.step('a memo links its files, quoted ones too; the link opens one', async () => {
    await page.getByRole('radio', { name: '原稿' }).click()
    await page.getByRole('tab', { name: 'メモ' }).click()
    await page
      .getByRole('textbox', { name: 'メモ' })
      .fill('@"資料/地図 帳.md"と、@章.mdを先に。@無い.md は後で')
    const links = page.getByRole('list', { name: 'このメッセージのファイル' }).getByRole('button')
    await expect(links).toHaveText(['@資料/地図 帳.md', '@章.md'])
    await links.first().click()
    await expect(page.getByRole('textbox', { name: '本文' })).toContainText('北は山。')
    await links.last().click()
    await expect(page.getByRole('textbox', { name: '本文' })).toContainText('古い文。')
  })

  await test.step('unsaved text goes along, and its piece says so', async () => {
    // What is changed on both sides is not saved before the author has chosen.
    for await (const event of client['document.watch']({ workId, path: '章.md' })) {
      if (event.kind === 'conflict') break
      if (event.kind !== 'snapshot') continue
      const { documentId, version } = event.snapshot
      const changes: [[number, string], number][] = [[[2, '新しい'], 2]]
      await client['document.change']({ documentId, clientId: 'another', baseVersion: version, changes })
      await write(open, '章.md', '他人の文。')
    }
    await page.getByRole('radio', { name: 'セッション' }).click()
    await room.box.click()
    await page.keyboard.insertText('@章')
    await expect(page.getByRole('listbox', { name: 'ファイルとフォルダー' })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(room.box.locator('.message-chip')).toHaveText('@章.md未保存の文章')
    await page.keyboard.insertText('を読んで')
    await page.keyboard.press('Enter')
    await answered(open, '読みました。')
    expectSent(open, '@章.mdを読んで', ['File: 章.md', '新しい文。'])
    await expect(room.conversation.locator('.attached')).toContainText('未保存の文章')
  })

  await test.step('an answer to a question brings its files, and they are shown', async () => {
    await room.say('進めて')
    const card = room.conversation.getByRole('region', { name: '質問' })
    await card.getByRole('textbox').fill('@"資料/地図 帳.md"です')
    await card.getByRole('button', { name: '答える' }).click()
    await answered(open, '答えを読みました。')
    await expect(card).toContainText('@"資料/地図 帳.md"です')
    expect(open.asked()).toContain(
      JSON.stringify(withFiles('', ['File: 資料/地図 帳.md', '北は山。'])).slice(5, -1),
    )
    await expect(room.conversation.locator('.attached').last()).toContainText('@"資料/地図 帳.md"')
  })

  await test.step('what waited and may not go when its turn comes is in the box again', async () => {
    const letGo = open.holdModel()
    open.mind.think(...justAnswer('待たせました。'))
    await room.say('長い仕事')
    await room.say('@.env を見て')
    await expect(page.getByRole('list', { name: '順番待ちのメッセージ' })).toContainText('@.env')
    await write(open, '.env', 'TOKEN=himitsu-42')
    letGo()
    await answered(open, '待たせました。')
    await expect(room.box).toHaveText('@.env を見て')
    await expect(page.getByRole('alert').filter({ hasText: '.env' })).toBeVisible()
    await expect(page.getByRole('list', { name: '順番待ちのメッセージ' })).toHaveCount(0)
    await expect(room.conversation).not.toContainText('himitsu')
  })

  await test.step('beyond half of the context a file is only its name and size', async () => {
    open.mind.think(...justAnswer('五つとも。'))
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    await room.say('@長1.md @長2.md @長3.md @長4.md @長5.md を')
    await answered(open, '五つとも。')
    const note = '[...truncated, 16200 bytes total — use read_file for the rest]'
    const turn = sentTurn(open, '@長1.md')
    expect(
      turn.startsWith(withFiles('@長1.md @長2.md @長3.md @長4.md @長5.md を', ['File: 長1.md', long])),
    ).toBe(true)
    expect(turn).toContain(withFiles('', ['File: 長5.md', note]))
  })
  expect(open.mind.left).toEqual([])
})

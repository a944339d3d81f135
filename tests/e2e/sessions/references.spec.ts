import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Thought } from '../../fakes/scripted-mind.ts'
import { expect, type OpenRoom, test } from '../support/session-test.ts'

const reply = (say: string): Thought[] => [{ decide: {} }, { say }]
const chapter = Array.from({ length: 20 }, (_, i) => `　${i + 1} 行目の文。`).join('\n')

/** Types a path's beginning and takes what is offered first. */
async function choose({ room }: OpenRoom, typed: string): Promise<void> {
  await room.page.keyboard.insertText(typed)
  const options = room.page.getByRole('listbox', { name: 'ファイルとフォルダ' }).getByRole('option')
  await expect(options).not.toHaveCount(0)
  await room.page.keyboard.press('Enter')
}

async function files(open: OpenRoom) {
  const { items } = await open.session()
  return items.filter((item) => item.kind === 'file')
}

test('files, lines and folders that are chosen or typed reach the model as they are', async ({
  openRoom,
}) => {
  const open = await openRoom({
    files: { '小説/第一章.md': chapter, '小説/第二 章.md': '　第二の文。', '資料/地図.md': '北は山。' },
    thoughts: reply('読みました。'),
  })
  const { room } = open
  await room.box.click()
  await choose(open, '@第一章#L3-4')
  await room.page.keyboard.insertText('を、')
  await choose(open, '@第二')
  await room.page.keyboard.insertText('。@資料/ と@小説/第一章.md、@資料/地図.mdも。')
  await room.page.keyboard.press('Enter')
  await expect(room.conversation).toContainText('読みました。')
  expect((await files(open)).map(({ path, state, what }) => [path, state, what])).toEqual([
    ['小説/第一章.md', 'ok', 'file'],
    ['小説/第二 章.md', 'ok', 'file'],
    ['資料/', 'ok', 'folder'],
    ['資料/地図.md', 'ok', 'file'],
  ])
  const asked = open.asked()
  expect(asked).toContain('　3 行目の文。\\n　4 行目の文。')
  expect(asked).not.toContain('5 行目の文')
  expect(asked).toContain('　第二の文。')
  expect(asked).toContain('北は山。')
  await expect(room.conversation).toContainText('@小説/第一章.md#L3-4')
  await expect(room.conversation).toContainText('の一覧を添付')
})

test('what fails says why, and the model sees only that it failed', async ({ openRoom }) => {
  const open = await openRoom({
    files: { '絵.md': new Uint8Array([0, 1, 2, 0, 3]), '章.md': '一行。' },
    thoughts: reply('はい。'),
  })
  await open.room.say('@無い.md と @絵.md と @章.md#L9 と @../外.md を')
  await expect(open.room.conversation).toContainText('はい。')
  await expect(open.room.conversation).toContainText('@無い.md が見つからないため、添付しませんでした。')
  await expect(open.room.conversation).toContainText('@絵.md は文章のファイルではないため')
  await expect(open.room.conversation).toContainText('@章.md#L9 に指定された行がないため')
  expect((await files(open)).map(({ state }) => state)).toEqual([
    'not-found',
    'binary',
    'out-of-range',
    'out-of-scope',
  ])
  expect(open.asked()).toContain('[unresolved file ref: 無い.md]')
})

test('decorators and addresses are what was typed', async ({ openRoom }) => {
  const open = await openRoom({ files: { 'a.md': '甲' }, thoughts: reply('はい。') })
  await open.room.say('me@example.com に @param と @Injectable() の話を')
  await expect(open.room.conversation).toContainText('はい。')
  expect(await files(open)).toEqual([])
  expect(open.asked()).toContain('me@example.com に @param と @Injectable() の話を')
})

test('a secret goes only where it is allowed, and cancelled nothing is sent', async ({ openRoom }) => {
  const open = await openRoom({
    files: { '.env': 'TOKEN=himitsu-42' },
    thoughts: [...reply('除いて読みました。'), ...reply('読みました。')],
  })
  const { room, llama } = open
  const dialog = room.page.getByRole('dialog', { name: '秘密の情報を送りますか' })
  await room.say('@.env#L1 を見て')
  await expect(dialog).toContainText('.env')
  await room.page.keyboard.press('Escape')
  await expect(room.box).toHaveText('@.env#L1 を見て')
  expect(llama.requests.filter(({ path }) => path.endsWith('/chat/completions'))).toEqual([])
  await room.page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: '除いて送る' }).click()
  await expect(room.conversation).toContainText('除いて読みました。')
  await expect(room.conversation).toContainText('秘密の情報として送信が断られたため')
  expect(open.asked()).not.toContain('himitsu-42')
  await room.say('@.env を見て')
  await dialog.getByRole('button', { name: '今回だけ送る' }).click()
  await expect.poll(async () => (await files(open)).map(({ state }) => state)).toEqual(['refused', 'ok'])
  await expect.poll(() => open.asked()).toContain('himitsu-42')
})

test('the text of an open file goes as it is in the window', async ({ openRoom }) => {
  const open = await openRoom({ files: { '章.md': '古い文。' }, thoughts: reply('読みました。') })
  const { client, workId, room } = open
  await room.box.click()
  await room.page.keyboard.insertText('@章.mdを読んで')
  // What is changed on both sides is not saved before the author has chosen.
  for await (const event of client['document.watch']({ workId, path: '章.md' })) {
    if (event.kind === 'conflict') break
    if (event.kind !== 'snapshot') continue
    const { documentId, version } = event.snapshot
    const changes: [[number, string], number][] = [[[2, '新しい'], 2]]
    await client['document.change']({ documentId, clientId: 'another', baseVersion: version, changes })
    await writeFile(join(open.root, '章.md'), '他人の文。')
  }
  await room.page.keyboard.press('Enter')
  await expect(room.conversation).toContainText('読みました。')
  expect(open.asked()).toContain('新しい文。')
  expect((await files(open))[0]).toMatchObject({ isUnsaved: true })
  await expect(room.conversation).toContainText('未保存の文章')
})

test('a message that is edited and sent again reads its files anew', async ({ openRoom }) => {
  const open = await openRoom({
    files: { '章.md': '一度目の文。' },
    thoughts: [...reply('読みました。'), ...reply('読み直しました。')],
  })
  const { room, client, workId } = open
  await room.box.click()
  await choose(open, '@章')
  await room.page.keyboard.insertText('を読んで')
  await room.page.keyboard.press('Enter')
  await expect(room.conversation).toContainText('読みました。')
  await client['session.applyText']({
    workId,
    path: '章.md',
    hash: (await client['session.previewApply']({ workId, path: '章.md' })).hash,
    text: '二度目の文。',
  })
  const message = room.conversation.getByRole('article', { name: 'あなた' })
  await message.hover()
  await message.getByRole('button', { name: '直して送る' }).click()
  await expect(room.box.locator('.message-chip')).toHaveText('@章.md')
  await room.page.keyboard.insertText('ください')
  await room.page.keyboard.press('Enter')
  await expect(room.conversation).toContainText('読み直しました。')
  expect(open.asked()).toContain('二度目の文。')
  expect(await files(open)).toHaveLength(1)
})

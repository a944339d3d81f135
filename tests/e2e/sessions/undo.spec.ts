import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  approve,
  calls,
  justAnswer,
  noCalls,
  plan,
  type Thought,
  workIn,
} from '../../fakes/sessions/scripted-mind.ts'
import { expect, type SharedOptions, type SharedRoom, test } from '../support/session-test.ts'

const files = { 'note.txt': '一行目\n二行目\n', 'other.txt': 'そのまま\n' }
/** A turn that changes a file and makes another one. */
const changing: Thought[] = [
  workIn('PLANNING'),
  calls(['read_file', { path: 'note.txt' }]),
  plan('二行目を直す'),
  workIn('EXECUTION'),
  calls(
    ['edit', { path: 'note.txt', old_text: '二行目', new_text: '二行目！', reason: '直す' }],
    ['write_file', { path: 'new.txt', content: '新しい\n', reason: '控え' }],
  ),
  noCalls,
  approve,
]

/** A talk in its first turn, files changed in its second. */
async function afterChanges(openRoom: (options: SharedOptions) => Promise<SharedRoom>): Promise<SharedRoom> {
  const opened = await openRoom({
    files,
    mode: 'auto-edit',
    thoughts: [...justAnswer('はい。'), ...changing],
  })
  const { room, session } = opened
  await room.say('聞いてください。')
  await expect(room.conversation).toContainText('はい。')
  await room.say('直してください。')
  await expect
    .poll(async () => (await session()).state.position)
    .toMatchObject({ status: 'SUCCESS', step: 'PLANNING' })
  await expect.poll(async () => (await session()).items.filter((item) => item.kind === 'call').length).toBe(5)
  await expect(room.page.getByRole('button', { name: '2 番目のやりとりの操作' })).toBeVisible()
  return opened
}

test('undo of a turn shows what it would do, and takes back files and conversation', async ({
  openSharedRoom,
}) => {
  const opened = await afterChanges(openSharedRoom)
  const { room, onDisk, isOnDisk, session } = opened
  expect(await onDisk('note.txt')).toBe('一行目\n二行目！\n')
  await room.inTurn(2, '元に戻す…')
  const dialog = room.page.getByRole('dialog')
  const listed = dialog.getByRole('region', { name: 'ファイル' }).getByRole('listitem')
  await expect(listed).toHaveCount(2)
  await expect(listed.filter({ hasText: 'note.txt' })).toContainText('前の中身に戻す')
  await expect(listed.filter({ hasText: 'new.txt' })).toContainText('削除（ここで作られました）')
  await expect(dialog).toContainText('会話から 1 件を取り除きます。')
  expect(await onDisk('note.txt')).toBe('一行目\n二行目！\n')

  await dialog.getByRole('button', { name: '元に戻す' }).click()
  await expect.poll(() => onDisk('note.txt')).toBe(files['note.txt'])
  await expect.poll(() => isOnDisk('new.txt')).toBe(false)
  expect(await onDisk('other.txt')).toBe('そのまま\n')
  await expect(room.conversation).not.toContainText('直してください。')
  await expect(room.conversation).toContainText('はい。')
  const { state, items } = await session()
  expect(state).toMatchObject({ todos: [], planTitle: null })
  expect(items.every(({ turn }) => turn === 1)).toBe(true)
})

test('undo of the conversation only: the files stay as they are', async ({ openSharedRoom }) => {
  const { room, mind, asked, onDisk, isOnDisk } = await afterChanges(openSharedRoom)
  await room.inTurn(2, '元に戻す…')
  const dialog = room.page.getByRole('dialog')
  await dialog.getByRole('radio', { name: '会話だけ' }).check()
  await dialog.getByRole('button', { name: '元に戻す' }).click()
  await expect(room.conversation).not.toContainText('直してください。')
  expect(await onDisk('note.txt')).toBe('一行目\n二行目！\n')
  expect(isOnDisk('new.txt')).toBe(true)
  // The message is back in the box, to be sent otherwise.
  await expect(room.box).toHaveText('直してください。')
  await room.box.press('Control+a')
  await room.box.press('Delete')
  mind.think(...justAnswer('何も。'))
  await room.say('何をしましたか。')
  await expect(room.conversation).toContainText('何も。')
  expect(asked()).not.toContain('直してください。')
})

test('what the user wrote since stays, and lines that both changed are asked about', async ({
  openSharedRoom,
}) => {
  const { room, root, onDisk, isOnDisk } = await afterChanges(openSharedRoom)
  await writeFile(join(root, 'note.txt'), '一行目\n二行目！？\n自分で書いた\n')
  await room.inTurn(2, '元に戻す…')
  const dialog = room.page.getByRole('dialog')
  const listed = dialog.getByRole('region', { name: 'ファイル' }).getByRole('listitem')
  const note = listed.filter({ hasText: 'note.txt' })
  await expect(note).toContainText('あなたが書いた部分は残します')
  await expect(note).toContainText('二行目！？')
  await dialog.getByRole('radio', { name: 'ファイルだけ' }).check()
  const undo = dialog.getByRole('button', { name: '元に戻す' })
  await expect(undo).toBeDisabled()
  // The reason is beside the button.
  await expect(undo).toHaveAccessibleDescription('あと 1 か所')
  await expect(dialog.locator('.dialog-footer').getByRole('status')).toHaveText('あと 1 か所')
  await note.getByRole('radio', { name: '変更前に戻す' }).click()
  await undo.click()
  await expect.poll(() => onDisk('note.txt')).toBe('一行目\n二行目\n自分で書いた\n')
  await expect.poll(() => isOnDisk('new.txt')).toBe(false)

  await room.page.getByRole('button', { name: 'やり直す' }).click()
  await dialog.getByRole('button', { name: 'やり直す' }).click()
  await expect.poll(() => onDisk('note.txt')).toContain('自分で書いた')
  await expect.poll(() => isOnDisk('new.txt')).toBe(true)

  // A file that may not be written is left, and compared with what undo would have made of it.
  await chmod(join(root, 'note.txt'), 0o444)
  await room.inTurn(2, '元に戻す…')
  await dialog.getByRole('radio', { name: 'ファイルだけ' }).check()
  await note.getByRole('radio', { name: '変更前に戻す' }).click()
  await undo.click()
  await expect(room.conversation).toContainText('そのまま残したもの：note.txt')
  await room.conversation.getByRole('button', { name: '見比べる…' }).click()
  const left = room.page.getByRole('dialog', { name: 'そのまま残したファイル' })
  await expect(left.locator('.hunk-pair')).not.toHaveCount(0)
  await expect(left).toContainText('二行目！？')
  await chmod(join(root, 'note.txt'), 0o644)
  await left.getByRole('button', { name: 'この内容を書き込む…' }).click()
  await dialog.getByRole('button', { name: '書き込む' }).click()
  await expect.poll(() => onDisk('note.txt')).toBe('一行目\n二行目\n自分で書いた\n')
})

test('a message is edited and sent again: what followed it is gone', async ({ openSharedRoom }) => {
  const { room, asked, session } = await openSharedRoom({
    thoughts: [...justAnswer('一。'), ...justAnswer('二。'), ...justAnswer('直した二。')],
  })
  await room.say('最初の頼み。')
  await expect(room.conversation).toContainText('一。')
  await room.say('次の頼み。')
  await expect(room.conversation).toContainText('二。')
  await room.isAt('済み')
  const message = room.conversation.getByRole('article', { name: 'あなた' }).filter({ hasText: '次の頼み。' })
  await message.hover()
  await message.getByRole('button', { name: '編集して送る' }).click()
  await expect(room.box).toHaveText('次の頼み。')
  await room.page.keyboard.press('End')
  await room.page.keyboard.insertText('短く。')
  await room.page.keyboard.press('Enter')
  await expect(room.conversation).toContainText('直した二。')
  expect(asked()).toContain('次の頼み。短く。')
  expect(asked()).toContain('最初の頼み。')
  const { items } = await session()
  expect(items.filter(({ kind }) => kind === 'user')).toHaveLength(2)
  expect(items.filter((item) => item.kind === 'answer').map((item) => item.text)).toEqual([
    '一。',
    '直した二。',
  ])
})

test('a turn is retried: the same message, another answer', async ({ openSharedRoom }) => {
  const { room, asked, session } = await openSharedRoom({
    thoughts: [...justAnswer('一回目。'), ...justAnswer('二回目。')],
  })
  await room.say('題をください。')
  await expect(room.conversation).toContainText('一回目。')
  await room.inTurn(1, 'もう一度')
  await expect(room.conversation).toContainText('二回目。')
  await expect(room.conversation).not.toContainText('一回目。')
  expect(asked()).toContain('題をください。')
  expect(asked()).not.toContain('一回目。')
  expect((await session()).items.filter(({ kind }) => kind === 'user')).toHaveLength(1)
})

test('a branch has all up to its turn and goes its own way; the first session stays', async ({
  openSharedRoom,
}) => {
  const { room, asked } = await openSharedRoom({
    thoughts: [...justAnswer('一の返事。'), ...justAnswer('二の返事。'), ...justAnswer('別の道。')],
  })
  await room.say('一。')
  await expect(room.conversation).toContainText('一の返事。')
  await room.say('二。')
  await expect(room.conversation).toContainText('二の返事。')
  await room.inTurn(1, 'ここから分ける')
  await expect(room.conversation).not.toContainText('二の返事。')
  await expect(room.conversation).toContainText('一の返事。')
  await room.say('三。')
  await expect(room.conversation).toContainText('別の道。')
  expect(asked()).toContain('一の返事。')
  expect(asked()).not.toContain('二の返事。')

  const rows = room.list.locator('.session-open')
  await expect(rows).toHaveCount(2)
  await rows.last().click()
  await expect(room.conversation).toContainText('二の返事。')
  await expect(room.conversation).not.toContainText('別の道。')
})

test('code of an answer is applied to a file after its diff was shown, and taken back from the toast', async ({
  openSharedRoom,
}) => {
  const code = '一行目\n二行目、直した\n'
  const { room, onDisk } = await openSharedRoom({
    files,
    thoughts: justAnswer(`こうします。\n\n\`\`\`text note.txt\n${code}\`\`\`\n`),
  })
  await room.say('直した文を見せてください。')
  const block = room.conversation.getByRole('figure', { name: 'note.txt' })
  await block.getByRole('button', { name: 'ファイルに書き込む' }).click()
  const dialog = room.page.getByRole('dialog')
  await expect(dialog.getByRole('combobox', { name: 'ファイル' })).toHaveValue('note.txt')
  await expect(dialog).toContainText('二行目、直した')
  await expect(dialog).toContainText('ファイルの中身すべてが、これに置き換わります。')
  expect(await onDisk('note.txt')).toBe(files['note.txt'])
  await dialog.getByRole('button', { name: '書き込む' }).click()
  await expect.poll(() => onDisk('note.txt')).toBe(code)
  await room.page
    .getByText('「note.txt」に書き込みました。')
    .locator('..')
    .getByRole('button', { name: '元に戻す' })
    .click()
  await expect.poll(() => onDisk('note.txt')).toBe(files['note.txt'])
})

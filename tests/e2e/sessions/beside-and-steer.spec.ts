import { writeFile } from 'node:fs/promises'
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
import { expect, test } from '../support/session-test.ts'

const files = { 'note.txt': '一行目\n二行目\n三行目\n' }
const slowly = (text: string): Thought => ({ text: [...text] })
const longText = '海を見ていた。'.repeat(200)
/** Runs until the test says so. */
const waiting = 'until [ -f go ]; do sleep 0.1; done; echo 終わりました'

test('a message during a run waits, can be taken back into the box, and is sent afterwards', async ({
  openSharedRoom,
}) => {
  const { room, holdModel, mind, asked } = await openSharedRoom({
    thoughts: [...justAnswer('一つ目の返事。'), ...justAnswer('二つ目の返事。')],
  })
  const go = holdModel()
  await room.say('一つ目です。')
  await room.isAt('作業中')
  await room.say('二つ目です。')
  await room.say('三つ目です。')
  const queue = room.page.getByRole('list', { name: '順番待ちのメッセージ' })
  await expect(queue.getByRole('listitem')).toHaveCount(2)
  await expect(room.conversation).not.toContainText('二つ目です。')
  await queue
    .getByRole('listitem')
    .filter({ hasText: '三つ目です。' })
    .getByRole('button', { name: '入力欄に戻す' })
    .click()
  await expect(room.box).toHaveText('三つ目です。')
  await expect(queue.getByRole('listitem')).toHaveCount(1)
  go()
  await expect(room.conversation).toContainText('二つ目の返事。')
  await expect(queue).toHaveCount(0)
  await expect(room.box).toHaveText('三つ目です。')
  const said = asked()
  expect(said.indexOf('一つ目の返事。')).toBeLessThan(said.indexOf('二つ目です。'))
  expect(said).not.toContain('三つ目です。')
  expect(mind.left).toEqual([])
})

test('Ctrl+Enter turns a run: what was being written stays, and the model hears the new wish', async ({
  openSharedRoom,
}) => {
  const { room, mind, asked, session } = await openSharedRoom({
    llama: { tokenMs: 40 },
    thoughts: [{ decide: {} }, slowly(longText)],
  })
  await room.say('海の話を書いてください。')
  await expect(room.conversation).toContainText('海を見ていた。海を見ていた。')
  mind.think(...justAnswer('山の話にします。'))
  await room.say('やはり山の話に。', 'Control+Enter')
  await expect(room.conversation).toContainText('山の話にします。')
  await expect(room.conversation).toContainText('割り込み')
  await expect(room.conversation).toContainText('停止しました')
  await room.isAt('済み')
  expect(asked()).toContain('やはり山の話に。')
  const answers = (await session()).items.filter((item) => item.kind === 'answer')
  expect(answers).toMatchObject([{ state: 'stopped' }, { state: 'finished', text: '山の話にします。' }])
  expect(answers[0]?.kind === 'answer' && answers[0].text).toMatch(/^海を見ていた。/)
  expect(answers[0]?.kind === 'answer' && answers[0].text.length).toBeLessThan(longText.length)
  expect(mind.left).toEqual([])
})

test('Alt+Enter asks beside a run: it is answered while the command goes on, which stays as it is', async ({
  openSharedRoom,
}) => {
  const { room, mind, root, asked, session } = await openSharedRoom({
    files,
    thoughts: [
      workIn('PLANNING'),
      plan('待つ'),
      workIn('EXECUTION'),
      calls(['run_command', { line: waiting, reason: '待つ' }]),
    ],
  })
  await room.say('待ってください。')
  await room.approve()
  await expect(room.status).toContainText('実行しています')
  mind.think({ say: '三行の短い文です。' })
  await room.say('note.txt はどんな文ですか。', 'Alt+Enter')
  await expect(room.conversation).toContainText('三行の短い文です。')
  await expect(room.conversation).toContainText('横から質問')
  const before = (await session()).state.position
  expect(before).toMatchObject({ step: 'EXECUTION', waiting: 'work' })

  mind.think(noCalls, approve)
  await writeFile(join(root, 'go'), '')
  await room.isAt('済み')
  const said = asked()
  expect(said.indexOf('"role":"tool"')).toBeLessThan(said.indexOf('三行の短い文です。'))
  expect(mind.left).toEqual([])
})

test('Alt+Enter asks beside a gate, also what would else be consent; a refusal with a reason is shown before Enter', async ({
  openSharedRoom,
}) => {
  const { room, mind, session, onDisk } = await openSharedRoom({
    files,
    thoughts: [
      workIn('PLANNING'),
      calls(['read_file', { path: 'note.txt' }]),
      plan('二行目を直す'),
      workIn('EXECUTION'),
      calls(['edit', { path: 'note.txt', old_text: '二行目', new_text: '二行目！', reason: '直す' }]),
      { say: '感嘆符を足します。' },
    ],
  })
  await room.say('直してください。')
  await expect(room.gate.getByRole('button', { name: '適用' })).not.toHaveAttribute('aria-disabled', 'true')
  await room.say('何が変わりますか。', 'Alt+Enter')
  await expect(room.conversation).toContainText('感嘆符を足します。')
  await expect(room.gate.getByRole('button', { name: '適用' })).toBeVisible()
  expect((await session()).state.position).toMatchObject({ step: 'AWAITING_APPROVAL', waiting: 'gate' })

  mind.think(...justAnswer('一覧にします。'))
  await room.box.click()
  await room.page.keyboard.insertText('いいえ')
  const hints = room.page.locator('.box-hint')
  await expect(hints).toHaveText(/^Enter 却下$/)
  await room.page.keyboard.insertText('とは')
  await expect(hints).toHaveText(/^Enter 横から質問$/)
  await expect(room.page.getByRole('button', { name: '質問する' })).toBeVisible()
  await room.page.keyboard.press('Backspace')
  await room.page.keyboard.press('Backspace')
  await room.page.keyboard.insertText('、')
  await room.page.keyboard.insertText('一覧だけにしてください。')
  await expect(hints).toHaveText(/^Enter この理由で却下 Alt\s?\+?\s?Enter 横から質問$/)
  await room.page.keyboard.press('Enter')
  await expect(room.conversation).toContainText('一覧にします。')
  const refused = (await session()).items.find((item) => item.kind === 'gate')
  expect(refused).toMatchObject({ state: 'rejected', reason: 'いいえ、一覧だけにしてください。' })
  expect(await onDisk('note.txt')).toBe(files['note.txt'])
})

const ask = calls(['ask_user', { question: '題はどちらにしますか。', options: ['時計', '港'] }])

test('a question of the model is answered by a button', async ({ openSharedRoom }) => {
  const { room, asked, session } = await openSharedRoom({
    thoughts: [workIn('PLANNING'), ask, noCalls, ...justAnswer('「港」にします。')],
  })
  await room.say('題を決めてください。')
  const question = room.conversation.getByRole('region', { name: '質問', exact: true })
  await question.getByRole('button', { name: '港' }).click()
  await expect(room.conversation).toContainText('「港」にします。')
  expect(asked()).toContain('港')
  const { items } = await session()
  expect(items.find(({ kind }) => kind === 'question')).toMatchObject({ answer: '港', isOpen: false })
  await expect(question.getByRole('button')).toHaveCount(0)
})

test('a question of the model is answered by typing in the box; it begins no new turn', async ({
  openSharedRoom,
}) => {
  const { room, asked, session } = await openSharedRoom({
    thoughts: [workIn('PLANNING'), ask, noCalls, ...justAnswer('「朝の海」にします。')],
  })
  await room.say('題を決めてください。')
  await expect(room.conversation.getByRole('region', { name: '質問', exact: true })).toBeVisible()
  await room.isAt('返事待ち')
  await room.say('朝の海')
  await expect(room.conversation).toContainText('「朝の海」にします。')
  expect(asked()).toContain('朝の海')
  const { items, state } = await session()
  expect(items.find(({ kind }) => kind === 'question')).toMatchObject({ answer: '朝の海', isOpen: false })
  expect(state.session.messages).toBe(1)
})

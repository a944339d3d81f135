import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { approve, calls, noCalls, plan, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { expect, test } from '../support/session-test.ts'

const files = { 'note.txt': '一行目\n二行目\n三行目\n' }
const toTheWork: Thought[] = [
  workIn('PLANNING'),
  calls(['read_file', { path: 'note.txt' }]),
  plan('二行目を直す'),
  workIn('EXECUTION'),
]
const edit = calls(['edit', { path: 'note.txt', old_text: '二行目', new_text: '二行目！', reason: '直す' }])

test('killed while a command runs: all that was finished is there, and nothing runs a second time', async ({
  openRoom,
}) => {
  const line = 'echo 始めた >> runs.txt; until [ -f go ]; do sleep 0.1; done; echo 終えた >> runs.txt'
  const opened = await openRoom({
    files,
    thoughts: [...toTheWork, calls(['run_command', { line, reason: '走らせる' }])],
  })
  const { room, mind, root, isOnDisk, session, asked } = opened
  await room.say('走らせてください。')
  await room.approve()
  await expect.poll(() => isOnDisk('runs.txt')).toBe(true)
  await opened.restart('SIGKILL')

  await expect(room.conversation).toContainText('走らせてください。')
  await expect(room.conversation).toContainText('途中で終わりました')
  await room.isAt('返事待ち')
  const command = (await session()).items.find((item) => item.kind === 'call' && item.name === 'run_command')
  expect(command).toMatchObject({ state: 'refused', outcome: 'interrupted' })
  await expect(room.gate).toHaveCount(0)

  mind.think({ decide: {} }, { say: '確かめてから続けます。' })
  await room.conversation.getByRole('button', { name: '続けてください' }).click()
  await expect(room.box).toHaveText('続けてください')
  await room.page.keyboard.press('Enter')
  await expect(room.conversation).toContainText('確かめてから続けます。')
  expect(asked()).toContain('実行されたかもしれない')
  // The command was begun only once, however it ended.
  await writeFile(join(root, 'go'), '')
  const runs = await readFile(join(root, 'runs.txt'), 'utf8')
  expect(runs.match(/始めた/g)).toHaveLength(1)
  expect(mind.left).toEqual([])
})

test('killed while an answer is written: what was written is there, and it goes on when the user says so', async ({
  openRoom,
}) => {
  const text = '海を見ていた。'.repeat(200)
  const opened = await openRoom({
    llama: { tokenMs: 40 },
    thoughts: [{ decide: {} }, { say: '一つ目の返事。' }, { decide: {} }, { text: [...text] }],
  })
  const { room, mind, llama, session } = opened
  await room.say('一つ目です。')
  await expect(room.conversation).toContainText('一つ目の返事。')
  await room.say('海の話を書いてください。')
  await expect(room.conversation).toContainText('海を見ていた。'.repeat(8))
  await opened.restart('SIGKILL')

  await expect(room.conversation).toContainText('一つ目の返事。')
  await expect(room.conversation).toContainText('海を見ていた。'.repeat(3))
  await expect(room.conversation).toContainText('停止しました')
  await room.isAt('返事待ち')
  const answers = (await session()).items.filter((item) => item.kind === 'answer')
  expect(answers).toMatchObject([{ state: 'finished' }, { state: 'stopped', text: /^海を見ていた。/ }])
  await expect.poll(() => llama.pendingCount).toBe(0)
  const requests = llama.requests.length
  await room.page.waitForTimeout(500)
  expect(llama.requests.slice(requests).filter(({ method }) => method === 'POST')).toEqual([])

  mind.think({ decide: {} }, { say: '続きです。' })
  await room.say('続けて。')
  await expect(room.conversation).toContainText('続きです。')
})

test('killed with an open gate: it is asked again, shows what it would do to a file that changed meanwhile, and the work goes on from there', async ({
  openRoom,
}) => {
  const opened = await openRoom({ files, thoughts: [...toTheWork, edit, noCalls, approve] })
  const { room, mind, root, onDisk, session, llama } = opened
  await room.say('直してください。')
  await expect(room.gate).toContainText('1 個のファイルを変更')
  const asked = llama.requests.length
  await room.page.goto('about:blank')
  await opened.host.kill()
  const changed = `先頭\n${files['note.txt']}`
  await writeFile(join(root, 'note.txt'), changed)
  await opened.restart('SIGKILL')

  await expect(room.list).toContainText('返事待ち')
  await expect(room.gate).toContainText('1 個のファイルを変更')
  await expect(room.gate).toContainText('先頭')
  await expect(room.gate).toContainText('二行目！')
  await room.isAt('承認待ち')
  expect(await onDisk('note.txt')).toBe(changed)
  expect(llama.requests.slice(asked).filter(({ method }) => method === 'POST')).toEqual([])
  await room.approve()
  await expect.poll(() => onDisk('note.txt')).toBe('先頭\n一行目\n二行目！\n三行目\n')
  await expect
    .poll(async () => (await session()).state.position)
    .toMatchObject({ step: 'PLANNING', status: 'SUCCESS' })
  const { items } = await session()
  expect(items.filter((item) => item.kind === 'call' && item.name === 'edit')).toMatchObject([
    { state: 'done' },
  ])
  expect(mind.left).toEqual([])
})

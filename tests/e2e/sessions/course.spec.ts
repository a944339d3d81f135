import { rename } from 'node:fs/promises'
import type { StateDelta } from '../../../src/shared/domain/session/agent-decision.ts'
import { calls, justAnswer, noCalls, plan, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { expect, test } from '../support/session-test.ts'

const files = { 'note.txt': '一行目\n二行目\n三行目\n' }
const readNote = calls(['read_file', { path: 'note.txt' }])
const editing = { path: 'note.txt', old_text: '二行目', new_text: '二行目！', reason: '直す' }
const edit = calls(['edit', editing])
const cutOff: Thought = {
  text: ['途中', 'まで', '書い', 'た', '文'],
  fault: { name: 'cut-in-text', afterDeltas: 3 },
}

const goal = (text: string, more: Partial<StateDelta> = {}): Thought => ({
  decide: {
    state_delta: {
      goal: text,
      why_now: null,
      constraints: null,
      plan_brief: null,
      open_questions: null,
      summary: '目標を決めた',
      ...more,
    },
  },
})

test('an error of the model in the middle of the work: back to planning by itself, and told', async ({
  openSharedRoom,
}) => {
  const { room, mind, session, onDisk } = await openSharedRoom({
    files,
    thoughts: [
      workIn('PLANNING'),
      readNote,
      plan('二行目を直す'),
      workIn('EXECUTION'),
      { toolCalls: [{ name: 'edit', arguments: editing }], fault: 'cut-in-tool-call' },
      ...justAnswer('計画からやり直します。'),
    ],
  })
  await room.say('直してください。')
  await expect(room.conversation).toContainText('計画からやり直します。')
  await expect(room.conversation).toContainText('自動でもう一度試しました。')
  await room.isAt('計画')
  const { items, state } = await session()
  expect(items.filter(({ kind }) => kind === 'error')).toMatchObject([
    { failure: 'model-failed', error: { code: 'model/cut' }, isRetried: true },
  ])
  expect(state.canRecover).toBe(false)
  expect(await onDisk('note.txt')).toBe(files['note.txt'])
  expect(mind.left).toEqual([])
})

test('an error that stays: what was written is kept, and after two new starts the user has the word', async ({
  openSharedRoom,
}) => {
  const { room, session } = await openSharedRoom({
    thoughts: [{ decide: {} }, cutOff, { decide: {} }, cutOff, { decide: {} }, cutOff],
  })
  await room.say('こんにちは。')
  await expect(room.conversation).toContainText('やり直せる回数に達しました')
  const { state, items } = await session()
  expect(state.position).toEqual({ step: 'PLANNING', status: 'REQUIRES_USER_INPUT', waiting: 'none' })
  const answers = items.filter((item) => item.kind === 'answer')
  expect(answers).toHaveLength(3)
  for (const answer of answers) expect(answer).toMatchObject({ state: 'failed', text: /^途中まで/ })
  await expect(room.conversation).toContainText('途中で切れました')
})

test('without the folder nothing goes on, until the user says: try again', async ({ openRoom }) => {
  const { room, root, asked } = await openRoom({ files, thoughts: justAnswer('ただいま。') })
  await rename(root, `${root}-away`)
  await room.say('いますか。')
  await expect(room.conversation.getByRole('alert')).toContainText('フォルダーが見つかりません')
  expect(asked()).toBe('null')
  await rename(`${root}-away`, root)
  await room.conversation.getByRole('button', { name: 'もう一度', exact: true }).click()
  await expect(room.conversation).toContainText('ただいま。')
})

test('the same call again and again: the user is asked, and the answer goes to the model', async ({
  openSharedRoom,
}) => {
  const { room, asked, session } = await openSharedRoom({
    files,
    thoughts: [workIn('PLANNING'), readNote, readNote, readNote, noCalls, ...justAnswer('三行でした。')],
  })
  await room.say('何行ありますか。')
  const question = room.conversation.getByRole('region', { name: '質問', exact: true })
  await expect(question).toContainText('read_file note.txt')
  await room.isAt('返事待ち')
  await question.getByRole('textbox').fill('読み直さずに答えてください')
  await question.getByRole('button', { name: '答える' }).click()
  await expect(room.conversation).toContainText('三行でした。')
  expect(asked()).toContain('読み直さずに答えてください')
  const { items } = await session()
  const reads = items.filter((item) => item.kind === 'call')
  expect(reads.map((item) => item.kind === 'call' && item.view?.kind)).toEqual(['file', 'file', undefined])
})

test('an item that the user wrote is pinned: the model only proposes, and the user takes it or not', async ({
  openSharedRoom,
}) => {
  const { room, asked, session } = await openSharedRoom({
    thoughts: [
      goal('題を決める'),
      { say: 'はい。' },
      goal('題を変える', { constraints: ['短くする'] }),
      { say: '提案しました。' },
      goal('題を消す'),
      { say: 'もう一つ。' },
    ],
  })
  await room.say('題を決めたいです。')
  const entry = room.side.getByRole('region', { name: '目標' })
  await expect(entry).toContainText('題を決める')
  await entry.getByRole('button', { name: '目標を編集' }).click()
  await entry.getByRole('textbox').fill('題は変えない')
  await room.page.keyboard.press('Enter')
  await expect(entry).toContainText('題は変えない')
  await expect(entry).toContainText('固定')

  await room.say('ほかの案は。')
  await expect(room.conversation).toContainText('提案しました。')
  expect(asked()).toContain('題は変えない')
  await expect(entry.getByRole('status')).toContainText('題を変える')
  await expect(entry.getByRole('button', { name: '目標を編集' })).toHaveText('題は変えない')
  // What is not pinned is the model's to change.
  await expect(room.side.getByRole('region', { name: '制約' })).toContainText('短くする')
  await entry.getByRole('button', { name: '見送る' }).click()
  await expect(entry.getByRole('status')).toHaveCount(0)

  await room.say('最後に。')
  await expect(room.conversation).toContainText('もう一つ。')
  await entry.getByRole('button', { name: '採用' }).click()
  await expect(entry.getByRole('button', { name: '目標を編集' })).toHaveText('題を消す')
  expect((await session()).state.pinned).toContain('goal')
})

test('the course is reset when the user says so twice; the conversation stays', async ({
  openSharedRoom,
}) => {
  const { room, session } = await openSharedRoom({ thoughts: [goal('題を決める'), { say: '決めました。' }] })
  await room.say('題を決めたいです。')
  await expect(room.conversation).toContainText('決めました。')
  await expect(room.side).toContainText('題を決める')
  await room.side.getByRole('button', { name: '方針をリセット' }).click()
  expect((await session()).state.course.goal).toBe('題を決める')
  await room.side.getByRole('button', { name: 'リセット' }).click()
  await expect.poll(async () => (await session()).state.course.goal).toBe('')
  await expect(room.side).not.toContainText('題を決める')
  await expect(room.conversation).toContainText('決めました。')
})

test('a plan that is dangerous is asked about before anything is done', async ({ openSharedRoom }) => {
  const { room, llama, session } = await openSharedRoom({
    files,
    thoughts: [
      workIn('PLANNING'),
      readNote,
      calls([
        'propose_plan',
        {
          title: 'すべて書き直す',
          purpose: '古い内容を捨てる',
          steps: [{ text: '二行目を消す', kind: 'write', path: 'note.txt' }],
          risk: 'high',
          successCriteria: '二行目がない',
        },
      ]),
      edit,
    ],
  })
  await room.say('書き直してください。')
  await expect(room.gate).toContainText('この計画で進める')
  await expect(room.gate).toContainText('二行目を消す')
  await expect(room.gate).toContainText('モデルが危険とみなした計画です')
  await room.isAt('承認待ち')
  const asked = llama.requests.length
  await room.approve(/^進める$/)
  await expect(room.gate).toContainText('1 個のファイルを変更')
  expect(llama.requests.length).toBeGreaterThan(asked)
  expect((await session()).state.position.step).toBe('AWAITING_APPROVAL')
})

test('in the mode *plan* nothing is changed, and one press carries the plan out', async ({
  openSharedRoom,
}) => {
  const { room, session, onDisk } = await openSharedRoom({
    files,
    mode: 'plan',
    thoughts: [workIn('PLANNING'), readNote, plan('二行目を直す'), edit],
  })
  await room.say('直してください。')
  await expect(room.gate).toContainText('この計画で進める')
  expect(await onDisk('note.txt')).toBe(files['note.txt'])
  await room.approve(/^計画を実行$/)
  await expect(room.gate).toContainText('1 個のファイルを変更')
  expect((await session()).state.mode).toBe('ask')
  await expect(room.conversation).toContainText('計画モードを出て')
})

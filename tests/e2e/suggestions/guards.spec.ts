import { rename } from 'node:fs/promises'
import { calls, type Thought, workIn } from '../../fakes/scripted-mind.ts'
import { expect, type SharedOptions, type SharedRoom, test } from '../support/session-test.ts'

const reply = (say: string): Thought[] => [{ decide: {} }, { say }]
const riskyPlan = calls([
  'propose_plan',
  {
    title: '確かめる',
    purpose: '動くか見る',
    steps: [{ text: '終章.md を書く', kind: 'write', path: null }],
    risk: 'high',
    successCriteria: '動く',
  },
])
const suggested = 'テストを実行して'

const ghostOf = ({ room }: SharedRoom) => room.page.locator('.cm-ghost')

/** Says something and waits for the whole of the answer. */
async function turn({ room, mind }: SharedRoom, message: string, answer: string): Promise<void> {
  mind.think(...reply(answer))
  await room.say(message)
  await expect(room.conversation).toContainText(answer)
  await room.isAt('済み')
}

/** A session after two turns: the second one's end is the first at which something is suggested. */
async function talkedTwice<Opened extends SharedRoom>(
  openRoom: (options: SharedOptions) => Promise<Opened>,
  options: SharedOptions = {},
): Promise<Opened> {
  const opened = await openRoom({ suggestions: [suggested], ...options })
  await turn(opened, '読んでください。', 'はい。')
  await expectNewest(opened, ['early_conversation'])
  expect(askedFor(opened)).toBe(0)
  await turn(opened, '直してください。', '直しました。')
  await expect(ghostOf(opened)).toHaveText(suggested)
  return opened
}

/** How often the model was asked for the next message. */
function askedFor({ llama }: SharedRoom): number {
  return llama.requests.filter(
    ({ path, body }) =>
      path.endsWith('/chat/completions') && JSON.stringify(body ?? null).includes('【予測モード'),
  ).length
}

/** Returns why a window that begins to watch now gets no suggestion. */
async function suppressed({ client, session }: SharedRoom): Promise<string | null> {
  const { sessionId } = (await session()).state.session
  for await (const state of client['suggestion.watch']({ sessionId })) return state.suppressed
  return null
}

/** Expects the reasons why suggestions were suppressed or ended, the newest first. */
async function expectNewest({ client }: SharedRoom, reasons: (string | null)[]): Promise<void> {
  await expect
    .poll(async () => {
      const { events } = await client['suggestion.list']({ limit: reasons.length })
      return events.map(({ reason }) => reason)
    })
    .toEqual(reasons)
}

test('nothing is suggested, and nothing asked, while something waits for the user', async ({
  openSharedRoom,
}) => {
  const opened = await talkedTwice(openSharedRoom, {
    files: { 'note.txt': '一行目\n' },
  })
  const { room, mind } = opened
  const ghost = ghostOf(opened)
  const before = askedFor(opened)

  /** The course has come to rest for `reason`: no ghost, no request. */
  const isSuppressed = async (reason: string) => {
    await expectNewest(opened, [reason])
    await expect(ghost).toHaveCount(0)
    expect(askedFor(opened)).toBe(before)
  }

  await test.step('run_active: a message is sent, the ghost goes', async () => {
    mind.think(workIn('PLANNING'), riskyPlan)
    await room.say('確かめてください。')
    await expect(ghost).toHaveCount(0)
  })
  await test.step('gate_open: a plan', async () => {
    await expect(room.gate).toContainText('確かめる')
    await isSuppressed('gate_open')
    mind.think(
      calls(['read_file', { path: 'note.txt' }]),
      calls(['edit', { path: 'note.txt', old_text: '一', new_text: '二', reason: '直す' }]),
    )
    await room.approve()
  })
  await test.step('permission_dialog: an edit', async () => {
    await expect(room.gate).toContainText('note.txt')
    await isSuppressed('permission_dialog')
    mind.think(calls(['run_command', { line: 'touch a.txt', reason: '確かめる' }]))
    await room.approve()
  })
  await test.step('command_confirmation', async () => {
    await expect(room.gate).toContainText('touch a.txt')
    await isSuppressed('command_confirmation')
    mind.think(calls(['ask_user', { question: '題はどちらにしますか。', options: ['時計', '港'] }]))
    await room.approve()
  })
  await test.step('elicitation: the model asks', async () => {
    await expect(room.conversation).toContainText('題はどちらにしますか。')
    await isSuppressed('elicitation')
    mind.think(...Array.from({ length: 3 }, () => calls(['list_directory', { path: '無い' }])))
    await room.say('港')
  })
  await test.step('loop_question: the host asks', async () => {
    await isSuppressed('loop_question')
  })
  await test.step('turn_cancelled: the user stops what runs', async () => {
    const { sessionId } = (await opened.session()).state.session
    await opened.client['session.stop']({ sessionId })
    const go = opened.holdModel()
    await room.say('やはり。')
    await room.isAt('作業中')
    await room.page.keyboard.press('Escape')
    await isSuppressed('turn_cancelled')
    go()
  })
  await test.step('the next turn that ends well has one again: what the plan left to do, without a request', async () => {
    mind.left.length = 0
    mind.think(...reply('続きです。'))
    await room.say('続けて。')
    await expect(room.conversation).toContainText('続きです。')
    await expect(ghost).toHaveText('終章.md を書く')
    expect(askedFor(opened)).toBe(before)
  })
  expect(mind.left).toEqual([])
})

test('a suggestion goes when what it stood on changes', async ({ openRoom }) => {
  const opened = await talkedTwice(openRoom, {
    files: { 'note.txt': '一行目\n' },
    suggestions: Array.from({ length: 5 }, () => suggested),
  })
  const { room, mind, client, root } = opened
  const ghost = ghostOf(opened)
  const { sessionId } = (await opened.session()).state.session

  await test.step('plan_mode: at once, and at the end of the next turn', async () => {
    await client['session.setMode']({ sessionId, mode: 'plan' })
    await expect(ghost).toHaveCount(0)
    await expectNewest(opened, ['plan_mode'])
    await turn(opened, '案は？', '案です。')
    await expectNewest(opened, ['plan_mode', 'plan_mode'])
    await client['session.setMode']({ sessionId, mode: 'ask' })
    expect(askedFor(opened)).toBe(1)
  })
  await test.step('message_queued: one that waits since a stop', async () => {
    const go = opened.holdModel()
    await room.say('一つ目。')
    await room.isAt('作業中')
    await room.say('二つ目。')
    await client['session.stop']({ sessionId })
    await expectNewest(opened, ['message_queued'])
    go()
    const queue = room.page.getByRole('list', { name: '順番待ちのメッセージ' })
    await queue.getByRole('button', { name: '入力欄に戻す' }).click()
    await room.box.fill('')
  })
  await test.step('last_item_error: the folder is gone', async () => {
    await rename(root, `${root}-away`)
    mind.think(workIn('PLANNING'), calls(['read_file', { path: 'note.txt' }]))
    await room.say('続けて。')
    await expectNewest(opened, ['last_item_error'])
  })
  await test.step('pending_error: an answer beside does not mend it', async () => {
    await rename(`${root}-away`, root)
    mind.left.length = 0
    mind.think({ say: '脇の答え。' })
    await room.say('何が起きましたか。', 'Alt+Enter')
    await expect(room.conversation).toContainText('脇の答え。')
    await expect.poll(() => suppressed(opened)).toBe('pending_error')
  })
  expect(askedFor(opened)).toBe(1)

  await test.step('not_after_turn: an earlier message is taken back', async () => {
    await turn(opened, 'もう一度。', '直りました。')
    await expect(ghost).toHaveText(suggested)
    const last = (await opened.session()).items.at(-1)
    await client['session.undo']({ sessionId, turn: last?.turn ?? 0, what: 'conversation' })
    await expect(ghost).toHaveCount(0)
    await expect.poll(() => suppressed(opened)).toBe('not_after_turn')
  })
  await test.step('no_window, and driven_by_program', async () => {
    await turn(opened, '最後に。', '最後です。')
    await expect(ghost).toHaveText(suggested)
    const asked = askedFor(opened)
    await room.page.goto('about:blank')
    await expectNewest(opened, ['no_window'])
    await room.open(opened.host.link)
    await expect(ghost).toHaveText(suggested)
    await expectNewest(opened, [null])
    await room.page.goto('about:blank')
    await expectNewest(opened, ['no_window'])

    const end = new AbortController()
    const program = client['suggestion.watch']({ sessionId, isAttended: false }, { signal: end.signal })
    await program[Symbol.asyncIterator]().next()
    mind.think(...reply('誰も見ていません。'))
    await client['session.send']({ sessionId, segments: [{ kind: 'text', text: '続けて。' }] })
    await expectNewest(opened, ['driven_by_program'])
    end.abort()

    expect(askedFor(opened)).toBe(asked)
  })
  await test.step('what was not suggested without a window is not made up for', async () => {
    await room.open(opened.host.link)
    await expect(room.conversation).toContainText('誰も見ていません。')
    await expect.poll(() => suppressed(opened)).toBeNull()
    await expect(ghost).toHaveCount(0)
    expect(askedFor(opened)).toBe(3)
  })
})

test('a request for a suggestion ends with its reason: the server hears it, and the message comes first', async ({
  openSharedRoom,
}) => {
  const opened = await openSharedRoom({ suggestions: [{ fault: 'never-answers' }] })
  const { llama, mind } = opened
  await turn(opened, '読んでください。', 'はい。')
  await turn(opened, '直してください。', '直しました。')
  await expect.poll(() => askedFor(opened)).toBe(1)
  expect(llama.pendingCount).toBe(1)
  await turn(opened, '待たずに続けて。', '続けました。')
  await expectNewest(opened, ['empty', 'run_active'])
  expect(llama.pendingCount).toBe(0)
  expect(mind.left).toEqual([])
})

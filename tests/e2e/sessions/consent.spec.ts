import { calls, plan, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { expect, type SharedOptions, type SharedRoom, test } from '../support/session-test.ts'

const files = { 'note.txt': '一行目\n二行目\n三行目\n' }
const edit = (from: string, to: string): Thought =>
  calls(['edit', { path: 'note.txt', old_text: from, new_text: to, reason: '直すため' }])
/** A plan and its edit, which then waits at its gate. */
const toTheGate: Thought[] = [
  workIn('PLANNING'),
  calls(['read_file', { path: 'note.txt' }]),
  plan('二行目を直す'),
  workIn('EXECUTION'),
  edit('二行目', '二行目！'),
]
const answer: Thought[] = [{ decide: {} }, { say: 'わかりました。' }]

async function atTheGate(
  openRoom: (options: SharedOptions) => Promise<SharedRoom>,
  more: Thought[] = [],
): Promise<SharedRoom> {
  const opened = await openRoom({ files, thoughts: [...toTheGate, ...more] })
  await opened.room.say('直してください。')
  await expect(opened.room.gate).toBeVisible()
  return opened
}

test('refused without a reason: nothing is written and the user has the word', async ({ openSharedRoom }) => {
  const { room, onDisk, session } = await atTheGate(openSharedRoom)
  await room.refuse()
  await expect(room.conversation).toContainText('却下')
  await expect.poll(async () => (await session()).state.position.status).toBe('REQUIRES_USER_INPUT')
  expect(await onDisk('note.txt')).toBe(files['note.txt'])
})

test('refused with a reason: the work goes back to planning, and the model reads the reason', async ({
  openSharedRoom,
}) => {
  const { room, llama, onDisk } = await atTheGate(openSharedRoom, answer)
  await room.refuse('感嘆符はいりません')
  await expect(room.conversation).toContainText('わかりました。')
  expect(JSON.stringify(llama.requests.at(-1)?.body)).toContain('感嘆符はいりません')
  expect(await onDisk('note.txt')).toBe(files['note.txt'])
})

test('an ambiguous answer is no consent: the gate stays, and it is answered beside; a typed はい is consent', async ({
  openSharedRoom,
}) => {
  const { room, onDisk } = await atTheGate(openSharedRoom, [{ say: '感嘆符を一つ足すだけです。' }])
  await expect(room.gate.getByRole('button', { name: '適用' })).not.toHaveAttribute('aria-disabled', 'true')
  await room.say('はい、でも何が変わりますか')
  await expect(room.conversation).toContainText('感嘆符を一つ足すだけです。')
  await expect(room.gate.getByRole('button', { name: '適用' })).toBeVisible()
  expect(await onDisk('note.txt')).toBe(files['note.txt'])
  await room.say('はい')
  await expect.poll(() => onDisk('note.txt')).toContain('二行目！')
})

test('an answer that was begun before the gate was painted is no consent', async ({ openSharedRoom }) => {
  let go = (): void => undefined
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  const opened = await openSharedRoom({ files, thoughts: toTheGate.slice(0, -1) })
  const { room, mind, onDisk } = opened
  const { page } = room
  const last = toTheGate.at(-1)
  const script = mind.answer
  opened.llama.options.answer = async (request) => {
    if (mind.left.length > 0) return script(request)
    await held
    if (last !== undefined) mind.think(last, { say: 'まだ書いていません。' })
    opened.llama.options.answer = script
    return script(request)
  }
  await room.say('直してください。')
  await expect.poll(() => mind.left.length).toBe(0)
  await room.box.click()
  await page.keyboard.type('は')
  go()
  await expect(room.gate).toBeVisible()
  await page.waitForTimeout(1_000)
  await page.keyboard.type('い')
  await page.keyboard.press('Enter')
  await expect(room.conversation).toContainText('まだ書いていません。')
  await expect(room.gate.getByRole('button', { name: '適用' })).toBeVisible()
  expect(await onDisk('note.txt')).toBe(files['note.txt'])
})

test('a rule that denies is stronger than everything, and the model hears it', async ({ openSharedRoom }) => {
  const opened = await openSharedRoom({
    files,
    mode: 'full',
    thoughts: [
      workIn('PLANNING'),
      calls(['read_file', { path: 'note.txt' }]),
      plan('二行目を直す'),
      workIn('EXECUTION'),
      edit('二行目', '二行目！'),
      ...answer,
    ],
  })
  const { client, workId, room, onDisk, session } = opened
  await client['rule.save']({ workId, rule: { effect: 'deny', tool: 'edit', pattern: 'note.txt' } })
  await room.say('直してください。')
  await expect
    .poll(async () => {
      const { items } = await session()
      return items.find((item) => item.kind === 'call' && item.name === 'edit')
    })
    .toMatchObject({ state: 'refused', outcome: 'denied' })
  expect(await onDisk('note.txt')).toBe(files['note.txt'])
})

test('a file with a secret is asked about, also to be read', async ({ openSharedRoom }) => {
  const { room, llama } = await openSharedRoom({
    files: { ...files, '.env': 'KEY=very-secret\n' },
    thoughts: [
      workIn('PLANNING'),
      calls(['read_file', { path: '.env' }]),
      calls(['grep', { pattern: 'very' }]),
      { say: '' },
      ...answer,
    ],
  })
  await room.say('設定を見てください。')
  await expect(room.gate).toContainText('.env')
  await room.refuse()
  await expect(room.conversation).toContainText('わかりました。')
  expect(JSON.stringify(llama.requests.map(({ body }) => body))).not.toContain('very-secret')
})

test('a folder that is not trusted runs no command', async ({ openRoom }) => {
  const { room, session, isOnDisk } = await openRoom({
    files,
    isTrusted: false,
    thoughts: [
      workIn('PLANNING'),
      calls(['run_command', { line: 'ls', reason: '表示' }]),
      { say: '' },
      ...answer,
    ],
  })
  await expect(room.page.getByText('信頼していないフォルダー')).toBeVisible()
  await room.say('何がありますか。')
  await expect(room.conversation).toContainText('わかりました。')
  const { items } = await session()
  expect(items.find((item) => item.kind === 'call')).toMatchObject({ state: 'refused', outcome: 'denied' })
  expect(isOnDisk('note.txt')).toBe(true)
})

import { calls, noCalls, plan, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { expect, type SharedOptions, type SharedRoom, test } from '../support/session-test.ts'

const toTheWork: Thought[] = [workIn('PLANNING'), plan('確かめる'), workIn('EXECUTION')]
const run = (line: string): Thought => calls(['run_command', { line, reason: '確かめる' }])
const files = {
  'package.json': '{ "scripts": { "check": "node -e 1" } }\n',
  'note.txt': '一行目\n二行目\n',
}

async function atTheGate(
  openRoom: (options: SharedOptions) => Promise<SharedRoom>,
  ...thoughts: Thought[]
): Promise<SharedRoom> {
  const opened = await openRoom({ files, thoughts: [...toTheWork, ...thoughts] })
  await opened.room.say('確かめてください。')
  await expect(
    opened.room.gate.getByRole('button', { name: '却下', exact: true }).last(),
  ).not.toHaveAttribute('aria-disabled', 'true')
  return opened
}

test('*always* allows the command by a pattern that is shown, in later sessions too', async ({
  openSharedRoom,
}) => {
  const { room, mind, client, workId, session } = await atTheGate(openSharedRoom, run('git init -q .'))
  mind.think(noCalls, { say: '' })
  await room.gate.getByRole('button', { name: '常に許可：git init *' }).click()
  await expect(room.gate).toHaveCount(0)
  await expect(room.conversation).toContainText('許可')
  await expect
    .poll(async () => (await client['rule.list']({ workId })).rules)
    .toMatchObject([{ effect: 'allow', tool: 'run_command', pattern: 'git init *', scope: 'folder' }])

  const { sessionId } = (await session()).state.session
  await expect.poll(() => mind.left).toEqual([])
  await client['session.stop']({ sessionId })
  await room.list.getByRole('button', { name: '新しいセッション' }).click()
  await expect(room.conversation).not.toContainText('許可')
  mind.left.length = 0
  mind.think(...toTheWork, run('git init -q sub'), run('git status --short > out.txt'))
  await room.say('もう一度。')
  // The first one needs no question any more; the other one is another command.
  await expect(room.gate).toContainText('git status --short > out.txt')
  await expect(room.conversation).toContainText('git init -q sub')
})

test('*for this session* allows it there, and a new session asks again', async ({ openSharedRoom }) => {
  const { room, mind, client, workId } = await atTheGate(openSharedRoom, run('touch a.txt'))
  mind.think(run('touch b.txt'), run('mkdir c'))
  await room.gate.getByRole('button', { name: 'このセッション中は許可' }).click()
  await expect(room.gate).toContainText('mkdir c')
  await expect(room.conversation).toContainText('touch b.txt')
  expect((await client['rule.list']({ workId })).rules).toEqual([])

  await room.list.getByRole('button', { name: '新しいセッション' }).click()
  mind.think(...toTheWork, run('touch d.txt'))
  await room.say('もう一度。')
  await expect(room.gate).toContainText('touch d.txt')
})

test('the log of decisions says what was decided and by whom, and shows no hash', async ({
  openSharedRoom,
}) => {
  const { room, mind } = await atTheGate(openSharedRoom, run('touch a.txt'))
  mind.think(run('ls'), run('rm -rf a.txt'))
  await room.approve()
  await expect(room.gate).toContainText('rm -rf a.txt')
  await room.refuse()
  await expect(room.conversation).toContainText('却下')
  await room.showTab('承認記録')
  const log = room.side.getByRole('list', { name: '承認記録' }).getByRole('listitem')
  await expect(log.filter({ hasText: 'touch a.txt' })).toContainText('承認')
  await expect(log.filter({ hasText: 'touch a.txt' })).toContainText('あなた')
  await expect(log.filter({ hasText: 'touch a.txt' })).not.toContainText(/[0-9a-f]{12}/)
  await expect(log.filter({ hasText: /ls/ })).toContainText('自動で許可')
  await expect(log.filter({ hasText: 'rm -rf a.txt' })).toContainText('却下')
  await room.side.getByRole('combobox', { name: '答え' }).selectOption('却下')
  await expect(log).toHaveCount(1)

  await room.list.getByRole('button', { name: '新しいセッション' }).click()
  await expect(room.side).toContainText('承認の記録はまだありません。')
  await expect(log).toHaveCount(0)
  await room.list.locator('.session-open', { hasText: '確かめてください。' }).click()
  await expect(log).toContainText('rm -rf a.txt')
})

test('a gate is reached and approved by keys alone', async ({ openSharedRoom }) => {
  const { room, isOnDisk } = await atTheGate(openSharedRoom, run('touch a.txt'))
  await expect(room.box).toBeFocused()
  await room.page.keyboard.press('Enter')
  expect(isOnDisk('a.txt')).toBe(false)
  await room.page.keyboard.press('Alt+g')
  await expect(room.gate).toBeFocused()
  await room.page.keyboard.press('Enter')
  await expect.poll(() => isOnDisk('a.txt')).toBe(true)
  await expect(room.box).toBeFocused()
})

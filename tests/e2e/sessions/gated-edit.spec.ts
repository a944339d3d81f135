import { approve, calls, noCalls, plan, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { expect, test } from '../support/session-test.ts'

const dates = `// 日付の計算
export function isLeap(year) {
  return year % 4 === 0
}

export function days(year) {
  return isLeap(year) ? 366 : 365
}

export function weeks(year) {
  return days(year) / 7
}
`
const edits = calls([
  'write_file',
  {
    path: 'date.mjs',
    content: dates
      .replace('year % 4 === 0', 'year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)')
      .replace('days(year) / 7', 'Math.floor(days(year) / 7)'),
    reason: '1900 年は平年',
  },
])

test('a question becomes a plan, an edit by places, a command that sees it, a review, and is done', async ({
  openSharedRoom,
}) => {
  const { room, mind, onDisk, session } = await openSharedRoom({
    files: { 'date.mjs': dates },
    thoughts: [
      workIn('PLANNING', {
        rationale: '規則を確かめるため',
        state_delta: {
          goal: '閏年の判定を直す',
          why_now: null,
          constraints: ['関数の名前を変えない'],
          plan_brief: null,
          open_questions: null,
          summary: '目標を決めた',
        },
      }),
      calls(['read_file', { path: 'date.mjs' }]),
      plan('判定を直す'),
      workIn('EXECUTION'),
      edits,
      calls(['run_command', { line: 'grep -c 400 date.mjs', reason: '直ったか見る' }]),
      noCalls,
      approve,
    ],
  })
  await room.say('1900 年の判定を直してください。')
  await expect(room.gate).toContainText('1 個のファイルを変更')
  await expect(room.gate).toContainText('1900 年は平年')
  await expect(room.gate.getByText('year % 4 === 0 && (year % 100')).toBeVisible()
  expect(await onDisk('date.mjs')).toBe(dates)
  await expect(room.side).toContainText('閏年の判定を直す')

  // The second place is left out before anything is written.
  await room.gate
    .getByRole('group', { name: /^変更 2（/ })
    .getByRole('button', { name: '却下' })
    .click()
  await room.approve(/選んだ変更を適用/)
  await expect.poll(() => onDisk('date.mjs')).toContain('year % 400 === 0')
  expect(await onDisk('date.mjs')).toContain('return days(year) / 7')

  await room.isAt('計画')
  await expect.poll(async () => (await session()).state.position.status).toBe('SUCCESS')
  await room.conversation.getByRole('button', { name: /手順/ }).last().click()
  await expect(room.conversation).toContainText('grep -c 400 date.mjs')
  const command = (await session()).items.find((item) => item.kind === 'call' && item.name === 'run_command')
  expect(command?.kind === 'call' && command.text).toContain('1')
  expect(mind.left).toEqual([])
})

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calls, justAnswer, noCalls, plan, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { temporaryFolder } from '../support/host.ts'
import { expect, test } from '../support/session-test.ts'

const reason = '日付が違う'

test('a folder outside is added where a call needs it, worked in, and taken off again', async ({
  openRoom,
}) => {
  const lib = await temporaryFolder('lib')
  const file = join(lib, 'src', 'date.txt')
  await mkdir(join(lib, '.git'))
  await mkdir(join(lib, 'src'))
  await writeFile(file, '二日\n')
  const reading: Thought[] = [workIn('PLANNING'), calls(['read_file', { path: file }]), noCalls]
  const opened = await openRoom({
    files: { 'note.txt': '一行目\n' },
    thoughts: [...reading, ...justAnswer('外にあるので読めません。')],
  })
  const { room, mind, asked, session } = opened
  const card = room.conversation.getByRole('article', { name: /date.txt/ })
  const listed = room.side.getByRole('region', { name: 'ほかの作業フォルダー' })

  await test.step('the call is refused, and its card offers the repository', async () => {
    await room.say('ライブラリーの日付を見て。')
    await expect(room.conversation).toContainText('外にあるので読めません。')
    await expect(card.getByRole('button', { name: `フォルダー ${lib} を追加…` })).toBeVisible()
    await expect(listed).toHaveCount(0)
  })

  await test.step('adding says what it means, and asks whether to trust', async () => {
    await card.getByRole('button', { name: `フォルダー ${lib} を追加…` }).click()
    const dialog = room.page.getByRole('dialog', { name: 'セッションにフォルダーを追加' })
    await expect(dialog).toContainText(lib)
    await expect(dialog.getByRole('checkbox')).not.toBeChecked()
    await dialog.getByRole('button', { name: '追加', exact: true }).click()
    await expect(dialog).toBeHidden()
    await expect(listed.getByRole('listitem')).toContainText([`${lib}未信頼`])
    await expect(card).toContainText('次の依頼でモデルに伝わります')
    await expect(room.conversation).toContainText(`${lib} でも作業します`)
  })

  await test.step('the model tries again, and its edit there passes a gate', async () => {
    const edit = { path: file, old_text: '二日', new_text: '三日', reason }
    mind.think(
      ...reading.slice(0, 2),
      plan('日付を直す'),
      workIn('EXECUTION'),
      calls(['edit', edit]),
      noCalls,
    )
    mind.think(
      calls(['submit_review', { rating: 'good', problems: [], improvements: [], verdict: 'approve' }]),
    )
    await room.say('追加しました。直して。')
    await expect(room.gate).toContainText(file)
    expect(asked()).toContain(`フォルダー ${lib} をセッションに追加した`)
    await room.approve()
    await expect.poll(() => readFile(file, 'utf8')).toBe('三日\n')
    await room.isAt('計画')
    await expect.poll(async () => (await session()).state.activity).toBeNull()
  })

  await test.step('undo of the turn puts the file back', async () => {
    await room.inTurn(2, '元に戻す…')
    const dialog = room.page.getByRole('dialog')
    await expect(dialog.getByRole('region', { name: 'ファイル' })).toContainText(file)
    await dialog.getByRole('radio', { name: 'ファイルだけ' }).check()
    await dialog.getByRole('button', { name: '元に戻す' }).click()
    await expect.poll(() => readFile(file, 'utf8')).toBe('二日\n')
  })

  await test.step('it is trusted later, then taken off', async () => {
    await expect(listed.getByRole('listitem')).toContainText(['未信頼'])
    await listed.getByRole('button', { name: `${lib} を信頼する` }).click()
    await expect(listed.getByRole('listitem')).toContainText(['信頼済み'])
    await listed.getByRole('button', { name: `${lib} を外す` }).click()
    await expect(listed).toHaveCount(0)
    await expect(room.conversation).toContainText(`${lib} での作業をやめました`)
    await expect(card.first().getByRole('button', { name: `フォルダー ${lib} を追加…` })).toBeVisible()
  })

  await test.step('a command of the box adds it, and says why another cannot be', async () => {
    await room.say('/add-dir /etc')
    const dialog = room.page.getByRole('dialog', { name: 'セッションにフォルダーを追加' })
    await expect(dialog).toContainText('システムのフォルダーです。')
    await expect(dialog.getByRole('button', { name: '追加', exact: true })).toBeDisabled()
    await dialog.getByRole('button', { name: 'キャンセル' }).click()
    await room.say(`/add-dir ${join(lib, 'src')}`)
    await expect(dialog).toContainText('元のフォルダーと同じように承認を求めます')
    await dialog.getByRole('button', { name: '追加', exact: true }).click()
    await expect(listed.getByRole('listitem')).toContainText([join(lib, 'src')])
  })
  await rm(lib, { recursive: true, force: true })
})

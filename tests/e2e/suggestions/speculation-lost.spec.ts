import { approve, noCalls } from '../../fakes/sessions/scripted-mind.ts'
import { expect, test } from '../support/session-test.ts'
import { shoot } from '../support/shoot.ts'
import { appFile, appText, edit, openSpeculation } from './speculation-stage.ts'

const toTwo = edit('port = 1', 'port = 2', noCalls, approve)
const suggestion = 'ポートを二にして'

test('work ahead that a later rule denies, or that a changed brief loses, is not written: its text stays, and it can be used after all', async ({
  openSharedRoom,
}) => {
  const opened = await openSpeculation(openSharedRoom, { thoughts: toTwo, suggestions: [suggestion] })
  const { room, mind, client, workId, session, ghost, mark, strip, newest, onDisk } = opened
  const { page, conversation } = room
  const use = strip.getByRole('button', { name: '取り込む' })

  /** Nothing of it is in the folder or the conversation, and its text is in the box. */
  const isKept = async (): Promise<void> => {
    await expect(room.box).toContainText(suggestion)
    await expect(conversation).not.toContainText(suggestion)
    await expect(room.gate).toHaveCount(0)
    expect(await onDisk(appFile)).toBe(appText)
  }

  await test.step('denied by a rule that was made after the run: it says so', async () => {
    await expect(ghost).toHaveText(suggestion)
    await expect(mark).toContainText('1 ファイル')
    await client['rule.save']({ workId, rule: { effect: 'deny', tool: 'edit', pattern: appFile } })
    await page.keyboard.press('Tab')
    await expect(strip).toContainText(
      `規則またはモードで禁止されている変更です。規則「${appFile}」が禁止しています。`,
    )
    await isKept()
    await shoot(page, 'speculation-denied')
  })
  await test.step('without the rule it is asked about, and can be put off', async () => {
    const { rules } = await client['rule.list']({ workId })
    for (const { ruleId } of rules) await client['rule.remove']({ workId, ruleId })
    await use.click()
    await expect(room.gate).toContainText(appFile)
    await strip.getByRole('button', { name: '今はしない' }).click()
    await expect(room.gate).toHaveCount(0)
    await expect(strip).toContainText('先回りが済んでいます')
    expect(await onDisk(appFile)).toBe(appText)
  })
  await test.step('lost where the brief was changed since: it says so', async () => {
    const { sessionId } = (await session()).state.session
    await client['session.editCourse']({
      sessionId,
      edit: { kind: 'write', item: 'goal', value: '番号を決める' },
    })
    await use.click()
    await expect(strip).toContainText('作業のあとに会話か方針が変わっています')
    await isKept()
    await expect.poll(newest).toMatchObject({ outcome: 'aborted', reason: 'lost' })
    await shoot(page, 'speculation-lost')
  })
  await test.step('run again, it is taken over', async () => {
    mind.left.length = 0
    mind.think(...toTwo)
    await strip.getByRole('button', { name: 'やり直す' }).click()
    await expect(strip).toContainText('先回りが済んでいます')
    await use.click()
    await room.approve()
    await expect.poll(() => onDisk(appFile)).toContain('port = 2')
    await expect(conversation.getByRole('article', { name: 'あなた' }).last()).toContainText(suggestion)
  })
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { approve, calls, justAnswer, noCalls } from '../../fakes/sessions/scripted-mind.ts'
import { expect, test } from '../support/session-test.ts'
import { shoot } from '../support/shoot.ts'
import { appText as before, edit, openSpeculation, appFile as path } from './speculation-stage.ts'

const changed = before.replace('port = 1', 'port = 9').replace('"a"', '"z"')
const toPortTwo = edit('port = 1', 'port = 2', noCalls, approve)
const renamed = calls(['edit', { path, old_text: '"a"', new_text: '"b"', reason: '頼まれたため' }])

test('a suggestion that is speculated: Tab takes it over, and only after a yes', async ({
  openSharedRoom,
}) => {
  const opened = await openSpeculation(openSharedRoom, {
    thoughts: [
      ...toPortTwo,
      ...edit('"a"', '"b"', calls(['run_command', { line: 'npm test', reason: '確かめる' }])),
    ],
    suggestions: ['ポートを二にして', '名前も変えて'],
  })
  const { room, ghost, mark, strip } = opened
  await test.step('the mark says how much was done', async () => {
    await expect(ghost).toHaveText('ポートを二にして')
    await expect(mark).toContainText('1 ファイル · +1 −1')
    await expect(room.page.getByRole('switch', { name: '先回り' })).toBeChecked()
    await expect(strip).toHaveCount(0)
    expect(await opened.onDisk(path)).toBe(before)
  })
  await test.step('it can be read before anything is decided', async () => {
    await room.page.getByRole('button', { name: '内容を見る' }).click()
    await expect(strip).toContainText('承認を求めます')
    await strip.getByRole('button', { name: `${path} 変更` }).click()
    await expect(strip.getByRole('group', { name: `${path} の差分` })).toContainText('port = 2')
    await expect(strip.getByRole('region', { name: 'やりとりと作業' })).toContainText('ポートを二にして')
    await shoot(room.page, 'preview')
    expect(await opened.onDisk(path)).toBe(before)
    await room.page.getByRole('button', { name: '閉じる' }).click()
    await expect(strip).toHaveCount(0)
    await room.box.focus()
  })
  await test.step('Tab asks first', async () => {
    await room.page.keyboard.press('Tab')
    await expect(room.gate).toContainText(path)
    await expect(room.box.locator('.cm-placeholder')).toBeVisible()
    await expect(room.conversation).not.toContainText('ポートを二にして')
    expect(await opened.onDisk(path)).toBe(before)
  })
  await test.step('a yes puts all of it into the folder and the conversation', async () => {
    await room.approve()
    await expect(room.gate).toHaveCount(0)
    const said = room.conversation.getByRole('article', { name: 'あなた' }).last()
    await expect(said).toContainText('ポートを二にして')
    await expect(said).toContainText('先回り')
    await expect.poll(() => opened.onDisk(path)).toContain('port = 2')
    await expect(ghost).toHaveText('名前も変えて')
  })
  await test.step('what it stopped before is asked about after the rest is taken over', async () => {
    await expect(ghost).toHaveText('名前も変えて')
    await expect(strip).toContainText('npm test')
    await expect(mark).toContainText('1 ファイル')
    await room.page.keyboard.press('Tab')
    await expect(room.gate).toContainText(path)
    await room.approve()
    await expect.poll(() => opened.onDisk(path)).toContain('host = "b"')
    await expect(room.conversation.getByRole('region', { name: /^承認：/ })).toContainText('npm test')
    await expect(strip).toHaveCount(0)
  })
})

test('another text drops what was speculated; a conflict is asked about before the gate', async ({
  openSharedRoom,
}) => {
  const opened = await openSpeculation(openSharedRoom, {
    thoughts: toPortTwo,
    suggestions: ['ポートを二にして', '使われない', 'やはり二にして'],
  })
  const { room, mind, mark, strip, ghost, newest } = opened
  const { page } = room
  await test.step('typing drops it', async () => {
    await expect(mark).toContainText('1 ファイル')
    await expect.poll(async () => (await newest())?.hadPipelinedSuggestion).toBe(true)
    await page.keyboard.press('ArrowRight')
    await expect(room.box).toHaveText('ポートを二にして')
    await expect(strip).toContainText(path)
    await page.keyboard.type('x')
    await expect(strip).toHaveCount(0)
    expect(await newest()).toMatchObject({ outcome: 'rejected' })
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
  })
  await test.step('a conflict is decided place by place before the gate', async () => {
    mind.think(...justAnswer('まだです。'), ...edit('port = 1', 'port = 2', renamed, noCalls, approve))
    await room.say('変わりましたか？')
    await expect(ghost).toHaveText('やはり二にして')
    await expect(mark).toContainText('1 ファイル')
    await writeFile(join(opened.root, path), changed)
    await page.evaluate(() => {
      document.hasFocus = () => false
      class Told {
        static permission = 'granted'
        onclick: (() => void) | null = null
        constructor() {
          Object.assign(globalThis, { press: () => this.onclick?.() })
        }
        readonly close = () => undefined
      }
      Object.assign(globalThis, { Notification: Told })
    })
    await page.keyboard.press('Tab')
    // It waits for the user, wherever they look.
    await expect(page).toHaveTitle(/^● /)
    await expect(page.locator('.session-pane')).toContainText('返事待ち')
    await expect(room.box).toBeFocused()
    await page.evaluate(() => {
      Reflect.deleteProperty(document, 'hasFocus')
      ;(Reflect.get(globalThis, 'press') as () => void)()
    })
    await expect(strip).toBeFocused()
    await room.box.focus()
    await page.keyboard.press('Alt+g')
    await expect(strip).toBeFocused()
    const go = strip.getByRole('button', { name: 'この内容で続ける' })
    await expect(go).toBeDisabled()
    const sides = strip.getByRole('figure')
    await expect(sides).toHaveText([
      /^元のファイル.*port = 1/s,
      /^今のファイル.*port = 9/s,
      /^先回り.*port = 2/s,
      /^元のファイル.*"a"/s,
      /^今のファイル.*"z"/s,
      /^先回り.*"b"/s,
    ])
    await expect(strip).toContainText('選んでいない変更：2')
    await shoot(page, 'conflict')
    // As at 200 %: the message box stays whole, and its bar within it.
    await page.setViewportSize({ width: 720, height: 450 })
    await expect(page.locator('.box-bar')).toBeInViewport({ ratio: 1 })
    const bottom = (part: string) =>
      page.locator(part).evaluate((element) => element.getBoundingClientRect().bottom)
    expect(await bottom('.box-bar')).toBeLessThanOrEqual(await bottom('.message-box'))
    await expect(go).toBeInViewport({ ratio: 1 })
    await page.setViewportSize({ width: 1440, height: 900 })
    const place = (number: number) => strip.getByRole('radiogroup', { name: `${path} の変更 ${number}` })
    await place(1).getByRole('radio', { name: '先回り' }).click()
    await expect(go).toBeDisabled()
    await place(2).getByRole('radio', { name: '両方' }).click()
    await go.click()
    await expect(room.gate).toContainText(path)
    // A gate does not take the focus, also after a question that was answered.
    await expect(room.box).toBeFocused()
    await room.approve()
    const both = 'export const host = "z"\nexport const host = "b"\n'
    await expect
      .poll(() => opened.onDisk(path))
      .toBe(before.replace('port = 1', 'port = 2').replace('export const host = "a"\n', both))
  })
  await test.step('the record says what became of both', async () => {
    await page.keyboard.press('Control+,')
    await page.getByRole('dialog').getByRole('tab', { name: '次の入力の提案', exact: true }).click()
    const record = page.getByRole('region', { name: '先回りの記録' })
    await expect(record).toContainText('取り込んだ1')
    await expect(record.getByRole('listitem').filter({ hasText: '取り込み済み' })).toHaveCount(1)
    await expect(record.getByRole('listitem').filter({ hasText: '破棄' })).toHaveCount(1)
    await page.keyboard.press('Escape')
  })
  await test.step('what keeps it from being done stands at the box, with the press that changes it', async () => {
    await opened.client['settings.update']({ patch: { enableFollowupSuggestions: false } })
    const hindrance = page.getByRole('status').filter({ hasText: '先回りには提案が必要' })
    await expect(hindrance).toBeVisible()
    await hindrance.getByRole('button', { name: 'オンにする' }).click()
    await expect(hindrance).toHaveCount(0)
  })
  await test.step('the turn can be taken back', async () => {
    await room.inTurn(4, '元に戻す…')
    const dialog = room.page.getByRole('dialog')
    await dialog.getByRole('button', { name: '元に戻す' }).click()
    await expect.poll(() => opened.onDisk(path)).toBe(changed)
  })
})

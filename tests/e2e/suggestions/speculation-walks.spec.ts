import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  approve,
  calls,
  isForSuggestion,
  justAnswer,
  noCalls,
  type Thought,
} from '../../fakes/sessions/scripted-mind.ts'
import { expect, type OpenRoom, test } from '../support/session-test.ts'
import { shoot } from '../support/shoot.ts'
import { appFile, appText, edit, openSpeculation } from './speculation-stage.ts'

const runTests: Thought = calls(['run_command', { line: 'python3 check.py', reason: '確かめる' }])

/** A program whose effect is not visible in the command line: it writes a file. */
const check = [
  'import re',
  "port = re.search('port = .', open('src/app.ts').read()).group()",
  "open('report.txt', 'w').write(port + '\\n')",
  "print('54 passed')",
].join('\n')

type Opened = Awaited<ReturnType<typeof openSpeculation<OpenRoom>>>

/** Another turn, and a suggestion behind it that is played by `thoughts`. */
async function ask({ mind, room, ghost }: Opened, suggestion: string, thoughts: readonly Thought[]) {
  const message = `And now, before ${suggestion}?`
  mind.think(...justAnswer('OK.'), ...thoughts)
  mind.suggestAfter(message, suggestion)
  await room.say(message)
  await expect(ghost).toHaveText(suggestion)
}

/** The model is silent once only `left` thoughts are left, until `goOn`. */
function holdBefore({ llama, mind }: Opened, left: number): { isHeld(): boolean; goOn(): void } {
  const silence = new Promise<never>(() => undefined)
  let isHeld = false
  llama.options.answer = (request) => {
    if (mind.left.length === 0 || mind.left.length > left || isForSuggestion(request))
      return mind.answer(request)
    isHeld = true
    return silence
  }
  return {
    isHeld: () => isHeld,
    goOn() {
      llama.options.answer = mind.answer
    },
  }
}

test('Tab, Tab, Tab: three runs with edits and tests, one acceptance for two windows, and undo with what a command changed', async ({
  openRoom,
  context,
}) => {
  test.slow()
  const port = (from: number) => edit(`port = ${from}`, `port = ${from + 1}`, runTests, noCalls, approve)
  const opened = await openSpeculation(openRoom, {
    mode: 'auto-edit',
    files: { 'check.py': check },
    thoughts: [...port(1), ...port(2), ...port(3)],
    suggestions: ['ポートを二にして', 'ポートを三にして', 'ポートを四にして'],
    async prepare({ client, workId, room }) {
      await client['settings.update']({ patch: { enableChainedSpeculation: true } })
      const { status } = await client['sandbox.get']({ workId, isTriedAgain: false })
      test.skip(status.kind === 'none', 'no sandbox here; apt-get install bubblewrap')
      await client['sandbox.set']({ workId, isOn: true })
      await room.box.focus()
    },
  })
  const { room, ghost, mark, strip, client, onDisk } = opened
  const { page } = room
  const messages = room.conversation.getByRole('article', { name: 'あなた' })
  await test.step('the mark tells of the files and the tests', async () => {
    await expect(ghost).toHaveText('ポートを二にして')
    await expect(mark).toContainText('テスト 54 件成功')
    expect(await onDisk('report.txt')).toBeNull()
  })
  for (const [at, next] of [
    [2, 'ポートを三にして'],
    [3, 'ポートを四にして'],
  ] as const) {
    await test.step(`Tab writes run ${at - 1}, and the next one stands finished in the box`, async () => {
      await page.keyboard.press('Tab')
      await expect.poll(() => onDisk(appFile)).toContain(`port = ${at}`)
      expect(await onDisk('report.txt')).toBe(`port = ${at}\n`)
      await expect(ghost).toHaveText(next)
      await expect(mark).toContainText('テスト 54 件成功')
    })
  }
  await test.step('two windows press Tab: one takes it, both show it', async () => {
    const other = await room.another(await context.newPage(), opened.host.link)
    await expect(other.page.locator('.cm-ghost')).toHaveText('ポートを四にして')
    await expect(other.page.getByRole('button', { name: /^Tab / })).toContainText('テスト 54 件成功')
    await other.box.focus()
    await room.box.focus()
    await Promise.all([page.keyboard.press('Tab'), other.page.keyboard.press('Tab')])
    await expect.poll(() => onDisk(appFile)).toContain('port = 4')
    for (const one of [room, other]) {
      await expect(one.page.locator('.cm-ghost')).toHaveCount(0)
      await expect(one.conversation.getByRole('article', { name: 'あなた' })).toHaveCount(5)
      await expect(one.box.locator('.cm-placeholder')).toBeVisible()
    }
    const { events } = await client['speculation.list']({})
    expect(events.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted'])
    await expect(strip).toHaveCount(0)
    await shoot(page, 'three-runs')
    await other.page.close()
  })
  await test.step('the last one is undone, with what its command changed', async () => {
    await room.inTurn(5, '元に戻す…')
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('report.txt')
    await shoot(page, 'three-undo')
    await dialog.getByRole('button', { name: '元に戻す' }).click()
    await expect.poll(() => onDisk(appFile)).toContain('port = 3')
    await expect.poll(() => onDisk('report.txt')).toBe('port = 3\n')
    await expect(messages.nth(3)).toBeVisible()
  })
  await test.step('Tab while it runs: the turn goes on in the conversation', async () => {
    const model = holdBefore(opened, 4)
    await ask(opened, 'ポートを五にして', edit('port = 3', 'port = 5', noCalls, approve))
    await expect(mark).toContainText('先回りしています')
    await expect.poll(model.isHeld).toBe(true)
    model.goOn()
    await page.keyboard.press('Tab')
    await expect.poll(() => onDisk(appFile)).toContain('port = 5')
    await expect(messages.last()).toContainText('ポートを五にして')
    await expect(messages.last()).toContainText('先回り')
    await room.isAt('済み')
    await shoot(page, 'while-running')
  })
  await test.step('a guard that closes during a run ends it, says nothing and writes nothing', async () => {
    const model = holdBefore(opened, 4)
    await ask(opened, 'ポートを六にして', edit('port = 5', 'port = 6', noCalls, approve))
    await expect.poll(model.isHeld).toBe(true)
    await expect(mark).toContainText('先回りしています')
    await page.getByRole('radio', { name: '計画', exact: true }).click()
    await expect(ghost).toHaveCount(0)
    await expect
      .poll(opened.newest)
      .toMatchObject({ outcome: 'aborted', reason: 'plan_mode', isFinished: false })
    await expect(strip).toHaveCount(0)
    await shoot(page, 'guard-during-run')
    expect(await onDisk(appFile)).toContain('port = 5')
    // Drops the answers that the model would have given later in the ended run.
    opened.mind.left.length = 0
    model.goOn()
    await page.getByRole('radio', { name: '自動編集', exact: true }).click()
  })
  await test.step('of a finished run it is said which one, and one press runs it again', async () => {
    await ask(opened, 'ポートを七にして', edit('port = 5', 'port = 7', noCalls, approve))
    await expect(mark).toContainText('1 ファイル')
    await page.getByRole('radio', { name: '計画', exact: true }).click()
    await expect(strip).toContainText('先回りの作業を取りやめました')
    await expect(strip).toContainText('計画モードだった')
    await shoot(page, 'guard')
    await page.getByRole('radio', { name: '自動編集', exact: true }).click()
    opened.mind.think(...edit('port = 5', 'port = 7', noCalls, approve))
    await strip.getByRole('button', { name: 'やり直す' }).click()
    await expect(strip).toContainText('先回りが済んでいます')
    await strip.getByRole('button', { name: '取り込む' }).click()
    await expect.poll(() => onDisk(appFile)).toContain('port = 7')
  })
})

/** Hides bubblewrap from the host, where the machine has it. */
const withoutBubblewrap = [
  'unshare',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  'for at in /usr/bin /bin /usr/local/bin; do ! test -e $at/bwrap || mount --bind /dev/null $at/bwrap; done; exec "$@"',
  'sh',
] as const
/** Where the system allows no namespaces there is no sandbox either. */
const canHide = spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0

test('without bubblewrap: what stops, is refused, dropped or stale is said', async ({ openRoom }) => {
  test.slow()
  const toTwo = edit('port = 1', 'port = 2', noCalls, approve)
  const own = { language: 'en', under: canHide ? withoutBubblewrap : [] } as const
  const opened = await openSpeculation((options) => openRoom({ ...options, ...own }), {
    language: own.language,
    files: { 'README.md': '# one\n', 'check.py': check },
    thoughts: edit('port = 1', 'port = 2', runTests),
    suggestions: ['Use port two and test'],
    async prepare({ client, workId }) {
      const { status } = await client['sandbox.get']({ workId, isTriedAgain: false })
      expect(status).toMatchObject({ kind: 'none', ...(canHide && { part: 'program' }) })
    },
  })
  const { room, mind, ghost, mark, strip, newest, onDisk, root } = opened
  const { page } = room
  const apply = room.gate.getByRole('button', { name: 'Apply' })
  await test.step('it stops at the command, and says what is missing', async () => {
    await expect(ghost).toHaveText('Use port two and test')
    await expect(strip).toContainText('python3 check.py')
    await expect(strip).toContainText('only in a copy of the folder, which this computer cannot make')
    await shoot(page, 'no-bubblewrap')
  })
  await test.step('a typed no refuses it', async () => {
    await page.keyboard.press('Tab')
    await expect(room.gate).toContainText(appFile)
    await expect(apply).not.toHaveAttribute('aria-disabled', 'true')
    mind.think(...justAnswer('I leave it.'), ...toTwo)
    mind.suggest('Use port two')
    await room.say('no')
    await expect(room.conversation).toContainText('Declined')
    await expect(room.conversation).toContainText('I leave it.')
    await expect(room.conversation.getByRole('button', { name: '4 steps', exact: true })).toBeVisible()
    expect(await onDisk(appFile)).toBe(appText)
    await shoot(page, 'typed-no')
  })
  await test.step('Discard drops it, and nothing of it stays', async () => {
    await expect(ghost).toHaveText('Use port two')
    await expect(mark).toContainText('1 file')
    await page.getByRole('button', { name: 'Look at it' }).click()
    await shoot(page, 'preview-over-ghost')
    await strip.getByRole('button', { name: 'Discard' }).click()
    await expect(strip).toHaveCount(0)
    expect(await newest()).toMatchObject({ outcome: 'rejected', reason: null })
    expect(await onDisk(appFile)).toBe(appText)
    await shoot(page, 'discarded')
  })
  await test.step('a file that was only read has changed: it is run again, and a typed yes writes it', async () => {
    const [first, ...rest] = toTwo
    const withReadme = [first ?? noCalls, calls(['read_file', { path: 'README.md' }]), ...rest]
    await page.keyboard.press('Escape')
    await ask(opened, 'Port two again', withReadme)
    await expect(mark).toContainText('1 file')
    writeFileSync(join(root, 'README.md'), '# two\n')
    await page.keyboard.press('Tab')
    await expect(strip).toContainText('may have read have changed since: README.md')
    await shoot(page, 'stale')
    // What the stale run did not come to say.
    mind.left.length = 0
    mind.think(...withReadme)
    await strip.getByRole('button', { name: 'Run again' }).click()
    // The earlier run may be shown as finished for a moment, and using an unfinished one repeats its last request.
    await expect.poll(() => mind.left).toEqual([])
    await expect(strip).toContainText('Finished ahead')
    await strip.getByRole('button', { name: 'Use it' }).click()
    await expect(apply).not.toHaveAttribute('aria-disabled', 'true')
    await expect(room.box.locator('.cm-placeholder')).toBeVisible()
    await room.say('yes')
    await expect.poll(() => onDisk(appFile)).toContain('port = 2')
    await expect(room.conversation.getByRole('article', { name: 'You' }).last()).toContainText(
      'Port two again',
    )
  })
  await test.step('another message while the approval waits asks first, and one press gives the run up and sends it', async () => {
    await expect.poll(() => mind.left).toEqual([])
    await room.isAt('done')
    await ask(opened, 'Port three', edit('port = 2', 'port = 3', noCalls, approve))
    await expect(mark).toContainText('1 file')
    await page.keyboard.press('Tab')
    await expect(apply).toBeVisible()
    mind.think(...justAnswer('It is a number.'))
    await room.say('What is a port?')
    const asking = page.locator('.message-failure')
    await expect(asking.getByRole('button', { name: 'Discard it and send' })).toBeVisible()
    await shoot(page, 'discard-and-send')
    await expect(room.box).toContainText('What is a port?')
    await asking.getByRole('button', { name: 'Discard it and send' }).click()
    await expect(room.conversation).toContainText('It is a number.')
    await expect(asking).toHaveCount(0)
    await expect(apply).toHaveCount(0)
    expect(await newest()).toMatchObject({ outcome: 'rejected', reason: 'left' })
    expect(await onDisk(appFile)).toContain('port = 2')
  })
})

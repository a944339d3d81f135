import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { approve, calls, noCalls, type Thought } from '../../fakes/scripted-mind.ts'
import { expect, test } from '../support/session-test.ts'
import { appFile, appText, edit, openSpeculation, reply } from './speculation-stage.ts'

const shot = process.env.TSUGI_SHOTS
const runTests: Thought = calls(['run_command', { line: 'python3 check.py', reason: '確かめる' }])

/** A program whose doing the line does not show: it writes a file. */
const check = [
  'import re',
  "port = re.search('port = .', open('src/app.ts').read()).group()",
  "open('report.txt', 'w').write(port + '\\n')",
  "print('54 passed')",
].join('\n')

type Opened = Awaited<ReturnType<typeof openSpeculation>>

/** Another turn, and a suggestion behind it that is played by `thoughts`. */
async function ask({ mind, room, ghost }: Opened, suggestion: string, thoughts: readonly Thought[]) {
  mind.think(...reply('OK.'), ...thoughts)
  mind.suggest(suggestion)
  await room.say('And now?')
  await expect(ghost).toHaveText(suggestion)
}

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
  const opened = await openSpeculation(openRoom, {
    language: 'en',
    under: canHide ? withoutBubblewrap : [],
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
    if (shot) await page.screenshot({ path: `${shot}/no-bubblewrap.png` })
  })
  await test.step('a typed no refuses it', async () => {
    await page.keyboard.press('Tab')
    await expect(room.gate).toContainText(appFile)
    await expect(apply).not.toHaveAttribute('aria-disabled', 'true')
    mind.think(...reply('I leave it.'), ...toTwo)
    mind.suggest('Use port two')
    await room.say('no')
    await expect(room.conversation).toContainText('Declined')
    await expect(room.conversation).toContainText('I leave it.')
    await expect(room.conversation.getByRole('button', { name: '4 steps', exact: true })).toBeVisible()
    expect(await onDisk(appFile)).toBe(appText)
    if (shot) await page.screenshot({ path: `${shot}/typed-no.png` })
  })
  await test.step('Discard drops it, and nothing of it stays', async () => {
    await expect(ghost).toHaveText('Use port two')
    await expect(mark).toContainText('1 file')
    await page.getByRole('button', { name: 'Look at it' }).click()
    await strip.getByRole('button', { name: 'Discard' }).click()
    await expect(strip).toHaveCount(0)
    expect(await newest()).toMatchObject({ outcome: 'rejected', reason: null })
    expect(await onDisk(appFile)).toBe(appText)
    if (shot) await page.screenshot({ path: `${shot}/discarded.png` })
  })
  await test.step('a file that was only read has changed: it is run again, and a typed yes writes it', async () => {
    const [first, ...rest] = toTwo
    const withReadme = [first ?? noCalls, calls(['read_file', { path: 'README.md' }]), ...rest]
    await page.keyboard.press('Escape')
    await ask(opened, 'Port two again', withReadme)
    await expect(mark).toContainText('1 file')
    writeFileSync(join(root, 'README.md'), '# two\n')
    await page.keyboard.press('Tab')
    await expect(strip).toContainText('only read have changed since: README.md')
    if (shot) await page.screenshot({ path: `${shot}/stale.png` })
    // What the stale run did not come to say.
    mind.left.length = 0
    mind.think(...withReadme)
    await strip.getByRole('button', { name: 'Run again' }).click()
    await expect(strip).toContainText('Finished ahead')
    await strip.getByRole('button', { name: 'Use it' }).click()
    await expect(apply).not.toHaveAttribute('aria-disabled', 'true')
    await room.say('yes')
    await expect.poll(() => onDisk(appFile)).toContain('port = 2')
    await expect(room.conversation.getByRole('article', { name: 'You' }).last()).toContainText(
      'Port two again',
    )
  })
})

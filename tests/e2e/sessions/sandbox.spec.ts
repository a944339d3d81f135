import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator } from '@playwright/test'
import { createTranslate, type Translate } from '../../../src/shared/i18n/translate.ts'
import { calls } from '../../fakes/sessions/scripted-mind.ts'
import { Room } from '../support/room.ts'
import { expect, type OpenRoom, test } from '../support/session-test.ts'
import { shoot } from '../support/shoot.ts'

/** A program whose effects are not visible in the command line. */
const format = [
  "text = open('note.txt').read()",
  "open('note.txt', 'w').write(text.replace('二行目', '二行目。'))",
  "open('list.txt', 'w').write('一つ\\n')",
  "print('2 個を整えました')",
].join('\n')
const fetch = (port: number) =>
  [
    'import http.client',
    "open('fetched.txt', 'w').write('部分\\n')",
    `connection = http.client.HTTPConnection('127.0.0.1', ${port})`,
    "connection.request('GET', '/')",
    "open('fetched.txt', 'w').write(connection.getresponse().read().decode())",
  ].join('\n')
/** Writes and removes files in ignored folders, besides a file that is not ignored. */
const build = [
  'import os',
  "os.makedirs('node_modules')",
  "for at in range(120): open(f'node_modules/{at}.js', 'w').write('x' * 4000)",
  "open('dist/new.js', 'w').write('x')",
  "os.remove('dist/old.js')",
  "open('list.txt', 'w').write('一つ\\n')",
].join('\n')
const note = '一行目\n二行目\n'
const run = (line: string) => calls(['run_command', { line, reason: '頼まれたため' }])

/** Shows the open approval in both languages and themes, and ends in Japanese. */
async function inBothLanguages(
  { client, room: { page } }: Pick<OpenRoom, 'client' | 'room'>,
  name: string,
  holds: (gate: Locator, t: Translate) => Promise<void>,
): Promise<void> {
  for (const [language, theme] of [
    ['en', 'dark'],
    ['ja', 'light'],
  ] as const) {
    await client['settings.update']({ patch: { language, theme } })
    const { gate } = new Room(page, language)
    await expect(gate).toBeVisible()
    await holds(gate, createTranslate(language))
    await shoot(page, `${name}-${language}`)
  }
}

/** Returns where the text of an element begins. Units: CSS pixels. */
function textLeft(part: Locator): Promise<number> {
  return part.evaluate((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return range.getBoundingClientRect().left
  })
}

test('a command runs in a copy: granted once, its changes approved or declined, and run outside where it needs the network', async ({
  openRoom,
}) => {
  test.slow()
  let served = 0
  const server = createServer((_, response) => {
    served += 1
    response.end('届きました\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const opened = await openRoom({
      isDirect: true,
      mode: 'ask',
      files: {
        'note.txt': note,
        'format.py': format,
        'fetch.py': fetch((server.address() as AddressInfo).port),
      },
      thoughts: [run('python3 format.py'), { say: '整いました。' }],
    })
    const { room, mind, client, workId, asked, onDisk, isOnDisk } = opened
    const { page, conversation, gate } = room
    const card = conversation.getByRole('article', { name: /python3 format\.py$/ })
    const { status } = await client['sandbox.get']({ workId, isTriedAgain: false })
    test.skip(status.kind === 'none', 'no sandbox here; apt-get install bubblewrap')

    await test.step('the approval of the command offers to run commands of this folder in a copy', async () => {
      await room.say('整えてください。')
      await inBothLanguages(opened, 'sandbox-offer', async (shown, t) => {
        await expect(shown).toContainText('python3 format.py')
        await expect(shown).toContainText(t('sandbox.offer.text'))
        await expect(shown.getByRole('button', { name: t('sandbox.offer'), exact: true })).toBeVisible()
        await expect(shown.getByRole('button', { name: t('gate.approve.run'), exact: true })).toBeVisible()
      })
      const offer = gate.getByText(
        'コマンドはネットワークのない写しの中で動き、変えたものをあとで承認します。',
      )
      const approve = await gate.getByRole('button', { name: '実行', exact: true }).boundingBox()
      expect(await textLeft(offer)).toBe(approve?.x)
      expect(await client['sandbox.get']({ workId, isTriedAgain: false })).toMatchObject({ isOn: false })
      await room.approve(/^実行し、今後このフォルダーでは写しの中で動かす$/)
    })
    await test.step('what it changed is asked about, file by file, and nothing is written yet', async () => {
      await inBothLanguages(opened, 'sandbox-effects', async (shown, t) => {
        await expect(shown).toContainText(t('gate.title.effects', { count: 2 }))
        await expect(shown.locator('.gate-subject')).toHaveText(
          `list.txt ${t('gate.subject.more', { count: 1 })}`,
        )
        await expect(shown).toContainText('python3 format.py')
        const diffOf = (path: string) =>
          shown.getByRole('group', { name: t('gate.file.toggle', { path }), exact: true })
        await expect(diffOf('note.txt')).toContainText('二行目。')
        await expect(diffOf('list.txt')).toContainText('一つ')
        await expect(
          shown.getByRole('button', { name: t('gate.approve.effects'), exact: true }),
        ).toBeVisible()
        await expect(shown).not.toContainText(t('sandbox.offer.text'))
      })
      // It has run by leave of the user, but its changes still wait.
      await expect(card.locator('.call-summary')).toHaveText(/^[\d.]+ 秒 · 承認待ち$/)
      expect(await client['sandbox.get']({ workId, isTriedAgain: false })).toMatchObject({ isOn: true })
      expect([await onDisk('note.txt'), isOnDisk('list.txt')]).toEqual([note, false])
    })
    await test.step('approving writes the files, and undo of the turn takes them back', async () => {
      await room.approve(/^取り込む$/)
      await expect(conversation).toContainText('整いました。')
      expect([await onDisk('note.txt'), await onDisk('list.txt')]).toEqual(['一行目\n二行目。\n', '一つ\n'])
      await room.inTurn(1, '元に戻す…')
      const dialog = page.getByRole('dialog')
      const listed = dialog.getByRole('region', { name: 'ファイル' }).getByRole('listitem')
      await expect(listed.filter({ hasText: 'note.txt' })).toContainText('前の中身に戻す')
      await expect(listed.filter({ hasText: 'list.txt' })).toContainText('削除（ここで作られました）')
      await expect(dialog).not.toContainText('それらが変えたものは元に戻りません')
      await dialog.getByRole('button', { name: '元に戻す' }).click()
      await expect.poll(() => onDisk('note.txt')).toBe(note)
      await expect.poll(() => isOnDisk('list.txt')).toBe(false)
      await expect(room.box).toHaveText('整えてください。')
      await room.box.press('Control+a')
      await room.box.press('Delete')
    })
    await test.step('declining leaves the files, and keeps the output for the user and the model', async () => {
      mind.think(run('python3 format.py'), { say: 'わかりました。' })
      await room.say('もう一度、整えてください。')
      await expect(gate).toContainText('コマンドが変えた 2 個のファイルを取り込む')
      await room.refuse('句点はいりません')
      await expect(conversation).toContainText('わかりました。')
      expect([await onDisk('note.txt'), isOnDisk('list.txt')]).toEqual([note, false])
      expect(asked()).toContain('2 個を整えました')
      expect(asked()).toContain('句点はいりません')
      await conversation.getByRole('button', { name: /手順/ }).last().click()
      await card.getByRole('button', { expanded: false }).click()
      await expect(card).toContainText('2 個を整えました')
      await expect(card).not.toContainText('許可')
      await shoot(page, 'sandbox-declined')
    })
    await test.step('what failed for lack of the network is offered outside, with the reason', async () => {
      mind.think(run('python3 fetch.py'), { say: '取れました。' })
      await room.say('取ってきてください。')
      await inBothLanguages(opened, 'sandbox-outside', async (shown, t) => {
        await expect(shown).toContainText('python3 fetch.py')
        await expect(shown.getByRole('note')).toHaveText(t('sandbox.failed.network'))
      })
      const failed = conversation.getByRole('article', { name: /python3 fetch\.py$/ })
      await expect(failed.locator('.call-summary')).toHaveText('終了コード 1 · 承認待ち')
      expect([isOnDisk('fetched.txt'), served]).toEqual([false, 0])
      await room.approve(/^実行$/)
      await expect(conversation).toContainText('取れました。')
      expect([await onDisk('fetched.txt'), served]).toEqual(['届きました\n', 1])
    })
    await test.step('undo says that it does not cover what ran outside', async () => {
      await room.inTurn(2, '元に戻す…')
      const dialog = page.getByRole('dialog')
      await expect(dialog).toContainText('それらが変えたものは元に戻りません')
      await expect(dialog).toContainText('python3 fetch.py')
      await page.keyboard.press('Escape')
    })
  } finally {
    server.close()
  }
})

test('changes in ignored folders are told without a diff, may be allowed for good, and undo says that it covers only the files it lists', async ({
  openRoom,
}) => {
  const opened = await openRoom({
    isDirect: true,
    mode: 'ask',
    files: { 'build.py': build, 'dist/old.js': 'x', '.gitignore': 'node_modules/\ndist/\n' },
    thoughts: [run('python3 build.py'), { say: '作りました。' }],
  })
  const { room, client, workId, onDisk, isOnDisk } = opened
  const { page, conversation } = room
  const { status } = await client['sandbox.get']({ workId, isTriedAgain: false })
  test.skip(status.kind === 'none', 'no sandbox here; apt-get install bubblewrap')

  await room.say('作ってください。')
  await room.approve(/^実行し、今後このフォルダーでは写しの中で動かす$/)
  await inBothLanguages(opened, 'sandbox-ignored', async (shown, t) => {
    await expect(shown).toContainText(t('gate.title.effects', { count: 1 }))
    for (const top of ['dist', 'node_modules'])
      await expect(shown.getByText(new RegExp(`^${top}[：:]`))).toContainText(t('gate.effects.ignored.final'))
    await expect(shown.getByRole('group', { name: /\.js/ })).toHaveCount(0)
    const always = t('gate.always', { patterns: 'dist/**, node_modules/**' })
    await expect(shown.getByRole('button', { name: always, exact: true })).toBeVisible()
  })
  await room.approve(/^常に許可/)
  await expect(conversation).toContainText('作りました。')
  const { rules } = await client['rule.list']({ workId })
  expect([...new Set(rules.map(({ pattern }) => pattern))].sort()).toEqual(['dist/**', 'node_modules/**'])
  expect([isOnDisk('node_modules/119.js'), isOnDisk('dist/old.js')]).toEqual([true, false])

  await room.inTurn(1, '元に戻す…')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('下のファイルのほかは元に戻りません')
  await expect(dialog).toContainText('python3 build.py')
  await expect(dialog.getByRole('region', { name: 'ファイル' }).getByRole('listitem')).toHaveText(/list\.txt/)
  await shoot(page, 'sandbox-ignored-undo')
  await dialog.getByRole('button', { name: '元に戻す' }).click()
  await expect.poll(() => isOnDisk('list.txt')).toBe(false)
  expect(await onDisk('dist/new.js')).toBe('x')
})

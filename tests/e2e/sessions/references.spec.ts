/** Files that a message names: what the user sees, and the bytes that are sent to the model. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { justAnswer } from '../../fakes/sessions/scripted-mind.ts'
import { builtHost, temporaryFolder } from '../support/host.ts'
import { sentTurn, withFiles } from '../support/sent-message.ts'
import { expect, type OpenRoom, test } from '../support/session-test.ts'

const nfc = 'が.md'
const nfd = 'ば.md'.normalize('NFD')
const chapter = Array.from({ length: 20 }, (_, i) => `　${i + 1} 行目の文。`).join('\n')
const prose = '一行目の文です。\n針はここだ\n'
/** A text that is valid only as EUC-JP, and two letters that are valid as Shift_JIS, too. */
const eucOnly = `${prose}齟齬、鬱、齎す、魑魅\n`
const twoWays = iconv.encode('ああ', 'eucjp')
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

/** Types a path's beginning and takes what is offered first. */
async function choose({ room }: OpenRoom, typed: string): Promise<void> {
  const count = await room.box.locator('.message-chip').count()
  await room.page.keyboard.insertText(typed)
  const options = room.page.getByRole('listbox', { name: 'ファイルとフォルダー' }).getByRole('option')
  await expect(options).not.toHaveCount(0)
  await room.page.keyboard.press('Enter')
  await expect(room.box.locator('.message-chip')).toHaveCount(count + 1)
}

async function files(open: OpenRoom) {
  const { items } = await open.session()
  return items.filter((item) => item.kind === 'file')
}

async function answered({ room }: OpenRoom, text: string): Promise<void> {
  await expect(room.conversation).toContainText(text)
}

test('files, lines and folders reach the model to the byte, whatever their names and encodings', async ({
  openRoom,
}) => {
  const open = await openRoom({
    files: {
      '小説/第一章.md': chapter,
      '小説/第二 章.md': '　第二の文。',
      '資料/地図.md': '北は山。',
      [nfd]: '分けた名前。',
      [nfc]: '合わせた名前。',
      'sjis.txt': iconv.encode(prose, 'cp932'),
      'euc.txt': iconv.encode(eucOnly, 'eucjp'),
      'le.txt': utf16(prose),
      'be.txt': utf16(prose).swap16(),
      'mark.txt': `\ufeff${prose.replaceAll('\n', '\r\n')}`,
      '長い.md': `x${'あ'.repeat(20_000)}`,
      '.env': 'TOKEN=himitsu-42',
    },
    thoughts: [
      ...justAnswer('一の返事。'),
      ...justAnswer('二の返事。'),
      ...justAnswer('三の返事。'),
      ...justAnswer('四の返事。'),
      ...justAnswer('五の返事。'),
    ],
  })
  const { room, llama } = open

  await test.step('chosen from the list', async () => {
    await room.box.click()
    await choose(open, '@第一章#L3-4')
    await room.page.keyboard.insertText('を、')
    await choose(open, '@第二')
    await room.page.keyboard.insertText('。')
    await room.page.keyboard.press('Enter')
    await answered(open, '一の返事。')
    const message = '@小説/第一章.md#L3-4を、@"小説/第二 章.md"。'
    const wanted = withFiles(
      message,
      ['File: 小説/第一章.md#L3-4', '　3 行目の文。\n　4 行目の文。'],
      ['File: 小説/第二 章.md', '　第二の文。'],
    )
    expect(sentTurn(open, message).slice(0, wanted.length)).toBe(wanted)
    const card = room.conversation.locator('.attached').filter({ hasText: '第一章.md#L3-4' })
    await card.locator('summary').click()
    await expect(card.locator('pre')).toHaveText('　3 行目の文。\n　4 行目の文。')
  })

  await test.step('typed, with more of the sentence right behind, each once', async () => {
    const message =
      '「@小説/第一章.mdを推敲。@"小説/第二 章.md"を、@ば.mdと、' +
      `@${nfc.normalize('NFD')}。@資料/ と、@小説/第二 章、@資料/地図.mdも。@資料/地図.md。`
    await room.say(message)
    await answered(open, '二の返事。')
    const wanted = withFiles(
      // A name with a space that is not quoted is another name, which names nothing and stays as it was typed.
      message,
      ['File: 小説/第一章.md', chapter],
      ['File: 小説/第二 章.md', '　第二の文。'],
      ['File: ば.md', '分けた名前。'],
      [`File: ${nfc.normalize('NFD')}`, '合わせた名前。'],
      ['Dir: 資料/', '地図.md'],
      ['File: 資料/地図.md', '北は山。'],
    )
    expect(sentTurn(open, '「@小説/第一章.md').slice(0, wanted.length)).toBe(wanted)
    await expect(room.conversation).toContainText('@資料/ の一覧を添付')
    await expect(room.conversation).toContainText('@小説/第二 が見つからないため、添付しませんでした。')
  })

  await test.step('in each encoding', async () => {
    const message = '@sjis.txt @euc.txt @le.txt @be.txt @mark.txt を'
    await room.say(message)
    await answered(open, '三の返事。')
    const wanted = withFiles(
      message,
      ['File: sjis.txt', prose],
      ['File: euc.txt', eucOnly],
      ['File: le.txt', prose],
      ['File: be.txt', prose],
      ['File: mark.txt', prose],
    )
    expect(sentTurn(open, message).slice(0, wanted.length)).toBe(wanted)
  })

  await test.step('cut at a whole character; what only looks like a name is what was typed', async () => {
    await open.client['settings.update']({ patch: { attachedFileLimit: 16_384 } })
    const message = 'me@example.com と @param と @Injectable() の話と、@長い.md を'
    await room.say(message)
    await answered(open, '四の返事。')
    const note = '[...truncated, 60001 bytes total — use read_file for the rest]'
    const wanted = withFiles(message, ['File: 長い.md', `x${'あ'.repeat(5_461)}\n${note}`])
    expect(sentTurn(open, message).slice(0, wanted.length)).toBe(wanted)
    await expect(room.conversation).toContainText(/@長い\.md（60 [kK]B）の初めの部分を添付/)
  })

  await test.step('a secret only where it was allowed, which the log of decisions says', async () => {
    const dialog = room.page.getByRole('dialog', { name: '秘密の情報を送りますか' })
    const before = llama.requests.length
    await room.say('@.env を見て')
    await expect(dialog).toContainText('.env')
    await room.page.keyboard.press('Escape')
    await expect(room.box).toHaveText('@.env を見て')
    expect(llama.requests.length).toBe(before)
    await room.page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: '今回だけ送る' }).click()
    await answered(open, '五の返事。')
    const wanted = withFiles('@.env を見て', ['File: .env', 'TOKEN=himitsu-42'])
    expect(sentTurn(open, '@.env を見て').slice(0, wanted.length)).toBe(wanted)
    await room.showTab('承認記録')
    const log = room.side.getByRole('list', { name: '承認記録' })
    await expect(log.getByRole('listitem').first()).toContainText('ファイルの添付')
    await expect(log.getByRole('listitem').first()).toContainText('.env')
  })
  expect(open.mind.left).toEqual([])
})

test('each way to fail is said in one sentence, and the model sees only the place', async ({ openRoom }) => {
  const isRoot = process.getuid?.() === 0
  // Root reads whatever its modes say, unless it is started without that power.
  const withoutPower = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search']
  const canBeDenied = !isRoot || runs([...withoutPower, process.execPath, '--check', builtHost])
  const under = isRoot && canBeDenied ? withoutPower : []
  const open = await openRoom({
    under,
    files: {
      '章.md': '一行。',
      '絵.md': new Uint8Array([0, 1, 2, 0, 3]),
      '音.txt': new Uint8Array([0xff, 0xfd, 0xa0]),
      '古い.txt': twoWays,
      '消える.md': 'もうすぐ消える。',
      '.env': 'TOKEN=himitsu-42',
      '資料/閉じた.md': '読めない。',
    },
    thoughts: [...justAnswer('はい。'), ...justAnswer('読めました。')],
  })
  const { room, root } = open
  const at = (path: string) => join(root, path)
  const outside = await temporaryFolder('outside')
  await writeFile(join(outside, '外.md'), '外の文。')
  await symlink(join(outside, '外.md'), at('外へ.md'))
  await symlink('/dev/null', at('機器へ.md'))
  await symlink('どこにもない.md', at('切れた.md'))
  await symlink('輪二.md', at('輪一.md'))
  await symlink('輪一.md', at('輪二.md'))
  await mkdir(at('特別'))
  execFileSync('mkfifo', [at('特別/管.md')])
  const socket = createServer().listen(at('特別/口.md'))
  const hasDevice = isRoot && runs(['mknod', at('特別/零.md'), 'c', '1', '3'])
  await chmod(at('資料/閉じた.md'), 0)
  for (const [is, what] of [
    [canBeDenied, 'permission denied: root that cannot give its power up'],
    [hasDevice, 'a device in the folder: not allowed to make one'],
  ] as const)
    if (!is) test.info().annotations.push({ type: 'left out', description: what })

  const failing: [path: string, sentence: string][] = [
    ['@../外.md', '@../外.md は作業フォルダーの外にあるため、添付しませんでした。'],
    ['@外へ.md', '@外へ.md は作業フォルダーの外にあるため、添付しませんでした。'],
    ['@機器へ.md', '@機器へ.md は作業フォルダーの外にあるため、添付しませんでした。'],
    ['@無い.md', '@無い.md が見つからないため、添付しませんでした。'],
    ['@絵.md', '@絵.md はテキストファイルではないため、添付しませんでした。'],
    ['@音.txt', '@音.txt はテキストファイルではないため、添付しませんでした。'],
    ['@切れた.md', '@切れた.md はリンク先がないため、添付しませんでした。'],
    ['@輪一.md', '@輪一.md はリンク先がないため、添付しませんでした。'],
    ['@章.md#L9', '@章.md#L9 に指定された行がないため、添付しませんでした。'],
    ['@.env', '@.env は秘密の情報を含むかもしれず、却下されたため、添付しませんでした。'],
    ['@特別/管.md', '@特別/管.md を読めなかったため、添付しませんでした（通常のファイルではありません）。'],
    ['@特別/口.md', '@特別/口.md を読めなかったため、添付しませんでした（通常のファイルではありません）。'],
    [
      '@古い.txt',
      '@古い.txt は Shift_JIS / EUC-JP のどちらとしても読めるため、添付しませんでした（文字コードを選べます）。',
    ],
  ]
  if (hasDevice)
    failing.push([
      '@特別/零.md',
      '@特別/零.md を読めなかったため、添付しませんでした（通常のファイルではありません）。',
    ])
  if (canBeDenied)
    failing.push([
      '@資料/閉じた.md',
      '@資料/閉じた.md を読めなかったため、添付しませんでした（読む権限がありません）。',
    ])

  await room.box.click()
  await choose(open, '@消える')
  await rm(at('消える.md'))
  await room.page.keyboard.insertText(` ${failing.map(([path]) => path).join(' ')} を`)
  await room.page.keyboard.press('Enter')
  await room.page.getByRole('dialog').getByRole('button', { name: '除いて送る' }).click()
  await answered(open, 'はい。')
  await expect(room.conversation).toContainText('@消える.md が見つからないため、添付しませんでした。')
  for (const [, sentence] of failing) await expect(room.conversation).toContainText(sentence)
  const places = ['@消える.md', ...failing.map(([path]) => path)].map((path) => path.slice(1))
  // A name that was typed and names nothing stays as it is.
  const told = (path: string) => (path === '無い.md' ? `@${path}` : `[unresolved file ref: ${path}]`)
  const wanted = `${places.map(told).join(' ')} を`
  expect(sentTurn(open, 'unresolved')).toMatch(/^\[unresolved/)
  expect(sentTurn(open, 'unresolved').slice(0, wanted.length)).toBe(wanted)
  expect(open.asked()).not.toContain('himitsu-42')

  // The encoding is chosen where the failure is told, and the message goes again with the file.
  await room.conversation.getByRole('button', { name: 'EUC-JP として送り直す' }).click()
  await room.page.getByRole('dialog').getByRole('button', { name: '除いて送る' }).click()
  await answered(open, '読めました。')
  await expect(room.conversation).not.toContainText('はい。')
  expect(sentTurn(open, 'unresolved')).toContain(withFiles('', ['File: 古い.txt', 'ああ']))
  expect((await files(open)).filter(({ state }) => state === 'ok').map(({ path }) => path)).toEqual([
    '古い.txt',
  ])
  socket.close()
  await rm(outside, { recursive: true })
})

/** Returns whether a program exists and may do this: machines differ in the rights even of root. */
function runs([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

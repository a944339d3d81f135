import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import { readImageHeader } from '../../../src/main/images/image-header.ts'
import { redPixel } from '../../fakes/sample-image.ts'
import { mortalServer } from '../../fakes/servers/mortal-server.ts'
import { servedModel, startSessionLlama } from '../../fakes/servers/session-llama.ts'
import { calls, plan, scriptedMind } from '../../fakes/sessions/scripted-mind.ts'
import { expect, test } from '../support/session-test.ts'
import { shoot } from '../support/shoot.ts'

const edit = (from: string, to: string) =>
  calls(['edit', { path: 'note.txt', edits: [{ old_text: from, new_text: to }], reason: '頼まれたため' }])
const waiting = 'until [ -f go ]; do sleep 0.1; done; echo 終わりました'

test('a model that calls tools by itself, from its plan to a server that dies and comes back', async ({
  openRoom,
}) => {
  const { room, mind, root, asked, session, onDisk, client } = await openRoom({
    isDirect: true,
    llama: { hasVision: true },
    mode: 'plan',
    files: {
      'note.txt': '一行目\n二行目\n三行目\n',
      Makefile: 'check:\n\t! grep -q 禁句 note.txt\n',
      '.mcp.json': '{"mcpServers": {"offered": {"command": "true"}}}',
    },
    thoughts: [
      calls(['read_file', { path: 'note.txt' }]),
      plan('二行目を直す'),
      edit('二行目', '二行目！'),
      { say: '直しました。' },
    ],
  })
  const { page, conversation, gate } = room

  // A plan is carried out by one press, in the mode that was set before.
  await room.say('二行目に感嘆符を。')
  await expect(conversation).toContainText('MCP サーバーを提案しています：offered')
  await room.approve(/^計画を実行$/)
  await room.approve()
  await expect(conversation).toContainText('直しました。')
  expect(await onDisk('note.txt')).toContain('二行目！')
  expect((await session()).state.mode).toBe('ask')

  // The model gets a refusal's reason in the same turn, and also a message that is sent while the gate is open.
  mind.think(edit('三行目', '三行目。'), edit('三行目', '三行目？'), { say: '疑問符にしました。' })
  await room.say('三行目にも何かを。')
  await expect(gate).toContainText('三行目。')
  await room.box.click()
  await page.keyboard.insertText('ほかの行はそのままに。')
  await expect(page.locator('.box-hint')).toContainText('割り込む')
  await page.keyboard.press('Control+Enter')
  await expect(conversation).toContainText('ほかの行はそのままに。')
  await room.refuse('句点ではなく疑問符に')
  await expect(gate).toContainText('三行目？')
  await room.approve()
  await expect(conversation).toContainText('疑問符にしました。')
  expect(asked().indexOf('句点ではなく疑問符に')).toBeGreaterThan(0)
  expect(asked().indexOf('ほかの行はそのままに。')).toBeGreaterThan(asked().indexOf('句点ではなく疑問符に'))
  expect((await session()).items.filter(({ kind }) => kind === 'user')).toHaveLength(3)

  // A question is put aside; the message that quotes it answers it.
  const aside = { name: 'update_course', arguments: { open_questions: ['四行目も要るか'] } }
  mind.think({ call: [aside], say: '四行目は後にします。' }, { say: 'では足しません。' })
  await room.say('次は何を？')
  await expect(conversation).toContainText('あとに回した問いです：四行目も要るか')
  await conversation.getByRole('button', { name: '答える', exact: true }).click()
  await expect(room.box).toHaveText('「四行目も要るか」について：')
  await expect(room.box).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.type('要りません。')
  await page.keyboard.press('Enter')
  await expect(conversation).toContainText('では足しません。')
  await expect(conversation.getByRole('button', { name: '答える', exact: true })).toHaveCount(0)
  expect((await session()).state.course.openQuestions).toEqual([])

  // A message that is sent while a command runs is in the next request of the turn.
  mind.think(calls(['run_command', { line: waiting, reason: '待つ' }]), { say: '短くします。' })
  await room.say('待ってください。')
  await room.approve()
  await expect(room.status).toContainText('実行しています')
  await room.say('返事は短く。', 'Control+Enter')
  await expect(conversation).toContainText('返事は短く。')
  await writeFile(join(root, 'go'), '')
  await expect(conversation).toContainText('短くします。')
  const said = asked()
  expect(said.indexOf('終わりました')).toBeLessThan(said.indexOf('返事は短く。'))

  // An image is pasted, taken out with one press, pasted again and sent.
  const paste = () =>
    room.box.evaluate((box, base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      const data = new DataTransfer()
      data.items.add(new File([bytes], 'shot.png', { type: 'image/png' }))
      box.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    }, redPixel.toString('base64'))
  await paste()
  await expect(room.box.locator('.message-chip-image img')).toHaveAttribute('src', /^data:image\/png/)
  await room.box.getByRole('button', { name: 'shot.png を外す' }).click()
  await expect(room.box.locator('.message-chip-image')).toHaveCount(0)
  await paste()
  await expect(room.box.locator('.message-chip-image')).toHaveCount(1)
  mind.think({ say: '赤い点です。' })
  await room.say('これは何？')
  await expect(conversation).toContainText('赤い点です。')
  await expect(conversation.getByRole('img', { name: '画像：shot.png' })).toBeVisible()
  expect(asked()).toContain(redPixel.toString('base64'))

  // A large image that is dropped is sent no larger than a model looks at; what is no image says so.
  await dropImage(room.box, 'notes.png', false)
  await expect(page.getByText('notes.png を画像として読めませんでした。')).toBeVisible()
  await expect(room.box.locator('.message-chip-image')).toHaveCount(0)
  await dropImage(room.box, 'large.png', true)
  await expect(room.box.locator('.message-chip-image')).toHaveCount(1)
  mind.think({ say: '黒い四角です。' })
  await room.say('これは？')
  await expect(conversation).toContainText('黒い四角です。')
  const sent = [...asked().matchAll(/data:image\/png;base64,([\w+/=]+)/g)].map(([, bytes = '']) =>
    readImageHeader(Buffer.from(bytes, 'base64')),
  )
  expect(sent.at(-1)).toEqual({ mediaType: 'image/png', width: 1568, height: 500 })

  // A question about the folder is answered by a helper on a server of its own: the conversation keeps its cache.
  const helper = scriptedMind(calls(['grep', { pattern: '三行目' }]), {
    say: '三行目は note.txt:3 にあります。',
  })
  const other = await startSessionLlama({ answer: helper.answer })
  const { profiles } = await client['profile.list']({})
  const { profile } = await client['model.use'](servedModel(other.address, 'helper'))
  await client['profile.select']({ profileId: profiles[0]?.id ?? null, role: 'main' })
  await client['profile.select']({ profileId: profile.id, role: 'fast' })
  mind.think(calls(['explore', { question: '三行目はどこ？' }]), { say: '場所が分かりました。' })
  await room.say('三行目を探して。')
  await expect(conversation).toContainText('場所が分かりました。')
  // The steps of a turn are folded at its end; before it, the last fold is that of an earlier turn.
  await expect(page.locator('.message-box').getByRole('button', { name: '停止' })).toHaveCount(0)
  await conversation.getByRole('button', { name: '1 手順' }).last().click()
  const card = conversation.getByRole('article', { name: '探索 三行目はどこ？' })
  await card.getByRole('button').first().click()
  await expect(card).toContainText('三行目は note.txt:3 にあります。')
  expect(helper.left).toEqual([])
  await shoot(page, 'explored')

  // A server is added with its key, and started.
  await writeFile(join(root, 'server.cjs'), mortalServer)
  await page.keyboard.press('Control+,')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'ツール', exact: true }).click()
  await expect(dialog).toContainText('会話とは別の文脈でフォルダーを読んで答えます')
  await shoot(page, 'tools')
  await other.close()
  await dialog.getByRole('button', { name: 'サーバーを追加' }).click()
  const form = dialog.getByRole('form', { name: 'サーバーを追加' })
  await expect(form.getByRole('textbox', { name: '名前', exact: true })).toBeFocused()
  await form.getByRole('textbox', { name: '名前', exact: true }).fill('frail')
  await dialog
    .getByRole('textbox', { name: 'コマンド', exact: true })
    .fill(`"${process.execPath}" "${join(root, 'server.cjs')}" "${join(root, 'starts')}"`)
  await dialog.getByRole('textbox', { name: 'キーを渡す環境変数' }).fill('FRAIL_KEY')
  await form.getByRole('button', { name: '追加', exact: true }).click()
  await expect(dialog).toContainText('名前（英数字・ハイフン・下線）とキーの両方を入れてください。')
  await dialog.getByLabel('キー', { exact: true }).fill('himitsu')
  await form.getByRole('button', { name: '追加', exact: true }).click()
  await expect(dialog.getByRole('button', { name: 'サーバーを追加' })).toBeFocused()
  await expect(dialog).toContainText('キーあり：FRAIL_KEY')
  await dialog.getByRole('button', { name: 'frail を起動' }).click()
  await expect(dialog).toContainText('ツール 1 個')

  // A hook of the user's holds a message back, with its name.
  await dialog.getByRole('button', { name: 'コマンドを追加' }).click()
  await dialog.getByRole('textbox', { name: 'フックの名前' }).fill('見張り')
  await dialog
    .getByRole('textbox', { name: '実行するコマンド' })
    .fill('! grep -q ひみつ "$TSUGI_MESSAGE_FILE"')
  await dialog
    .getByRole('form', { name: 'コマンドを追加' })
    .getByRole('button', { name: '追加', exact: true })
    .click()
  await expect(dialog.getByRole('checkbox', { name: '見張り を実行する' })).toBeChecked()

  // What the folder proposes is added by one press, for this folder alone.
  await dialog.getByRole('button', { name: '提案されたサーバー offered を追加' }).click()
  await expect(dialog.getByRole('checkbox', { name: 'offered を使う' })).toBeChecked()
  await expect(dialog.getByText('だけで使います')).toBeVisible()
  await expect(dialog.getByRole('button', { name: '提案されたサーバー offered を追加' })).toHaveCount(0)
  await dialog.getByRole('button', { name: 'offered を削除' }).click()
  await dialog.getByRole('button', { name: '提案されたサーバー offered を今後表示しない' }).click()
  await expect(dialog).not.toContainText('が提案する MCP サーバー')

  // A command that the folder names is chosen as a check of its changes.
  await dialog.getByRole('button', { name: 'make check を検査に使う' }).click()
  await expect(dialog.getByRole('checkbox', { name: '変更のあとに make check を実行する' })).toBeChecked()
  await page.keyboard.press('Escape')
  await room.say('ひみつの話。')
  await expect(page.getByText('見張り: メッセージを止めました')).toBeVisible()
  await expect(room.box).toContainText('ひみつの話。')
  await room.box.press('ControlOrMeta+a')
  await room.box.press('Backspace')

  // The check runs before the turn ends; its findings are fixed in the same turn.
  mind.think(edit('一行目', '禁句'), { say: '書きました。' }, edit('禁句', '初めの行'), {
    say: '直しておきました。',
  })
  await room.say('一行目を変えて。')
  for (const text of ['禁句', 'make check', '初めの行']) {
    await expect(gate).toContainText(text)
    if (text === '初めの行')
      await expect(conversation.getByRole('article', { name: '変更後の検査 make check' })).toContainText(
        '新しい問題あり',
      )
    await room.approve()
    await expect(gate.getByText(text)).toHaveCount(0)
  }
  await expect(gate).toContainText('make check')
  await room.approve()
  await expect(conversation).toContainText('直しておきました。')
  const checks = async () =>
    (await session()).items.flatMap((item) => (item.kind === 'call' && item.check) || [])
  await expect.poll(checks).toEqual(['new', 'passed'])

  // The server's calls need approval; it dies in one, and the next call restarts it.
  const word = (text: string) => calls(['mcp__frail__say', { word: text }])
  mind.think(word('やあ'), word('die'), word('また'), { say: '戻りました。' })
  await room.say('サーバーに言ってください。')
  for (const text of ['やあ', 'die', 'また']) {
    await expect(gate).toContainText(text)
    await room.approve(/^(許可|実行|進める|適用)$/)
    await expect(gate.getByText(text)).toHaveCount(0)
  }
  await expect(conversation).toContainText('戻りました。')
  const results = (await session()).items.flatMap((item) =>
    item.kind === 'call' && item.tool === 'mcp' ? [`${item.state} ${item.text}`] : [],
  )
  expect(results).toHaveLength(3)
  expect(results[0]).toContain('やあ 1')
  expect(results[1]).toMatch(/^failed /)
  expect(results[2]).toContain('また 2')
  expect(mind.left).toEqual([])
})

test('a plan that the model writes as text, since mode plan refused its edit, is carried out by one press', async ({
  openRoom,
}) => {
  const { room, mind, llama, client, asked, session, onDisk } = await openRoom({
    isDirect: true,
    mode: 'plan',
    files: { 'note.txt': '一行目\n二行目\n' },
    thoughts: [
      calls(['read_file', { path: 'note.txt' }]),
      edit('二行目', '二行目！'),
      { say: '計画：二行目に感嘆符を付けます。' },
    ],
  })
  const { conversation } = room
  const carryOut = conversation.getByRole('button', { name: '計画を実行', exact: true })
  await room.say('二行目に感嘆符を。')
  await expect(conversation).toContainText('計画モードでは計画だけを作ります。')
  await expect(conversation).toContainText('計画：二行目に感嘆符を付けます。')
  await shoot(room.page, 'carry-out')
  mind.think(edit('二行目', '二行目！'), { say: '付けました。' })
  await carryOut.click()
  await room.approve()
  await expect(conversation).toContainText('付けました。')
  expect(await onDisk('note.txt')).toContain('二行目！')
  expect((await session()).state.mode).toBe('ask')
  expect(asked()).toContain('二行目に感嘆符を。')
  await expect(carryOut).toHaveCount(0)

  // A server that does not tell its window: the one that is assumed is said, and is set by one press.
  const { address } = llama
  const models = { object: 'list', data: [{ id: 'unnamed', object: 'model' }] }
  llama.options.ownRoutes = { 'GET /v1/models': models, 'GET /props': {} }
  // It is tried whether the model calls tools, which it does not.
  mind.think({ say: '道具は使えません。' })
  await client['model.use']({ backend: 'openai', address, model: 'unnamed', flavour: 'other' })
  await expect.poll(() => mind.left).toEqual([])
  mind.think({ decide: {} }, { say: 'はい。' })
  await room.say('別の名前でも？')
  await expect(conversation).toContainText('はい。')
  await room.showTab('文脈')
  const assumed = room.side.locator('.context-window-source')
  await expect(assumed).toContainText('文脈長を知らせないため、32,768 トークンと仮定しています。')
  await shoot(room.page, 'assumed-window')
  await assumed.getByRole('button', { name: '設定する' }).click()
  await expect(
    room.page.getByRole('dialog').getByRole('tab', { name: 'モデル', exact: true }),
  ).toHaveAttribute('aria-selected', 'true')
})

/** Drops a file that is named as an image onto the box: a drawn one of 3,136 × 1,000 pixels, or none at all. */
function dropImage(box: Locator, name: string, isImage: boolean): Promise<void> {
  return box.evaluate(
    async (target, [file, drawsIt]) => {
      const canvas = new OffscreenCanvas(3136, 1000)
      canvas.getContext('2d')?.fillRect(10, 10, 500, 500)
      const blob = drawsIt ? await canvas.convertToBlob({ type: 'image/png' }) : new Blob(['no picture'])
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([blob], file, { type: 'image/png' }))
      const { left, top } = target.getBoundingClientRect()
      const place = { clientX: left + 8, clientY: top + 8, bubbles: true, cancelable: true }
      target.dispatchEvent(new DragEvent('drop', { ...place, dataTransfer }))
    },
    [name, isImage] as const,
  )
}

import { expect, openManuscript, page001, test } from '../support/drafting-test.ts'
import { shoot } from '../support/shoot.ts'

const answer = '、風が吹き込んだ。'
const told = '【本文】\n```\n雨が降り始めた。\n```'
const tail = '窓の外で猫が鳴いた。\n時計は五時を打った。\n彼女は傘を手に取った。'
const continueAlone = '本文を踏まえ、最後の文章の自然な続きとなるように小説を生成してください。'
const continueWithInfo = '参考情報と本文を踏まえ、最後の文章の自然な続きとなるように小説を生成してください。'

test('the server gets the prescribed prompt and every sampler value, and the take shows the same', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, generated } = await openSharedAppWindow({
    kobold: { answer },
    drafting: { banEosToken: true, outputTokensGenerate: 9, stopSequences: ['###'] },
  })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  const prompt = `[INST]${continueAlone} レーティング: general\n${told}\n${tail}[/INST]そして扉を開けると`
  expect(generated()).toHaveLength(1)
  expect(generated()[0]).toMatchObject({
    prompt,
    memory: '',
    max_length: 9,
    max_context_length: 4096,
    temperature: 0.7,
    top_k: 40,
    top_p: 0.95,
    min_p: 0.05,
    rep_pen: 1.05,
    rep_pen_range: 320,
    stop_sequence: ['###'],
    ban_eos_token: true,
    genkey: expect.stringMatching(/^\S{8,}$/),
  })
  await appWindow.showTab('候補')
  await appWindow.takes.getByRole('button', { name: 'その他の操作' }).click()
  await appWindow.page.getByRole('menuitem', { name: '送った内容' }).click()
  await expect.poll(() => appWindow.shownPrompt()).toBe(prompt)
  await appWindow.page.keyboard.press('Escape')

  // A preset is saved, changed and chosen for the work, and rules its next draft.
  await appWindow.press('Control+,')
  const dialog = appWindow.page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'サンプラー', exact: true }).click()
  await dialog.getByRole('button', { name: '別のプリセットとして保存' }).click()
  await expect(dialog.getByLabel('名前', { exact: true })).toHaveValue('小説（変更）')
  await dialog.getByText('その他のサンプラー').click()
  const xtc = dialog.getByRole('textbox', { name: '確率', exact: true })
  await xtc.fill('0.5')
  await xtc.press('Enter')
  await expect(dialog.getByText('使用中のモデルのサーバーでは無視されます。')).toHaveCount(1)
  await dialog.getByRole('button', { name: '温度を上へ' }).click()
  await dialog.getByLabel(/^「.+」で使うプリセット$/).selectOption({ label: '小説（変更）' })
  await appWindow.page.keyboard.press('Escape')
  await appWindow.press('Control+Enter')
  await expect.poll(() => generated().length).toBe(2)
  expect(generated()[1]).toMatchObject({
    xtc_probability: 0.5,
    xtc_threshold: 0.1,
    top_k: 40,
    sampler_order: [6, 0, 1, 3, 4, 2, 5],
  })
})

test('what the author says of the work goes into the prompt, in its order', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, generated, client } = await openSharedAppWindow({ kobold: { answer } })
  const { page } = appWindow
  const details = page.getByRole('form', { name: '詳細' })
  const field = (name: string) => details.getByLabel(name, { exact: true })
  await field('タイトル').fill('刻の迷宮')
  await field('キーワード').fill('時計 逆行')
  await field('キーワード').press('Enter')
  await field('ジャンル').fill('SF')
  await field('ジャンル').press('Enter')
  await field('あらすじ').fill('時間が逆に流れる館の話。')
  await field('設定').fill('明治末期の洋館。\n主人公は新聞記者。')
  await field('プロット').fill('起: 館に着く\n結: 脱出')
  await field('オーサーズノート').fill('  主人公の焦りを強調\n')
  await field('会話の量').selectOption('やや多い')
  await field('対象年齢').selectOption('R-18')
  await appWindow.caretToEnd()
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  const reference = [
    '# タイトル:\n刻の迷宮',
    '# キーワード:\n時計\n逆行',
    '# ジャンル:\nSF',
    '# あらすじ:\n時間が逆に流れる館の話。',
    '# 設定:\n明治末期の洋館。\n主人公は新聞記者。',
    '# プロット:\n起: 館に着く\n結: 脱出',
    '# セリフ量:\nやや多い',
  ].join('\n\n')
  const note = '【この先の展開についての指示・メモ】\n```\n主人公の焦りを強調\n```'
  expect(generated()[0]?.prompt).toBe(
    `[INST]${continueWithInfo} レーティング: r18\n【参考情報】\n\`\`\`\n${reference}\n\`\`\`\n${told}\n${note}\n${tail}[/INST]そして扉を開けると`,
  )

  await test.step('in the language that is chosen', async () => {
    await field('プロンプトの言語').selectOption('English')
    await appWindow.showTab('文脈')
    await expect
      .poll(() => appWindow.shownPrompt())
      .toMatch(/^\[INST\]Continue the novel naturally.*# Title:\n刻の迷宮/s)
    await appWindow.showTab('詳細')
    await field('プロンプトの言語').selectOption('本文に合わせる')
  })

  await test.step('as text alone, which a model without an instruct template is offered once', async () => {
    const { profiles } = await client['profile.list']({})
    for (const profile of profiles)
      await client['profile.save']({ profile: { ...profile, templateId: 'plain' } })
    const offer = page.getByText('このモデルには指示の書式がありません')
    await expect(offer).toBeVisible()
    await shoot(page, 'form-offer-ja')
    await page.getByRole('button', { name: '文章だけを送る' }).click()
    await expect(offer).toHaveCount(0)
    await expect(field('プロンプトの形').locator('option:checked')).toHaveText('文章だけ')
    await appWindow.showTab('文脈')
    await expect.poll(() => appWindow.shownPrompt()).toMatch(/^# タイトル:\n刻の迷宮/)
    const shown = await appWindow.shownPrompt()
    expect(shown).not.toMatch(/```|【|続きとなるように/)
    for (const told of ['時間が逆に流れる館の話。', '主人公は新聞記者。', '起: 館に着く'])
      expect(shown).toContain(told)
    expect(shown.endsWith(openManuscript)).toBe(true)
    await appWindow.editor.focus()
    await appWindow.press('Control+Enter')
    await expect.poll(() => generated().length).toBe(2)
    expect(generated()[1]?.prompt).toBe(shown)
  })
})

test('what was typed into the details a moment ago is in the prompt', async ({ openSharedAppWindow }) => {
  const { appWindow, generated } = await openSharedAppWindow({ kobold: { answer } })
  const { page } = appWindow
  const note = page.getByRole('form', { name: '詳細' }).getByLabel('オーサーズノート', { exact: true })
  await note.pressSequentially('静かに終わる')
  await note.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  expect(generated()[0]?.prompt).toContain('静かに終わる')
})

test('a work that has only begun is begun, without the author’s note', async ({ openSharedAppWindow }) => {
  const { appWindow, generated } = await openSharedAppWindow({
    files: { [page001]: '雨が降り始めた。\n窓の外で' },
    kobold: { answer: '猫が鳴いた。' },
    details: { title: '雨', authorsNote: '静かに' },
  })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe('猫が鳴いた。')
  expect(generated()[0]?.prompt).toBe(
    '[INST]以下の情報に基づいて小説本文を生成してください。 レーティング: general\n# タイトル:\n雨[/INST]雨が降り始めた。\n窓の外で',
  )
})

test('dice are rolled once: what the preview shows is sent, and the manuscript keeps its options', async ({
  openSharedAppWindow,
}) => {
  const dice = '{一|二|三|四|五|六|七|八|九|十}'
  const manuscript = `${openManuscript}${dice}${dice}${dice}`
  const { appWindow, generated, onDisk } = await openSharedAppWindow({
    files: { [page001]: manuscript },
    kobold: { answer },
    details: { title: dice },
  })
  const { page } = appWindow
  await appWindow.showTab('文脈')
  await expect.poll(() => appWindow.shownPrompt()).toMatch(/そして扉を開けると[一二三四五六七八九十]{3}$/)
  const first = await appWindow.shownPrompt()
  await expect(page.getByRole('list', { name: '選ばれた言葉' }).getByRole('listitem')).toHaveCount(4)
  await page.getByRole('button', { name: '選び直す' }).click()
  await expect.poll(() => appWindow.shownPrompt()).not.toBe(first)
  const second = await appWindow.shownPrompt()

  await appWindow.editor.focus()
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  expect(generated()[0]?.prompt).toBe(second)
  expect(await onDisk()).toBe(manuscript)
})

test('a rolled word that pleases is written into the text, as one undo step', async ({
  openSharedAppWindow,
}) => {
  const manuscript = `${openManuscript}{赤|青}い花。`
  const { appWindow, onDisk } = await openSharedAppWindow({ files: { [page001]: manuscript } })
  const { page } = appWindow
  await appWindow.showTab('文脈')
  const rolls = page.getByRole('list', { name: '選ばれた言葉' })
  await expect(rolls.getByRole('listitem')).toHaveCount(1)
  const rolled = (await rolls.getByRole('listitem').innerText()).match(/→ (.)/)?.[1] ?? ''
  await rolls.getByRole('button', { name: `「${rolled}」を本文に書き込む` }).click()
  await expect.poll(onDisk).toBe(`${openManuscript}${rolled}い花。`)
  await expect(rolls).toHaveCount(0)
  await appWindow.editor.focus()
  await appWindow.press('Control+z')
  await expect.poll(onDisk).toBe(manuscript)
})

test('comments and what the range shuts out never reach the model', async ({ openSharedAppWindow }) => {
  const { appWindow, generated, onDisk } = await openSharedAppWindow({
    files: {
      [page001]: '前の章。\n@startpoint\n',
      '002.txt': `捨てた冒頭。\n@break${openManuscript.replace('鳴いた。', '鳴いた。@// 三毛')}@/* ここで\n迷う @*/@endpoint\n後の覚え書き。`,
    },
    kobold: { answer },
  })
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  expect(generated()[0]?.prompt).toBe(
    `[INST]${continueAlone} レーティング: general\n${told}\n${tail}[/INST]そして扉を開けると`,
  )
  await appWindow.idle()
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toContain(`迷う @*/${answer}@endpoint\n後の覚え書き。`)
})

test('the body is all manuscripts in order up to the open one; a setting sends the open one alone', async ({
  openSharedAppWindow,
}) => {
  const [first = '', ...rest] = openManuscript.split('\n')
  const { appWindow, client, generated } = await openSharedAppWindow({
    files: {
      '2.txt': '二つ目の章。\n',
      '10.txt': rest.join('\n'),
      '1.txt': `${first}\n\n`,
    },
    kobold: { answer },
  })
  await appWindow.page.getByRole('button', { name: /^10/ }).first().click()
  await appWindow.caretToEnd()
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  expect(generated()[0]?.prompt).toContain(
    `【本文】\n\`\`\`\n${first}\n\n二つ目の章。\n\n\`\`\`\n${tail}[/INST]そして扉を開けると`,
  )
  await appWindow.idle()
  await client['settings.update']({ patch: { drafting: { limitBodyToOpenFile: true } } })
  await appWindow.press('Alt+r')
  await expect.poll(() => generated().length).toBe(2)
  expect(generated()[1]?.prompt).not.toContain('二つ目')
})

test('“continue from here” ends the body at the caret, and the continuation goes there', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, generated, onDisk } = await openSharedAppWindow({
    files: { [page001]: `${openManuscript}\n最後の行。` },
    kobold: { answer },
  })
  await appWindow.caretTo(5, 'そして扉を開けると'.length)
  await appWindow.press('Control+Shift+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  // What stands behind the caret is told, and is no part of the body.
  const following =
    '次の「この後に続く文章」の冒頭へ自然につながるように書き、その文章自体は書かないでください。\n【この後に続く文章】\n```\n最後の行。\n```'
  expect(generated()[0]?.prompt).toBe(
    `[INST]${continueAlone} レーティング: general\n${told}\n${following}\n${tail}[/INST]そして扉を開けると`,
  )
  await appWindow.idle()
  // Another take of the same place, wherever that has moved to.
  await appWindow.caretTo(1, 0)
  await appWindow.page.keyboard.insertText('その日、')
  await appWindow.press('Alt+r')
  await expect.poll(() => generated().length).toBe(2)
  expect(generated()[1]?.prompt).toBe(generated()[0]?.prompt.replace('雨が降り', 'その日、雨が降り'))
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await appWindow.idle()
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe(`その日、${openManuscript}${answer}\n最後の行。`)
})

import { createTranslate } from '../../../src/shared/i18n/translate.ts'
import { createFakeLlamaServer } from '../../fakes/servers/fake-llama-server.ts'
import { servedModel } from '../../fakes/servers/session-llama.ts'
import { expect, openManuscript, test } from '../support/drafting-test.ts'
import { shoot } from '../support/shoot.ts'

const body =
  '　雨が降り始めた。\n　彼は傘を開いた。\n　時計は五時を打った。\n　扉が開いた。\n　風が吹いた。\n'

test('a selection is rewritten by an instruction, compared, put in its place and taken back', async ({
  openSharedAppWindow,
}) => {
  const answers = ['　彼は黒い傘を開いた。', '　彼は静かに傘を開いた。', '　彼は傘を閉じた。']
  const { appWindow, generated, onDisk } = await openSharedAppWindow({
    files: { '001.txt': body },
    kobold: { answer: () => answers.shift() ?? '' },
  })
  const { page } = appWindow
  await appWindow.press('Control+Alt+w')
  await expect(page.getByText('先に、書き直したい文章を選択してください。')).toBeVisible()
  await appWindow.caretTo(2, 0)
  await appWindow.press('Shift+End')
  await appWindow.press('Control+Alt+w')
  const dialog = page.getByRole('dialog', { name: '選択した文章を書き直す' })
  const after = dialog.getByRole('region', { name: '書き直した文章' })
  const instruction = dialog.getByLabel('指示', { exact: true })
  await expect(instruction).toHaveValue('意味と出来事を変えずに、より自然で読みやすい文章にする。')
  await dialog.getByRole('button', { name: '描写する' }).click()
  await expect(instruction).toHaveValue(/^説明を減らし/)
  await instruction.fill('静かにする。')
  await instruction.press('Control+Enter')
  await expect(after.locator('mark')).toHaveText('違う語：黒い')
  await dialog.getByRole('button', { name: 'もう一つ書く' }).click()
  await expect(after.locator('mark')).toHaveText('違う語：静かに')
  await expect(dialog.getByText('2 / 2')).toBeVisible()
  expect(generated()[0]?.prompt).toMatch(
    /【書き直す箇所】\n```\n彼は傘を開いた。\n```\n.*指示：静かにする。\[\/INST\]$/su,
  )

  await dialog.getByText('書き直し方を編集').click()
  await dialog.getByLabel('書き直し方の名前').fill('静かに')
  await dialog.getByRole('button', { name: '追加' }).click()
  await expect(dialog.getByRole('button', { name: '静かに', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
  await dialog.getByRole('button', { name: 'はじめの状態に戻す' }).click()
  await expect(dialog.getByRole('button', { name: '静かに', exact: true })).toHaveCount(0)

  await instruction.press('Control+Shift+Enter')
  await expect(dialog).toBeHidden()
  await expect.poll(() => onDisk('001.txt')).toBe(body.replace('　彼は傘を', '　彼は静かに傘を'))
  await appWindow.press('Control+z')
  await expect.poll(() => onDisk('001.txt')).toBe(body)
  await appWindow.showTab('候補')
  await expect(appWindow.takes).toHaveCount(2)
  await expect(appWindow.takes.first()).toContainText('書き直し：静かにする。')

  await appWindow.caretTo(2, 0)
  await appWindow.press('Shift+End')
  await appWindow.press('Control+Alt+w')
  await dialog.getByRole('button', { name: '書き直す', exact: true }).last().click()
  await expect(after).toContainText('閉じた')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(appWindow.takes).toHaveCount(3)
  expect(await onDisk('001.txt')).toBe(body)
})

test('three takes of one place are told apart by the word where they part; part of one goes in at the caret', async ({
  openSharedAppWindow,
}) => {
  const answers = ['、雨が降る。', '、雨がやむ。', '、風が吹く。']
  const { appWindow, generated, onDisk } = await openSharedAppWindow({
    kobold: { answer: () => answers.shift() ?? '' },
  })
  const { page } = appWindow
  await appWindow.press('Control+Alt+m')
  await expect(page.locator('.cm-pendingTakes')).toContainText('1/3')
  await appWindow.idle()
  expect(generated()).toHaveLength(3)
  await appWindow.press('Alt+ArrowRight')
  await expect.poll(() => appWindow.offered()).toBe('、雨がやむ。')
  await appWindow.showTab('候補')
  await expect(page.getByRole('heading', { name: '同じ場所の候補 3 本' })).toBeVisible()
  await expect(appWindow.takes.locator('.take-word')).toHaveText([
    '「風」から',
    '「やむ」から',
    '「降る」から',
  ])

  const rain = appWindow.takes.filter({ hasText: '降る。' })
  await rain.getByRole('button', { name: '比べる' }).click()
  const compare = page.getByRole('dialog')
  await expect(compare.locator('mark').first()).toBeVisible()
  await compare.getByRole('button', { name: '一部を挿入…' }).first().click()
  const part = page.getByRole('dialog', { name: '候補の一部を挿入' })
  await expect(part.getByLabel('候補の文章')).toBeFocused()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('ArrowRight')
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => onDisk()).toBe(`${openManuscript}雨が降`)
  await appWindow.press('Control+z')
  await expect.poll(() => onDisk()).toBe(openManuscript)
})

test('another word is chosen in mid-sentence; a sibling goes on from it, and the first take stays', async ({
  openSharedAppWindow,
}) => {
  const answers = ['、雨が降る。', '雪', '、静かに積もる。']
  const { appWindow, generated, onDisk } = await openSharedAppWindow({
    kobold: { answer: () => answers.shift() ?? '' },
  })
  const { page } = appWindow
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe('、雨が降る。')
  await appWindow.idle()
  await appWindow.press('Alt+ArrowDown')
  const dialog = page.getByRole('dialog', { name: '語の候補' })
  await expect(dialog.locator('mark')).toHaveText('今の語：雨')
  await expect(dialog.getByText('このサーバーが返すのは 5 個までです。')).toBeVisible()
  const choices = dialog.getByRole('list', { name: 'この場所に来る語' }).getByRole('button')
  await expect(choices).toHaveText(['雪61%', '風22%', '猫8%', '道3%', '朝1%'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect.poll(() => appWindow.offered()).toBe('、雪、静かに積もる。')
  await appWindow.idle()
  expect(generated().at(-1)?.prompt).toBe(`${generated()[0]?.prompt}、雪`)
  await expect(page.locator('.cm-pendingTakes')).toContainText('2/2')
  await appWindow.press('Alt+ArrowLeft')
  await expect.poll(() => appWindow.offered()).toBe('、雨が降る。')
  await appWindow.press('Alt+ArrowRight')
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe(`${openManuscript}、雪、静かに積もる。`)
})

test('words that the server gives without a text are counted beside the others', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, client } = await openSharedAppWindow({
    kobold: { answer: '雪、静かに。', otherChances: ['', '猫', '', '朝'] },
  })
  const { page } = appWindow
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toContain('雪、静かに。')
  await appWindow.idle()
  await appWindow.press('Alt+ArrowDown')
  for (const language of ['ja', 'en'] as const) {
    const t = createTranslate(language)
    await client['settings.update']({ patch: { language } })
    const dialog = page.getByRole('dialog', { name: t('words.title') })
    await expect(dialog.getByRole('list').getByRole('button')).toHaveText([/^雪/, /^猫/, /^朝/])
    await expect(dialog.getByText(t('words.limit', { limit: 5 }))).toBeVisible()
    await expect(dialog.getByText(t('words.untold', { count: 2 }))).toBeVisible()
    await shoot(page, `words-untold-${language}`)
  }
})

test('another word behind what was accepted or typed goes on from there, also in a window that was loaded anew', async ({
  openSharedAppWindow,
}) => {
  const answers = ['、雨が降る。猫が走る。', '雪', 'が鳴く。犬が来る。']
  const { appWindow, onDisk } = await openSharedAppWindow({ kobold: { answer: () => answers.shift() ?? '' } })
  const { page } = appWindow
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe('、雨が降る。猫が走る。')
  await appWindow.idle()
  await appWindow.press('Control+ArrowRight')
  await expect.poll(() => appWindow.offered()).toBe('猫が走る。')
  await appWindow.press('Alt+ArrowDown')
  const dialog = page.getByRole('dialog', { name: '語の候補' })
  await expect(dialog.locator('mark')).toHaveText('今の語：猫')
  await dialog.getByRole('list').getByRole('button').filter({ hasText: '風' }).click()
  await expect.poll(() => appWindow.offered()).toBe('風が鳴く。犬が来る。')
  await appWindow.idle()
  expect(await appWindow.text()).toBe(`${openManuscript}、雨が降る。`)
  await appWindow.editor.focus()
  await page.keyboard.insertText('風が')
  await expect.poll(() => appWindow.offered()).toBe('鳴く。犬が来る。')
  await expect.poll(() => onDisk()).toBe(`${openManuscript}、雨が降る。風が`)
  await appWindow.reload()
  await expect.poll(() => appWindow.offered()).toBe('鳴く。犬が来る。')
  await appWindow.caretToEnd()
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe(`${openManuscript}、雨が降る。風が鳴く。犬が来る。`)
})

test('three takes are written at the same time by a server with slots; one is stopped, one accepted while another writes', async ({
  openSharedAppWindow,
}) => {
  const answers = ['、雨が', '、風が', '、雪が'].map((text) => `${text}${'、静かに降り続けた'.repeat(60)}`)
  const { appWindow, client, onDisk } = await openSharedAppWindow()
  const { page } = appWindow
  const server = await createFakeLlamaServer({
    answer: () => ({ text: answers.shift() ?? '' }),
    slots: 3,
    contextTokens: 3 * 8192,
    tokenMs: 60,
  })
  try {
    await client['model.use'](servedModel(server.address, 'smol'))
    await appWindow.showTab('候補')
    await appWindow.press('Control+Alt+m')
    await expect(page.locator('.cm-pendingNote')).toContainText('3 本を同時に生成中 · Esc で停止')
    await expect(page.locator('.cm-pendingTakes')).toContainText('1/3')
    const writing = appWindow.takes.filter({ has: page.getByRole('button', { name: /^停止/ }) })
    await expect(writing).toHaveCount(3)
    expect(server.pendingCount).toBe(3)
    await expect(writing.getByRole('progressbar').first()).toBeVisible()

    await appWindow.takes.filter({ hasText: '雪が' }).getByRole('button', { name: /^停止/ }).click()
    await expect(writing).toHaveCount(2)
    await expect.poll(() => server.pendingCount).toBe(2)

    // The one that stands at the place is followed by another one that still writes, and that one is taken.
    const first = (await appWindow.offered()).charAt(1)
    const writes = ['雨', '風'].filter((word) => word !== first)
    await appWindow.editor.focus()
    // The order of the server's answers is not fixed: the stopped take may come first.
    await expect(async () => {
      await appWindow.press('Alt+ArrowRight')
      expect(writes).toContain((await appWindow.offered()).charAt(1))
    }).toPass()
    await expect.poll(() => appWindow.offered()).toContain('が、静か')
    await appWindow.press('Tab')
    await expect.poll(() => onDisk()).toMatch(new RegExp(`^${openManuscript}、[雨風雪]が、静か`))
    await expect.poll(() => server.pendingCount).toBe(0)
    await expect(writing).toHaveCount(0)
    await expect(appWindow.takes).toHaveCount(3)
  } finally {
    await server.close()
  }
})

test('other words are shown beside the word that the pointer rests on, and one is chosen', async ({
  openSharedAppWindow,
}) => {
  const answers = ['、雨が降る。', '雪', '雪', '雪', '、静かに積もる。']
  const { appWindow, requestsTo } = await openSharedAppWindow({
    kobold: { answer: () => answers.shift() ?? '' },
  })
  const { page } = appWindow
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe('、雨が降る。')
  await appWindow.idle()
  const boxOf = (word: string) =>
    page.locator('.cm-pending').evaluate((offer, wanted) => {
      const node = offer.firstChild as Text
      const range = document.createRange()
      range.setStart(node, node.data.indexOf(wanted))
      range.setEnd(node, node.data.indexOf(wanted) + 1)
      const { left, top, width, height } = range.getBoundingClientRect()
      return { x: left + width / 2, y: top + height / 2 }
    }, word)
  const panel = page.getByRole('region', { name: '語の候補' })
  const rain = await boxOf('雨')
  await page.mouse.move(rain.x - 3, rain.y)
  await page.mouse.move(rain.x, rain.y, { steps: 3 })
  const choices = panel.getByRole('list', { name: 'この場所に来る語' }).getByRole('button')
  await expect(choices).toHaveText(['雪61%', '風22%', '猫8%', '道3%', '朝1%'])
  await expect(panel.getByText('このサーバーが返すのは 5 個までです。')).toBeVisible()
  expect(requestsTo('/v1/generate')).toBe(1)
  // Nothing of it is in the text, and typing takes it away.
  await page.keyboard.press('Shift')
  await expect(panel).toHaveCount(0)
  await page.mouse.move(rain.x + 2, rain.y, { steps: 2 })
  await expect(choices).toHaveCount(5)
  await page.mouse.move(rain.x, rain.y + 400, { steps: 2 })
  await expect(panel).toHaveCount(0)
  await page.mouse.move(rain.x, rain.y, { steps: 2 })
  await choices.filter({ hasText: '雪' }).click()
  await expect(panel).toHaveCount(0)
  await expect.poll(() => appWindow.offered()).toMatch(/^、雪/)
  await appWindow.idle()
  expect(await page.locator('.cm-pendingTakes').textContent()).toContain('2/2')
})

test('uncertain words of the offer are marked with a legend once the author asks for it, in the takes too', async ({
  openSharedAppWindow,
}) => {
  const { appWindow } = await openSharedAppWindow({
    files: { '001.txt': body },
    kobold: { answer: () => '時計が静かに鳴り、扉が開いた。', unlikely: '計扉' },
  })
  const { page } = appWindow
  const marked = () =>
    page.evaluate(() => [...(CSS.highlights.get('uncertain-word') ?? [])].map((range) => `${range}`))
  const legend = page.getByText('点線の語：確率 10 % 未満で選ばれた語')
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toContain('扉が開いた。')
  await appWindow.idle()
  expect(await marked()).toEqual([])
  await expect(legend).toHaveCount(0)

  await appWindow.press('Control+Alt+p')
  await page.getByRole('combobox').fill('不確かな語')
  await page.keyboard.press('Enter')
  await appWindow.caretTo(6, 0)
  await appWindow.press('Alt+r')
  await expect(page.locator('.cm-pendingTakes')).toContainText('2/2')
  await appWindow.idle()
  await expect.poll(marked).toEqual(['時計', '扉'])
  await expect(legend).toBeVisible()
  await appWindow.showTab('候補')
  await expect(appWindow.takes.first().locator('.take-uncertain')).toHaveText(['時計', '扉'])
  await expect(appWindow.takes.nth(1).locator('.take-uncertain')).toHaveCount(0)
  await shoot(page, 'uncertain-words')

  // A take without marks has none left over from the other, and what the author types through moves them.
  await appWindow.caretTo(6, 0)
  await appWindow.press('Alt+ArrowLeft')
  await expect.poll(marked).toEqual([])
  await appWindow.press('Alt+ArrowRight')
  await expect.poll(marked).toEqual(['時計', '扉'])
  await page.keyboard.type('時')
  await expect.poll(marked).toEqual(['計', '扉'])
  await appWindow.press('Tab')
  await expect.poll(marked).toEqual([])
})

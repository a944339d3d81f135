import { tokenize } from '../../fakes/kobold/fake-tokenizer.ts'
import { expect, page001, type SharedAppWindow, test } from '../support/drafting-test.ts'
import { prose } from '../support/prose.ts'

const answer = '　その夜、猫は帰らなかった。\n'
const instruction = '[INST]本文を踏まえ、最後の文章の自然な続きとなるように小説を生成してください。'

/** Generates a continuation and returns the token counts that were requested for it. */
async function draw({ appWindow, kobold }: SharedAppWindow) {
  const before = kobold.requests.length
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await appWindow.idle()
  const asked = kobold.requests.slice(before)
  const at = asked.findIndex(({ path }) => path.endsWith('/generate/stream'))
  const counts = asked.slice(0, at).filter(({ path }) => path.endsWith('/tokencount')).length
  const { generation } = asked[at] ?? {}
  if (generation === undefined) throw new Error('nothing was generated')
  return { counts, generation, prompt: generation.payload.prompt }
}

test('a novel that the server cannot even count is fitted, and the server cuts nothing', async ({
  openSharedAppWindow,
}) => {
  const novel = prose(60_000)
  const open = await openSharedAppWindow({
    files: { [page001]: novel },
    kobold: { answer, contextTokens: 8192 },
  })
  const cold = await draw(open)
  expect(cold.generation.isCut).toBe(false)
  expect(cold.generation.promptTokens).toBeLessThanOrEqual(8192 - 500)
  expect(cold.generation.promptTokens).toBeGreaterThan(8192 - 500 - 110)
  expect(cold.prompt.startsWith(instruction)).toBe(true)
  expect(cold.prompt.endsWith(`${novel.trimEnd().slice(-60)}[/INST]`)).toBe(true)
  expect(cold.counts).toBeLessThanOrEqual(6)

  await open.appWindow.press('Tab')
  await expect.poll(async () => (await open.onDisk()).endsWith(answer)).toBe(true)
  const warm = await draw(open)
  expect(warm.generation.isCut).toBe(false)
  expect(warm.generation.promptTokens).toBeLessThanOrEqual(8192 - 500)
  expect(warm.counts).toBeLessThanOrEqual(3)
  expect(warm.prompt.endsWith(`${answer.trim()}[/INST]`)).toBe(true)
  await expect(open.appWindow.page.getByText('本文の大半が文脈に入りません')).toHaveCount(0)
})

test('held at its beginning, page after page lets the server reuse all but the end', async ({
  openSharedAppWindow,
}) => {
  const open = await openSharedAppWindow({
    files: { [page001]: prose(12_000) },
    kobold: { answer, contextTokens: 4096 },
    drafting: { fitMode: 'anchored' },
    details: { title: '猫', authorsNote: '静かに終わる' },
  })
  const pages = [await draw(open)]
  for (let page = 2; page <= 4; page += 1) {
    await open.appWindow.press('Tab')
    await expect(open.appWindow.pending).toHaveCount(0)
    pages.push(await draw(open))
  }
  for (const [index, page] of pages.entries()) {
    expect(page.generation.isCut).toBe(false)
    const before = pages[index - 1]?.prompt
    if (before === undefined) continue
    // What was told on the page before, up to where its block was closed.
    const told = before.slice(0, before.indexOf('\n```\n【この先'))
    expect(told.length).toBeGreaterThan(1_500)
    expect(page.prompt.startsWith(told)).toBe(true)
    expect(page.generation.sharedTokens).toBeGreaterThanOrEqual(tokenize(told).length + 1)
  }
})

test('what cannot fit is said with its figures, and nothing is sent', async ({ openSharedAppWindow }) => {
  const { appWindow, client, generated } = await openSharedAppWindow({
    files: { [page001]: prose(3_000) },
    kobold: { answer, contextTokens: 2048 },
    drafting: { fitMode: 'none' },
  })
  const { page } = appWindow
  await appWindow.press('Control+Enter')
  const refused = page.getByRole('alert').filter({ hasText: '文脈に収まりません' })
  await expect(refused).toContainText(/（3,?\d{3} \/ 1,?548 トークン）.*何も送っていません/)
  expect(generated()).toEqual([])
  await client['settings.update']({ patch: { drafting: { fitMode: 'token_dynamic' } } })
  await refused.getByRole('button', { name: 'もう一度' }).click()
  await expect.poll(() => appWindow.offered()).toBe(answer)
  expect(generated()).toHaveLength(1)
})

test('a novel of which little fits says so once', async ({ openSharedAppWindow }) => {
  const open = await openSharedAppWindow({
    files: { [page001]: prose(9_000) },
    kobold: { answer, contextTokens: 2048 },
  })
  await draw(open)
  const warning = open.appWindow.page.getByRole('status').filter({ hasText: '本文の大半が文脈に入りません' })
  await expect(warning).toBeVisible()
  await warning.getByRole('button', { name: '閉じる' }).click()
  await expect(warning).toHaveCount(0)
  await open.appWindow.editor.focus()
  await open.appWindow.press('Tab')
  await expect(open.appWindow.pending).toHaveCount(0)
  await draw(open)
  await expect(warning).toHaveCount(0)
})

test('where the counter fails the author may go on with an estimate, never unasked', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, kobold, generated } = await openSharedAppWindow({ kobold: { answer: '、雨。' } })
  const { page } = appWindow
  kobold.faults.dropsCounts = true
  await appWindow.press('Control+Enter')
  const refused = page.getByRole('alert').filter({ hasText: 'トークンを数えられません' })
  await expect(refused).toBeVisible()
  expect(generated()).toEqual([])
  await refused.getByRole('button', { name: '概算のまま続ける' }).click()
  await expect.poll(() => appWindow.offered()).toBe('、雨。')
})

test('a work has one request on its way at a time', async ({ openSharedAppWindow }) => {
  const { appWindow, kobold, generated } = await openSharedAppWindow({
    kobold: { answer: '、雨。'.repeat(60), tokenMs: 200 },
  })
  await appWindow.press('Control+Enter')
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toMatch(/^、雨/)
  await appWindow.press('Control+Enter')
  await appWindow.press('Escape')
  await appWindow.idle()
  expect(generated()).toHaveLength(1)
  await appWindow.press('Control+Enter')
  await expect.poll(() => generated().length).toBe(2)
  expect(kobold.requests.filter(({ path }) => path.endsWith('/abort'))).toHaveLength(1)
})

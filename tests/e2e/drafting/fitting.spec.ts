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

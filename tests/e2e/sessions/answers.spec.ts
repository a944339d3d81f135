import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calls, justAnswer, plan, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { expect, test } from '../support/session-test.ts'

test('a turn says what it has cost, and the next one how much was not read again', async ({
  openSharedRoom,
}) => {
  const { room, session } = await openSharedRoom({
    thoughts: [...justAnswer('一つ目。'), ...justAnswer('二つ目。')],
  })
  await room.say('一つ目です。')
  await expect(room.conversation).toContainText('一つ目。')
  const feet = room.conversation.locator('.turn-figures')
  await expect(feet).toHaveText(/^[\d,]+ トークン · 再利用 [\d,]+ · 読み込み [\d,]+ · .*秒$/)
  await room.say('二つ目です。')
  await expect(room.conversation).toContainText('二つ目。')
  await expect(feet).toHaveCount(2)
  const { items } = await session()
  const usages = items.flatMap((item) =>
    item.kind === 'answer' || item.kind === 'decision' ? item.usage : [],
  )
  expect(usages).toHaveLength(4)
  // What was sent before is in the server's cache: only what is new is read.
  for (const usage of usages.slice(1))
    expect(usage?.reusedTokens).toBeGreaterThan((usage?.promptTokens ?? 0) / 2)
  const [written = 0, reused = 0] =
    ((await feet.last().textContent()) ?? '').replaceAll(',', '').match(/\d+/g)?.map(Number) ?? []
  expect(written).toBe((usages[2]?.completionTokens ?? 0) + (usages[3]?.completionTokens ?? 0))
  expect(reused).toBe((usages[2]?.reusedTokens ?? 0) + (usages[3]?.reusedTokens ?? 0))
})

test('the context viewer shows exactly what the model was sent', async ({ openSharedRoom }) => {
  const { room, llama } = await openSharedRoom({ thoughts: justAnswer('はい。') })
  await room.say('港の話をしてください。')
  await expect(room.conversation).toContainText('はい。')
  await room.isAt('済み')
  await room.showTab('文脈')
  const sent = room.side.getByRole('region', { name: 'モデルに送った内容' }).getByRole('listitem')
  const body = llama.requests.findLast(({ path }) => path.endsWith('/chat/completions'))?.body as {
    messages: { role: string; content: string | null }[]
  }
  const list = room.side.locator('.sent-list > li')
  await expect(list.last()).toBeVisible()
  await expect(sent.first()).toBeVisible()
  const shown: string[] = []
  for (const item of await list.all()) {
    await item.locator('summary').click()
    const text = item.locator('.sent-text')
    await expect(text).toBeVisible()
    shown.push((await text.innerText()).trim())
  }
  const all = shown.join('\n')
  for (const { content } of body.messages) {
    for (const line of (content ?? '').split('\n').filter((one) => one.trim() !== ''))
      expect(all).toContain(line.trim())
  }
  expect(all).toContain('港の話をしてください。')
})

test('what a command prints is in its card while it runs', async ({ openSharedRoom }) => {
  const line = 'echo 一つ目; until [ -f go ]; do sleep 0.1; done; echo 二つ目'
  const { room, root, mind } = await openSharedRoom({
    thoughts: [
      workIn('PLANNING'),
      plan('走らせる'),
      workIn('EXECUTION'),
      calls(['run_command', { line, reason: '見せる' }]),
    ],
  })
  await room.say('走らせてください。')
  await room.approve()
  const card = room.conversation.getByRole('article', { name: /^実行(しています)? / })
  await expect(card.locator('.call-tail')).toHaveText('一つ目')
  await expect(card).toContainText('実行しています')
  mind.think(
    { say: '' },
    calls(['submit_review', { rating: 'good', problems: [], improvements: [], verdict: 'approve' }]),
  )
  await writeFile(join(root, 'go'), '')
  await room.isAt('済み')
  await expect(room.conversation.locator('.turn-foot')).toContainText(`元に戻せない操作：${line}`)
  await room.conversation.getByRole('button', { name: /手順/ }).click()
  await expect(card).toContainText('秒')
  await card.getByRole('button').click()
  await expect(card).toContainText('二つ目')
})

test('an answer of the demo says that it is one, and asks no model', async ({ openSharedRoom }) => {
  const { room, client, llama } = await openSharedRoom()
  await client['model.use']({ backend: 'demo', language: 'ja' })
  await room.say('こんにちは。')
  await expect(room.conversation).toContainText('これはデモの返答です。')
  await expect(room.conversation.locator('.answer-marks').first()).toContainText('デモ')
  expect(llama.requests.filter(({ path }) => path.endsWith('/chat/completions'))).toEqual([])
})

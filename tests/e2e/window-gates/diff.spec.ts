import { expect } from '@playwright/test'
import { stillTest, test } from './gates-test.ts'

test('places are refused one by one, named, and left out of the answer', async ({ gates, page }) => {
  await gates.open('scene=edit')
  await gates.read()
  const place = (number: number) => gates.gate.getByRole('group', { name: new RegExp(`^変更 ${number}（`) })
  await place(2).getByRole('button', { name: '却下' }).click()
  await place(4).getByRole('button', { name: '却下' }).click()
  await expect(gates.gate).toContainText('却下：src/date.ts の 2、4')
  await place(4).getByRole('button', { name: '採用' }).click()
  await expect(gates.gate).toContainText('却下：src/date.ts の 2')
  await gates.gate.getByRole('button', { name: '選んだ変更を適用' }).click()
  await expect(page.getByText('許可')).toBeVisible()
  const [answer] = await gates.answers()
  expect(answer?.answers).toEqual([
    {
      callId: 'call-1',
      shownHash: 'hash-1',
      isApproved: true,
      refusedHunks: [{ path: 'src/date.ts', hunks: [1] }],
    },
  ])
})

test('with every place refused there is nothing to apply', async ({ gates, page }) => {
  await gates.open('scene=edit')
  await gates.read()
  for (const group of await gates.gate.getByRole('group', { name: /^変更 \d/ }).all()) {
    await group.getByRole('button', { name: '却下' }).click()
  }
  await expect(gates.gate).toContainText('すべて却下しています')
  await gates.gate.focus()
  await page.keyboard.press('Enter')
  await expect(gates.gate.getByRole('button', { name: '選んだ変更を適用' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  expect(await gates.answers()).toEqual([])
})

test('one of two calls can be left out', async ({ gates, page }) => {
  await gates.open('scene=calls')
  await gates.read()
  await gates.gate.getByRole('checkbox', { name: 'これを含める' }).first().uncheck()
  await gates.gate.getByRole('button', { name: '選んだ変更を適用' }).click()
  await expect(page.getByText('許可')).toBeVisible()
  const [answer] = await gates.answers()
  expect(answer?.answers.map(({ callId, isApproved }) => [callId, isApproved])).toEqual([
    ['call-test', false],
    ['call-1', true],
  ])
})

test('a file of which only the permissions change says so', async ({ gates }) => {
  await gates.open('scene=effects')
  await gates.read()
  await expect(gates.gate).toContainText('run.sh変更権限 755（実行できる）中身は変わりません。')
  await expect(gates.gate).toContainText('build.sh作成+3 −0変更 1権限 755（実行できる）')
})

test('two edits of one file are one diff, with a choice at each place', async ({ gates, page }) => {
  await gates.open('scene=twice')
  await gates.read()
  await expect(gates.gate.getByText('定数に名前を付ける')).toBeVisible()
  await expect(gates.gate.getByText('閏年の判定を正しくする')).toBeVisible()
  await expect(gates.gate.getByRole('group', { name: 'src/date.ts の差分' })).toHaveCount(1)
  const place = (number: number) => gates.gate.getByRole('group', { name: new RegExp(`^変更 ${number}（`) })
  await expect(gates.gate.getByRole('group', { name: /^変更 \d/ })).toHaveCount(4)
  for (const number of [1, 3]) await place(number).getByRole('button', { name: '却下' }).click()
  await expect(gates.gate).toContainText('却下：src/date.ts の 1、3')
  await gates.gate.getByRole('button', { name: '選んだ変更を適用' }).click()
  await expect(page.getByText('許可')).toBeVisible()
  const [answer] = await gates.answers()
  expect(
    answer?.answers.map(({ callId, isApproved, refusedHunks }) => [callId, isApproved, refusedHunks]),
  ).toEqual([
    ['call-1', false, []],
    ['call-2', true, [{ path: 'src/date.ts', hunks: [1] }]],
  ])
})

test('the diff is coloured, told by sign, and can stand side by side', async ({ gates }) => {
  await gates.open('scene=edit')
  const diff = gates.gate.getByRole('group', { name: 'src/date.ts の差分' }).first()
  await expect(diff.locator('ins .tok-keyword').first()).toHaveText('const')
  await expect(diff.locator('del').first()).toHaveText('const monthsOfYear = 12')
  await expect(diff.locator('.hunk-pair')).toHaveCount(0)
  await gates.gate.getByRole('button', { name: '2 列' }).click()
  const pair = diff.locator('.hunk-pair').filter({ hasText: 'lastMonth = 12' }).first()
  await expect(pair.locator('del')).toHaveText('const monthsOfYear = 12')
  await expect(pair.locator('ins')).toHaveText('const lastMonth = 12')
})

stillTest(
  'a file that changed meanwhile asks anew: new diff, new choices, new time',
  async ({ gates, page }) => {
    await gates.openStill('scene=edit')
    await gates.gate
      .getByRole('group', { name: /^変更 1（/ })
      .getByRole('button', { name: '却下' })
      .click()
    await page.evaluate(() => {
      const { host, sessionId } = parts
      const item = host.sessions.get(sessionId).items.find((one) => one.kind === 'gate')
      const [diff] = host.sessions.diffs
      if (item?.kind !== 'gate' || !diff) throw new Error('no gate')
      host.sessions.diffs = [
        { ...diff, oldText: `// kept by hand\n${diff.oldText}`, newText: `// kept by hand\n${diff.newText}` },
      ]
      const calls = item.gate.calls.map((call) => ({ ...call, hash: 'hash-2' }))
      host.sessions.put(sessionId, { ...item, gate: { ...item.gate, calls } })
    })
    await expect(gates.gate).toContainText('内容が途中で変わりました')
    const apply = gates.gate.getByRole('button', { name: '適用' })
    await expect(apply).toHaveAttribute('aria-disabled', 'true')
    await expect(gates.gate).toContainText('// kept by hand')
    await expect(gates.gate.getByRole('button', { name: '却下', pressed: true })).toHaveCount(0)
    await gates.passUntilRead()
    await apply.click()
    await expect(page.getByText('許可')).toBeVisible()
    const [answer] = await gates.answers()
    expect(answer?.sincePaintedMs).toBeGreaterThanOrEqual(700)
    expect(answer?.answers).toEqual([
      { callId: 'call-1', shownHash: 'hash-2', isApproved: true, refusedHunks: [] },
    ])
  },
)

test('five megabytes open when they are asked for, and only so much of them is in the page', async ({
  gates,
  page,
}) => {
  await gates.open('scene=large')
  await gates.read()
  await expect(gates.gate).toContainText('大きなファイルです')
  expect(await gates.calls('gate.diff')).toEqual([])
  await gates.gate.getByRole('button', { name: /src\/values\.ts/ }).click()
  await expect(gates.gate.getByRole('group', { name: /^変更 \d/ })).toHaveCount(5)
  expect(await gates.gate.locator('.hunk-row').count()).toBeLessThan(60)
  await gates.gate.getByRole('button', { name: '残りの変更 195 件を表示' }).click()
  await expect(gates.gate.getByRole('group', { name: /^変更 \d/ })).toHaveCount(25)
  await gates.gate.getByRole('button', { name: '適用' }).click()
  await expect(page.getByText('許可')).toBeVisible()
})

test('a command stands there in full, and what would hide in it by its code', async ({ gates, page }) => {
  await gates.open('scene=command')
  const line = gates.gate.getByRole('region', { name: 'コマンド' }).locator('pre')
  await expect(line).toHaveText('npm test && rm -rf buildU+202E #tsilU+2066 U+001B[2K && gitU+200B push')
  await expect(line.locator('.unseen')).toHaveText(['U+202E', 'U+2066', 'U+001B', 'U+200B'])
  await expect(line.locator('.verbatim-command')).toHaveCSS('unicode-bidi', 'bidi-override')
  await expect(gates.gate.getByRole('alert')).toContainText('見えない文字')
  await expect(gates.gate).toContainText('高')
  await expect(gates.gate).toContainText('元に戻せない操作です')
  const shown = await page.evaluate(() => document.body.innerText)
  for (const code of [0x202e, 0x2066, 0x1b, 0x200b]) expect(shown).not.toContain(String.fromCodePoint(code))
})

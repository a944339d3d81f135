import { expect } from '@playwright/test'
import { stillTest, test } from './gates-test.ts'

stillTest(
  'only the gate in front can be answered; the next one then has its own time',
  async ({ gates, page }) => {
    await gates.openStill('scene=queue')
    const waiting = page.getByRole('region', { name: '承認：コマンドを実行' })
    await expect(waiting).toContainText('前の承認のあとで答えられます')
    await expect(waiting.getByRole('button')).toHaveCount(0)
    await gates.pass(700)
    await gates.gate.getByRole('button', { name: '適用' }).click()
    const run = waiting.getByRole('button', { name: 'それでも実行' })
    await gates.painted('gate-2')
    await expect(run).toHaveAttribute('aria-disabled', 'true')
    await gates.pass(700)
    await run.click()
    await expect(page.getByText('許可')).toHaveCount(2)
    expect((await gates.answers()).map((answer) => answer.gateId)).toEqual(['gate-1', 'gate-2'])
  },
)

test('a settled gate says in one line what was decided and how many places were refused', async ({
  gates,
  page,
}) => {
  await gates.open('scene=edit')
  await gates.read()
  await page.evaluate(() => {
    const { host, make, sessionId } = parts
    host.sessions.put(
      sessionId,
      make.call(1, 'edit', 'src/date.ts', {
        callId: 'call-1',
        view: { kind: 'change', files: [], changeSetId: 'c', refusedHunks: 2 },
      }),
    )
  })
  await gates.gate.getByRole('button', { name: '適用' }).click()
  await expect(page.getByText('許可', { exact: true })).toBeVisible()
  await expect(page.locator('.gate-settled')).toHaveText(/src\/date\.ts.*2 件の変更を却下/)
})

test('a settled gate does not count a file that was left out', async ({ gates, page }) => {
  await gates.open('scene=calls')
  await gates.read()
  await expect(gates.gate.locator('.gate-subject')).toHaveText('test/date.test.ts ほか 1 件')
  await gates.gate.getByRole('checkbox', { name: 'これを含める' }).first().uncheck()
  await page.evaluate(() => {
    const { host, make, sessionId } = parts
    const left = { callId: 'call-test', outcome: 'rejected' } as const
    host.sessions.put(sessionId, make.call(1, 'write_file', 'test/date.test.ts', left))
  })
  await gates.gate.getByRole('button', { name: '選んだ変更を適用' }).click()
  await expect(page.locator('.gate-settled')).toHaveText('許可src/date.ts')
})

test('a plan says its steps and goes on', async ({ gates, page }) => {
  await gates.open('scene=plan')
  await gates.read()
  await expect(gates.gate.getByRole('listitem').filter({ hasText: 'テスト' })).toHaveCount(2)
  await expect(gates.gate).toContainText('まだ何も変えません')
  await gates.gate.getByRole('button', { name: '進める' }).click()
  await expect(page.getByText('許可')).toBeVisible()
})

test('a gate is announced, and marked in the title while the window is not in front', async ({
  gates,
  page,
}) => {
  await page.addInitScript(() => {
    document.hasFocus = () => false
  })
  await gates.open('scene=edit&later')
  await expect(page).toHaveTitle('刻の迷宮 – Tsugi')
  await page.evaluate(() => dispatchEvent(new Event('open-gates')))
  await expect(page).toHaveTitle('● 刻の迷宮 – Tsugi')
  await expect(page.locator('[aria-live=polite]').filter({ hasText: '承認が必要です' })).toHaveText(
    '承認が必要です：1 個のファイルを変更',
  )
  await page.evaluate(() => dispatchEvent(new Event('focus')))
  await expect(page).toHaveTitle('刻の迷宮 – Tsugi')
})

test('where notices are allowed, one tells of the gate and leads to it', async ({ gates, page }) => {
  await page.addInitScript(() => {
    document.hasFocus = () => false
    const told: string[] = []
    class Told {
      static permission = 'granted'
      onclick: (() => void) | null = null
      constructor(_title: string, { body }: { body: string }) {
        told.push(body)
        setTimeout(() => this.onclick?.(), 50)
      }
      close() {
        told.push('closed')
      }
    }
    Object.assign(globalThis, { Notification: Told, told })
  })
  await gates.open('scene=edit&later')
  await page.getByRole('textbox', { name: 'box' }).focus()
  await page.evaluate(() => dispatchEvent(new Event('open-gates')))
  await expect(gates.gate).toBeFocused()
  expect(await page.evaluate(() => (globalThis as unknown as { told: string[] }).told)).toEqual([
    '承認が必要です：1 個のファイルを変更',
    'closed',
  ])
})

test('the words are English where the window is', async ({ gates, page }) => {
  await gates.open('scene=edit&language=en')
  await expect(page.getByRole('region', { name: 'Approval: Change 1 file' })).toBeVisible()
  await gates.read()
  await expect(gates.gate).toContainText('1 file, +4 −4 lines')
  await expect(gates.gate.getByRole('group', { name: 'Change 1 (line 3)' })).toBeVisible()
  await gates.gate.getByRole('button', { name: 'Allow for this session' }).click()
  await expect(page.getByText('Allowed')).toBeVisible()
})

test('in a narrow window the name of the first file and the number of further ones stay in sight', async ({
  gates,
  page,
}) => {
  await gates.open('scene=calls&language=en')
  await gates.read()
  const subject = gates.gate.locator('.gate-subject')
  for (const width of [1100, 760, 530, 420]) {
    await page.setViewportSize({ width, height: 700 })
    await expect(subject).toBeVisible()
    const room = await subject.boundingBox()
    const first = await subject.getByText('test/date.test.ts').boundingBox()
    const more = await subject.getByText('and 1 more').boundingBox()
    expect(first?.width, `name at ${width}`).toBeGreaterThan(60)
    expect(first?.x, `name at ${width}`).toBeGreaterThanOrEqual(room?.x ?? 0)
    expect((more?.x ?? 0) + (more?.width ?? 0), `count at ${width}`).toBeLessThanOrEqual(
      (room?.x ?? 0) + (room?.width ?? 0) + 1,
    )
  }
})

import { expect, openManuscript, type SharedAppWindow, test } from '../support/drafting-test.ts'

const answer = `、${'風が吹いた。'.repeat(20)}`

/** Asks for a continuation and waits until the window says what went wrong. */
async function askAndRead({ appWindow }: SharedAppWindow, message: RegExp): Promise<void> {
  await appWindow.press('Control+Enter')
  await expect(appWindow.page.getByText(message).first()).toBeVisible()
  await appWindow.idle()
}

/** Expects that the text that arrived is offered, can be accepted, and is a take. */
async function expectKept({ appWindow, onDisk }: SharedAppWindow, text: string): Promise<void> {
  expect(await appWindow.offered()).toBe(text)
  await appWindow.showTab('候補')
  await expect(appWindow.takes.first().locator('.take-text')).toHaveText(text)
  await appWindow.editor.focus()
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe(openManuscript + text)
}

test('a server that is gone is said, and the same button works once it is back', async ({
  openSharedAppWindow,
}) => {
  const open = await openSharedAppWindow({ kobold: { answer } })
  const { appWindow, kobold, onDisk } = open
  kobold.die()
  await askAndRead(open, /から応答がありません。サーバーが動いているか/)
  await expect(appWindow.pending).toHaveCount(0)
  expect(await onDisk()).toBe(openManuscript)
  await open.reviveKobold()
  await appWindow.page.getByRole('button', { name: 'もう一度' }).click()
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await expect(appWindow.page.getByRole('alert')).toHaveCount(0)
})

test('a connection that is cut leaves its text as a take', async ({ openSharedAppWindow }) => {
  const open = await openSharedAppWindow({ kobold: { answer, tokenMs: 20 } })
  open.kobold.faults.cutAfterTokens = 8
  await askAndRead(open, /途中で切れました。届いた分は残っています/)
  expect(open.generated()).toHaveLength(1)
  // The last token was not sent before the cut; the server's own record brings it.
  await expectKept(open, answer.slice(0, (await open.appWindow.offered()).length))
})

test('a connection that is cut before any text is tried again unasked', async ({ openSharedAppWindow }) => {
  const { appWindow, kobold, generated } = await openSharedAppWindow({ kobold: { answer } })
  kobold.faults = { cutAfterTokens: 0, cutsOnce: true }
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe(answer)
  expect(generated()).toHaveLength(2)
})

test('a busy server is waited for', async ({ openSharedAppWindow }) => {
  const { appWindow, occupyKobold, generated } = await openSharedAppWindow({
    kobold: { answer, queueLimit: 0 },
  })
  const leave = await occupyKobold()
  await appWindow.press('Control+Enter')
  await expect.poll(() => generated().length).toBeGreaterThan(1)
  await expect(appWindow.status).toContainText('順番を待っています')
  await leave()
  await expect.poll(() => appWindow.offered()).toBe(answer)
})

test('a server that stays busy is said', async ({ openSharedAppWindow }) => {
  const open = await openSharedAppWindow({ kobold: { answer, queueLimit: 0 } })
  const leave = await open.occupyKobold()
  await askAndRead(open, /ほかの依頼で手一杯です。少し待って/)
  await leave()
  await open.appWindow.page.getByRole('button', { name: 'もう一度' }).click()
  await expect.poll(() => open.appWindow.offered()).toBe(answer)
})

test('an answer that is no answer is said, and nothing of it is shown', async ({ openSharedAppWindow }) => {
  const open = await openSharedAppWindow({ kobold: { answer } })
  open.kobold.faults.isGarbage = true
  await askAndRead(open, /の応答を読み取れません/)
  await expect(open.appWindow.pending).toHaveCount(0)
})

test('a silence in mid-text ends by the profile’s time, stops the server and keeps the text', async ({
  openSharedAppWindow,
}) => {
  const open = await openSharedAppWindow({ kobold: { answer }, timeouts: { idleMs: 1000 } })
  open.kobold.faults.hangAfterTokens = 7
  await askAndRead(open, /応答が 1 秒 途絶えました（/)
  expect(open.requestsTo('/abort')).toBeGreaterThanOrEqual(1)
  const text = await open.appWindow.offered()
  expect(text).not.toBe('')
  await expectKept(open, text)
})

test('characters that the stream lost are put right at its end', async ({ openSharedAppWindow }) => {
  const { appWindow, kobold, onDisk } = await openSharedAppWindow({ kobold: { answer, tokenMs: 200 } })
  kobold.faults.losesCharacters = '風'
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toMatch(/^、が吹いた。/)
  kobold.options.tokenMs = 0
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await appWindow.idle()
  await appWindow.press('Tab')
  await expect.poll(() => onDisk()).toBe(openManuscript + answer)
})

test('a server with a password says that the key is missing, and works once it is entered', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, generated } = await openSharedAppWindow({ kobold: { answer, password: 'himitsu' } })
  const { page } = appWindow
  await appWindow.press('Control+Enter')
  const refused = page.getByRole('alert').filter({ hasText: 'API キーを受け付けません' })
  await expect(refused).toBeVisible()
  expect(generated()).toEqual([])
  // The second key is not valid in an HTTP header.
  for (const key of ['nope', '秘密', 'himitsu']) {
    await refused.getByRole('button', { name: 'モデルを選ぶ' }).click()
    const settings = page.getByRole('dialog', { name: '設定' })
    await settings.getByRole('button', { name: '編集' }).click()
    await settings.getByLabel('API キー').fill(key)
    await settings.getByRole('button', { name: '保存' }).click()
    await expect(settings.getByRole('button', { name: '保存' })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await refused.getByRole('button', { name: 'もう一度' }).click()
    if (key !== 'himitsu') await expect(refused).toBeVisible()
  }
  await expect.poll(() => appWindow.offered()).toBe(answer)
  await expect(refused).toHaveCount(0)
})

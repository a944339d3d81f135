import { expect, test } from './session-test.ts'

test('Alt+G brings a gate that is out of sight, an answer by key leads back to the message', async ({
  session,
  page,
}) => {
  await session.open()
  await page.keyboard.type('書きかけ')
  await page.evaluate(() => {
    const { sessions } = harness.host
    const answer = sessions.get('session-3').items.find((item) => item.kind === 'answer')
    if (answer?.kind !== 'answer') throw new Error('no answer')
    for (let at = 0; at < 30; at++) {
      sessions.put('session-3', {
        ...answer,
        itemId: `later-${at}`,
        seq: 500 + at,
        text: '段落。\n\n'.repeat(8),
      })
    }
  })
  const gate = page.getByRole('region', { name: /^確認：/ })
  await page.getByRole('log', { name: '会話' }).evaluate((log) => log.scrollTo(0, log.scrollHeight))
  await expect(gate).not.toBeInViewport()
  await page.keyboard.press('Alt+g')
  await expect(gate).toBeInViewport()
  await expect(gate).toBeFocused()
  await expect(gate.getByRole('button', { name: '適用する' })).toHaveAttribute('aria-disabled', 'false')
  await page.keyboard.press('Enter')
  await expect(page.getByText('許しました')).toBeVisible()
  await expect(session.box).toBeFocused()
  await expect(session.box).toHaveText('書きかけ')
})

test('choices at a gate outlive being scrolled away from', async ({ session, page }) => {
  await session.open()
  const gate = page.getByRole('region', { name: /^確認：/ })
  const refuse = gate.getByRole('group', { name: /^1 か所目/ }).getByRole('button', { name: '断る' })
  await refuse.click()
  await page.evaluate(() => {
    const { sessions } = harness.host
    const answer = sessions.get('session-3').items.find((item) => item.kind === 'answer')
    if (answer?.kind !== 'answer') throw new Error('no answer')
    for (let at = 0; at < 60; at++) {
      sessions.put('session-3', {
        ...answer,
        itemId: `later-${at}`,
        seq: 500 + at,
        text: '段落。\n\n'.repeat(8),
      })
    }
  })
  await page.getByRole('log', { name: '会話' }).evaluate((log) => log.scrollTo(0, log.scrollHeight))
  await expect(gate).toHaveCount(0)
  await page.keyboard.press('Alt+g')
  await expect(refuse).toHaveAttribute('aria-pressed', 'true')
  await expect(gate).toContainText('断る所')
})

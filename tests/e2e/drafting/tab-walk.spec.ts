import { expect, openManuscript, test } from '../support/drafting-test.ts'

test('walking through the window by keys accepts no offer and writes no tab', async ({
  openSharedAppWindow,
}) => {
  const { appWindow, onDisk } = await openSharedAppWindow({ kobold: { answer: '、風が吹き込んだ。' } })
  const { page, editor } = appWindow
  await appWindow.press('Control+Enter')
  await expect.poll(() => appWindow.offered()).toBe('、風が吹き込んだ。')
  await appWindow.idle()

  await test.step('Tab and F6 go through', async () => {
    await page.getByRole('button', { name: '設定', exact: true }).focus()
    for (let step = 0; step < 40; step += 1) {
      await appWindow.press('Tab')
      if (await editor.evaluate((element) => element === document.activeElement)) break
    }
    await expect(editor).toBeFocused()
    await appWindow.press('Tab')
    await expect(editor).not.toBeFocused()
    await page.getByRole('button', { name: '設定', exact: true }).focus()
    await appWindow.press('F6')
    await appWindow.press('F6')
    await expect(editor).toBeFocused()
    await appWindow.press('Tab')
    await expect(editor).not.toBeFocused()
    expect(await appWindow.text()).toBe(openManuscript)
    expect(await appWindow.offered()).toBe('、風が吹き込んだ。')
  })

  await test.step('after a key in the text it accepts', async () => {
    await editor.focus()
    await appWindow.press('Control+End')
    await appWindow.press('Tab')
    await expect.poll(() => onDisk()).toBe(`${openManuscript}、風が吹き込んだ。`)
  })

  await test.step('Esc, then Tab leaves', async () => {
    await appWindow.press('Control+Enter')
    await expect.poll(() => appWindow.offered()).toBe('、風が吹き込んだ。')
    await appWindow.idle()
    await appWindow.press('Escape')
    await appWindow.press('Tab')
    await expect(editor).not.toBeFocused()
    expect(await appWindow.text()).toBe(`${openManuscript}、風が吹き込んだ。`)
  })
})

test('walking through the window by keys changes no tab that was shown without a click', async ({
  openSharedAppWindow,
}) => {
  const { appWindow } = await openSharedAppWindow()
  const { page, editor } = appWindow
  const details = page.getByRole('tab', { name: '詳細', exact: true })
  await details.click()
  await editor.focus()
  await appWindow.command('作品に質問する')
  const question = page.getByRole('tab', { name: '質問', exact: true })
  await expect(question).toHaveAttribute('aria-selected', 'true')
  for (let step = 0; step < 60; step += 1) await page.keyboard.press('Tab')
  await expect(question).toHaveAttribute('aria-selected', 'true')
  for (let step = 0; step < 60; step += 1) await page.keyboard.press('Shift+Tab')
  await expect(question).toHaveAttribute('aria-selected', 'true')
  await question.focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'メモ', exact: true })).toHaveAttribute('aria-selected', 'true')
})

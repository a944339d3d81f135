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

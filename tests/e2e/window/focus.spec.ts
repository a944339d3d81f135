import type { Locator, Page } from '@playwright/test'
import { expect, test } from './session-test.ts'

/** Adds a button that is off for a while after each press. Units: ms. */
async function addButtonOffFor(page: Page, offMs: number, parent = 'main'): Promise<Locator> {
  await page.locator(parent).evaluate((place, ms) => {
    const part = place.appendChild(document.createElement('button'))
    part.append('again')
    part.addEventListener('click', () => {
      part.disabled = true
      setTimeout(() => {
        part.disabled = false
      }, ms)
    })
  }, offMs)
  return page.getByRole('button', { name: 'again', exact: true })
}

test('a dialog gives the focus back to what had it', async ({ session, page }) => {
  await session.open()
  const dialog = page.getByRole('dialog')
  const closed = async () => {
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  }

  await test.step('the box that a command was written in', async () => {
    await page.keyboard.insertText('/stats')
    await page.keyboard.press('Enter')
    await expect(dialog).toBeVisible()
    await closed()
    await expect(session.box).toBeFocused()
  })

  await test.step('the button that was pressed', async () => {
    const settings = page.getByRole('banner').getByRole('button', { name: '設定' })
    await settings.click()
    await expect(dialog).toBeVisible()
    await closed()
    await expect(settings).toBeFocused()
  })

  await test.step('the row of the menu that it was chosen in', async () => {
    const row = session.list.getByRole('listitem').filter({ hasText: '日付の誤りを直す' }).first()
    await row.hover()
    await row.getByRole('button', { name: /の操作$/ }).click()
    await page.getByRole('menuitem', { name: 'セッションを削除' }).click()
    await expect(dialog).toBeVisible()
    await closed()
    await expect(row.getByRole('button', { name: /^日付の誤りを直す/ })).toBeFocused()
  })

  await test.step('the row whose name is kept or given up', async () => {
    const row = session.list.getByRole('button', { name: /^日付の誤りを直す/ })
    for (const key of ['Enter', 'Escape']) {
      await row.focus()
      await page.keyboard.press('F2')
      await expect(session.list.getByRole('textbox')).toBeFocused()
      await page.keyboard.press(key)
      await expect(row).toBeFocused()
    }
  })

  await test.step('what had it before the list of commands, once what was chosen is closed', async () => {
    await session.box.focus()
    await page.keyboard.press('Control+Shift+P')
    await page.keyboard.insertText('セッションの統計')
    await page.keyboard.press('Enter')
    await expect(dialog).toContainText('やりとり')
    await closed()
    await expect(session.box).toBeFocused()
  })

  await test.step('the box, where its opener has gone', async () => {
    await page.keyboard.press('Control+,')
    await dialog.getByRole('tab', { name: 'モデル', exact: true }).click()
    await dialog.getByRole('button', { name: 'GGUF ファイルを開く' }).click()
    await expect(page.getByRole('dialog', { name: 'GGUF ファイルを開く' })).toBeVisible()
    await closed()
    await expect(session.box).toBeFocused()
  })
})

test('the focus goes to the box when the row that has it is taken away', async ({ session, page }) => {
  await session.open()
  await page.evaluate(() => {
    const position = { step: 'PLANNING', status: 'SUCCESS', waiting: 'none' } as const
    harness.host.sessions.change('session-3', { openGates: [], position })
  })
  const more = session.log.getByRole('button', { name: '1 番目のやりとりの操作' })
  await more.click()
  await page.getByRole('menuitem', { name: 'もう一度' }).click()
  await expect(more).toBeFocused()
  await page.evaluate(() => harness.host.sessions.cut('session-3', 1))
  await expect(more).toHaveCount(0)
  await expect(session.box).toBeFocused()
})

test('the focus goes to the box when a key takes away what has it, without a change of the state', async ({
  session,
  page,
}) => {
  await session.open()
  await page.evaluate(() => {
    const part = document.querySelector('main')?.appendChild(document.createElement('button'))
    part?.addEventListener('keydown', () => part.remove())
    part?.focus()
  })
  await page.keyboard.press('Enter')
  await expect(session.box).toBeFocused()
})

test('a button that is off for a moment has the focus again, and one that was left has not', async ({
  session,
  page,
}) => {
  await session.open()
  const part = await addButtonOffFor(page, 20)
  await part.focus()
  await page.keyboard.press('Enter')
  await page.waitForTimeout(100)
  await expect(part).toBeEnabled()
  await expect(part).toBeFocused()
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await page.keyboard.press('Shift')
  await page.waitForTimeout(200)
  await expect(part).not.toBeFocused()
})

test('a button that goes off just before the window looks for the focus has it again', async ({
  session,
  page,
}) => {
  await session.open()
  const part = await addButtonOffFor(page, 35)
  for (let round = 0; round < 5; round += 1) {
    await part.focus()
    await page.waitForTimeout(200)
    await page.evaluate(() => {
      dispatchEvent(new KeyboardEvent('keyup', { key: 'Shift' }))
      setTimeout(() => (document.activeElement as HTMLElement).click(), 46)
    })
    await page.waitForTimeout(200)
    await expect(part).toBeEnabled()
    await expect(part).toBeFocused()
  }
})

test('a dialog has the focus while the button that had it is off', async ({ session, page }) => {
  await session.open()
  const dialog = page.getByRole('dialog')
  await page.keyboard.press('Control+,')
  await expect(dialog).toBeVisible()
  const part = await addButtonOffFor(page, 60_000, '.dialog-body')
  await part.focus()
  await page.keyboard.press('Enter')
  await expect(part).toBeDisabled()
  await expect(dialog).toBeFocused()
})

test('the focus goes to the box when a menu closes because its button is gone from the screen', async ({
  session,
  page,
}) => {
  await session.open()
  await page.evaluate(() => {
    const position = { step: 'PLANNING', status: 'SUCCESS', waiting: 'none' } as const
    harness.host.sessions.change('session-3', { openGates: [], position })
  })
  await session.log.getByRole('button', { name: '1 番目のやりとりの操作' }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  // As when a part of the page is folded away, long after the last change of the state.
  await page.evaluate(() => {
    const hide = () =>
      document.querySelector<HTMLElement>('.conversation')?.style.setProperty('display', 'none')
    return new Promise<void>((resolve) => setTimeout(() => resolve(hide()), 300))
  })
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(session.box).toBeFocused()
})

test('a dialog begins at what is done in it, one that destroys at Cancel', async ({ session, page }) => {
  await session.open()
  const dialog = page.getByRole('dialog')

  await test.step('the chosen page of the settings', async () => {
    await page.keyboard.press('Control+,')
    await expect(dialog.getByRole('tab', { name: '全般', exact: true })).toBeFocused()
    await page.keyboard.press('Escape')
  })

  await test.step('Cancel, where the session would be removed', async () => {
    await page.keyboard.press('Control+Shift+P')
    await page.keyboard.insertText('セッションを削除')
    await page.keyboard.press('Enter')
    await expect(dialog).toContainText('日付の誤りを直す')
    await expect(dialog.getByRole('button', { name: 'キャンセル' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(dialog).toHaveCount(0)
    await expect(session.list.getByRole('button', { name: /^日付の誤りを直す/ }).first()).toBeVisible()
  })

  await test.step('the action that had to wait for what it would do', async () => {
    await page.evaluate(() => {
      const position = { step: 'PLANNING', status: 'SUCCESS', waiting: 'none' } as const
      harness.host.sessions.change('session-3', { openGates: [], position })
    })
    await session.log.getByRole('button', { name: '1 番目のやりとりの操作' }).click()
    await page.getByRole('menuitem', { name: '元に戻す…' }).click()
    await expect(dialog.getByRole('button', { name: '元に戻す', exact: true })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })

  await test.step('the button that closes, where nothing else can be done', async () => {
    await page.keyboard.press('Control+Shift+P')
    await page.keyboard.insertText('セッションの統計')
    await page.keyboard.press('Enter')
    await expect(dialog).toContainText('やりとり')
    await expect(dialog.getByRole('button', { name: '閉じる' })).toBeFocused()
  })
})

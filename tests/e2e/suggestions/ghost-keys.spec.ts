import { speculationOf } from '../../fakes/window-host/speculation-fixtures.ts'
import { expect, test } from '../window/session-test.ts'
import { GhostPage } from './ghost-page.ts'

const words = 'テストを実行'

test('Tab and → fill, Enter sends; what begins a command is only filled', async ({ session, page }) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  await expect(ghost.placeholder).toBeVisible()
  for (const [key, method] of [
    ['Tab', 'tab'],
    ['ArrowRight', 'right'],
  ] as const) {
    await test.step(key, async () => {
      await ghost.offer(words)
      await expect(ghost.placeholder).toHaveCount(0)
      await page.keyboard.press(key)
      await expect(session.box).toHaveText(words)
      await expect(ghost.text).toHaveCount(0)
      await expect(session.box).toBeFocused()
      expect(await ghost.outcomes(1)).toMatchObject([{ outcome: 'accepted', method, wasFocused: true }])
      await ghost.empty()
    })
  }
  await test.step('Enter', async () => {
    await ghost.offer(words)
    await page.keyboard.press('Enter')
    await expect.poll(() => ghost.sent()).toEqual([words])
    expect(await ghost.outcomes(1)).toMatchObject([{ outcome: 'accepted', method: 'enter' }])
    await expect(ghost.placeholder).toBeVisible()
  })
  for (const text of ['/stats', '!ls']) {
    await test.step(`Enter over ${text}`, async () => {
      await ghost.offer(text)
      await page.keyboard.press('Enter')
      await expect(session.box).toHaveText(text)
      const options = page.getByRole('listbox', { name: 'コマンド' }).getByRole('option')
      await expect(options).toHaveCount(text === '/stats' ? 1 : 0)
      expect(await ghost.outcomes(1)).toMatchObject([{ outcome: 'accepted', method: 'enter' }])
      await ghost.empty()
    })
  }
  await test.step('Enter where it only fills', async () => {
    await ghost.entersFill()
    await ghost.offer(words)
    await expect(page.locator('.box-hints')).not.toContainText('Enter')
    await page.keyboard.press('Enter')
    await expect(session.box).toHaveText(words)
    expect(await ghost.outcomes(1)).toMatchObject([{ outcome: 'accepted', method: 'enter' }])
  })
  await test.step('Alt+] and Alt+[ go through several', async () => {
    await ghost.empty()
    await page.evaluate(() =>
      harness.host.suggestions.offerAll(['一つ目を試す', '二つ目を試す', '三つ目を試す']),
    )
    await expect(ghost.text).toHaveText('一つ目を試す')
    await page.keyboard.press('Alt+]')
    await expect(ghost.text).toHaveText('二つ目を試す')
    await page.keyboard.press('Alt+[')
    await page.keyboard.press('Alt+[')
    await expect(ghost.text).toHaveText('三つ目を試す')
    await expect(session.box).toBeFocused()
    await page.locator('.box-hints').getByRole('button', { name: '3 / 3' }).click()
    await expect(ghost.text).toHaveText('一つ目を試す')
    await page.keyboard.press('Tab')
    await expect(session.box).toHaveText('一つ目を試す')
    expect(await ghost.outcomes(1)).toMatchObject([{ suggestionId: expect.any(String), outcome: 'accepted' }])
  })
  await test.step('Tab over another than the one that has a run fills it, and gives the run up', async () => {
    await ghost.empty()
    const link = speculationOf('一つ目を試す')
    await page.evaluate((first) => {
      const { suggestions, speculations } = harness.host
      speculations.become({ ...speculations.state, links: [first] })
      suggestions.offerAll([first.text, '二つ目を試す'])
    }, link)
    const take = page.getByRole('button', { name: /^Tab / })
    await expect(ghost.text).toHaveText('一つ目を試す')
    await expect(take).toContainText('先回りの結果を取り込む')
    await page.keyboard.press('Alt+]')
    await expect(ghost.text).toHaveText('二つ目を試す')
    await expect(take).toHaveText('Tab 採用')
    await page.keyboard.press('Tab')
    await expect(session.box).toHaveText('二つ目を試す')
    const said = () => page.evaluate(() => harness.host.speculations.said.splice(0))
    await expect.poll(said).toEqual([{ kind: 'reject', speculationId: link.speculationId }])
    await page.evaluate(() => {
      const { speculations } = harness.host
      speculations.become({ ...speculations.state, links: [] })
    })
    await ghost.outcomes(1)
  })
  await test.step('a press on the hint', async () => {
    await ghost.empty()
    await ghost.offer(words)
    await page.getByRole('button', { name: 'Tab 採用' }).click()
    await expect(session.box).toHaveText(words)
    await expect(session.box).toBeFocused()
  })
  expect(await ghost.sent()).toEqual([words])
})

test('Ctrl+→ takes a word at a time; Enter then sends what was taken, and only that', async ({
  session,
  page,
}) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  await ghost.offer('run the tests now')
  for (const [accepted, rest] of [
    ['run', ' the tests now'],
    ['run the', ' tests now'],
  ] as const) {
    await page.keyboard.press('Control+ArrowRight')
    await expect(ghost.text).toHaveText(rest, { useInnerText: true })
    await expect(session.box).toHaveText(`${accepted}${rest}`)
  }
  // The first word decides, and it is told once.
  expect(await ghost.outcomes(1)).toMatchObject([{ outcome: 'accepted', method: 'right' }])
  await page.keyboard.press('Enter')
  await expect.poll(() => ghost.sent()).toEqual(['run the'])

  await ghost.offer('run the tests now')
  await page.keyboard.press('Control+ArrowRight')
  await page.keyboard.press('Tab')
  await expect(session.box).toHaveText('run the tests now')
  await expect(ghost.text).toHaveCount(0)
  await page.keyboard.press('Control+z')
  await expect(session.box).toHaveText('run')
  await page.keyboard.press('Control+z')
  await expect(ghost.placeholder).toBeVisible()

  const endings: [string, string][] = [
    ['Escape', 'run'],
    ['x', 'runx'],
    ['Backspace', 'ru'],
    ['ArrowLeft', 'run'],
  ]
  for (const [key, left] of endings) {
    await test.step(`${key} takes the rest away`, async () => {
      await ghost.offer('run the tests now')
      await page.keyboard.press('Control+ArrowRight')
      await expect(ghost.text).toHaveText('the tests now')
      await page.keyboard.press(key)
      await expect(ghost.text).toHaveCount(0)
      await expect(session.box).toHaveText(left)
      await ghost.empty()
    })
  }
  await ghost.outcomes(1 + endings.length)
})

test('typing, pasting and Esc go on without it, and it does not come back', async ({ session, page }) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  const exits: [string, () => Promise<void>, string][] = [
    ['typing', () => page.keyboard.type('x'), 'x'],
    ['an earlier message', () => page.keyboard.press('ArrowUp'), '直してください'],
    [
      'pasting',
      () =>
        page.evaluate(() => {
          const data = new DataTransfer()
          data.setData('text/plain', '貼った')
          const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          document.querySelector('.message-box .cm-content')?.dispatchEvent(event)
        }),
      '貼った',
    ],
  ]
  for (const [name, go, left] of exits) {
    await test.step(name, async () => {
      await ghost.offer(words)
      await go()
      await expect(session.box).toContainText(left)
      await expect(ghost.text).toHaveCount(0)
      expect(await ghost.outcomes(1)).toMatchObject([{ outcome: 'ignored', method: null }])
      await ghost.empty()
    })
  }
  await test.step('Esc', async () => {
    await ghost.offer(words)
    await page.keyboard.press('Escape')
    await expect(ghost.placeholder).toBeVisible()
    const [told] = await ghost.outcomes(1)
    expect(told).toMatchObject({ outcome: 'ignored', firstKeystrokeMs: expect.any(Number) })
    expect(await session.asked('session.stop')).toEqual([])
  })
  await test.step('one that comes while something is written waits for the empty box', async () => {
    await page.keyboard.type('x')
    await ghost.suggest('続けて')
    await expect.poll(() => session.asked('suggestion.outcome')).toHaveLength(4)
    await expect(ghost.text).toHaveCount(0)
    await page.keyboard.press('Backspace')
    await expect(ghost.text).toHaveText('続けて')
  })
})

test('undo after it was filled leaves an empty box, and one outcome', async ({ session, page }) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  await ghost.offer(words)
  await page.keyboard.press('Tab')
  await expect(session.box).toHaveText(words)
  await page.keyboard.press('Control+z')
  await expect(ghost.placeholder).toBeVisible()
  await expect(ghost.text).toHaveCount(0)
  await page.keyboard.press('Control+y')
  await expect(session.box).toHaveText(words)
  expect(await session.asked('suggestion.outcome')).toHaveLength(1)
})

test('a key that is held down takes nothing, and does no more than it did', async ({ session, page }) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  const { keyboard } = page
  for (const key of ['Enter', 'ArrowRight']) {
    await test.step(`${key} from before`, async () => {
      await keyboard.down(key)
      await ghost.offer(words)
      await keyboard.down(key)
      await keyboard.up(key)
      await expect(ghost.text).toHaveText(words)
      await ghost.withdraw()
    })
  }
  await test.step('Shift+Tab on the hint comes back to the box', async () => {
    await ghost.offer(words)
    const before = page.getByRole('button', { name: 'Tab 採用' })
    await before.focus()
    await keyboard.press('Shift+Tab')
    await expect(session.box).toBeFocused()
    await expect(ghost.text).toHaveText(words)
  })
  await test.step('Tab that took it stays in the box', async () => {
    await keyboard.down('Tab')
    await keyboard.down('Tab')
    await keyboard.up('Tab')
    await expect(session.box).toHaveText(words)
    await expect(session.box).toBeFocused()
    await ghost.outcomes(1)
  })
  await test.step('without a ghost it moves on', async () => {
    await keyboard.press('Tab')
    await expect(session.box).not.toBeFocused()
    await session.box.focus()
    await ghost.empty()
  })
  await test.step('Enter that filled does not send', async () => {
    await ghost.offer('/stats')
    await keyboard.down('Enter')
    await keyboard.down('Enter')
    await keyboard.up('Enter')
    await expect(session.box).toHaveText('/stats')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
  await test.step('nor does one that bounces', async () => {
    await ghost.empty()
    await ghost.offer('/stats')
    await page.evaluate(() => {
      const box = document.querySelector('.message-box .cm-content')
      for (const key of ['Enter', 'Enter'])
        box?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    })
    await expect(session.box).toHaveText('/stats')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
  expect(await ghost.sent()).toEqual([])
})

test('a key that went down before it was visible takes nothing', async ({ session, page }) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  await test.step('pressed again and again while it waits to be shown', async () => {
    const seen = await page.evaluate((text) => {
      harness.host.suggestions.offer(text)
      const box = document.querySelector('.message-box .cm-content')
      for (const key of ['Enter', 'Enter', 'Enter'])
        box?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      return document.querySelectorAll('.cm-ghost').length
    }, words)
    expect(seen).toBe(0)
    await expect(ghost.text).toHaveText(words)
  })
  await test.step('pressed before, heard of after', async () => {
    await ghost.withdraw()
    await page.evaluate((text) => {
      const late = ['Tab', 'Enter'].map(
        (key) => new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
      )
      Object.assign(globalThis, { late })
      harness.host.suggestions.offer(text)
    }, words)
    await expect(ghost.text).toHaveText(words)
    await page.evaluate(() => {
      const { late } = globalThis as unknown as { late: KeyboardEvent[] }
      for (const event of late) document.querySelector('.message-box .cm-content')?.dispatchEvent(event)
    })
    await expect(ghost.text).toHaveText(words)
  })
  expect(await session.asked('suggestion.outcome')).toEqual([])
  expect(await ghost.sent()).toEqual([])
})

test('Alt+M chooses the next mode, also over it', async ({ session, page }) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  await ghost.offer(words)
  await page.keyboard.press('Alt+m')
  await expect.poll(() => session.asked('session.setMode')).toHaveLength(1)
  await expect(ghost.text).toHaveText(words)
  expect(await session.asked('suggestion.outcome')).toEqual([])
})

test('an input method that begins to compose goes on without it, and loses nothing', async ({
  session,
  page,
}) => {
  const ghost = new GhostPage(session)
  await ghost.open()
  await ghost.offer(words)
  const ime = await session.keyboard()
  for (const text of ['k', 'か', 'かk', 'かき']) {
    await ime.send('Input.imeSetComposition', {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    })
    await expect(ghost.text).toHaveCount(0)
    await expect(session.box).toHaveText(text)
  }
  expect(await ghost.outcomes(1)).toMatchObject([
    { outcome: 'ignored', firstKeystrokeMs: expect.any(Number) },
  ])
  await ime.send('Input.insertText', { text: '書き' })
  await expect(session.box).toHaveText('書き')
  await ghost.empty()

  // One that is broken off before anything was written leaves the box as it was.
  await ghost.offer('続けて')
  await ime.send('Input.imeSetComposition', { text: 'k', selectionStart: 1, selectionEnd: 1 })
  await ime.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 })
  await expect(ghost.placeholder).toBeVisible()
  await expect(ghost.text).toHaveCount(0)
  await page.keyboard.type('次')
  await expect(session.box).toHaveText('次')
})

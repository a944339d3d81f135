import { expect, type Locator, type Page } from '@playwright/test'
import { harnessTest } from '../support/harness-test.ts'
import type {} from './harness/harness.ts'

declare global {
  /** Lets the page's host answer what it holds back. */
  var answerNow: () => void
}

const test = harnessTest(import.meta.url)

async function openAppWindow(page: Page, query = '?work&model'): Promise<void> {
  await page.goto(query)
  await expect(page.getByRole('textbox', { name: '本文' })).toContainText('時計の針が逆回転を始めた')
}

test('a window without a work offers one, and a model', async ({ page }) => {
  await page.goto('')
  const doors = page.getByRole('heading', { level: 2 })
  await expect(doors).toContainText(['小説を書く', 'コードに取り組む', '使うモデル'])
  await page.getByRole('button', { name: 'フォルダーを開く' }).click()
  const dialog = page.getByRole('dialog', { name: '作品を開く' })
  const entries = dialog.getByRole('listbox', { name: 'フォルダーの中身' })
  await expect(entries.getByRole('option')).toHaveText(['刻の迷宮', '潮騒の記録', '断片.txt'])
  await expect(entries).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await dialog.getByRole('button', { name: '開く', exact: true }).click()
  await expect(page.getByRole('heading', { name: '刻の迷宮' })).toBeVisible()
})

test('a refused model says why where it was chosen', async ({ page }) => {
  await page.goto('')
  await page.getByRole('button', { name: 'モデルを選ぶ' }).click()
  await page.getByRole('button', { name: /デモで試す/ }).click()
  await expect(page.getByRole('alert')).toContainText('http://127.0.0.1:5001 から応答がありません')
})

test('files are reached, renamed and ordered by keys', async ({ page }) => {
  await openAppWindow(page)
  const files = page.getByRole('navigation', { name: 'ファイル' })
  await files.getByRole('button', { name: /^003 逆回転/ }).focus()
  await page.keyboard.press('ArrowUp')
  await expect(files.getByRole('button', { name: /^002 時計塔/ })).toBeFocused()
  await page.keyboard.press('Alt+ArrowUp')
  await expect(files.getByRole('listitem').first()).toContainText('002 時計塔')
  await page.keyboard.press('F2')
  await page.keyboard.type('002 塔')
  await page.keyboard.press('Enter')
  await expect(files.getByRole('button', { name: /^002 塔/ })).toBeVisible()
})

test('a file that is gone to takes the caret with it', async ({ page }) => {
  await openAppWindow(page)
  await page.getByRole('button', { name: /^002 時計塔/ }).click()
  const text = page.getByRole('textbox', { name: '本文' })
  await expect(text).toContainText('塔の中は暗かった')
  await expect(text).toBeFocused()
})

test('below 1,100 px the panes lie over the page and Escape puts them away', async ({ page }) => {
  await page.setViewportSize({ width: 1000, height: 700 })
  await openAppWindow(page)
  await expect(page.getByRole('tab', { name: '詳細' })).toHaveCount(0)
  await page.getByRole('button', { name: 'サイドバー' }).click()
  await expect(page.getByRole('tab', { name: '詳細' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('tab', { name: '詳細' })).toHaveCount(0)
})

test('the palette runs a command and gives the focus on', async ({ page }) => {
  await openAppWindow(page)
  await page.keyboard.press('Control+Shift+P')
  await page.getByPlaceholder('したいこと、または原稿の名前').fill('設定：モデル')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: '設定' })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'モデル', exact: true })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // From one view to the other, the caret goes along.
  await page.keyboard.press('Control+Shift+S')
  await expect(page.getByRole('textbox', { name: 'メッセージ' })).toBeFocused()
  await page.keyboard.press('Control+Shift+S')
  await expect(page.getByRole('textbox', { name: '本文' })).toBeFocused()
})

test('the palette finds commands by the words of other programs, behind those that are named so', async ({
  page,
}) => {
  await openAppWindow(page)
  await page.keyboard.press('Control+Shift+P')
  const field = page.getByPlaceholder('したいこと、または原稿の名前')
  for (const [words, command] of [
    ['置換', '作品全体で検索と置き換え'],
    ['エクスポート', '作品を書き出す'],
  ] as const) {
    await field.fill(words)
    await expect(page.getByRole('option', { name: command })).toBeVisible()
  }
  await field.fill('保存')
  await expect(page.getByRole('option').first()).toContainText('今すぐ保存')
})

test('a tab of the right pane that is asked for by name takes the focus', async ({ page }) => {
  await openAppWindow(page)
  const text = page.getByRole('textbox', { name: '本文' })
  const ask = async (command: string) => {
    await page.keyboard.press('Control+Shift+P')
    await page.getByPlaceholder('したいこと、または原稿の名前').fill(command)
    await page.keyboard.press('Enter')
  }
  await text.focus()
  for (const tab of ['履歴', '詳細']) {
    await ask(`${tab}を表示`)
    await expect(page.getByRole('tab', { name: tab, exact: true })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(text).toBeFocused()
  }
  // Also where the pane is closed, or lies over the page.
  await page.keyboard.press('Control+Shift+2')
  await ask('詳細を表示')
  await expect(page.getByRole('tab', { name: '詳細', exact: true })).toBeFocused()
  await page.setViewportSize({ width: 1000, height: 700 })
  await text.focus()
  await ask('文脈を表示')
  await expect(page.getByRole('tab', { name: '文脈', exact: true })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(text).toBeFocused()
  await page.keyboard.press('Control+Shift+S')
  await ask('方針を表示')
  await expect(page.getByRole('tab', { name: '方針', exact: true })).toBeFocused()
})

test('a conflict and a failed save stand over the text with what can be done', async ({ page }) => {
  await openAppWindow(page)
  await page.evaluate(() => {
    const events = harness.host.documents.get('003 逆回転.txt')?.events
    events?.publish({ kind: 'conflict', conflict: { kind: 'changed' } })
    events?.publish({ kind: 'save-failed', error: { code: 'file/disk-full', path: '003 逆回転.txt' } })
  })
  await expect(page.getByRole('banner')).toContainText('別の場所で変更')
  await expect(page.getByRole('alert').filter({ hasText: 'ディスクに空きがなく' })).toBeVisible()
  await page.getByRole('button', { name: 'こちらを残す' }).click()
  await expect(page.getByRole('button', { name: 'こちらを残す' })).toHaveCount(0)
})

test('a lost connection is said and goes away by itself', async ({ page }) => {
  await openAppWindow(page)
  await page.evaluate(() => {
    harness.connection.onState((state) => {
      if (state === 'lost') document.body.dataset.wasLost = 'yes'
    })
    harness.connection.drop()
  })
  await expect(page.locator('body')).toHaveAttribute('data-was-lost', 'yes')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.getByRole('textbox', { name: '本文' }).click()
  await page.keyboard.type('雨。')
  await expect(page.getByRole('banner')).toContainText('保存済み')
})

/** Returns the texts that a screen reader would read beside the dialog, without live regions, which must be heard. */
const readBehind = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.app :is(button, a, input, h1, h2, p, [role=textbox])')]
      .filter((part) => part.closest('[aria-hidden=true], [inert], [aria-live]') === null)
      .map((part) => `${part.tagName} ${part.className} ${part.textContent.slice(0, 20)}`),
  )

for (const [query, name] of [
  ['?work&model', 'a work'],
  ['', 'the first page'],
  ['?project&mock', 'a session'],
] as const) {
  test(`the language changes at once, and what lies behind the dialog stays unread: ${name}`, async ({
    page,
  }) => {
    await page.goto(query)
    await expect(page.getByRole('main')).toBeVisible()
    expect(await readBehind(page)).not.toEqual([])
    if (query.includes('work')) {
      await page.getByRole('textbox', { name: '本文' }).click()
      await page.keyboard.press('Control+f')
      await expect(page.getByRole('textbox', { name: '検索' })).toBeFocused()
    }
    await page.keyboard.press('Control+,')
    const language = page.getByLabel('言語', { exact: true })
    await expect(language).toBeVisible()
    expect(await readBehind(page)).toEqual([])
    await language.selectOption('en')
    await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible()
    // What comes into the page meanwhile is hidden too.
    await page.evaluate(() => {
      const { files } = harness.host.work
      harness.host.setFiles([...files, { path: '004.txt', kind: 'manuscript', order: 99 }])
    })
    if (query.includes('work')) await expect(page.getByText('004', { exact: true })).toBeVisible()
    expect(await readBehind(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('banner').getByRole('button', { name: 'Settings' })).toBeVisible()
    expect(await readBehind(page)).not.toEqual([])
    if (query.includes('work')) await expect(page.getByRole('textbox', { name: 'Text' })).toBeVisible()
  })
}

test('the focus goes to a control where the shown text could not be opened', async ({ page }) => {
  await openAppWindow(page)
  await page.evaluate(() => {
    const { files } = harness.host.work
    harness.host.setFiles([...files, { path: '004.txt', kind: 'manuscript', order: 99 }])
  })
  await page.getByRole('navigation', { name: 'ファイル' }).getByText('004', { exact: true }).click()
  await expect(page.getByText('「004.txt」が見つかりません')).toBeVisible()
  await page.evaluate(() => {
    const part = document.querySelector('main')?.appendChild(document.createElement('button'))
    part?.addEventListener('keydown', () => part.remove())
    part?.focus()
  })
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
})

test('a picker begins where something was picked last, also after a reload', async ({ page }) => {
  await openAppWindow(page)
  const dialog = page.getByRole('dialog', { name: '作品を開く' })
  const place = dialog.getByRole('textbox', { name: 'フォルダーの場所' })
  const entries = dialog.getByRole('listbox', { name: 'フォルダーの中身' })
  await page.keyboard.press('Control+o')
  await expect(place).toHaveValue('/home/author')
  await entries.getByRole('option', { name: '刻の迷宮' }).dblclick()
  await expect(place).toHaveValue('/home/author/刻の迷宮')
  await dialog.getByRole('button', { name: '開く', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  for (const again of ['at once', 'after a reload']) {
    if (again === 'after a reload') await openAppWindow(page)
    await page.keyboard.press('Control+o')
    await expect(place).toHaveValue('/home/author/刻の迷宮')
    await page.keyboard.press('Escape')
  }
  // Models lie elsewhere.
  await page.keyboard.press('Control+Shift+P')
  await page.keyboard.insertText('設定：モデル')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'GGUF ファイルを開く' }).click()
  const gguf = page.getByRole('dialog', { name: 'GGUF ファイルを開く' })
  await expect(gguf.getByRole('textbox', { name: 'フォルダーの場所' })).toHaveValue('/home/author')
})

test('what is typed while a new work is on its way goes into no other text', async ({ page }) => {
  await openAppWindow(page)
  const text = page.getByRole('textbox', { name: '本文' })
  const kept = await text.textContent()
  await page.evaluate(() => {
    const { host } = harness
    host.heldCreation = new Promise((resolve) => {
      globalThis.answerNow = resolve
    })
    host.work = {
      ...host.work,
      workId: 'new',
      root: '/home/author/猫',
      name: '猫',
      files: [],
      lastPath: null,
    }
  })
  await page.keyboard.press('Control+Shift+P')
  await page.keyboard.insertText('新しい作品')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: '作品の名前' }).fill('猫')
  await page.keyboard.press('Enter')
  await page.keyboard.type('abc')
  await expect(page.getByRole('status').filter({ hasText: '開いています' })).toBeVisible()
  await expect(page.getByRole('heading', { name: '刻の迷宮' })).toBeVisible()
  expect(await page.locator('.cm-content').first().textContent()).toBe(kept)
  await page.evaluate(() => globalThis.answerNow())
  await expect(page.getByRole('heading', { name: '猫' })).toBeVisible()
  // The caret is there as soon as the text is.
  await expect(text).toBeFocused()
  await page.keyboard.type('def')
  await expect(text).toHaveText('def')
  expect(
    await page.evaluate(() => harness.host.documents.get('003 逆回転.txt')?.authority.text),
  ).not.toContain('abc')
})

test('an opening that is given up leaves the text as it was, with the caret', async ({ page }) => {
  await openAppWindow(page)
  await page.getByRole('textbox', { name: '本文' }).focus()
  await page.evaluate(() => {
    harness.host.heldCreation = new Promise(() => undefined)
  })
  await page.keyboard.press('Control+Shift+P')
  await page.keyboard.insertText('新しい章')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'キャンセル' }).click()
  await expect(page.getByRole('button', { name: 'キャンセル' })).toHaveCount(0)
  await expect(page.getByRole('textbox', { name: '本文' })).toBeFocused()
})

test('a row of the list has its menu by a right click and by the menu key, too', async ({ page }) => {
  await openAppWindow(page)
  const files = page.getByRole('navigation', { name: 'ファイル' })
  const row = files.getByRole('button', { name: /^002 時計塔/ })
  const menu = page.getByRole('menu')
  await row.hover()
  await files.getByRole('button', { name: '「002 時計塔」の操作' }).click()
  await expect(menu).toBeVisible()
  const items = await menu.getByRole('menuitem').allTextContents()
  await page.keyboard.press('Escape')
  await expect(menu).toHaveCount(0)
  await row.click({ button: 'right' })
  await expect(menu.getByRole('menuitem')).toHaveText(items)
  await page.keyboard.press('Escape')
  await expect(menu).toHaveCount(0)
  await row.focus()
  await page.keyboard.press('Shift+F10')
  await expect(menu.getByRole('menuitem')).toHaveText(items)
  await menu.getByRole('menuitem', { name: '名前を変える' }).click()
  await expect(page.getByRole('textbox', { name: '名前を変える' })).toBeFocused()
})

for (const size of [
  { width: 1440, height: 900 },
  { width: 720, height: 450 },
]) {
  test(`a toast lies over no dialog and no pane, at ${size.width} pixels`, async ({ page }) => {
    await openAppWindow(page)
    await page.setViewportSize(size)
    const toast = page.locator('.toast')
    const say = async () => {
      await page.keyboard.press('Control+Alt+w')
      await expect(toast).toHaveText('先に、書き直したい文章を選択してください。')
    }
    const isBeside = async (part: Locator) => {
      const [over, under] = await Promise.all([toast.boundingBox(), part.boundingBox()])
      if (over === null || under === null) return false
      const isAcross = over.x + over.width <= under.x || under.x + under.width <= over.x
      return isAcross || over.y + over.height <= under.y || under.y + under.height <= over.y
    }
    const besideDialog = async () => {
      const dialog = page.getByRole('dialog', { name: '設定' })
      // A toast goes after eight seconds.
      await say()
      await page.keyboard.press('Control+,')
      await expect.poll(() => isBeside(dialog)).toBe(true)
      const { x = -1, width = 0 } = (await toast.boundingBox()) ?? {}
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(size.width)
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
    }
    await page.getByRole('textbox', { name: '本文' }).click()
    // A message that is shown again replaces its earlier toast.
    await say()
    await besideDialog()
    if (size.width >= 1100) return
    for (const pane of ['ファイルの一覧', 'サイドバー']) {
      const button = page.getByRole('banner').getByRole('button', { name: pane })
      await button.click()
      await say()
      await expect.poll(() => isBeside(page.locator('.drawer'))).toBe(true)
      await besideDialog()
      await button.click()
      await expect(page.locator('.drawer')).toHaveCount(0)
    }
  })
}

test('a menu that is longer than the window scrolls', async ({ page }) => {
  await openAppWindow(page)
  await page.setViewportSize({ width: 1100, height: 320 })
  await page.getByRole('button', { name: '作品全体の操作' }).click()
  const menu = page.getByRole('menu')
  await expect
    .poll(() =>
      menu.evaluate((part) => {
        const { top, bottom } = part.getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight && part.scrollHeight > part.clientHeight
      }),
    )
    .toBe(true)
  await page.keyboard.press('End')
  await expect(menu.getByRole('menuitem').last()).toBeInViewport()
})

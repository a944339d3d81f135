import { type CDPSession, expect, type Locator, type Page } from '@playwright/test'

/** Fields that take a text: `tests/architecture/text-fields.test.ts` finds the same ones in the sources. */
const textFields = [
  'textarea:not([readonly])',
  '[contenteditable=true]',
  'input:not([type=checkbox]):not([type=radio]):not([type=range]):not([type=number]):not([type=password]):not([inputmode=numeric]):not([inputmode=decimal]):not([readonly])',
].join(',')

/** The fields of a text that are shown within `scope`, or are it. */
export function textFieldsIn(page: Page, scope: Locator): Locator {
  return scope
    .locator(textFields)
    .or(scope.and(page.locator(textFields)))
    .filter({ visible: true })
}

/**
 * Plays an input method in a field: confirms one conversion after each of the keys that choose and cancel candidates,
 * and cancels one. No key may reach the elements around the field, and the text must be what was confirmed.
 */
export async function playComposition(
  page: Page,
  ime: CDPSession,
  field: Locator,
  name: string,
): Promise<void> {
  await field.focus()
  const element = await field.elementHandle()
  if (element === null) throw new Error(`${name} is gone`)
  const read = () =>
    element.evaluate((shown) => ({
      text:
        shown instanceof HTMLInputElement || shown instanceof HTMLTextAreaElement
          ? shown.value
          : (shown.textContent ?? ''),
      isFocused: document.activeElement === shown,
      dialogs: document.querySelectorAll('[role=dialog]').length,
    }))
  await page.keyboard.press('End')
  const before = await read()
  for (const step of ['k', 'かぜ', '風']) await compose(ime, step)
  const composing = await read()
  expect(composing, name).toMatchObject({ isFocused: true, dialogs: before.dialogs })
  expect(composing.text, name).toContain('風')
  for (const key of ['Enter', 'Tab', 'Escape', 'ArrowDown']) {
    await press(ime, key, 229)
    expect(await read(), `${name}: ${key}`).toEqual(composing)
  }
  // Some input methods let the page see the key itself.
  for (const [key, code] of [
    ['Enter', 13],
    ['Escape', 27],
  ] as const) {
    await press(ime, key, code)
    expect(await read(), `${name}: ${key} itself`).toEqual(composing)
  }
  await ime.send('Input.insertText', { text: '風' })
  const confirmed = await read()
  expect(confirmed, name).toMatchObject({ isFocused: true, dialogs: before.dialogs })
  expect(confirmed.text.split('風').length, name).toBe(before.text.split('風').length + 1)
  await compose(ime, 'よる')
  await compose(ime, '')
  expect(await read(), `${name}: given up`).toEqual(confirmed)
  await page.keyboard.press('Backspace')
}

async function compose(ime: CDPSession, text: string): Promise<void> {
  await ime.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
}

async function press(ime: CDPSession, key: string, windowsVirtualKeyCode: number): Promise<void> {
  const code = windowsVirtualKeyCode === 229 ? {} : { code: key }
  await ime.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, ...code, windowsVirtualKeyCode })
  await ime.send('Input.dispatchKeyEvent', { type: 'keyUp', key, ...code, windowsVirtualKeyCode })
}

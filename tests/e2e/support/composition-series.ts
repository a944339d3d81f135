import { type CDPSession, expect, type Locator, type Page } from '@playwright/test'

/** Fields that take a text: `tests/architecture/text-fields.test.ts` finds the same ones in the sources. */
const textFields = [
  'textarea:not([readonly])',
  '[contenteditable=true]',
  'input:not([type=checkbox]):not([type=radio]):not([type=range]):not([type=number]):not([type=password]):not([inputmode=numeric]):not([inputmode=decimal]):not([readonly])',
].join(',')

/** Keys that the input method takes for itself, which pages see as 229; some let the page see the key itself. */
const keys = [
  ['Enter', 229],
  ['Tab', 229],
  ['Escape', 229],
  ['ArrowDown', 229],
  ['Enter', 13],
  ['Escape', 27],
] as const

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
  const state = await element.evaluateHandle((shown) => ({
    after: [] as unknown[],
    read: () => ({
      text:
        shown instanceof HTMLInputElement || shown instanceof HTMLTextAreaElement
          ? shown.value
          : (shown.textContent ?? ''),
      isFocused: document.activeElement === shown,
      dialogs: document.querySelectorAll('[role=dialog]').length,
    }),
  }))
  const read = () => state.evaluate((shown) => shown.read())
  await page.keyboard.press('End')
  const before = await read()
  for (const step of ['k', 'かぜ', '風']) await compose(ime, step)
  const composing = await read()
  expect(composing, name).toMatchObject({ isFocused: true, dialogs: before.dialogs })
  expect(composing.text, name).toContain('風')
  // The page itself keeps the state after each key: asking for it from outside is a round trip for each.
  await state.evaluate((shown) => {
    const keep = () => shown.after.push(shown.read())
    addEventListener('keyup', keep, true)
    Object.assign(shown, { stop: () => removeEventListener('keyup', keep, true) })
  })
  for (const [key, code] of keys) await press(ime, key, code)
  const kept = await state.evaluate((shown) => {
    ;(shown as unknown as { stop(): void }).stop()
    return shown.after
  })
  const told = (states: unknown[]) => keys.map(([key, code], at) => [`${key} ${code}`, states[at]])
  expect(told(kept), name).toEqual(told(keys.map(() => composing)))
  expect(await read(), `${name}: after all keys`).toEqual(composing)
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

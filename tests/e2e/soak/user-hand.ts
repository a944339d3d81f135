import type { ElementHandle, Locator } from '@playwright/test'
import en from '../../../src/shared/i18n/en.json' with { type: 'json' }
import ja from '../../../src/shared/i18n/ja.json' with { type: 'json' }
import type { Draw } from './random-draw.ts'
import type { SoakStage } from './soak-stage.ts'

/**
 * One action of a user. Returns a description of it, or null where it was not possible.
 *
 * Shape: `leavesBox`: the action does not change the message box.
 */
export type UserAction = {
  weight: number
  leavesBox?: true
  run(stage: SoakStage, draw: Draw): Promise<string | null>
}

/** A word of the window in either language. */
export function word(key: keyof typeof ja): RegExp {
  const plain = [ja[key], en[key]].map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^(${plain.join('|')})`)
}

export async function seen(locator: Locator): Promise<boolean> {
  return locator.first().isVisible()
}

/** A dialog lies over the page that Escape does not close. */
export async function isCovered({ page }: SoakStage): Promise<boolean> {
  const dialog = page.getByRole('dialog')
  if (await seen(dialog)) await page.keyboard.press('Escape')
  return seen(dialog)
}

export const box = (stage: SoakStage): Locator => stage.page.locator('.message-box .cm-content')

/** The box with the focus; false where a dialog lies over it or there is none. */
export async function reachBox(stage: SoakStage): Promise<boolean> {
  if ((await isCovered(stage)) || !(await seen(box(stage)))) return false
  await box(stage).focus()
  return true
}

/**
 * Types into the field that has the focus. Where a button has it, as in a dialog that has just opened, inserted text
 * would go where the caret stood before: no keyboard does that.
 */
export async function type({ page }: SoakStage, text: string): Promise<void> {
  const isField = await page.evaluate(
    () => document.activeElement?.matches('input, textarea, [contenteditable=true]') ?? false,
  )
  if (isField) await page.keyboard.insertText(text)
}

export async function press(stage: SoakStage, key: string): Promise<string> {
  await stage.page.keyboard.press(key)
  return key
}

export const pressed =
  (...keys: string[]): UserAction['run'] =>
  (stage, draw) =>
    press(stage, draw.pick(keys))

/** Clicks one of what is there. */
export const clicked =
  (find: (stage: SoakStage) => Locator): UserAction['run'] =>
  async (stage, draw) => {
    if (await isCovered(stage)) return null
    const found = await visible(find(stage))
    if (found.length === 0) return null
    const one = draw.pick(found)
    const name = await one.textContent()
    await one.click({ timeout: reachMs })
    return name
  }

/** The elements themselves: the third of a list is another one as soon as the first goes away. */
export const visible = async (locator: Locator): Promise<ElementHandle<HTMLElement>[]> =>
  (await locator.filter({ visible: true }).elementHandles()) as ElementHandle<HTMLElement>[]

/**
 * Maximum time that a click waits for its target to be reachable. No animation of the window takes longer, and a
 * covered element stays covered. Units: ms.
 */
export const reachMs = 400

/** True where the target of a click disappeared or was covered meanwhile, which happens to users, too. */
export const isMissed = (error: unknown): boolean =>
  /Timeout|detached|not attached/.test(String(error).split('\n')[0] ?? '')

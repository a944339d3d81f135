import { expect, type Locator, type Page } from '@playwright/test'
import type { Translate } from '../../../src/shared/i18n/translate.ts'

/** A user who works by mouse, or by keyboard alone. What is written is written by keys either way. */
export type Hand = {
  way: 'mouse' | 'keyboard'
  /** Presses a button, or chooses one of a few. */
  act(target: Locator): Promise<void>
  focus(target: Locator): Promise<void>
  /** Puts a text in the place of what a field holds. */
  fill(field: Locator, text: string): Promise<void>
  /** Runs a command of the palette by its name. */
  command(name: string): Promise<void>
  /** Chooses an item of a menu by the names of both. */
  choose(menu: string, item: string): Promise<void>
  /** Selects by the mouse, drawn over the word: a double click takes what the system's dictionary has for one. */
  drawOver(text: Locator, word: string): Promise<void>
}

const limitSteps = 120

export function handOf(page: Page, way: Hand['way'], t: Translate): Hand {
  const { keyboard } = page

  async function focus(target: Locator): Promise<void> {
    if (way === 'mouse') await target.click()
    else await reach(page, target)
  }

  async function act(target: Locator): Promise<void> {
    await expect(target).toBeEnabled()
    await focus(target)
    if (way === 'keyboard') await keyboard.press('Enter')
  }

  return {
    way,
    act,
    focus,
    async fill(field, text) {
      await focus(field)
      await keyboard.press('Control+a')
      await keyboard.insertText(text)
    },
    async command(name) {
      if (way === 'mouse') await page.locator('.header-palette').click()
      else await keyboard.press('Control+Alt+p')
      await expect(page.getByPlaceholder(t('palette.placeholder'))).toBeFocused()
      await keyboard.insertText(name)
      const option = page.getByRole('option', { name }).first()
      if (way === 'mouse') return option.click()
      await expect(option).toHaveAttribute('aria-selected', 'true')
      await keyboard.press('Enter')
    },
    async choose(menu, item) {
      await act(page.getByRole('button', { name: menu, exact: true }))
      await act(page.getByRole('menuitem', { name: item }))
    },
    async drawOver(text, word) {
      const place = await text.evaluate((root, word) => {
        const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
        for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
          const at = node.textContent?.indexOf(word) ?? -1
          if (at < 0) continue
          const range = document.createRange()
          range.setStart(node, at)
          range.setEnd(node, at + word.length)
          const { left, right, top, height } = range.getBoundingClientRect()
          return { left, right, y: top + height / 2 }
        }
        throw new Error(`no ${word}`)
      }, word)
      await page.mouse.move(place.left + 1, place.y)
      await page.mouse.down()
      await page.mouse.move(place.right - 1, place.y, { steps: 4 })
      await page.mouse.up()
    },
  }
}

/**
 * Walks to an element as the keyboard can: by Tab, among a few by arrows. Tab writes where one is writing, so that
 * F6 leads out of the text; one that is only walked through lets Tab pass.
 */
async function reach(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let step = 0; step < limitSteps; step += 1) {
    const key = await target.evaluate((element, isFirst) => {
      const active = document.activeElement
      if (active === element) return null
      if (isFirst && active?.matches('.cm-content')) return 'F6'
      const group = active?.closest('[role=radiogroup], [role=group]')
      if (active?.matches('[role=radio]') && group?.contains(element)) return 'ArrowRight'
      return 'Tab'
    }, step === 0)
    if (key === null) return
    await page.keyboard.press(key)
  }
  throw new Error(`${target} is not reached by the keyboard`)
}

import { expect, type Locator, type Page } from '@playwright/test'
import type { Translate } from '../../../src/shared/i18n/translate.ts'

/** A user who works by mouse, or by keyboard alone. Text is typed in both cases. */
export type Hand = {
  device: 'mouse' | 'keyboard'
  /** Presses a button, or chooses one of a few. */
  act(target: Locator): Promise<void>
  focus(target: Locator): Promise<void>
  /** Replaces the content of a field. */
  fill(field: Locator, text: string): Promise<void>
  /** Runs a command of the palette by its name. */
  command(name: string): Promise<void>
  /** Chooses an item of a menu by the names of both. */
  choose(menu: string, item: string): Promise<void>
  /** Selects a word by dragging the mouse: a double click would use the word boundaries of the system's dictionary. */
  drawOver(text: Locator, word: string): Promise<void>
}

const limitSteps = 120

export function handOf(page: Page, device: Hand['device'], t: Translate): Hand {
  const { keyboard } = page

  async function focus(target: Locator): Promise<void> {
    if (device === 'mouse') await target.click()
    else await reach(page, target)
  }

  async function act(target: Locator): Promise<void> {
    await expect(target).toBeEnabled()
    await focus(target)
    if (device === 'keyboard') await keyboard.press('Enter')
  }

  return {
    device,
    act,
    focus,
    async fill(field, text) {
      await focus(field)
      await keyboard.press('Control+a')
      await keyboard.insertText(text)
    },
    async command(name) {
      if (device === 'mouse') await page.locator('.header-palette').click()
      else await keyboard.press('Control+Alt+p')
      await expect(page.getByPlaceholder(t('palette.placeholder'))).toBeFocused()
      await keyboard.insertText(name)
      const option = page.getByRole('option', { name }).first()
      // The list is narrowed down a moment later, and its rows move.
      await expect(option).toHaveAttribute('aria-selected', 'true')
      if (device === 'mouse') return option.click()
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
 * Moves the focus to an element by keyboard: by Tab, within a group by arrows. Tab types in a text that is being
 * written, so that F6 leaves it; a text that only got the focus lets Tab pass. The Tabs over the stops before the
 * element are pressed without asking the page in between: each question costs as much as a key.
 */
async function reach(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let step = 0; step < limitSteps; ) {
    const next = await target.evaluate((element, isFirst) => {
      const active = document.activeElement
      if (active === element) return null
      if (isFirst && active?.matches('.cm-content')) return { key: 'F6', times: 1 }
      const group = active?.closest('[role=radiogroup], [role=group]')
      if (active?.matches('[role=radio]') && group?.contains(element)) return { key: 'ArrowRight', times: 1 }
      const isStop = (one: HTMLElement) =>
        one.tabIndex >= 0 &&
        !one.matches(':disabled, [inert] *, [aria-hidden=true] *, input[type=radio]:not(:checked)') &&
        one.checkVisibility({ visibilityProperty: true })
      const parts = 'button, a[href], input, select, textarea, summary, [contenteditable=true]'
      const scope = element.closest('[role=dialog]') ?? document
      const stops = [...scope.querySelectorAll<HTMLElement>(parts)].filter(isStop) as Element[]
      const [from, to] = [active === null ? -1 : stops.indexOf(active), stops.indexOf(element)]
      // One less, so that the page is asked before the element itself.
      return { key: 'Tab', times: from < 0 ? 1 : Math.max(1, to - from - 1) }
    }, step === 0)
    if (next === null) return
    for (let press = 0; press < next.times; press += 1) await page.keyboard.press(next.key)
    step += next.times
  }
  throw new Error(`${target} is not reached by the keyboard`)
}

import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'

const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Themes in which only the rules about colours are checked again; all others give the same result. */
const otherThemes = ['dark', 'sepia'] as const

/** In the long series each view is checked as a whole, not only elements that no earlier view showed. */
export const checksAll = process.env.TSUGI_SOAK !== undefined

/**
 * Returns the violations of all axe rules in the page, and of the colour rules in the other themes: theme, rule and
 * element, one a line. Only parts with something that no earlier view had in the same place, by the classes and states
 * of its elements, are looked at, and colours are measured only of such texts: measuring them is half of axe's work. The
 * page's policy allows Playwright's own scripts.
 */
export async function violations(page: Page): Promise<string[]> {
  // What appears fades in, and its contrast with it.
  await page
    .waitForFunction(
      () => document.getAnimations().every(({ playState }) => playState !== 'running'),
      undefined,
      { timeout: 1_000 },
    )
    .catch(() => undefined)
  const isThere = await page.evaluate(() => 'axe' in window)
  if (!isThere) await page.evaluate(await readSource())
  return page.evaluate(
    async ({ others, checksAll }) => {
      type Found = { violations: { id: string; nodes: { target: unknown[] }[] }[] }
      type Axe = {
        run(context: unknown, options: unknown): Promise<Found>
        places?: Map<string, number>
        measured?: Set<number>
        looked?: Set<number>
      }
      const { axe } = window as unknown as { axe: Axe }
      axe.places ??= new Map()
      axe.measured ??= new Set()
      axe.looked ??= new Set()
      const { places, measured, looked } = axe
      const lines = ({ violations }: Found, theme: string) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${theme} ${id} ${target.join(' ')}`))
      const states = [
        'disabled',
        'aria-disabled',
        'aria-selected',
        'aria-checked',
        'aria-pressed',
        'data-state',
      ]
      const describe = (element: Element) =>
        [element.tagName, element.className, ...states.map((name) => element.getAttribute(name))].join()
      // Each place is a number: the same element in the same parent, by what describes them.
      const known = new Map<Element, number>()
      const placeOf = (element: Element): number => {
        const before = known.get(element)
        if (before !== undefined) return before
        const parent = element.parentElement === null ? -1 : placeOf(element.parentElement)
        const key = `${parent} ${describe(element)}`
        const place = places.get(key) ?? places.size
        places.set(key, place)
        known.set(element, place)
        return place
      }
      const hasText = (element: Element) =>
        element instanceof HTMLInputElement ||
        [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim() !== '')
      // What lies behind a dialog cannot be measured.
      const scope = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? document.body
      const fresh = [...scope.querySelectorAll('*')].filter((element) => {
        if (!hasText(element) || !element.checkVisibility({ visibilityProperty: true })) return false
        const place = placeOf(element)
        if (measured.has(place) && !checksAll) return false
        measured.add(place)
        return true
      })
      const colours = ['color-contrast', 'link-in-text-block']
      const off = Object.fromEntries(colours.map((id) => [id, { enabled: false }]))
      const { dataset } = document.documentElement
      const own = dataset.theme ?? ''
      // Only the parts in which something stands that stood there in no earlier view.
      const parts = new Set<Element>()
      for (const element of document.body.querySelectorAll('*')) {
        const place = placeOf(element)
        if (looked.has(place)) continue
        looked.add(place)
        parts.add(element.closest('dialog, [role=dialog], nav, aside, section, form, li') ?? document.body)
      }
      const whole = checksAll || parts.has(document.body) ? document : { include: [...parts] }
      const rules = { rules: off, resultTypes: ['violations'] }
      const found = parts.size === 0 && !checksAll ? [] : lines(await axe.run(whole, rules), own)
      if (fresh.length === 0) return found
      // Colours change at once: a transition would be measured in its middle.
      const still = new CSSStyleSheet()
      still.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important }')
      document.adoptedStyleSheets.push(still)
      for (const theme of [own, ...others]) {
        dataset.theme = theme
        const options = { runOnly: colours, resultTypes: ['violations'] }
        found.push(...lines(await axe.run({ include: fresh }, options), theme))
      }
      dataset.theme = own
      document.adoptedStyleSheets.pop()
      return found
    },
    { others: otherThemes, checksAll },
  )
}

let text: string | undefined
async function readSource(): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  text ??= await readFile(source, 'utf8')
  return text
}

import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'

const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What depends on the theme is looked at in each of them; the rest is the same in all. */
const otherThemes = ['dark', 'sepia'] as const

/**
 * What every rule of axe finds in the page, and those about colours in the other themes too: theme, rule and element,
 * one a line. The policy of the page lets Playwright's own scripts in.
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
  return page.evaluate(async (others) => {
    type Found = { violations: { id: string; nodes: { target: unknown[] }[] }[] }
    const { axe } = window as unknown as { axe: { run(context: unknown, options: unknown): Promise<Found> } }
    const lines = ({ violations }: Found, theme: string) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${theme} ${id} ${target.join(' ')}`))
    const { dataset } = document.documentElement
    const own = dataset.theme ?? ''
    const found = lines(await axe.run(document, {}), own)
    // Colours change at once: a transition would be measured in its middle.
    const still = new CSSStyleSheet()
    still.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important }')
    document.adoptedStyleSheets.push(still)
    for (const theme of others) {
      dataset.theme = theme
      found.push(
        ...lines(await axe.run(document, { runOnly: ['color-contrast', 'link-in-text-block'] }), theme),
      )
    }
    dataset.theme = own
    document.adoptedStyleSheets.pop()
    return found
  }, otherThemes)
}

let text: string | undefined
async function readSource(): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  text ??= await readFile(source, 'utf8')
  return text
}

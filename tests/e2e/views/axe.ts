import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'

const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** The separators lie between the parts of the window that they move, and so in none of them. */
const knownElements = ['.app-separator']

/** What every rule of axe finds in the page: rule and element, one a line. The policy of the page lets Playwright's own scripts in. */
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
    async (known) => {
      const { axe } = window as unknown as {
        axe: {
          run(context: unknown): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>
        }
      }
      const { violations } = await axe.run({ exclude: known })
      return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} ${target.join(' ')}`))
    },
    knownElements.map((selector) => [selector]),
  )
}

let text: string | undefined
async function readSource(): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  text ??= await readFile(source, 'utf8')
  return text
}

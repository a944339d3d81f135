/**
 * `npx node bench/vertical.ts [--quick]`: how long the vertical view takes to open and to turn, in real Chromium.
 *
 * Measured from the call to the second frame after it, when the first page has been painted; waiting for a busy
 * processor is in it. There is no baseline: nothing else shows vertical lines here.
 */
import type { Browser } from '@playwright/test'
import type {} from '../tests/e2e/editor/harness/harness.ts'
import { serveHarness } from '../tests/e2e/support/harness-server.ts'
import { launchChromium } from './launch-chromium.ts'
import { markedProse } from './marked-prose.ts'
import { proseOf, readProse } from './prose.ts'
import { type BenchOptions, comparisonTable, type Report, terminalText } from './report.ts'

const SIZES = [300_000, 1_000_000]
const GOAL_OPEN_MS = 500

if (import.meta.main) {
  console.log(terminalText(await measure({ isQuick: process.argv.includes('--quick') })))
}

export async function measure({ isQuick }: Pick<BenchOptions, 'isQuick'>): Promise<Report> {
  const prose = await readProse()
  const server = await serveHarness(new URL('../tests/e2e/editor/harness', import.meta.url))
  const browser = await launchChromium()
  const rows = []
  for (const size of isQuick ? [300_000] : SIZES) {
    const text = markedProse(proseOf(prose, size))
    const { openMs, turnMs } = await timesOf(browser, server.url, text, isQuick ? 3 : 9)
    const measure = `${size.toLocaleString('en')} characters`
    rows.push(
      { measure: `${measure}: open`, unit: 'ms' as const, value: openMs, goal: { most: GOAL_OPEN_MS } },
      { measure: `${measure}: turn a page`, unit: 'ms' as const, value: turnMs },
    )
  }
  await browser.close()
  await server.close()
  return {
    title: 'The vertical view',
    about: [
      `From the call to the second frame after it in real Chromium, median, the caret in the middle, on ${prose.source} ` +
        'with ruby, emphasis and comments.',
    ],
    tables: [comparisonTable('Opening and turning', 'none', rows)],
  }
}

async function timesOf(browser: Browser, url: string, text: string, rounds: number) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(url)
  await page.evaluate(async (text) => {
    await window.editorHarness.open(text)
    const { view } = window.editorHarness.pane()
    view().dispatch({ selection: { anchor: Math.floor(text.length / 2) } })
  }, text)
  const times = await page.evaluate(async (rounds) => {
    const { editor } = window.editorHarness.pane()
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const timed = async (act: () => void) => {
      const from = performance.now()
      act()
      await frame()
      await frame()
      return performance.now() - from
    }
    const open: number[] = []
    const turn: number[] = []
    for (let round = 0; round < rounds; round++) {
      open.push(await timed(() => editor.showVertical(true)))
      const shown = document.querySelector('.manuscript-vertical-page')
      for (let page = 0; page < 3; page++)
        turn.push(await timed(() => shown?.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageDown' }))))
      editor.showVertical(false)
      await frame()
    }
    return { open, turn }
  }, rounds)
  await page.close()
  return { openMs: median(times.open), turnMs: median(times.turn) }
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

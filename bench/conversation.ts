/**
 * `npx node bench/conversation.ts [--quick]`: a session of 5,000 items in the window, in real Chromium.
 *
 * Baseline: the same window with a session of 50 items. The host is in the page, so that only the window's own
 * work is measured; its memory counts too, so that the memory is compared with that after one round.
 */
import type { Browser, CDPSession, Page } from '@playwright/test'
import {
  MarkdownStream,
  parseMarkdown,
} from '../src/renderer/features/conversation/markdown/markdown-parser.ts'
import { serveHarness } from '../tests/e2e/support/harness-server.ts'
import type {} from '../tests/e2e/window/harness/harness.ts'
import { launchChromium } from './launch-chromium.ts'
import { type BenchOptions, type Comparison, comparisonTable, type Report, terminalText } from './report.ts'
import { median } from './timing.ts'

const LONG = { title: 'long', items: 5_000 }
const SHORT = { title: 'short', items: 50 }
const SWITCHES = 50
const STREAMED = 300

type Size = typeof LONG
type Cost = { openMs: number; scrollMs: number; tokenMs: number; rows: number }

if (import.meta.main) {
  console.log(terminalText(await measure({ isQuick: process.argv.includes('--quick'), llamaServer: null })))
}

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const server = await serveHarness(new URL('../tests/e2e/window/harness', import.meta.url))
  const browser = await launchChromium()
  const times = isQuick ? 2 : 7
  try {
    const long: Cost[] = []
    const short: Cost[] = []
    await costOf(browser, server.url, SHORT)
    for (let i = 0; i < times; i += 1) {
      short.push(await costOf(browser, server.url, SHORT))
      long.push(await costOf(browser, server.url, LONG))
    }
    const memory = await memoryOfSwitches(browser, server.url)
    return {
      title: 'A long conversation in the window',
      about: [
        `A session of ${LONG.items.toLocaleString('en')} items beside one of ${SHORT.items}, in real Chromium, the middle of ${times}. Open: from the press to the frame in which the newest answer stands. Scroll: the main thread's time for one step of 600 pixels upwards. Token: its time for one piece of a streaming answer.`,
      ],
      tables: [
        comparisonTable('The window', `${SHORT.items} items`, [
          row('open', 'ms', long, short, 'openMs'),
          row('scroll, one step', 'ms', long, short, 'scrollMs'),
          row('streamed token', 'ms', long, short, 'tokenMs'),
        ]),
        {
          title: 'Rows in the page',
          columns: ['session', 'most rows'],
          rows: rowsOf([LONG, long], [SHORT, short]),
        },
        comparisonTable('Parsing a streaming answer of 40 paragraphs', 'the whole text each time', parsing()),
        comparisonTable(
          `Memory after ${SWITCHES} switches between five sessions`,
          'after each was open once',
          memory,
        ),
      ],
    }
  } finally {
    await browser.close()
    await server.close()
  }
}

function row(measure: string, unit: 'ms', long: Cost[], short: Cost[], name: keyof Cost): Comparison {
  const middle = (costs: Cost[]) => median(costs.map((cost) => cost[name]))
  return { measure, unit, value: middle(long), baseline: middle(short) }
}

function rowsOf(...sessions: [Size, Cost[]][]): string[][] {
  return sessions.map(([{ items }, costs]) => [
    `${items.toLocaleString('en')} items`,
    String(Math.max(...costs.map((cost) => cost.rows))),
  ])
}

async function costOf(browser: Browser, url: string, size: Size): Promise<Cost> {
  const page = await openWindow(browser, url)
  await addSession(page, size)
  const metrics = await page.context().newCDPSession(page)
  await metrics.send('Performance.enable')
  const openMs = await openSession(page, size.title)
  const scroll = await busyMs(metrics, () => scrollUp(page, 40))
  const rows = await page.locator('.conversation-row').count()
  const stream = await busyMs(metrics, () => streamTokens(page, size))
  await page.close()
  return { openMs, scrollMs: scroll / 40, tokenMs: stream / STREAMED, rows }
}

async function openWindow(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(`${url}?project&model`)
  await page.locator('.message-box').waitFor()
  return page
}

function addSession(page: Page, { title, items }: Size): Promise<void> {
  return page.evaluate(
    ([name, count]) => {
      const talk = Array.from({ length: count / 2 }, (_, i) => [
        harness.make.user(i + 1, `${name} ${i + 1}`),
        harness.make.answer(
          i + 1,
          `**${i + 1}.** ${'雨が窓を叩く。'.repeat(4 + (i % 7) * 6)}\n\n- 一\n- 二\n\n\`\`\`ts\nconst a = ${i}\n\`\`\``,
        ),
      ]).flat()
      harness.host.sessions.add({ title: name }, talk)
    },
    [title, items] as const,
  )
}

/** Measures from the press in the list to the second frame after the newest message is in the page. */
async function openSession(page: Page, title: string): Promise<number> {
  return page.evaluate(async (name) => {
    const find = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)]
    const button = find('.session-open').find((one) => one.textContent === name)
    const from = performance.now()
    button?.click()
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const isThere = () => find('.conversation-row.row-user').some((one) => one.textContent?.startsWith(name))
    while (!isThere()) await frame()
    await frame()
    return performance.now() - from
  }, title)
}

async function scrollUp(page: Page, steps: number): Promise<void> {
  await page.evaluate(async (count) => {
    const log = document.querySelector('.conversation')
    for (let i = 0; i < count; i += 1) {
      log?.scrollBy(0, -600)
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    }
    log?.scrollTo(0, log.scrollHeight)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }, steps)
}

async function streamTokens(page: Page, { items }: Size): Promise<void> {
  await page.evaluate(
    async ([turn, count]) => {
      const { sessions } = harness.host
      const id = sessions.list().sessions[0]?.sessionId ?? ''
      const item = harness.make.answer(turn, '', { state: 'writing' })
      sessions.put(id, item)
      for (let i = 0; i < count; i += 1) {
        sessions.grow(id, item.itemId, 'text', i % 25 === 24 ? '。\n\n' : '雨が降')
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
    },
    [items, STREAMED] as const,
  )
}

/** Time of the page's main thread in tasks while `work` runs. Units: milliseconds. */
async function busyMs(session: CDPSession, work: () => Promise<void>): Promise<number> {
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000
  }
  const before = await read()
  await work()
  return (await read()) - before
}

async function memoryOfSwitches(browser: Browser, url: string): Promise<Comparison[]> {
  const page = await openWindow(browser, url)
  const titles = ['a', 'b', 'c', 'd', 'e']
  for (const title of titles) await addSession(page, { title, items: 400 })
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const held = async () => {
    await session.send('HeapProfiler.collectGarbage')
    const { metrics } = await session.send('Performance.getMetrics')
    const value = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0
    return { heapMb: value('JSHeapUsedSize') / 2 ** 20, nodes: value('Nodes') }
  }
  for (const title of [...titles, ...titles]) await openSession(page, title)
  const before = await held()
  for (let i = 0; i < SWITCHES; i += 1) await openSession(page, titles[i % titles.length] ?? 'a')
  const after = await held()
  await page.close()
  return [
    { measure: 'JavaScript heap', unit: 'MB', value: after.heapMb, baseline: before.heapMb },
    { measure: 'nodes of the page', unit: 'nodes', value: after.nodes, baseline: before.nodes },
  ]
}

/** Measures the parsing of an answer that arrives in pieces, in characters and in time. */
function parsing(): Comparison[] {
  const text = Array.from({ length: 40 }, (_, i) => `**${i}** ${'雨が窓を叩く。'.repeat(12)}\n\n`).join('')
  const ends = Array.from({ length: Math.ceil(text.length / 4) }, (_, i) =>
    Math.min(text.length, 4 * (i + 1)),
  )
  let streamed = 0
  const stream = new MarkdownStream((piece) => {
    streamed += piece.length
    return parseMarkdown(piece)
  })
  const whole = ends.reduce((sum, end) => sum + end, 0)
  const began = performance.now()
  for (const end of ends) stream.update(text.slice(0, end))
  const streamMs = performance.now() - began
  const from = performance.now()
  for (const end of ends) parseMarkdown(text.slice(0, end))
  const wholeMs = performance.now() - from
  return [
    {
      measure: 'characters parsed per piece',
      unit: 'characters',
      value: streamed / ends.length,
      baseline: whole / ends.length,
    },
    { measure: 'time per piece', unit: 'ms', value: streamMs / ends.length, baseline: wholeMs / ends.length },
  ]
}

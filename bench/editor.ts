/**
 * `npx node bench/editor.ts [--keys N]`: what a keystroke costs in the manuscript editor, in real Chromium.
 *
 * Baseline: CodeMirror alone with line wrapping, the same text, place, font and keys. Counted is the processor
 * time of all tasks of the page's main thread from one keydown to the next (script, layout, paint, the exchange
 * with main, which runs in the page here), from Chromium's own trace; waiting for a busy processor is not.
 * Limits: p95 6 ms, no task over 33 ms. In the long line Chromium's own editing of a line of 20,000 characters is
 * nearly all of it, in the baseline too. Where text streams, its updates between two keys are counted in.
 */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type Browser, type CDPSession, type Page, chromium as playwright } from '@playwright/test'
import { chromium } from '../tests/e2e/chromium.ts'
import type {} from '../tests/e2e/editor/harness/harness.ts'
import { serveHarness } from '../tests/e2e/editor/harness-server.ts'
import { seededRandom } from '../tests/fakes/seeded-random.ts'

const { values } = parseArgs({ options: { keys: { type: 'string', default: '60' } } })
const KEYS = Number(values.keys)
const WARM_UP_KEYS = 10
const KEY_INTERVAL_MS = 60
const SIZES = [10_000, 300_000, 1_000_000]
const LONG_LINE = 20_000
const PLACES = ['end', 'middle', 'long line', 'while text streams'] as const
const NOVEL = new URL('../../shared/text/neko.txt', import.meta.url)
const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline']

type Place = (typeof PLACES)[number]
type Cost = { p50Ms: number; p95Ms: number; longestTaskMs: number }

const prose = await readProse()
const server = await serveHarness()
const browser = await playwright.launch(chromium)
console.log(`text: ${prose.source}; ${KEYS} keys a case; ms of main-thread processor time a key\n`)
console.log('characters  place               baseline p50/p95   editor p50/p95   ratio p95   longest task')
for (const size of SIZES) {
  for (const place of PLACES) {
    const text = textOf(size, place)
    const baseline = await measure(text, place, 'openPlain')
    const cost = await measure(text, place, 'open')
    console.log(
      [
        size.toLocaleString('en').padStart(10),
        place.padEnd(18),
        `${figures(baseline)}`.padStart(16),
        `${figures(cost)}`.padStart(14),
        (cost.p95Ms / baseline.p95Ms).toFixed(2).padStart(9),
        `${baseline.longestTaskMs.toFixed(1)} → ${cost.longestTaskMs.toFixed(1)}`.padStart(16),
      ].join('  '),
    )
  }
}
await browser.close()
await server.close()

function figures({ p50Ms, p95Ms }: Cost): string {
  return `${p50Ms.toFixed(1)} / ${p95Ms.toFixed(1)}`
}

async function measure(text: string, place: Place, opener: 'open' | 'openPlain'): Promise<Cost> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(server.url)
  await page.evaluate(([text, opener]) => window.editorHarness[opener](text), [text, opener] as const)
  await page.evaluate(
    (caret) => {
      const view = window.editorHarness.plainView()
      view.focus()
      view.dispatch({ selection: { anchor: caret }, scrollIntoView: true })
    },
    caretOf(text, place),
  )
  const keyboard = await page.context().newCDPSession(page)
  const isStreaming = opener === 'open' && place === 'while text streams'
  if (isStreaming) await startStream(page)
  await typeKeys(keyboard, WARM_UP_KEYS)
  const events = await traced(browser, page, () => typeKeys(keyboard, KEYS))
  await page.close()
  return costOf(events)
}

/** An offer that grows by a few characters thirty times a second, at the caret's place. */
async function startStream(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { editor } = window.editorHarness.pane()
    const position = window.editorHarness.plainView().state.selection.main.head
    let text = ''
    setInterval(() => {
      text += '雨が窓を叩く。'
      editor.showPending('001.txt', { id: 'bench', position, lead: '', text, phase: 'writing' })
    }, 33)
  })
}

async function typeKeys(keyboard: CDPSession, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const text = '春夏秋冬'.charAt(i % 4)
    await keyboard.send('Input.dispatchKeyEvent', { type: 'keyDown', text, key: text })
    await keyboard.send('Input.dispatchKeyEvent', { type: 'keyUp', key: text })
    await new Promise((resolve) => setTimeout(resolve, KEY_INTERVAL_MS))
  }
}

type TraceEvent = {
  name: string
  ph: string
  pid: number
  tid: number
  ts: number
  dur?: number
  /** Processor time of the task. Units: microseconds, as all times of a trace. */
  tdur?: number
  args?: { data?: { type?: string } }
}

async function traced(browser: Browser, page: Page, run: () => Promise<void>): Promise<TraceEvent[]> {
  await browser.startTracing(page, { categories: CATEGORIES })
  await run()
  const trace = await browser.stopTracing()
  return (JSON.parse(trace.toString('utf8')) as { traceEvents: TraceEvent[] }).traceEvents
}

function costOf(events: TraceEvent[]): Cost {
  const keydowns = events
    .filter(({ name, args }) => name === 'EventDispatch' && args?.data?.type === 'keydown')
    .sort((a, b) => a.ts - b.ts)
  const thread = keydowns[0]
  if (!thread) throw new Error('The trace has no keydown')
  const tasks = events.filter(
    ({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && pid === thread.pid && tid === thread.tid,
  )
  const starts = keydowns.map(({ ts }) => taskStart(tasks, ts))
  const workMs = starts.slice(0, -1).map((from, index) => {
    const to = starts[index + 1] ?? from
    return tasks.reduce((sum, { ts, tdur = 0 }) => sum + (ts >= from && ts < to ? tdur / 1_000 : 0), 0)
  })
  const sorted = workMs.sort((a, b) => a - b)
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const typed = tasks.filter(({ ts }) => ts >= (starts[0] ?? 0))
  return {
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    longestTaskMs: Math.max(...typed.map(({ tdur = 0 }) => tdur / 1_000)),
  }
}

function taskStart(tasks: TraceEvent[], at: number): number {
  return tasks.find(({ ts, dur = 0 }) => ts <= at && at <= ts + dur)?.ts ?? at
}

function textOf(size: number, place: Place): string {
  const text = prose.text.repeat(Math.ceil(size / prose.text.length)).slice(0, size)
  if (place !== 'long line') return text
  const from = text.indexOf('\n', text.length / 3) + 1
  const length = Math.min(LONG_LINE, text.length - from)
  return `${text.slice(0, from)}${text.slice(from, from + length).replaceAll('\n', '')}\n${text.slice(from + length)}`
}

function caretOf(text: string, place: Place): number {
  if (place === 'end' || place === 'while text streams') return text.length
  if (place === 'middle') return text.indexOf('\n', text.length / 2)
  return text.indexOf('\n', text.length / 3) + 1 + Math.min(LONG_LINE, text.length / 3) / 2
}

async function readProse(): Promise<{ text: string; source: string }> {
  try {
    return { text: (await readFile(NOVEL, 'utf8')).replaceAll('\r', ''), source: 'a whole novel' }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { text: seededProse(), source: 'seeded prose (no novel beside the project)' }
  }
}

function seededProse(): string {
  const random = seededRandom(1)
  const kana = 'あいうえおかきくけこさしすせそたちつてとなにぬねの雨風夜時計窓鐘塔'
  const sentence = () =>
    Array.from({ length: 12 + Math.floor(random() * 40) }, () =>
      kana.charAt(Math.floor(random() * kana.length)),
    )
  return Array.from({ length: 8_000 }, () => `　${sentence().join('')}。\n`).join('')
}

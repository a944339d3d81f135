/** From Tab to the turn in the window: the built host, its window in Chromium and a speculation that has finished. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { ensureBuild } from '../scripts/setup/build.mjs'
import { readWords } from '../scripts/setup/words.mjs'
import type { Client } from '../src/shared/contract/index.ts'
import { createTranslate } from '../src/shared/i18n/translate.ts'
import { servedModel, startSessionLlama } from '../tests/fakes/servers/session-llama.ts'
import {
  approve,
  calls,
  justAnswer,
  noCalls,
  plan,
  scriptedMind,
  type Thought,
  workIn,
} from '../tests/fakes/sessions/scripted-mind.ts'
import { connectTo, hostEntry, startNode, stopProcess } from './host-process.ts'
import { launchChromium } from './launch-chromium.ts'
import { temporaryFolder } from './model-files.ts'

const t = createTranslate('ja')
const patienceMs = 120_000

/**
 * Accepts `times` speculations, one after the other, each with `count` changed files and a run of tests. Units: ms, from
 * the press of Tab to the second frame with its message. Null: commands cannot run in a sandbox here.
 */
export async function measureTab(root: string, count: number, times: number): Promise<number[] | null> {
  await ensureBuild(readWords(), process.execPath)
  const paths = Array.from({ length: count }, (_, at) => `accepted/file-${at}.ts`)
  await mkdir(join(root, 'accepted'))
  await writeFile(join(root, 'check.py'), "print('54 passed')\n")
  for (const path of paths) await writeFile(join(root, path), 'export const round = 0\n')
  const mind = scriptedMind(...justAnswer('It counts.'))
  const llama = await startSessionLlama({ answer: mind.answer })
  const data = ['--data', temporaryFolder()]
  const host = await startNode([
    hostEntry,
    '--no-open',
    '--no-model',
    '--lang',
    'ja',
    ...data,
    '--project',
    root,
  ])
  const browser = await launchChromium()
  const { client, close } = await connectTo(host)
  try {
    if (!(await openSession(client, root, llama.address))) return null
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    page.setDefaultTimeout(patienceMs)
    await page.goto(/https?:\/\/\S+#\S+/.exec(host.line)?.[0] ?? '')
    await page.getByRole('radio', { name: t('view.session'), exact: true }).click()
    await page.locator('.session-open').first().click()
    await say(page, 'What does it do?')
    await page.getByRole('log').getByText('It counts.').waitFor()
    const spentMs: number[] = []
    for (let round = 0; round < times; round++) {
      const [message, suggestion] = [`What about ${round}?`, `Use round ${round + 1}`]
      mind.think(...justAnswer(`It is ${round}.`), ...changes(paths, round))
      mind.suggestAfter(message, suggestion)
      await say(page, message)
      await page.locator('.speculation-mark', { hasText: '54' }).waitFor()
      await page.locator('.ghost-key', { hasText: t('speculation.mark.next.write') }).waitFor()
      spentMs.push(await shownAfterTab(page, suggestion))
      await accepted(client, round + 1)
    }
    const last = await readFile(join(root, paths.at(-1) ?? ''), 'utf8')
    if (!last.includes(`round = ${times}`)) throw new Error(`the folder has another text: ${last}`)
    return spentMs
  } finally {
    close()
    await browser.close()
    await stopProcess(host)
    await llama.close()
  }
}

/** Creates a session whose suggestions are played. False: commands cannot run in a sandbox here. */
async function openSession(client: Client, root: string, address: string): Promise<boolean> {
  await client['model.use'](servedModel(address))
  const patch = { enableFollowupSuggestions: true, enableSpeculation: true, decideFirst: 'always' } as const
  await client['settings.update']({ patch })
  const { workId } = await client['work.open']({ path: root })
  await client['trust.set']({ workId, isTrusted: true })
  const { status } = await client['sandbox.get']({ workId, isTriedAgain: false })
  if (status.kind === 'none') return false
  await client['sandbox.set']({ workId, isOn: true })
  // No mode lets through changes of more than a few files.
  const rule = { effect: 'allow', tool: null, pattern: 'accepted/*.ts' } as const
  await client['rule.save']({ workId, rule })
  const { session } = await client['session.create']({ workId })
  await client['session.setMode']({ sessionId: session.sessionId, mode: 'auto-edit' })
  return true
}

/** Returns the model's answers in one speculation: it reads the files, changes one line in each, and runs the tests. */
function changes(paths: readonly string[], round: number): Thought[] {
  const change = { old_text: `round = ${round}`, new_text: `round = ${round + 1}`, reason: 'as asked' }
  return [
    workIn('PLANNING'),
    calls(...paths.map((path): [string, { path: string }] => ['read_file', { path }])),
    plan('count up'),
    workIn('EXECUTION'),
    calls(...paths.map((path): [string, Record<string, unknown>] => ['edit', { path, ...change }])),
    calls(['run_command', { line: 'python3 check.py', reason: 'as asked' }]),
    noCalls,
    approve,
  ]
}

async function say(page: Page, text: string): Promise<void> {
  await page.locator('.message-box .cm-content').click()
  await page.keyboard.insertText(text)
  await page.keyboard.press('Enter')
}

/** Presses Tab. Units: ms, from the press to the second frame with a message of this text. */
async function shownAfterTab(page: Page, text: string): Promise<number> {
  const shown = await page.evaluateHandle(
    ([wanted, limitMs]) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const isThere = () =>
        [...document.querySelectorAll('.conversation-row.row-user')].some((row) =>
          row.textContent?.includes(wanted),
        )
      const { promise: pressed, resolve } = Promise.withResolvers<number>()
      const hear = ({ key, timeStamp }: KeyboardEvent) => key === 'Tab' && resolve(timeStamp)
      addEventListener('keydown', hear, { capture: true })
      const measure = async () => {
        const from = await pressed
        while (!isThere()) {
          await frame()
          if (performance.now() - from > limitMs) throw new Error('no message')
        }
        await frame()
        return performance.now() - from
      }
      return { ms: measure() }
    },
    [text, patienceMs] as const,
  )
  await page.keyboard.press('Tab')
  return shown.evaluate(({ ms }) => ms)
}

/** Waits until `count` speculations have been accepted. */
async function accepted(client: Client, count: number): Promise<void> {
  const endsAt = performance.now() + patienceMs
  while (performance.now() < endsAt) {
    const { summary } = await client['speculation.list']({})
    if (summary.accepted >= count) return
    await sleep(20)
  }
  throw new Error('the speculation was not accepted')
}

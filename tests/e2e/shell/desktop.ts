import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { _electron, expect as baseExpect, type ElectronApplication, type Page } from '@playwright/test'
import { test as base } from '../support/worker-test.ts'

const root = resolve(import.meta.dirname, '../../..')
const runtime = join(root, 'node_modules/electron/dist/electron')
const hasDisplay = Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
/** The real runtime where it is unpacked and has a display to show a window on. */
export const isRealElectron = hasDisplay && existsSync(runtime)
export const executablePath = isRealElectron ? runtime : join(root, 'tests/electron-standin/electron')

const answerNo = join(import.meta.dirname, 'answer-no.cjs')

/** A running desktop app with one window. */
export type RunningApp = {
  electron: ElectronApplication
  page: Page
  /** What main has written to its log so far, an object for each line. */
  log(): Promise<Record<string, unknown>[]>
  /** Ends main at once, as the system does when memory is short. */
  kill(): Promise<void>
  ended: Promise<number | null>
}

export type AppWindow = {
  /** A folder of this test alone. */
  folder: string
  dataDir: string
  /** Starts the built app on this test's data folder. */
  start(...args: string[]): Promise<RunningApp>
  /** Starts the app where no window should open, refuses its questions, and waits for its end. */
  startInVain(...args: string[]): Promise<{ code: number | null; output: string }>
  /** Starts it beside the one that runs. Shape: the exit code. */
  startSecond(...args: string[]): Promise<number | null>
  /** Makes a work with one file. */
  work(name: string, text: string, fileName?: string): Promise<string>
  env: Record<string, string>
}

/** Starting a whole browser beside other tests takes its time. */
export const expect = baseExpect.configure({ timeout: 20_000 })

export const test = base.extend<{ appWindow: AppWindow }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the pattern
  appWindow: async ({}, use, testInfo) => {
    const folder = await mkdtemp(join(tmpdir(), 'tsugi-shell-'))
    const dataDir = join(folder, 'data')
    const running: Omit<RunningApp, 'page'>[] = []
    const env = {
      ...(process.env as Record<string, string>),
      ELECTRON_STANDIN_NODE: process.execPath,
      ...traceOf(testInfo.title),
    }
    async function launch(args: readonly string[]): Promise<Omit<RunningApp, 'page'>> {
      const all = [root, `--data=${dataDir}`, ...args]
      const electron = await _electron.launch({ executablePath, args: all, env, chromiumSandbox: true })
      const process = electron.process()
      const ended = new Promise<number | null>((resolve) => process.once('exit', resolve))
      const app = {
        electron,
        log: () => readLog(join(dataDir, 'logs', 'tsugi.log')),
        async kill() {
          process.kill('SIGKILL')
          await ended
        },
        ended,
      }
      running.push(app)
      return app
    }

    await use({
      folder,
      dataDir,
      env,
      async work(name, text, fileName = '01.txt') {
        const path = join(folder, name)
        await mkdir(path, { recursive: true })
        await writeFile(join(path, fileName), text)
        return path
      },
      async start(...args) {
        const app = await launch(args)
        return { ...app, page: await app.electron.firstWindow() }
      },
      async startInVain(...args) {
        const all = ['-r', answerNo, root, `--data=${dataDir}`, ...args]
        const child = spawn(executablePath, all, { env, stdio: ['ignore', 'pipe', 'pipe'] })
        let output = ''
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (part) => {
            output += part
          })
        const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
        return { code, output }
      },
      startSecond(...args) {
        const child = spawn(executablePath, [root, `--data=${dataDir}`, ...args], {
          env,
          stdio: 'inherit',
        })
        return new Promise((resolve) => child.once('exit', resolve))
      },
    })
    for (const { kill } of running) await kill()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  },
})

/** Where the stand-in notes which APIs this test exercised. */
function traceOf(title: string): Record<string, string> {
  const folder = process.env.TSUGI_SHELL_TRACE
  if (folder === undefined) return {}
  mkdirSync(folder, { recursive: true })
  return { ELECTRON_STANDIN_TRACE: join(folder, `${title}.txt`) }
}

async function readLog(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** The manuscript's text as the page shows it. */
export const manuscript = (page: Page) => page.locator('.cm-content')

/** Types at the end of the manuscript. */
export async function write(page: Page, text: string): Promise<void> {
  await manuscript(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText(text)
}

export const readText = (path: string) => readFile(path, 'utf8')

/** Answers every question of the system's dialogs with its n-th button, and keeps what was asked. */
export async function answerDialogs(electron: ElectronApplication, button: 0 | 1): Promise<void> {
  await electron.evaluate(({ dialog }, response) => {
    const asked: string[] = []
    Object.assign(globalThis, { asked })
    dialog.showMessageBox = (async (...args: { message: string }[]) => {
      asked.push(args.at(-1)?.message ?? '')
      return { response, checkboxChecked: false }
    }) as typeof dialog.showMessageBox
  }, button)
}

export const askedDialogs = (electron: ElectronApplication): Promise<string[]> =>
  electron.evaluate(() => (globalThis as unknown as { asked: string[] }).asked)

/** Asks the host what the window itself could ask, over a connection of its own. */
export function askHost(
  page: Page,
  method: string,
  input: object,
): Promise<{ value?: unknown; error?: unknown }> {
  return page.evaluate(
    ([method, input]) =>
      new Promise((resolve) => {
        const bridge = Reflect.get(window, 'tsugi')
        const connection = `test-${Math.random()}`
        bridge.onMessage((message: { connection: string; text: string }) => {
          if (message.connection === connection) resolve(JSON.parse(message.text))
        })
        bridge.post({ kind: 'open', connection })
        bridge.post({ kind: 'frame', connection, text: JSON.stringify({ t: 'call', id: 1, method, input }) })
      }),
    [method, input] as const,
  )
}

/** Runs in the main process. */
export function inMain<T>(
  electron: ElectronApplication,
  run: (module: typeof Electron.CrossProcessExports) => T,
): Promise<T> {
  return electron.evaluate(run as never) as Promise<T>
}

/** The manuscript as the page holds it, asked through main: Playwright's own page ends with a crash. */
export const pageText = (electron: ElectronApplication): Promise<unknown> =>
  electron
    .evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
        "document.querySelector('.cm-content')?.textContent",
      ),
    )
    // Asked between two pages.
    .catch(() => undefined)

export async function enginePid(electron: ElectronApplication): Promise<number> {
  const pid = await electron.evaluate(({ app }) => {
    const engine = app.getAppMetrics().find((metric) => metric.name === 'Tsugi engine')
    return engine?.pid
  })
  if (pid === undefined) throw new Error('there is no engine')
  return pid
}

export const menuLabels = (electron: ElectronApplication): Promise<string[]> =>
  electron.evaluate(({ Menu }) => {
    const labels = (menu: Electron.Menu): string[] =>
      menu.items.flatMap((item) => [item.label, ...(item.submenu ? labels(item.submenu) : [])])
    const menu = Menu.getApplicationMenu()
    return menu ? labels(menu) : []
  })

export async function clickMenu(electron: ElectronApplication, label: string): Promise<void> {
  await electron.evaluate(({ Menu }, wanted) => {
    const find = (menu: Electron.Menu): Electron.MenuItem | undefined => {
      for (const item of menu.items) {
        if (item.label === wanted) return item
        const inside = item.submenu ? find(item.submenu) : undefined
        if (inside) return inside
      }
      return undefined
    }
    const menu = Menu.getApplicationMenu()
    const item = menu ? find(menu) : undefined
    if (item === undefined) throw new Error(`no menu item ${wanted}`)
    item.click()
  }, label)
}

/** Waits until the model has written `text` and ended; what it wrote stays on offer. */
export async function endAfter(page: Page, text: string): Promise<void> {
  await expect(manuscript(page)).toContainText(text, { timeout: 20_000 })
  await expect(page.locator('.status-bar')).not.toContainText('停止', { timeout: 60_000 })
  await manuscript(page).focus()
}

/** Lets the scripted demo, which takes its time, continue the text. */
export async function startDemo(page: Page): Promise<void> {
  // What chooses a model before the work has opened is gone with the welcome page.
  await expect(manuscript(page)).toBeVisible()
  await page.getByRole('button', { name: 'モデルを選ぶ' }).click()
  await page.getByRole('button', { name: 'デモで試す（AI なし）' }).click()
  await expect(page.locator('.status-bar')).toContainText('デモ')
  await page.keyboard.press('Escape')
  await continueText(page)
}

/** Has the manuscript continued at its end, and waits until that is under way. */
export async function continueText(page: Page): Promise<void> {
  await manuscript(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.press('Control+Enter')
  await expect(page.locator('.status-bar')).toContainText('停止')
}

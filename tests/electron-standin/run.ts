/** Starts an app as Electron does: its main module first, then the browser, then `ready`. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { standInApp } from './electron-app.ts'
import { setChromium } from './running.ts'
import { defaultSession } from './session.ts'
import { followBrowser } from './windows/browser-events.ts'
import { closeAllWindows } from './windows/browser-window.ts'
import { Chromium } from './windows/chromium.ts'

/** The archive of a packed app; its executable sets this. Such an app gets every argument itself. */
const archive = process.env.ELECTRON_STANDIN_ARCHIVE

/** Reads Electron's own arguments; the following ones belong to the app. */
function findApp(args: readonly string[]): { appPath: string; required: string[] } {
  if (archive !== undefined) return { appPath: unpackArchive(archive), required: [] }
  const required: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? ''
    if (arg === '-r' || arg === '--require') required.push(args[++index] ?? '')
    else if (!arg.startsWith('-')) return { appPath: resolve(arg), required }
  }
  return { appPath: process.cwd(), required }
}

/** Node reads no archives; Electron does. */
function unpackArchive(path: string): string {
  const asar: { extractAll(archive: string, folder: string): void } = require('@electron/asar')
  const folder = mkdtempSync(join(tmpdir(), 'electron-standin-app-'))
  asar.extractAll(path, folder)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const require = createRequire(import.meta.url)
const args = process.argv.slice(2)
const { appPath, required } = findApp(args)
process.argv = [join(import.meta.dirname, 'electron'), ...args]
const isFolder = statSync(appPath).isDirectory()
const appDir = isFolder ? appPath : dirname(appPath)
let entry = appPath
if (isFolder) {
  const description = JSON.parse(readFileSync(join(appDir, 'package.json'), 'utf8'))
  entry = join(appDir, description.main ?? 'index.js')
  standInApp._setPackage(appDir, {
    name: description.productName ?? description.name,
    version: description.version,
  })
}
for (const file of required) require(resolve(file))

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => standInApp.quit())
await import(pathToFileURL(entry).href)

const canBeDebugged = args.some((arg) => arg.startsWith('--remote-debugging-port'))
const profile = join(standInApp.getPath('userData'), 'chromium')
const chromium = await Chromium.start({ profile, canBeDebugged })
setChromium(chromium)
await followBrowser(chromium)
// Promises of the app run before this; what it awaits from outside comes after.
void standInApp.whenReady().then(() => setImmediate(() => defaultSession._refuseDictionary()))
standInApp._start({ closeWindows: closeAllWindows, closeBrowser: () => chromium.close() })

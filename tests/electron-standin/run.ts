/** Starts an app as Electron does: its main module first, then the browser, then `ready`. */
import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { followBrowser } from './browser-events.ts'
import { closeAllWindows } from './browser-window.ts'
import { Chromium } from './chromium.ts'
import { standInApp } from './electron-app.ts'
import { setChromium } from './running.ts'

/** Electron's own words; what follows them belongs to the app. */
function findApp(args: readonly string[]): { appPath: string; required: string[] } {
  const required: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? ''
    if (arg === '-r' || arg === '--require') required.push(args[++index] ?? '')
    else if (!arg.startsWith('-')) return { appPath: resolve(arg), required }
  }
  return { appPath: process.cwd(), required }
}

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
for (const file of required) createRequire(import.meta.url)(resolve(file))

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => standInApp.quit())
await import(pathToFileURL(entry).href)

const canBeDebugged = args.some((arg) => arg.startsWith('--remote-debugging-port'))
const profile = join(standInApp.getPath('userData'), 'chromium')
const chromium = await Chromium.start({ profile, canBeDebugged })
setChromium(chromium)
await followBrowser(chromium)
standInApp._start({ closeWindows: closeAllWindows, closeBrowser: () => chromium.close() })

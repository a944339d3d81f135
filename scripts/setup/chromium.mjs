import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { runQuietly } from './run-child.mjs'

/** The headless shell comes first: it spends about a third less processor time on the same tests. */
const headlessShell = 'chromium-headless-shell'
const names = [headlessShell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * Finds or installs Chromium for the end-to-end tests and a font with Japanese, with apt where that is allowed.
 * Installs the headless shell even where another Chromium exists: installing it takes seconds and saves minutes.
 *
 * Shape: the executable's path; undefined after a message about what to install.
 */
export async function ensureChromium({ say }) {
  const isQuick = process.env.TSUGI_CHROMIUM !== undefined || hasHeadlessShell()
  if (!isQuick || !hasJapaneseFont()) await installWithApt(say)
  const found = findChromium()
  if (found !== undefined && hasJapaneseFont()) return found
  console.error(say('noChromium'))
  return undefined
}

const hasHeadlessShell = () => path.basename(findChromium() ?? '') === headlessShell

/** `TSUGI_CHROMIUM` names another one. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  const candidates = folders.flatMap((folder) => names.map((name) => path.join(folder, name)))
  return [process.env.TSUGI_CHROMIUM, ...candidates].find((file) => file && isExecutable(file))
}

/** True where a Japanese font is installed. Systems without fontconfig (macOS, Windows) always have one. */
function hasJapaneseFont() {
  if (process.platform !== 'linux') return true
  const { status, stdout } = spawnSync('fc-list', [':lang=ja', 'family'], { encoding: 'utf8' })
  return status === 0 && stdout.trim() !== ''
}

async function installWithApt(say) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return
  console.error(say('installingChromium'))
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await runQuietly('apt-get', ['update', '-q'], { env })
  // Only Debian has the headless shell in a package of its own; another Chromium that is there will do.
  for (const chromium of findChromium() === undefined ? [headlessShell, 'chromium'] : [headlessShell]) {
    const packages = [chromium, 'fonts-noto-cjk', 'fontconfig']
    const install = ['install', '-y', '-q', '--no-install-recommends', ...packages]
    const { code, output } = await runQuietly('apt-get', install, { env })
    if (code === 0) return
    if (chromium !== headlessShell) console.error(output.split('\n').slice(-5).join('\n'))
  }
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

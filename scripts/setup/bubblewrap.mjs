import { existsSync } from 'node:fs'
import path from 'node:path'
import { runQuietly } from './run-child.mjs'

/**
 * Installs bubblewrap for the tests of the command sandbox, with apt where that is allowed.
 *
 * Without it those tests are skipped and say so; nothing fails.
 */
export async function ensureBubblewrap({ say }) {
  if (process.platform !== 'linux' || isThere()) return
  if (process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await runQuietly('apt-get', ['update', '-q'], { env })
    await runQuietly('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'bubblewrap'], { env })
  }
  if (!isThere()) console.error(say('noBubblewrap'))
}

function isThere() {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => existsSync(path.join(folder, 'bwrap')))
}

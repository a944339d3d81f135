/**
 * `npm run screenshots`: every main view in each theme, language and size, and `screenshots/index.html`, which
 * shows them side by side. `TSUGI_SCREENSHOTS_QUICK=1` takes each view once, `TSUGI_SCREENSHOTS_LANGUAGES=en` one language.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const run = (program: string, ...args: string[]): number => {
  const { status } = spawnSync(process.execPath, [path.join(root, 'node_modules', program), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TSUGI_SCREENSHOTS: '1' },
  })
  return status ?? 1
}

const built = run('electron-vite/bin/electron-vite.js', 'build')
process.exitCode =
  built === 0
    ? run(
        '@playwright/test/cli.js',
        'test',
        '-c',
        'tests/e2e/playwright.config.ts',
        '--workers=1',
        'tests/e2e/views/screenshots.spec.ts',
        ...process.argv.slice(2),
      )
    : built

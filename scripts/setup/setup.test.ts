import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import en from '../../src/shared/i18n/en.json' with { type: 'json' }
import ja from '../../src/shared/i18n/ja.json' with { type: 'json' }
import { isInstalled } from './dependencies.mjs'
import { canUseSandbox, chooseHost, findElectron, hasDisplay } from './electron-runtime.mjs'
import { isNewEnough } from './project-node.mjs'
import { runInForeground } from './run-child.mjs'
import { readWords } from './words.mjs'

const here = import.meta.dirname
let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'setup-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('words', () => {
  it.each([
    [['--lang', 'ja'], { LANG: 'en_GB.UTF-8' }, 'ja'],
    [[], { LANG: 'ja_JP.UTF-8' }, 'ja'],
    [[], { LC_ALL: 'C', LANG: 'ja_JP.UTF-8' }, 'en'],
    [['--lang'], { LANG: 'C.UTF-8' }, 'en'],
  ])('%j with %j are in %s', (args, env, language) => {
    expect(readWords(args, env).language).toBe(language)
  })

  it('are there for everything that a script says, in both languages', () => {
    const scripts = [here, path.join(here, '..')].flatMap((dir) =>
      readdirSync(dir)
        .filter((name) => name.endsWith('.mjs'))
        .map((name) => readFileSync(path.join(dir, name), 'utf8')),
    )
    const said = scripts.flatMap((text) => [...text.matchAll(/\bsay\('([^']+)'/g)].map((match) => match[1]))
    const reasons = scripts.flatMap((text) =>
      [...text.matchAll(/reason[:=] '(\w+)'|reason = '(\w+)'/g)].map(
        (match) => `opening.${match[1] ?? match[2]}`,
      ),
    )
    expect(said.length).toBeGreaterThan(8)
    expect(reasons).toHaveLength(6)
    for (const key of [...said, ...reasons].map((name) => `setup.${name}`)) {
      expect(Object.keys(en)).toContain(key)
      expect(Object.keys(ja)).toContain(key)
    }
  })
})

describe('packages', () => {
  const wanted = {
    '': { name: 'tsugi' },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/mac-only': { version: '1.0.0', optional: true },
  }

  it('are complete without those for other systems', () => {
    expect(isInstalled(wanted, { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } })).toBe(true)
  })

  it.each([
    ['nothing is there', {}],
    ['a version differs', { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } }],
    ['the content differs', { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } }],
  ])('are not when %s', (_case, installed) => {
    expect(isInstalled(wanted, installed)).toBe(false)
  })
})

describe('the Node that runs the project', () => {
  it.each([
    ['20.20.2', false],
    ['22.22.1', false],
    ['22.22.2', true],
    ['22.23.0', true],
    ['23.0.0', true],
    ['24.1.0', true],
  ])('%s will do: %s', (version, wanted) => {
    expect(isNewEnough(version)).toBe(wanted)
  })

  it('is what package.json asks for', () => {
    const { engines } = JSON.parse(readFileSync(path.join(here, '../../package.json'), 'utf8'))
    expect(engines.node).toBe('>=22.22.2')
  })
})

describe('where the window opens', () => {
  it.each([
    ['linux', {}, false],
    ['linux', { DISPLAY: ':0' }, true],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
    ['darwin', {}, true],
  ])('on %s with %j there is a display: %s', (platform, env, wanted) => {
    expect(hasDisplay(platform, env)).toBe(wanted)
  })

  it('is not Electron while its runtime is unpacked in part, or of another version', () => {
    const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
    mkdirSync(path.join(folder, 'dist'))
    write('package.json', '{"version":"45.4.1"}')
    write('dist/electron', '')
    write('dist/version', '45.4.1')
    expect(findElectron(folder, {})).toBeUndefined()
    write('path.txt', 'electron')
    expect(findElectron(folder, {})).toBe(path.join(folder, 'dist/electron'))
    write('dist/version', '44.0.0')
    expect(findElectron(folder, {})).toBeUndefined()
  })

  it.skipIf(process.platform !== 'linux')('is not Electron where Ubuntu forbids its sandbox', () => {
    const [limit, sandbox] = [path.join(folder, 'limit'), path.join(folder, 'chrome-sandbox')]
    writeFileSync(limit, '1\n')
    writeFileSync(sandbox, '')
    expect(canUseSandbox(sandbox, limit)).toBe(false)
    writeFileSync(limit, '0\n')
    expect(canUseSandbox(sandbox, limit)).toBe(true)
    expect(canUseSandbox(sandbox, path.join(folder, 'absent'))).toBe(true)
    expect(readWords(['--lang', 'en'], {}).say('opening.noSandbox', { sandbox })).toContain(
      `sudo chmod 4755 ${sandbox}`,
    )
  })

  it('is the browser when that is asked for', async () => {
    const choice = await chooseHost(readWords(), process.execPath, { isBrowserWanted: true })
    expect(choice).toEqual({ reason: 'browserWanted' })
  })

  it.each(['refuses', 'says nothing'])('is not Electron when the server of its runtime %s', async (how) => {
    const server = createServer((_request, response) => {
      if (how === 'refuses') response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const child = spawn(process.execPath, [path.join(here, 'fetch-electron.mjs')], {
      env: {
        ...process.env,
        ELECTRON_MIRROR: `http://127.0.0.1:${port}/`,
        electron_config_cache: path.join(folder, 'cache'),
      },
      stdio: 'ignore',
    })
    const hardStop = setTimeout(() => child.kill('SIGKILL'), 120_000)
    const code = await new Promise((resolve) => child.once('close', resolve))
    clearTimeout(hardStop)
    server.closeAllConnections()
    server.close()
    expect(code).toBe(1)
  })
})

describe('a child in our place', () => {
  const quiet = { stdio: 'ignore' } as const

  it.each([0, 3])('gives its exit code %i', async (code) => {
    const end = await runInForeground(process.execPath, ['-e', `process.exit(${code})`], quiet)
    expect(end).toMatchObject({ code })
  })

  it('that dies by a signal has 128 and its number', async () => {
    const script = `process.kill(process.pid, 'SIGKILL')`
    expect(await runInForeground(process.execPath, ['-e', script], quiet)).toMatchObject({ code: 137 })
  })

  /** A parent script with a child that says when it is up and leaves a mark when it is told to stop. */
  function writeParent(): { script: string; mark: string } {
    const mark = path.join(folder, 'stopped')
    const script = path.join(folder, 'parent.mjs')
    const child = `process.on('SIGTERM', () => { require('fs').writeFileSync('${mark}', ''); process.exit(7) }); console.log('up'); setInterval(() => {}, 1000)`
    writeFileSync(
      script,
      `import { runInForeground } from '${path.join(here, 'run-child.mjs')}'
       const { code } = await runInForeground(process.execPath, ['-e', ${JSON.stringify(child)}])
       process.exitCode = code`,
    )
    return { script, mark }
  }

  it('is told when we are to stop, and its own end counts', async () => {
    const { script, mark } = writeParent()
    const parent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(parent.stdout, 'data')
    parent.kill('SIGTERM')
    expect(await once(parent, 'close')).toEqual([7, null])
    expect(existsSync(mark)).toBe(true)
  })

  it.runIf(process.platform !== 'win32')('stops when the shell of npm is gone', async () => {
    const { script, mark } = writeParent()
    const shell = spawn('sh', ['-c', `'${process.execPath}' '${script}'; exit 0`], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, npm_lifecycle_event: 'start' },
    })
    await once(shell.stdout, 'data')
    shell.kill('SIGTERM')
    await expect.poll(() => existsSync(mark)).toBe(true)
  })
})

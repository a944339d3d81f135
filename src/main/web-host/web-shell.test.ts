import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWebShell, type WebShellOptions } from './web-shell.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tsugi-shell-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

function createShell(options: Partial<WebShellOptions> = {}) {
  const ran: unknown[] = []
  const shell = createWebShell({
    dataDir,
    env: { DISPLAY: ':0' },
    platform: 'linux',
    isLoopback: true,
    run: async (program, args) => {
      ran.push([program, ...args])
      return true
    },
    ...options,
  })
  return { shell, ran }
}

describe('reveal', () => {
  it.each([
    ['linux', ['xdg-open', '/home/a/novel']],
    ['darwin', ['open', '-R', '/home/a/novel/1.txt']],
    ['win32', ['explorer.exe', '/select,/home/a/novel/1.txt']],
  ] as const)('shows a file on %s', async (platform, command) => {
    const { shell, ran } = createShell({ platform })
    expect(await shell.reveal('/home/a/novel/1.txt')).toBe(true)
    expect(ran).toEqual([command])
  })

  it('does not try where nobody would see it', async () => {
    for (const options of [{ isLoopback: false }, { env: {} }]) {
      const { shell, ran } = createShell(options)
      expect(await shell.reveal('/home/a/1.txt')).toBe(false)
      expect(ran).toEqual([])
    }
  })

  it('takes absolute paths only: another one could be an option', async () => {
    const { shell, ran } = createShell()
    expect(await shell.reveal('--help')).toBe(false)
    expect(ran).toEqual([])
  })

  it('says false where there is no file manager', async () => {
    const shell = createWebShell({
      dataDir,
      env: { WAYLAND_DISPLAY: 'wayland-0' },
      platform: 'linux',
      isLoopback: true,
      run: async () => false,
    })
    expect(await shell.reveal('/home/a/1.txt')).toBe(false)
  })
})

describe('secrets', () => {
  it('are kept in a file that only this user can read', async () => {
    await createShell().shell.secrets.set('profile.1', 'key')
    const { secrets } = createShell().shell
    expect(await secrets.isEncrypted()).toBe(false)
    expect(await secrets.get('profile.1')).toBe('key')
    expect(await secrets.get('profile.2')).toBeUndefined()
    expect(await secrets.get('toString')).toBeUndefined()
    expect(await readdir(dataDir)).toEqual(['secrets.json'])
    if (process.platform !== 'win32') {
      expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600)
    }
  })

  it('become private again when somebody opened the file to others', async () => {
    const path = join(dataDir, 'secrets.json')
    await writeFile(path, '{"a":"1"}')
    await chmod(path, 0o644)
    await createShell().shell.secrets.set('b', '2')
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ a: '1', b: '2' })
  })

  it('do not lose changes that are made at the same time', async () => {
    const { secrets } = createShell().shell
    const names = Array.from({ length: 20 }, (_, index) => `name-${index}`)
    await Promise.all(names.map((name) => secrets.set(name, name)))
    await secrets.remove('name-3')
    const kept = await Promise.all(names.map((name) => secrets.get(name)))
    expect(kept).toEqual(names.map((name) => (name === 'name-3' ? undefined : name)))
  })

  it('come from the environment first, and are not written down then', async () => {
    const { secrets } = createShell({
      env: { TSUGI_SECRET_PROFILE_1: 'given', TSUGI_SECRET_EMPTY: '' },
    }).shell
    expect(await secrets.get('profile-1')).toBe('given')
    await secrets.set('empty', 'kept')
    expect(await secrets.get('empty')).toBe('kept')
    expect(await readFile(join(dataDir, 'secrets.json'), 'utf8')).not.toContain('given')
  })

  it.each(['{', '[]', '{"a":1}'])('are not overwritten when the file says %s', async (text) => {
    const path = join(dataDir, 'secrets.json')
    await writeFile(path, text)
    const { secrets } = createShell().shell
    await expect(secrets.get('a')).rejects.toMatchObject({ info: { code: 'store/damaged', path } })
    await expect(secrets.set('a', '1')).rejects.toMatchObject({ info: { code: 'store/damaged' } })
    expect(await readFile(path, 'utf8')).toBe(text)
  })
})

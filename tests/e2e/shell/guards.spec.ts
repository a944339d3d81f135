/** What the page may and may not do on the desktop, on the executable that `shell.spec.ts` runs. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inMain, manuscript, menuLabels, test } from './desktop.ts'

test('page: has no Node, no file, no other place to go, and one bridge', async ({ desk }) => {
  const { page, electron, log } = await desk.start('--lang=en', await desk.work('rain', 'Rain.'))
  await expect(manuscript(page)).toContainText('Rain.')
  await inMain(electron, ({ shell }) => {
    const outside: string[] = []
    Object.assign(globalThis, { outside })
    shell.openExternal = async (address) => void outside.push(address)
  })
  const outside = () => electron.evaluate(() => Reflect.get(globalThis, 'outside'))

  const found = await page.evaluate(() => ({
    node: ['require', 'process', 'module', 'Buffer'].filter((name) => name in window),
    bridge: Object.keys(Reflect.get(window, 'tsugi')),
    isolated: (() => {
      try {
        Reflect.set(window, 'tsugi', null)
      } catch {
        return true
      }
      return Reflect.get(window, 'tsugi') !== null
    })(),
  }))
  expect(found).toEqual({ node: [], bridge: ['post', 'onMessage'], isolated: true })

  const fetched = await page.evaluate(async () => {
    const status = async (address: string) => {
      try {
        return (await fetch(address)).status
      } catch {
        return 'refused'
      }
    }
    const addresses = [
      'assets/../../package.json',
      '/..%2f..%2fpackage.json',
      'https://example.test/',
      'file:///etc/passwd',
    ]
    return Promise.all(addresses.map(status))
  })
  expect(fetched).toEqual([404, 404, 'refused', 'refused'])

  expect(await page.evaluate(() => window.open('https://example.test/opened') === null)).toBe(true)
  await expect.poll(outside).toEqual(['https://example.test/opened'])
  await page.evaluate(() => {
    location.href = 'https://example.test/went'
  })
  await expect.poll(outside).toEqual(['https://example.test/opened', 'https://example.test/went'])
  await page.evaluate(() => {
    location.href = 'file:///etc/passwd'
  })
  await expect(manuscript(page)).toContainText('Rain.')
  expect(electron.windows()).toHaveLength(1)

  await electron.evaluate(({ ipcMain, BrowserWindow }) => {
    const sender = BrowserWindow.getAllWindows()[0]?.webContents
    const senderFrame = { parent: null, origin: 'https://example.test', url: 'https://example.test/' }
    ipcMain.emit('tsugi:to-host', { sender, senderFrame }, { kind: 'open', connection: 'x' })
  })
  await expect
    .poll(async () => (await log()).find((line) => line.event === 'ipc.refused')?.from)
    .toBeDefined()
})

test('page: is granted nothing but the clipboard, and downloads nothing', async ({ desk }) => {
  const { page, electron } = await desk.start('--lang=en', await desk.work('rain', 'Rain.'))
  await expect(manuscript(page)).toContainText('Rain.')
  const states = await page.evaluate(async () => {
    const names = [
      'geolocation',
      'notifications',
      'camera',
      'microphone',
      'clipboard-read',
      'clipboard-write',
    ]
    const query = async (name: string) =>
      (await navigator.permissions.query({ name: name as PermissionName })).state
    return Promise.all(names.map(query))
  })
  expect(states).toEqual(['denied', 'denied', 'denied', 'denied', 'denied', 'granted'])

  await inMain(electron, ({ session }) => {
    session.defaultSession.on('will-download', (event) =>
      Object.assign(globalThis, { wasPrevented: event.defaultPrevented }),
    )
  })
  await page.evaluate(() => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob(['text']))
    link.download = 'text.txt'
    link.click()
  })
  await expect.poll(() => electron.evaluate(() => Reflect.get(globalThis, 'wasPrevented'))).toBe(true)
})

test('settings: spelling is off until it is wanted, and the theme is the system’s too', async ({ desk }) => {
  const { page, electron } = await desk.start('--lang=en', await desk.work('rain', 'Rain.'))
  await expect(manuscript(page)).toContainText('Rain.')
  const isSpellchecked = () =>
    electron.evaluate(({ session }) => session.defaultSession.isSpellCheckerEnabled())
  expect(await isSpellchecked()).toBe(false)
  await page.keyboard.press('Control+,')
  await page.getByRole('combobox', { name: 'Theme' }).selectOption('dark')
  await expect.poll(() => electron.evaluate(({ nativeTheme }) => nativeTheme.shouldUseDarkColors)).toBe(true)
  expect(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(true)
  await page.getByRole('tab', { name: 'Editor' }).click()
  await page.getByRole('checkbox', { name: /spell/i }).click()
  await expect.poll(isSpellchecked).toBe(true)
})

test('keys of servers: are kept by the system, and it is said where that is not safe', async ({ desk }) => {
  const { page, electron } = await desk.start('--lang=en', await desk.work('rain', 'Rain.'))
  await expect(manuscript(page)).toContainText('Rain.')
  const isEncrypted = await electron.evaluate(
    ({ safeStorage }) => safeStorage.getSelectedStorageBackend() !== 'basic_text',
  )
  const call = (method: string, input: object) =>
    page.evaluate(
      ({ method, input }) =>
        new Promise<Record<string, unknown>>((resolve) => {
          const bridge = Reflect.get(window, 'tsugi')
          const connection = `test-${Math.random()}`
          bridge.onMessage((message: { connection: string; text: string }) => {
            if (message.connection === connection) resolve(JSON.parse(message.text))
          })
          bridge.post({ kind: 'open', connection })
          const text = JSON.stringify({ t: 'call', id: 1, method, input })
          bridge.post({ kind: 'frame', connection, text })
        }),
      { method, input },
    )
  const { value } = await call('host.info', {})
  expect(value).toMatchObject({ kind: 'electron', areSecretsEncrypted: isEncrypted })
  expect(existsSync(join(desk.dataDir, 'secrets.desktop.json'))).toBe(false)
})

test('opening: a file from the system’s file manager, and the window again from the dock', async ({
  desk,
}) => {
  const { page, electron } = await desk.start('--lang=en', await desk.work('rain', 'Rain.'))
  await expect(manuscript(page)).toContainText('Rain.')
  const snow = await desk.work('snow', 'Snow.')
  await writeFile(join(snow, 'work.json'), '{}')
  await electron.evaluate(
    ({ app }, path) => app.emit('open-file', { preventDefault: () => undefined }, path),
    join(snow, 'work.json'),
  )
  await expect(manuscript(page)).toContainText('Snow.')
  await electron.evaluate(({ app, BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.hide()
    app.emit('activate', {}, false)
  })
  expect(await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())).toBe(
    true,
  )
})

test('context menu: copies and pastes in the language of the moment', async ({ desk }) => {
  const { page, electron } = await desk.start('--lang=ja', await desk.work('rain', '雨。'))
  await expect(manuscript(page)).toContainText('雨。')
  await inMain(electron, ({ Menu }) => {
    Menu.prototype.popup = function (this: Electron.Menu) {
      Object.assign(globalThis, {
        popped: this.items.map((item) => item.label).filter((label) => label !== ''),
      })
    }
  })
  await manuscript(page).click({ button: 'right' })
  await expect
    .poll(() => electron.evaluate(() => Reflect.get(globalThis, 'popped')))
    .toEqual(['切り取り', 'コピー', '貼り付け', 'すべて選択'])
  expect(await menuLabels(electron)).toContain('元に戻す')
})

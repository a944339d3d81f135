/** What the page may and may not do on the desktop, on the executable that `shell.spec.ts` runs. */
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { askHost, expect, inMain, manuscript, menuLabels, readText, test } from './desktop.ts'

test('what the page may do, what main does for it, and what is opened from outside', async ({
  appWindow,
}) => {
  const work = await appWindow.work('rain', 'Rain.')
  const { page, electron, log } = await appWindow.start('--lang=en', work)
  await expect(manuscript(page)).toContainText('Rain.')

  await test.step('page: has no Node, no file, no other place to go, and one bridge', async () => {
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
    expect(found).toEqual({ node: [], bridge: ['post', 'onMessage', 'pathOf'], isolated: true })

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

    await electron.evaluate(async ({ ipcMain, BrowserWindow }) => {
      const stranger = new BrowserWindow({ show: false })
      await stranger.loadURL('data:text/html,<title>Stranger</title>')
      const { webContents: sender } = stranger
      ipcMain.emit(
        'tsugi:to-host',
        { sender, senderFrame: sender.mainFrame },
        { kind: 'open', connection: 'x' },
      )
      stranger.destroy()
    })
    await expect
      .poll(async () => (await log()).find((line) => line.event === 'ipc.refused')?.from)
      .toContain('data:')
  })

  await test.step('page: is granted the clipboard, and downloads nothing from elsewhere', async () => {
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
      link.href = 'data:text/plain,text'
      link.download = 'text.txt'
      link.click()
    })
    await expect.poll(() => electron.evaluate(() => Reflect.get(globalThis, 'wasPrevented'))).toBe(true)
  })

  await test.step('page: embeds nothing, and what breaks before it is seen is logged', async () => {
    const wasPrevented = await electron.evaluate(({ BrowserWindow }) => {
      const { webContents } = BrowserWindow.getAllWindows()[0] ?? {}
      let isPrevented = false
      const event = {
        preventDefault() {
          isPrevented = true
        },
      }
      webContents?.emit('will-attach-webview', event, {}, {})
      webContents?.emit('preload-error', {}, 'preload.cjs', new Error('broken'))
      return isPrevented
    })
    expect(wasPrevented).toBe(true)
    await expect.poll(async () => (await log()).some((line) => line.where === 'window.preload')).toBe(true)
  })

  await test.step('settings: spelling is off until it is wanted, and the theme is the system’s too', async () => {
    const isSpellchecked = () =>
      electron.evaluate(({ session }) => session.defaultSession.isSpellCheckerEnabled())
    expect(await isSpellchecked()).toBe(false)
    await page.keyboard.press('Control+,')
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('dark')
    await expect
      .poll(() => electron.evaluate(({ nativeTheme }) => nativeTheme.shouldUseDarkColors))
      .toBe(true)
    await expect
      .poll(() => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches))
      .toBe(true)
    await page.getByRole('tab', { name: 'Editor' }).click()
    await page.getByRole('checkbox', { name: /spell/i }).click()
    await expect.poll(isSpellchecked).toBe(true)
    await page.keyboard.press('Escape')
  })

  await test.step('opening: a file from the system’s file manager, and the window again from the dock', async () => {
    const snow = await appWindow.work('snow', 'Snow.')
    await writeFile(join(snow, 'work.json'), '{}')
    await electron.evaluate(
      ({ app }, path) => app.emit('open-file', { preventDefault: () => undefined }, path),
      join(snow, 'work.json'),
    )
    await expect(manuscript(page)).toContainText('Snow.')
    // A folder or file of the user's is what it is, though its name is that of the runtime's archives.
    const archives = await appWindow.work('fog.asar', 'Fog.')
    await writeFile(join(archives, '02.asar'), 'Not an archive at all.')
    await electron.evaluate(
      ({ app }, path) => app.emit('open-file', { preventDefault: () => undefined }, path),
      join(archives, '02.asar'),
    )
    await expect(manuscript(page)).toContainText('Not an archive at all.')
    await electron.evaluate(({ app, BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]?.hide()
      app.emit('activate', {}, false)
    })
    expect(
      await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()),
    ).toBe(true)
  })

  // What these ask of the host they ask over connections of their own, which would be told to open folders, too.
  await test.step('notice of a gate: is shown by main, and a click on it raises the window', async () => {
    await electron.evaluate(({ BrowserWindow, Notification }) => {
      Notification.prototype.show = function (this: Electron.Notification) {
        Object.assign(globalThis, { notice: this })
      }
      BrowserWindow.getAllWindows()[0]?.minimize()
    })
    await askHost(page, 'host.notify', { body: 'Consent is needed', command: 'gate.focus' })
    const state = await electron.evaluate(({ BrowserWindow }) => {
      const notice = Reflect.get(globalThis, 'notice') as Electron.Notification
      notice.emit('click', { preventDefault: () => undefined })
      return { body: notice.body, isMinimized: BrowserWindow.getAllWindows()[0]?.isMinimized() }
    })
    expect(state).toEqual({ body: 'Consent is needed', isMinimized: false })
  })

  await test.step('files: are shown in the file manager where they are', async () => {
    await inMain(electron, ({ shell }) => {
      shell.showItemInFolder = (path) => void Object.assign(globalThis, { revealed: path })
    })
    const reveal = (path: string) => askHost(page, 'folder.reveal', { path })
    expect(await reveal(join(work, '01.txt'))).toMatchObject({ value: { isShown: true } })
    expect(await electron.evaluate(() => Reflect.get(globalThis, 'revealed'))).toBe(join(work, '01.txt'))
    expect(await reveal(join(work, 'nothing.txt'))).toMatchObject({ value: { isShown: false } })
  })
})

test('keys of servers: are kept by the system, and it is said where that is not safe', async ({
  appWindow,
}) => {
  const first = await appWindow.start('--lang=en', await appWindow.work('rain', 'Rain.'))
  await expect(manuscript(first.page)).toContainText('Rain.')
  const isEncrypted = await first.electron.evaluate(
    ({ safeStorage }) => safeStorage.getSelectedStorageBackend() !== 'basic_text',
  )
  const { value } = await askHost(first.page, 'host.keyStore', {})
  expect(value).toEqual({ isEncrypted })

  let authorization: string | undefined
  const server = createServer((request, response) => {
    authorization = request.headers.authorization ?? authorization
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const profile = {
    id: 'far',
    name: 'Far away',
    backend: 'koboldcpp',
    address: `http://127.0.0.1:${port}`,
    hasKey: true,
    templateId: 'chatml',
    samplerPresetId: 'novel',
    timeouts: { connectMs: 5000, firstTokenMs: 5000, idleMs: 5000 },
  }
  expect(await askHost(first.page, 'profile.save', { profile, key: 'sk-secret' })).toMatchObject({
    t: 'result',
  })
  await first.electron.close()
  expect(await readText(join(appWindow.dataDir, 'secrets.desktop.json'))).not.toContain('sk-secret')

  const second = await appWindow.start('--lang=en')
  await expect(manuscript(second.page)).toContainText('Rain.')
  await askHost(second.page, 'model.probe', { profileId: 'far' })
  expect(authorization).toBe('Bearer sk-secret')
  server.close()
})

test('context menu: copies and pastes in the language of the moment', async ({ appWindow }) => {
  const { page, electron } = await appWindow.start('--lang=ja', await appWindow.work('rain', '雨。'))
  await expect(manuscript(page)).toContainText('雨。')
  await inMain(electron, ({ Menu }) => {
    const build = Menu.buildFromTemplate.bind(Menu)
    Menu.buildFromTemplate = (template) => {
      const menu = build(template)
      const popped = menu.items.map((item) => item.label).filter((label) => label !== '')
      Object.assign(globalThis, { popped, items: menu.items })
      return menu
    }
  })
  await manuscript(page).click({ button: 'right' })
  await expect
    .poll(() => electron.evaluate(() => Reflect.get(globalThis, 'popped')))
    .toEqual(['切り取り', 'コピー', '貼り付け', 'すべて選択'])
  expect(await menuLabels(electron)).toContain('元に戻す')

  await electron.evaluate(({ BrowserWindow }) => {
    const editFlags = { canCut: false, canCopy: false, canPaste: true, canSelectAll: true }
    const word = { misspelledWord: 'teh', dictionarySuggestions: ['the'] }
    BrowserWindow.getAllWindows()[0]?.webContents.emit(
      'context-menu',
      {},
      { isEditable: true, editFlags, ...word },
    )
  })
  const popped = await electron.evaluate(() => Reflect.get(globalThis, 'popped'))
  expect(popped.slice(0, 2)).toEqual(['the', '辞書に追加'])
  await electron.evaluate(() => {
    const [replace, learn] = Reflect.get(globalThis, 'items')
    replace.click()
    learn.click()
  })
  await expect(manuscript(page)).toContainText('the')
})

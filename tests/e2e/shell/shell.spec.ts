/**
 * The desktop app as it is built, from its executable to its window: on Electron where its runtime and a
 * display are, else on the stand-in of `tests/electron-standin`.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'
import { startHost } from '../support/host.ts'
import {
  answerDialogs,
  askedDialogs,
  clickMenu,
  continueText,
  endAfter,
  enginePid,
  expect,
  inMain,
  isRealElectron,
  manuscript,
  menuLabels,
  pageText,
  readText,
  startDemo,
  test,
  write,
} from './desktop.ts'

test('writing: saves what is typed until the end, reopens where one was, and outlasts a reload and a kill', async ({
  appWindow,
}) => {
  const work = await appWindow.work('rain', '雨の朝だった。')
  const first = await appWindow.start('--lang=ja', work)
  await expect(manuscript(first.page)).toContainText('雨の朝だった。')
  await expect(first.page).toHaveTitle('rain – Tsugi')
  await first.electron.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.setBounds({ x: 40, y: 50, width: 1100, height: 800 }),
  )
  await first.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.maximize())
  await write(first.page, '猫が鳴いた。')
  await test.step('a window that is loaded anew shows what was typed', async () => {
    await first.page.waitForTimeout(300)
    await first.page.reload()
    await expect(manuscript(first.page)).toContainText('雨の朝だった。猫が鳴いた。')
  })
  await first.electron.close()
  expect(await readText(join(work, '01.txt'))).toBe('雨の朝だった。猫が鳴いた。')

  const second = await appWindow.start('--lang=ja')
  await expect(manuscript(second.page)).toContainText('猫が鳴いた。')
  const left = await second.electron.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    return { bounds: window?.getNormalBounds(), isMaximized: window?.isMaximized() }
  })
  expect(left).toEqual({ bounds: { x: 40, y: 50, width: 1100, height: 800 }, isMaximized: true })

  await test.step('killed in the middle of everything, at most a moment is lost', async () => {
    await write(second.page, '殺される前に書いた。')
    await second.page.waitForTimeout(1200)
    await second.kill()
    const third = await appWindow.start('--lang=ja')
    await expect(manuscript(third.page)).toContainText('猫が鳴いた。殺される前に書いた。')
  })
})

test('drafting: the engine in its own process continues the text', async ({ appWindow }) => {
  const work = await appWindow.work('cat', '始まり\n')
  const model = join(appWindow.folder, 'tiny.gguf')
  writeTinyGguf(model, { says: '吾輩は猫である' })
  const { page, electron, ended } = await appWindow.start('--lang=ja', work, model)
  await expect(page.locator('.status-bar')).toContainText('tiny')
  await write(page, '\n')
  await page.keyboard.press('Control+Enter')
  await endAfter(page, '吾輩は猫である')
  await page.keyboard.press('Tab')
  await clickMenu(electron, '元に戻す')
  await expect(manuscript(page)).not.toContainText('吾輩は猫である')
  await clickMenu(electron, 'やり直す')
  await expect(manuscript(page)).toContainText('吾輩は猫である')

  await test.step('F5 keeps generating takes of the place until it is pressed again', async () => {
    await page.keyboard.press('F5')
    await expect(page.locator('.cm-pendingTakes')).toContainText(/\/[2-9]/)
    await expect(page.locator('.status-bar')).toContainText(/本目 · F5 で停止/)
    await page.keyboard.press('F5')
    await expect(page.getByRole('button', { name: '停止' })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(page.locator('.cm-pending')).toHaveCount(0)
  })

  await test.step('the engine is killed and the app lives on', async () => {
    const pid = await enginePid(electron)
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => enginePid(electron).catch(() => 0)).not.toBe(pid)
    await write(page, '次の行。\n')
    await page.keyboard.press('Control+Enter')
    await endAfter(page, '吾輩は猫である')
    await page.keyboard.press('Escape')
  })

  await test.step('a signal ends the app where its engine hangs, with what was typed saved', async () => {
    const engine = await enginePid(electron)
    process.kill(engine, 'SIGSTOP')
    await write(page, '最後の一文。')
    // What keeps the app itself from ending, however orderly its services do.
    await electron.evaluate(({ app }) => app.on('will-quit', (event) => event.preventDefault()))
    electron.process().kill('SIGTERM')
    await ended
    const text = await readText(join(work, '01.txt'))
    for (const part of ['吾輩は猫である', '次の行。', '最後の一文。']) expect(text).toContain(part)
    await expect(() => expect(() => process.kill(engine, 0)).toThrow()).toPass()
  })
})

test('long work: shows progress, then tells who looks elsewhere', async ({ appWindow }) => {
  const work = await appWindow.work('rain', '雨。\n')
  const { page, electron, ended } = await appWindow.start('--lang=ja', work)
  await electron.evaluate(({ BrowserWindow, Notification }) => {
    const shown: string[] = []
    Object.assign(globalThis, { shown })
    const [window] = BrowserWindow.getAllWindows()
    if (window === undefined) throw new Error('no window')
    const setProgressBar = window.setProgressBar.bind(window)
    window.setProgressBar = (progress, options) => {
      shown.push(progress < 0 ? 'no progress' : progress > 1 ? 'progress' : 'some progress')
      setProgressBar(progress, options)
    }
    const notify = Notification.prototype.show
    Notification.prototype.show = function (this: Electron.Notification) {
      shown.push(this.title)
      notify.call(this)
      Object.assign(globalThis, { notification: this })
    }
  })
  await startDemo(page)
  await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.blur())
  const shown = () => electron.evaluate(() => (globalThis as unknown as { shown: string[] }).shown)
  await expect.poll(async () => (await shown()).at(-1)).toBe('続きができました')
  expect((await shown()).slice(0, 2)).toEqual(['progress', 'some progress'])
  expect(await shown()).toContain('no progress')

  await electron.evaluate(() =>
    (
      globalThis as unknown as { notification: { emit(event: string, ...args: unknown[]): void } }
    ).notification.emit('click', {}),
  )
  expect(await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getFocusedWindow() !== null)).toBe(true)

  await test.step('closing asks while the model writes, goes back, then keeps what was written', async () => {
    await page.keyboard.press('Escape')
    await continueText(page)
    await answerDialogs(electron, 1)
    const close = () => electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
    await close()
    await expect.poll(() => askedDialogs(electron)).toEqual(['モデルがまだ書いています。'])
    await expect(manuscript(page)).toContainText('雨。')

    await answerDialogs(electron, 0)
    await write(page, '最後の一文。')
    await close()
    expect(await ended).toBe(0)
    expect(await readText(join(work, '01.txt'))).toBe('雨。\n最後の一文。')
  })
})

test('menu: speaks the language of the moment and does what it says', async ({ appWindow }) => {
  const work = await appWindow.work('rain', 'Rain.')
  const { page, electron, ended } = await appWindow.start('--lang=en', work)
  const hail = await appWindow.work('hail', 'Hail.')
  await expect(manuscript(page)).toContainText('Rain.')
  expect(await menuLabels(electron)).toContain('Open Folder…')

  const snow = await appWindow.work('snow', 'Snow.')
  await electron.evaluate(({ dialog }, path) => {
    dialog.showOpenDialog = (async () => ({
      canceled: false,
      filePaths: [path],
    })) as typeof dialog.showOpenDialog
  }, snow)
  await clickMenu(electron, 'Open Folder…')
  await expect(manuscript(page)).toContainText('Snow.')
  await write(page, ' More.')
  await clickMenu(electron, 'Save Now')
  await expect.poll(() => readText(join(snow, '01.txt'))).toBe('Snow. More.')
  await electron.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.blur()
    BrowserWindow.getAllWindows()[0]?.focus()
    BrowserWindow.getAllWindows()[0]?.unmaximize()
  })
  await expect.poll(() => menuLabels(electron)).toContain('rain')
  await clickMenu(electron, 'rain')
  await expect(manuscript(page)).toContainText('Rain.')

  await test.step('the window asks in the dialogs of the system', async () => {
    const fresh = join(appWindow.folder, 'fresh')
    await electron.evaluate(
      ({ dialog }, [folder, target]) => {
        const picks: [string, unknown][] = []
        Object.assign(globalThis, { picks })
        dialog.showOpenDialog = (async (_window: unknown, box: Electron.OpenDialogOptions) => {
          picks.push(['open', box.properties])
          return { canceled: false, filePaths: [folder] }
        }) as typeof dialog.showOpenDialog
        dialog.showSaveDialog = (async (_window: unknown, box: Electron.SaveDialogOptions) => {
          const isWork = box.title === 'New work'
          picks.push(['save', isWork ? box.title : box.defaultPath])
          return { canceled: false, filePath: isWork ? target : `${target}.json` }
        }) as typeof dialog.showSaveDialog
      },
      [await appWindow.work('fog', 'Fog.'), fresh] as const,
    )

    await manuscript(page).click()
    await page.keyboard.press('Control+o')
    await expect(manuscript(page)).toContainText('Fog.')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await clickMenu(electron, 'Export Project File…')
    await expect.poll(() => readText(`${fresh}.json`).catch(() => '')).toContain('Fog.')
    await clickMenu(electron, 'New Work…')
    await expect(page).toHaveTitle('fresh – Tsugi')
    expect(await electron.evaluate(() => Reflect.get(globalThis, 'picks'))).toEqual([
      ['open', ['openDirectory', 'createDirectory']],
      ['save', 'fog.json'],
      ['save', 'New work'],
    ])
  })

  await test.step('a second start hands its folder over and shows the window', async () => {
    await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize())
    expect(await appWindow.startSecond(hail)).toBe(0)
    await expect(manuscript(page)).toContainText('Hail.')
    const isShown = await electron.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows()
      return window?.isFocused() && !window.isMinimized()
    })
    expect(isShown).toBe(true)
    expect(await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1)
  })

  await clickMenu(electron, 'Settings…')
  await page.getByRole('combobox', { name: 'Language' }).selectOption('ja')
  await expect.poll(() => menuLabels(electron)).toContain('フォルダーを開く…')
  await inMain(electron, ({ shell }) => {
    shell.openPath = async (path) => {
      Object.assign(globalThis, { opened: path })
      return ''
    }
  })
  await clickMenu(electron, 'ログのフォルダーを表示')
  expect(await electron.evaluate(() => Reflect.get(globalThis, 'opened'))).toBe(
    join(appWindow.dataDir, 'logs'),
  )

  await test.step('closing: a log-off of Windows waits for the last save, then the app ends', async () => {
    await page.keyboard.press('Escape')
    await write(page, '猫が鳴いた。')
    const isHeld = await electron.evaluate(({ BrowserWindow }) => {
      const event = { isHeld: false, preventDefault: () => Object.assign(event, { isHeld: true }) }
      BrowserWindow.getAllWindows()[0]?.emit('query-session-end', event)
      return event.isHeld
    })
    expect(isHeld).toBe(true)
    await ended
    expect(await readText(join(hail, '01.txt'))).toBe('Hail.猫が鳴いた。')
  })
})

test('second start: a folder in use by the browser host is handed to it', async ({ appWindow }) => {
  const host = await startHost({ dataDir: appWindow.dataDir })
  try {
    const { code, output } = await appWindow.startInVain('--lang=en', await appWindow.work('rain', 'Rain.'))
    expect(output).toContain('Tsugi is already open in a browser.')
    expect(output).toContain(host.link)
    expect(code).toBe(0)
  } finally {
    await host.stop()
  }
})

test('recovery: a page whose process ends comes back with its text', async ({ appWindow }) => {
  const { page, electron, log } = await appWindow.start('--lang=en', await appWindow.work('rain', 'Rain.'))
  await write(page, ' Typed a moment ago.')
  await expect(page.locator('.status-bar')).toBeVisible()
  await page.waitForTimeout(300)
  const crash = () =>
    inMain(electron, ({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
    )
  await crash()
  await expect.poll(() => pageText(electron)).toBe('Rain. Typed a moment ago.')
  expect((await log()).some((line) => line.event === 'window.page-gone')).toBe(true)

  await answerDialogs(electron, 0)
  await crash()
  await expect.poll(() => pageText(electron)).toBe('Rain. Typed a moment ago.')
  await crash()
  await expect.poll(() => askedDialogs(electron)).toEqual(['The window crashed several times in a row.'])
  await expect.poll(() => pageText(electron)).toBe('Rain. Typed a moment ago.')
})

test('recovery: a page that hangs is asked about, and the question goes when it answers', async ({
  appWindow,
}) => {
  appWindow.env.ELECTRON_STANDIN_SILENCE_MS = '2000'
  const { page, electron } = await appWindow.start('--lang=ja', await appWindow.work('rain', '雨。'))
  await expect(manuscript(page)).toContainText('雨。')
  await inMain(electron, ({ dialog }) => {
    dialog.showMessageBox = ((_window: unknown, box: { signal: AbortSignal }) =>
      new Promise((resolve) =>
        box.signal.addEventListener('abort', () => {
          Object.assign(globalThis, { isWithdrawn: true })
          resolve({ response: 1, checkboxChecked: false })
        }),
      )) as never
  })
  const busyMs = isRealElectron ? 45_000 : 6000
  void inMain(
    electron,
    new Function(
      'electron',
      `electron.BrowserWindow.getAllWindows()[0].webContents
    .executeJavaScript('for (const end = Date.now() + ${busyMs}; Date.now() < end;);')`,
    ) as never,
  )
  await expect.poll(() => electron.evaluate(() => Reflect.get(globalThis, 'isWithdrawn'))).toBe(true)
  await expect(manuscript(page)).toContainText('雨。')

  await test.step('a page that hangs is loaded anew when the author says so', async () => {
    await answerDialogs(electron, 0)
    void inMain(electron, ({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]
        ?.webContents.executeJavaScript('for (;;);')
        .catch(() => undefined)
    })
    await expect.poll(() => askedDialogs(electron)).toEqual(['ウィンドウが応答していません。'])
    await expect.poll(() => pageText(electron)).toBe('雨。')
  })
})

test('closing: a window that the desktop takes away ends the app in the same order', async ({
  appWindow,
}) => {
  const work = await appWindow.work('rain', '雨。')
  const { page, electron, ended } = await appWindow.start('--lang=ja', work)
  await write(page, '窓が消える前に。')
  await page.waitForTimeout(300)
  await inMain(electron, ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.destroy())
  expect(await ended).toBe(0)
  expect(await readText(join(work, '01.txt'))).toBe('雨。窓が消える前に。')
})

test('a start that fails says why', async ({ appWindow }) => {
  await mkdir(appWindow.dataDir, { recursive: true })
  await writeFile(join(appWindow.dataDir, 'tsugi.db'), 'This is no database. '.repeat(300))
  const { code, output } = await appWindow.startInVain('--lang=en')
  expect(output).toContain('Tsugi could not start.')
  expect(output).toContain('tsugi.db')
  expect(code).toBe(1)
  expect(await readText(join(appWindow.dataDir, 'tsugi.db'))).toContain('This is no database.')
})

import { basename } from 'node:path'
import type { BrowserWindow, App as ElectronApp, Menu, NativeTheme, Notification, Session } from 'electron'
import type { Deps, HostNotice } from '../src/main/deps.ts'
import type { App } from '../src/main/lifecycle/running-app.ts'
import type { Api } from '../src/shared/contract/index.ts'
import type { Translate } from '../src/shared/i18n/translate.ts'
import { setSpelling } from './app-page.ts'
import { openTargetOf } from './launch-arguments.ts'
import { createLiveSettings } from './live-settings.ts'
import { menuKeys, menuTemplate } from './menu.ts'
import type { PickKind, Questions } from './questions.ts'
import { createLongWork, followRuns } from './run-activity.ts'
import type { WindowEvents } from './window-events.ts'

const shownRecent = 10

/** The parts of the app on the desktop outside its window: menu, task bar, notifications, opened paths. */
export function createDesktop(options: {
  app: App
  api: Api
  deps: Deps
  electronApp: Pick<ElectronApp, 'setBadgeCount' | 'addRecentDocument' | 'isPackaged'>
  Menu: Pick<typeof Menu, 'buildFromTemplate' | 'setApplicationMenu'>
  Notification: typeof Notification
  nativeTheme: Pick<NativeTheme, 'themeSource'>
  session: Pick<Session, 'setSpellCheckerEnabled' | 'setSpellCheckerLanguages'>
  questions(t: () => Translate): Questions
  window(): BrowserWindow | undefined
  showWindow(): void
  events: WindowEvents
  showLogs(): void
}) {
  const { app, api, deps, window } = options
  const { log } = deps
  const end = new AbortController()
  const { signal } = end
  let recent: { root: string; name: string }[] = []
  /** Shown notifications, kept from garbage collection: a collected one no longer reports a click. */
  const notifications = new Set<Notification>()

  const settings = createLiveSettings({
    api,
    locale: deps.locale,
    signal,
    onLanguage: installMenu,
    onTheme: (source) => {
      options.nativeTheme.themeSource = source
    },
    onSpelling: (isOn) => setSpelling(options.session, isOn, process.platform),
  })
  const questions = options.questions(settings.t)

  function installMenu(): void {
    const template = menuTemplate({
      platform: process.platform,
      t: settings.t(),
      recent,
      keys: menuKeys,
      isDeveloper: !options.electronApp.isPackaged,
      actions: {
        open: (kind) => void pick(kind).catch(bug('menu.open')),
        openRecent: open,
        save: () => void app.flush().catch(bug('menu.save')),
        command: options.events.command,
        showLogs: options.showLogs,
      },
    })
    options.Menu.setApplicationMenu(options.Menu.buildFromTemplate(template))
  }

  async function pick(kind: PickKind): Promise<void> {
    const path = await questions.pick(kind)
    if (path !== null) open(path)
  }

  function open(path: string): void {
    options.showWindow()
    const target = openTargetOf(path)
    if (target.kind === 'work') options.events.openPath(target.path)
    else api['model.use']({ backend: 'embedded', file: target.path }, { signal }).catch(bug('open.model'))
  }

  async function readRecent(): Promise<void> {
    const { works } = await api['work.recent']({}, { signal })
    const next = works.slice(0, shownRecent).map(({ root, name }) => ({ root, name }))
    if (JSON.stringify(next) === JSON.stringify(recent)) return
    const newest = next[0]
    if (newest && newest.root !== recent[0]?.root) options.electronApp.addRecentDocument(newest.root)
    recent = next
    installMenu()
  }

  const longWork = createLongWork({
    isInFront: () => window()?.isFocused() ?? false,
    showProgress(progress) {
      if (progress === null) window()?.setProgressBar(-1)
      else if (progress === 'unknown') window()?.setProgressBar(2, { mode: 'indeterminate' })
      else window()?.setProgressBar(progress)
    },
    showBadge: (count) => void options.electronApp.setBadgeCount(count),
    flash: (isOn) => window()?.flashFrame(isOn),
    notify({ name }) {
      const t = settings.t()
      show(t('shell.finished.title'), t('shell.finished.body', { name: basename(name) }), options.showWindow)
    },
  })

  function show(title: string, body: string, onClick: () => void): void {
    const notification = new options.Notification({ title, body })
    notification.on('click', onClick)
    notifications.add(notification)
    notification.show()
  }

  const activity = followRuns({
    watch: (runId) => api['run.watch']({ runId }, { signal }),
    onChange: longWork.update,
    onFinished: longWork.finished,
    onFailed: bug('desktop.run'),
  })
  app.onRun(activity.update)
  settings.follow().catch(bug('desktop.settings'))
  options.events.follow(signal).catch(bug('desktop.events'))

  /** Returns a handler that logs an error as a bug, except while the app ends: then everything was told to stop. */
  function bug(where: string): (error: unknown) => void {
    return (error) => {
      if (!signal.aborted) log.bug(error, where)
    }
  }

  return {
    t: settings.t,
    questions,
    activity,
    open,
    /** Shows a notice of the system; a click on it raises the window and runs the notice's command there. */
    notify: ({ body, command }: HostNotice): void =>
      show('Tsugi', body, () => {
        options.showWindow()
        options.events.command(command)
      }),
    /** Reads the recent works again, which may have changed. */
    refreshRecent: (): void => void readRecent().catch(bug('desktop.recent')),
    seen(): void {
      notifications.clear()
      longWork.seen()
    },
    close: (): void => end.abort(),
  }
}

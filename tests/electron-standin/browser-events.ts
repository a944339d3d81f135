import { StandInBrowserWindow } from './browser-window.ts'
import type { Chromium } from './chromium.ts'
import { createEvent } from './event.ts'
import { defaultSession } from './session.ts'

type TargetInfo = { targetId: string; type: string; title: string; openerId?: string; url: string }
/** What happens to the browser as a whole: titles, windows that pages open, downloads. */
export async function followBrowser(chromium: Chromium): Promise<void> {
  const windowOf = (targetId: string | undefined) =>
    targetId === undefined
      ? undefined
      : StandInBrowserWindow.getAllWindows().find((window) => window.webContents._targetId === targetId)

  chromium.listen((method, params: { targetInfo: TargetInfo; url: string }) => {
    if (method === 'Target.targetInfoChanged') {
      const { targetId, title } = params.targetInfo
      if (title !== '' && !title.includes('electron-standin')) windowOf(targetId)?._titleChanged(title)
    }
    // The open handler has said no (it may say nothing else here), so the window that Chromium made goes.
    if (method === 'Target.targetCreated' && windowOf(params.targetInfo.openerId)) {
      void chromium.send('Target.closeTarget', { targetId: params.targetInfo.targetId })
    }
    if (method === 'Browser.downloadWillBegin') {
      const [window] = StandInBrowserWindow.getAllWindows()
      defaultSession._willDownload(createEvent(), { getURL: () => params.url }, window?.webContents as never)
    }
  })
  await chromium.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true })
}

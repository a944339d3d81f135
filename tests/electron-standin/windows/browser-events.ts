import type { DownloadItem } from 'electron'
import { documentClass } from '../documented.ts'
import { createEvent } from '../event.ts'
import { defaultSession } from '../session.ts'
import { StandInBrowserWindow } from './browser-window.ts'
import type { Chromium } from './chromium.ts'

type TargetInfo = { targetId: string; type: string; title: string; openerId?: string; url: string }
/** A file that a page offers to keep. */
class StandInDownloadItem implements Pick<DownloadItem, 'getURL'> {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  getURL(): string {
    return this.#url
  }
}
documentClass('DownloadItem', StandInDownloadItem)

/** Follows events of the whole browser: titles, windows that pages open, downloads. */
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
    // The open handler has refused (the only answer allowed here), so the window that Chromium made is closed.
    if (method === 'Target.targetCreated' && windowOf(params.targetInfo.openerId)) {
      void chromium.send('Target.closeTarget', { targetId: params.targetInfo.targetId })
    }
    if (method === 'Browser.downloadWillBegin') {
      const [window] = StandInBrowserWindow.getAllWindows()
      defaultSession._willDownload(
        createEvent(),
        new StandInDownloadItem(params.url),
        window?.webContents as never,
      )
    }
  })
  await chromium.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true })
}

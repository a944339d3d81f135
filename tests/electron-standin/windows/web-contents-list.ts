import { documentModule } from '../documented.ts'
import { StandInBrowserWindow } from './browser-window.ts'
import type { StandInWebContents } from './web-contents.ts'

const all = (): StandInWebContents[] =>
  StandInBrowserWindow.getAllWindows().map((window) => window.webContents)

/** The static methods of `webContents`, which Playwright uses to find a page's window. */
export const webContents = documentModule('WebContents', {
  getAllWebContents: all,
  fromId: (id: number) => all().find((each) => each.id === id),
  fromDevToolsTargetId: (targetId: string) => all().find((each) => each._targetId === targetId),
})

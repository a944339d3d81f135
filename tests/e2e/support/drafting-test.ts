import { expect, type Page } from '@playwright/test'
import {
  type AppWindowOptions,
  type OpenAppWindow,
  openAppWindow,
  openManuscript,
  page001,
} from './open-app-window.ts'
import { pageErrors } from './open-room.ts'
import {
  leaveSharedAppWindow,
  openSharedAppWindow,
  type SharedAppWindow,
  type SharedAppWindowOptions,
} from './shared-app-window.ts'
import { test as base } from './worker-test.ts'

type Windows = {
  /** A window with a host and a data folder of its own. */
  openAppWindow: (options?: AppWindowOptions) => Promise<OpenAppWindow>
  /** The window that the tests of a worker share, with a new work. */
  openSharedAppWindow: (options?: SharedAppWindowOptions) => Promise<SharedAppWindow>
}

/** Tests of a work in a window; an error of the page fails the test. */
export const test = base.extend<Windows>({
  openAppWindow: async ({ page }, use) => {
    const endings: (() => Promise<void>)[] = []
    const errors = pageErrors(page)
    await use((options = {}) => openAppWindow(page, options, (ending) => endings.push(ending)))
    // Errors of a window that outlives its host are expected.
    const reported = [...errors]
    for (const ending of endings.reverse()) await ending()
    expect(reported).toEqual([])
  },
  openSharedAppWindow: async ({ browser, windowKeeper, viewport, locale }, use) => {
    const newPage = async (): Promise<Page> =>
      (await browser.newContext({ viewport, ...(locale === undefined ? {} : { locale }) })).newPage()
    await use((options = {}) => openSharedAppWindow(windowKeeper, newPage, options))
    expect(windowKeeper.errors.splice(0)).toEqual([])
    await leaveSharedAppWindow(windowKeeper)
  },
})
export { type AppWindowOptions, expect, type OpenAppWindow, openManuscript, page001, type SharedAppWindow }

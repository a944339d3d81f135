/** The module that `import … from 'electron'` loads here. The import of a missing name fails with that name. */
// biome-ignore lint/performance/noBarrelFile: it stands for a module that exports these
export {
  nativeTheme,
  StandInNotification as Notification,
  safeStorage,
  screen,
  shell,
} from './desktop-services.ts'
export { dialog } from './dialog.ts'
export { app } from './electron-app.ts'
export { ipcMain } from './ipc-main.ts'
export { StandInMenu as Menu } from './menu.ts'
export { protocol } from './schemes.ts'
export { session } from './session.ts'
export { utilityProcess } from './utility/utility-process.ts'
export { StandInBrowserWindow as BrowserWindow } from './windows/browser-window.ts'
export { webContents } from './windows/web-contents-list.ts'

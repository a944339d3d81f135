import { EventEmitter } from 'node:events'
import type { IpcMain } from 'electron'
import { documentModule } from './documented.ts'

/** Channels are the app's own names, so anything may be listened to. Replies are not offered. */
export const ipcMainChannels = new EventEmitter()

const offered: Pick<IpcMain, 'on' | 'off' | 'emit'> = {
  on(channel, listener) {
    ipcMainChannels.on(channel, listener)
    return ipcMain as IpcMain
  },
  off(channel, listener) {
    ipcMainChannels.off(channel, listener)
    return ipcMain as IpcMain
  },
  emit: (channel, ...args) => ipcMainChannels.emit(channel, ...args),
}

export const ipcMain = documentModule('IpcMain', offered)

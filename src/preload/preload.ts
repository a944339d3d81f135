import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { IPC_TO_HOST, IPC_TO_WINDOW, type IpcBridge, type IpcToWindow } from '../shared/rpc/ipc-messages.ts'

// Two functions over two fixed channels, and the path of a dropped file, are all that the page gets of Electron.
const bridge: IpcBridge = {
  post: (message) => ipcRenderer.send(IPC_TO_HOST, message),
  onMessage: (listener) => {
    const receive = (_event: unknown, message: IpcToWindow) => listener(message)
    ipcRenderer.on(IPC_TO_WINDOW, receive)
    return () => ipcRenderer.off(IPC_TO_WINDOW, receive)
  },
  pathOf: (file) => webUtils.getPathForFile(file as File),
}

contextBridge.exposeInMainWorld('tsugi', bridge)

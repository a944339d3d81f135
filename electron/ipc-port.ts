import type { IpcMain, IpcMainEvent, WebContents } from 'electron'
import { createIpcHostPort, type IpcHostPort } from '../src/shared/rpc/ipc-host-port.ts'
import { IPC_TO_HOST, IPC_TO_WINDOW, readIpcToHost } from '../src/shared/rpc/ipc-messages.ts'
import type { HostPort } from '../src/shared/wire.ts'

/**
 * Makes a Port of each page load that connects.
 *
 * Shape: a page opens one connection; its reload, crash or end closes the port. Every message is checked
 * for its sender: only the main frame of our own page is heard.
 */
export function listenForPages(options: {
  ipcMain: Pick<IpcMain, 'on'>
  /** Origin of our own page; messages from any other origin are not read. */
  origin: string
  onPort(port: HostPort, sender: WebContents): void
  /** A message that was dropped: from a frame that is not ours, or unreadable. */
  onRefused(from: string): void
}): void {
  const pages = new Map<WebContents, IpcHostPort>()

  options.ipcMain.on(IPC_TO_HOST, (event: IpcMainEvent, payload: unknown) => {
    const frame = event.senderFrame
    const isOwnPage = frame !== null && frame.parent === null && frame.origin === options.origin
    const message = isOwnPage ? readIpcToHost(payload) : undefined
    if (message === undefined) return options.onRefused(event.senderFrame?.url ?? 'a frame that is gone')
    if (message.kind === 'open') open(event.sender, message.connection)
    else pages.get(event.sender)?.receive(message)
  })

  function open(sender: WebContents, connection: string): void {
    pages.get(sender)?.gone()
    const page = createIpcHostPort(connection, (message) => sender.send(IPC_TO_WINDOW, message))
    pages.set(sender, page)
    sender.on('destroyed', page.gone)
    sender.on('render-process-gone', page.gone)
    sender.on('did-navigate', page.gone)
    page.port.onClose(() => {
      sender.off('destroyed', page.gone)
      sender.off('render-process-gone', page.gone)
      sender.off('did-navigate', page.gone)
      if (pages.get(sender) === page) pages.delete(sender)
    })
    options.onPort(page.port, sender)
  }
}

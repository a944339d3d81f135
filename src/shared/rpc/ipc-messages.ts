/**
 * The messages that carry frames over Electron's IPC: as JSON text, so that both hosts carry the same values and the
 * size of waiting frames is known.
 *
 * Shape: `connection` is a random id that each page load makes for itself. It keeps late answers to a page
 * before a reload away from the page after it, which counts its request ids from 1 again.
 */
export type IpcToHost =
  | { kind: 'open'; connection: string }
  | { kind: 'frame'; connection: string; text: string }
  /** The page has received this much since its last such message. Units: UTF-16 units of `text`. */
  | { kind: 'received'; connection: string; units: number }
  | { kind: 'close'; connection: string }

export type IpcToWindow =
  | { kind: 'frame'; connection: string; text: string }
  | { kind: 'close'; connection: string }

/** The channels of `ipcRenderer.send` and of `webContents.send`. */
export const IPC_TO_HOST = 'tsugi:to-host'
export const IPC_TO_WINDOW = 'tsugi:to-window'

/** The object that the preload script puts on the page's `window.tsugi`. */
export type IpcBridge = {
  post(message: IpcToHost): void
  /** Returns a function that stops listening. */
  onMessage(listener: (message: IpcToWindow) => void): () => void
  /** Returns the path of a file that was dropped into the page; empty for one that is not on the disk. */
  pathOf(file: unknown): string
}

/** Reads a value from a page, which may be anything; undefined where it is no message. */
export function readIpcToHost(value: unknown): IpcToHost | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { kind, connection, text, units } = value as Record<string, unknown>
  if (typeof connection !== 'string' || connection.length === 0 || connection.length > 100) return undefined
  if (kind === 'open' || kind === 'close') return { kind, connection }
  if (kind === 'frame' && typeof text === 'string') return { kind, connection, text }
  if (kind === 'received' && typeof units === 'number' && units >= 0) return { kind, connection, units }
  return undefined
}

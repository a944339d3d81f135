import { EventEmitter } from 'node:events'
import type { IpcMain, WebContents } from 'electron'
import { describe, expect, it } from 'vitest'
import { IPC_TO_HOST, IPC_TO_WINDOW, type IpcToHost } from '../src/shared/rpc/ipc-messages.ts'
import type { HostPort, RequestFrame } from '../src/shared/wire.ts'
import { listenForPages } from './ipc-port.ts'

const origin = 'tsugi://app'

/** What Electron gives to a listener of `ipcMain`, as far as the port reads it. */
class FakePage extends EventEmitter {
  readonly sent: unknown[] = []
  isGone = false

  send(channel: string, message: unknown): void {
    if (this.isGone) throw new Error('Object has been destroyed')
    if (channel === IPC_TO_WINDOW) this.sent.push(message)
  }
}

function setUp() {
  const ipcMain = new EventEmitter()
  const ports: HostPort[] = []
  const refused: string[] = []
  listenForPages({
    ipcMain: ipcMain as unknown as Pick<IpcMain, 'on'>,
    origin,
    onPort: (port) => ports.push(port),
    onRefused: (from) => refused.push(from),
  })
  const page = new FakePage()
  const ownFrame = { origin, parent: null as object | null, url: `${origin}/index.html` }
  const post = (message: IpcToHost | object, senderFrame: typeof ownFrame | null = ownFrame) =>
    ipcMain.emit(IPC_TO_HOST, { sender: page as unknown as WebContents, senderFrame }, message)
  const open = (connection: string): HostPort => {
    post({ kind: 'open', connection })
    const port = ports.at(-1)
    if (port === undefined) throw new Error('no port')
    return port
  }
  return { page, ports, refused, post, open, ownFrame }
}

function follow(port: HostPort): { frames: RequestFrame[]; closed: number } {
  const seen = { frames: [] as RequestFrame[], closed: 0 }
  port.onFrame((frame) => seen.frames.push(frame))
  port.onClose(() => {
    seen.closed += 1
  })
  return seen
}

const request: RequestFrame = { t: 'call', id: 1, method: 'host.info', input: {} }

describe('listenForPages', () => {
  it('carries frames both ways', () => {
    const { page, post, open } = setUp()
    const port = open('a')
    const seen = follow(port)
    post({ kind: 'frame', connection: 'a', text: JSON.stringify(request) })
    port.send({ t: 'end', id: 1 })
    expect(seen.frames).toEqual([request])
    expect(page.sent).toEqual([{ kind: 'frame', connection: 'a', text: '{"t":"end","id":1}' }])
  })

  it('hears nobody but the main frame of our own page', () => {
    const { ports, refused, post, ownFrame } = setUp()
    const message = { kind: 'open', connection: 'a' }
    post(message, { ...ownFrame, origin: 'https://example.test', url: 'https://example.test/' })
    post(message, { ...ownFrame, origin: 'tsugi://other', url: 'tsugi://other/' })
    post(message, { ...ownFrame, parent: ownFrame, url: `${origin}/inner.html` })
    post(message, null)
    expect(ports).toEqual([])
    expect(refused).toEqual([
      'https://example.test/',
      'tsugi://other/',
      `${origin}/inner.html`,
      'a frame that is gone',
    ])
  })

  it('drops later frames of a page that was led elsewhere', () => {
    const { post, open, ownFrame } = setUp()
    const seen = follow(open('a'))
    const text = JSON.stringify(request)
    post({ kind: 'frame', connection: 'a', text }, { ...ownFrame, origin: 'https://example.test' })
    expect(seen.frames).toEqual([])
  })

  it('refuses what is no message', () => {
    const { ports, refused, post } = setUp()
    post({ kind: 'open' })
    post({ kind: 'shutdown', connection: 'a' })
    expect(ports).toEqual([])
    expect(refused).toHaveLength(2)
  })

  it('closes the port of a page that connects again, and keeps the new one', () => {
    const { post, open } = setUp()
    const first = follow(open('a'))
    const second = follow(open('b'))
    post({ kind: 'frame', connection: 'a', text: JSON.stringify(request) })
    post({ kind: 'frame', connection: 'b', text: JSON.stringify(request) })
    expect([first.closed, first.frames.length]).toEqual([1, 0])
    expect([second.closed, second.frames.length]).toEqual([0, 1])
  })

  it.each(['destroyed', 'render-process-gone', 'did-navigate'])('closes the port on %s, once', (ending) => {
    const { page, open } = setUp()
    const seen = follow(open('a'))
    page.emit(ending)
    page.emit('destroyed')
    expect(seen.closed).toBe(1)
    expect(page.eventNames()).toEqual([])
  })

  it('takes a page that is gone for a closed port instead of failing', () => {
    const { page, open } = setUp()
    const port = open('a')
    const seen = follow(port)
    page.isGone = true
    port.send({ t: 'end', id: 1 })
    port.send({ t: 'end', id: 2 })
    expect(seen.closed).toBe(1)
  })
})

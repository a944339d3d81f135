import { describe, expect, it } from 'vitest'
import { createIpcHostPort } from './ipc-host-port.ts'
import { type IpcToWindow, readIpcToHost } from './ipc-messages.ts'

function open() {
  const posted: IpcToWindow[] = []
  const frames: unknown[] = []
  let closes = 0
  const host = createIpcHostPort('page-2', (message) => void posted.push(message))
  host.port.onFrame((frame) => frames.push(frame))
  host.port.onClose(() => {
    closes += 1
  })
  return { ...host, posted, frames, closes: () => closes }
}

const frame = (connection: string, text: string) => ({ kind: 'frame', connection, text }) as const

describe('the host end of IPC', () => {
  it('marks what it sends with its page, and hears that page alone', () => {
    const { port, receive, posted, frames } = open()
    port.send({ t: 'end', id: 1 })
    receive(frame('page-1', '{"t":"cancel","id":1}'))
    receive(frame('page-2', '{"t":"cancel","id":2}'))
    expect(posted).toEqual([frame('page-2', '{"t":"end","id":1}')])
    expect(frames).toEqual([{ t: 'cancel', id: 2 }])
  })

  it('counts what the page has not received', () => {
    const { port, receive } = open()
    port.send({ t: 'result', id: 1, value: 'x'.repeat(100) })
    const sentUnits = port.bufferedBytes()
    expect(sentUnits).toBeGreaterThan(100)
    receive({ kind: 'received', connection: 'page-2', units: 100 })
    expect(port.bufferedBytes()).toBe(sentUnits - 100)
    receive({ kind: 'received', connection: 'page-2', units: 1e9 })
    expect(port.bufferedBytes()).toBe(0)
  })

  it('closes once: for a goodbye, a page that is gone, and text that is not JSON', () => {
    for (const end of [
      ({ receive }: ReturnType<typeof open>) => receive({ kind: 'close', connection: 'page-2' }),
      ({ gone }: ReturnType<typeof open>) => gone(),
      ({ receive }: ReturnType<typeof open>) => receive(frame('page-2', '{')),
    ]) {
      const opened = open()
      end(opened)
      opened.gone()
      opened.port.send({ t: 'end', id: 1 })
      opened.port.close()
      expect([opened.closes(), opened.posted]).toEqual([1, []])
    }
  })

  it('closes when sending fails, without an exception', () => {
    const { port } = createIpcHostPort('page', () => {
      throw new TypeError('Object has been destroyed')
    })
    let isClosed = false
    port.onClose(() => {
      isClosed = true
    })
    port.send({ t: 'end', id: 1 })
    expect(isClosed).toBe(true)
  })

  it('reads no message that a page may not send', () => {
    const messages = [
      null,
      'open',
      {},
      { kind: 'open' },
      { kind: 'open', connection: '' },
      { kind: 'open', connection: 'x'.repeat(101) },
      { kind: 'frame', connection: 'a' },
      { kind: 'received', connection: 'a', units: -1 },
      { kind: 'received', connection: 'a', units: Number.NaN },
      { kind: 'quit', connection: 'a' },
    ]
    expect(messages.map(readIpcToHost)).toEqual(messages.map(() => undefined))
    expect(readIpcToHost({ kind: 'open', connection: 'a', extra: 1 })).toEqual({
      kind: 'open',
      connection: 'a',
    })
  })
})

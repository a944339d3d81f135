import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../tests/fakes/window-host/fake-host.ts'
import {
  openWindow,
  startWindow,
  until,
  type WindowOptions,
} from '../../../../tests/fakes/window-host/open-window.ts'
import { segmentsText } from '../../../shared/domain/session/message-segment.ts'

const key = 'session-1'
const text = (value: string) => [{ kind: 'text' as const, text: value }]

async function open(options: WindowOptions = {}) {
  const opened = await openWindow(options)
  await until(() => opened.asked('unsent.watch').length > 0)
  const unsent = () => opened.store.getState().unsent
  const shown = (of = key) =>
    (unsent().byKey[of] ?? [])
      .map((one) => (one.kind === 'file-ref' ? one.path : segmentsText([one])))
      .join('')
  const write = (value: string, of = key) => unsent().keep(of, value === '' ? [] : text(value))
  return { ...opened, unsent, shown, write }
}

/** Two windows over one host. */
async function openTwo() {
  const one = await open()
  const other = await open({ host: one.host })
  await until(() => one.asked('unsent.watch').length === 2)
  return { host: one.host, one, other }
}

describe('what is written and not sent', () => {
  it('is with the host shortly after, and in the window that comes next', async () => {
    const { host, write, unsent } = await open()
    write('書きかけ')
    write('直した頼み', 'session-1 item 1')
    write('はじめの頼み', '')
    await until(() => host.unsent.text('item 1') === '直した頼み' && host.unsent.text(null) !== undefined)
    expect(host.unsent.text('session-1')).toBe('書きかけ')
    const next = await open({ host })
    await until(() => next.shown() === '書きかけ')
    expect(next.unsent().byKey).toEqual(unsent().byKey)
  })

  it('goes to the host once for many keys, and at once where the window goes', async () => {
    const { host, write, asked, unsent } = await open()
    for (const value of ['か', 'かき', 'かきか']) write(value)
    expect(asked('unsent.keep')).toEqual([])
    unsent().flush()
    await until(() => host.unsent.text('session-1') === 'かきか')
    expect(asked('unsent.keep')).toHaveLength(1)
    write('')
    await until(() => host.unsent.text('session-1') === undefined)
  })

  it('is told again when the host comes back, and stays where the host has forgotten', async () => {
    const { host, write, shown, connection } = await open()
    write('切れる前')
    await until(() => host.unsent.text('session-1') === '切れる前')
    connection.drop()
    write('切れた後')
    await until(() => host.unsent.text('session-1') === '切れた後')
    expect(shown()).toBe('切れた後')
  })

  it('is of one folder: another one begins with what its own host keeps', async () => {
    const { host, write, store, shown } = await open()
    write('この作品へ')
    store.getState().work.close()
    expect(shown()).toBe('')
    await until(() => host.unsent.text('session-1') === 'この作品へ')
    await store.getState().work.open(host.work.root)
    await until(() => shown() === 'この作品へ')
  })

  it('that was begun before the window knew the older one stands behind it', async () => {
    const host = new FakeHost()
    host.unsent.keep({ sessionId: 'session-1', about: null, segments: text('前から') })
    host.openPath = host.work.root
    const { store } = startWindow({ host })
    store.getState().unsent.keep(key, text('いま'))
    const shown = () => store.getState().unsent.byKey[key]
    await until(() => JSON.stringify(shown())?.includes('前から') === true)
    expect(shown()).toEqual([...text('前から'), ...text('\n'), ...text('いま')])
  })

  it('stays at the host where a message was sent before the window knew it', async () => {
    const host = new FakeHost()
    host.unsent.keep({ sessionId: 'session-1', about: null, segments: text('前から') })
    const { promise, resolve: tell } = Promise.withResolvers<void>()
    host.unsent.tellingHeld = promise
    const { shown, write, unsent } = await open({ host })
    write('いま')
    const release = unsent().hold(key)
    write('')
    release()
    unsent().flush()
    tell()
    await until(() => shown() === '前から')
    expect(host.unsent.text('session-1')).toBe('前から')
  })
})

describe('two windows', () => {
  it('show what the other one wrote last, and its end', async () => {
    const { one, other } = await openTwo()
    one.write('一の窓から')
    await until(() => other.shown() === '一の窓から')
    other.write('二の窓から')
    await until(() => one.shown() === '二の窓から')
    one.write('')
    await until(() => other.shown() === '')
  })

  it('leave what is being written alone; the last writer wins', async () => {
    const { host, one, other } = await openTwo()
    one.write('一の窓から')
    other.write('二の窓から')
    other.unsent().flush()
    await until(() => one.asked('unsent.keep').length === 2)
    expect(one.asked('unsent.keep')).toMatchObject(
      ['二の窓から', '一の窓から'].map((value) => ({ message: { segments: text(value) } })),
    )
    expect(one.shown()).toBe('一の窓から')
    expect(host.unsent.text('session-1')).toBe('一の窓から')
    await until(() => other.shown() === '一の窓から')
  })

  it('agree where the other one wrote while this one was being heard', async () => {
    const { host, one, other } = await openTwo()
    const { promise, resolve } = Promise.withResolvers<void>()
    host.unsent.held = promise
    one.write('一の窓から')
    one.unsent().flush()
    await until(() => other.shown() === '一の窓から')
    host.unsent.held = undefined
    other.write('二の窓から')
    await until(() => host.unsent.text('session-1') === '二の窓から')
    expect(one.shown()).toBe('一の窓から')
    resolve()
    await until(() => one.shown() === '二の窓から')
    expect(host.unsent.text('session-1')).toBe('二の窓から')
  })
})

describe('a message that is being sent', () => {
  it('is kept until it has arrived, also what was written right before', async () => {
    const { host, write, unsent } = await open()
    write('送るもの')
    const release = unsent().hold(key)
    write('')
    await until(() => host.unsent.text('session-1') === '送るもの')
    unsent().flush()
    write('次のもの', 'session-2')
    await until(() => host.unsent.text('session-2') === '次のもの')
    expect(host.unsent.text('session-1')).toBe('送るもの')
    release()
    await until(() => host.unsent.text('session-1') === undefined)
  })

  it('is gone by the host where it arrived, and what is written since is kept', async () => {
    const { host, write, shown, unsent } = await open()
    write('送るもの')
    const release = unsent().hold(key)
    write('次の頼み')
    await until(() => host.unsent.text('session-1') === '送るもの')
    host.unsent.keep({ sessionId: 'session-1', about: null, segments: [] })
    release()
    await until(() => host.unsent.text('session-1') === '次の頼み')
    expect(shown()).toBe('次の頼み')
  })
})

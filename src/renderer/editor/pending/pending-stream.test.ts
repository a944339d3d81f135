import { EditorState, type Transaction, type TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { describe, expect, it } from 'vitest'
import type { PendingContinuation } from '../editor-types.ts'
import { offerPending, pendingField, pendingPlace } from './pending-state.ts'
import { PendingStream } from './pending-stream.ts'

/** A stand-in for the view: a state, frames and a clock that the test moves, and every transaction counted. */
function streamRig() {
  let now = 1_000
  let frames: (() => void)[] = []
  let timers: { at: number; act: () => void }[] = []
  const transactions: Transaction[] = []
  const stream = new PendingStream({
    shownState: () => state,
    draw: (pending) => dispatch({ effects: offerPending.of({ pending, position: 0 }) }),
    requestFrame: (act) => void frames.push(act),
    setTimer: (act, delayMs) => void timers.push({ at: now + delayMs, act }),
    now: () => now,
  })
  let state = EditorState.create({ doc: '雨。', extensions: [pendingField, stream.extension] })
  const listeners = () => state.facet(EditorView.updateListener)
  function dispatch(spec: TransactionSpec): void {
    const transaction = state.update(spec)
    transactions.push(transaction)
    ;({ state } = transaction)
    for (const listener of listeners())
      listener({ docChanged: transaction.docChanged, transactions: [transaction] } as never)
  }
  const rig = {
    stream,
    transactions,
    show(pending: PendingContinuation | null) {
      if (!stream.takes(pending))
        dispatch({ effects: offerPending.of(pending && { pending, position: state.doc.length }) })
    },
    write(text: string) {
      rig.show({ id: 'take', position: 2, lead: '', text, phase: 'writing' })
    },
    type(insert: string, userEvent = 'input.type') {
      dispatch({ changes: { from: 0, insert }, userEvent })
    },
    frame() {
      const due = frames
      frames = []
      for (const act of due) act()
    },
    pass(ms: number) {
      now += ms
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { act } of due) act()
      rig.frame()
    },
    rest: () => pendingPlace(state)?.rest,
  }
  return rig
}

describe('text that streams into an offer', () => {
  it('is drawn at once a frame, however many pieces come', () => {
    const rig = streamRig()
    rig.write('一')
    expect(rig.transactions).toHaveLength(1)
    for (const text of ['一二', '一二三', '一二三四']) rig.write(text)
    expect(rig.transactions).toHaveLength(1)
    rig.frame()
    expect(rig.transactions).toHaveLength(2)
    expect(rig.rest()).toBe('一二三四')
    rig.frame()
    expect(rig.transactions).toHaveLength(2)
  })

  it('costs a key nothing: neither a transaction of its own nor a change of the offer', () => {
    const rig = streamRig()
    const shown = '一'.repeat(200)
    rig.write(shown)
    rig.type('春')
    const before = rig.transactions.length
    for (let key = 1; key <= 20; key++) {
      for (let piece = 0; piece < 4; piece++) {
        rig.write(`${shown}${'字'.repeat(key * 4 + piece)}`)
        rig.pass(15)
      }
      rig.type('夏')
      expect(rig.rest()).toBe(shown)
    }
    expect(rig.transactions).toHaveLength(before + 20)
  })

  it('comes with the key where the author is about to type past what is shown', () => {
    const rig = streamRig()
    const shown = '一'.repeat(30)
    rig.write(shown)
    rig.type('春')
    rig.write(`${shown}二`)
    rig.type('夏'.repeat(10))
    expect(rig.rest()).toBe(shown)
    rig.type('秋'.repeat(11))
    expect(rig.rest()).toBe(`${shown}二`)
    expect(rig.transactions).toHaveLength(4)
  })

  it('is drawn when the author pauses', () => {
    const rig = streamRig()
    rig.write('一')
    rig.type('春')
    rig.write('一二')
    rig.pass(249)
    expect(rig.rest()).toBe('一')
    rig.pass(1)
    expect(rig.rest()).toBe('一二')
  })

  it('is not drawn with what an input method composes, and waits two seconds for it at the most', () => {
    const rig = streamRig()
    rig.write('一')
    rig.type('h', 'input.type.compose')
    rig.write('一二')
    const composed = () => {
      rig.type('a', 'input.type.compose')
      rig.pass(50)
    }
    for (let at = 0; at < 38; at++) composed()
    expect(rig.rest()).toBe('一')
    for (let at = 0; at < 8; at++) composed()
    expect(rig.rest()).toBe('一二')
  })

  it.each([
    ['its end', { id: 'take', position: 2, lead: '', text: '一二三', phase: 'finished' as const }],
    ['another take', { id: 'other', position: 2, lead: '', text: '別', phase: 'writing' as const }],
    ['other text', { id: 'take', position: 2, lead: '', text: '二', phase: 'writing' as const }],
    ['nothing', null],
  ])('gives way at once to %s', (_, next) => {
    const rig = streamRig()
    rig.write('一')
    rig.write('一二')
    rig.show(next)
    expect(rig.rest()).toBe(next?.text)
    rig.pass(1_000)
    expect(rig.rest()).toBe(next?.text)
  })

  it('is in the state before another document is shown', () => {
    const rig = streamRig()
    rig.write('一')
    rig.write('一二')
    rig.stream.flush()
    expect(rig.rest()).toBe('一二')
  })
})

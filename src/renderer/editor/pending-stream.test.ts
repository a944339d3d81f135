import { EditorState, type Transaction, type TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { describe, expect, it } from 'vitest'
import type { PendingContinuation } from './editor-types.ts'
import { offerPending, pendingField, pendingPlace } from './pending-state.ts'
import { PendingStream } from './pending-stream.ts'

/** A stand-in for the view: a state, frames and a clock that the test moves, and every transaction counted. */
function streamBench() {
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
  const bench = {
    stream,
    transactions,
    show(pending: PendingContinuation | null) {
      if (!stream.takes(pending))
        dispatch({ effects: offerPending.of(pending && { pending, position: state.doc.length }) })
    },
    write(text: string) {
      bench.show({ id: 'take', position: 2, lead: '', text, phase: 'writing' })
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
      bench.frame()
    },
    rest: () => pendingPlace(state)?.rest,
  }
  return bench
}

describe('text that streams into an offer', () => {
  it('is drawn at once a frame, however many pieces come', () => {
    const bench = streamBench()
    bench.write('一')
    expect(bench.transactions).toHaveLength(1)
    for (const text of ['一二', '一二三', '一二三四']) bench.write(text)
    expect(bench.transactions).toHaveLength(1)
    bench.frame()
    expect(bench.transactions).toHaveLength(2)
    expect(bench.rest()).toBe('一二三四')
    bench.frame()
    expect(bench.transactions).toHaveLength(2)
  })

  it('costs a key no transaction of its own, and is drawn with the key', () => {
    const bench = streamBench()
    let text = '一'
    bench.write(text)
    bench.type('春')
    const before = bench.transactions.length
    for (let key = 0; key < 10; key++) {
      for (let piece = 0; piece < 4; piece++) {
        text += '字'
        bench.write(text)
        bench.pass(15)
      }
      bench.type('夏')
      expect(bench.rest()).toBe(text)
    }
    expect(bench.transactions).toHaveLength(before + 10)
  })

  it('is drawn when the author pauses', () => {
    const bench = streamBench()
    bench.write('一')
    bench.type('春')
    bench.write('一二')
    bench.pass(249)
    expect(bench.rest()).toBe('一')
    bench.pass(1)
    expect(bench.rest()).toBe('一二')
  })

  it('is not drawn with what an input method composes, and waits half a second for it at the most', () => {
    const bench = streamBench()
    bench.write('一')
    bench.type('h', 'input.type.compose')
    bench.write('一二')
    const composed = () => {
      bench.type('a', 'input.type.compose')
      bench.pass(50)
    }
    for (let at = 0; at < 8; at++) composed()
    expect(bench.rest()).toBe('一')
    for (let at = 0; at < 8; at++) composed()
    expect(bench.rest()).toBe('一二')
  })

  it.each([
    ['its end', { id: 'take', position: 2, lead: '', text: '一二三', phase: 'finished' as const }],
    ['another take', { id: 'other', position: 2, lead: '', text: '別', phase: 'writing' as const }],
    ['other text', { id: 'take', position: 2, lead: '', text: '二', phase: 'writing' as const }],
    ['nothing', null],
  ])('gives way at once to %s', (_, next) => {
    const bench = streamBench()
    bench.write('一')
    bench.write('一二')
    bench.show(next)
    expect(bench.rest()).toBe(next?.text)
    bench.pass(1_000)
    expect(bench.rest()).toBe(next?.text)
  })

  it('is in the state before another document is shown', () => {
    const bench = streamBench()
    bench.write('一')
    bench.write('一二')
    bench.stream.flush()
    expect(bench.rest()).toBe('一二')
  })
})

import { describe, expect, it } from 'vitest'
import {
  fixtureGate,
  fixtureSession,
  fixtureState,
  ItemMaker,
} from '../../../../tests/fakes/window-host/session-fixtures.ts'
import type { SessionEvent } from '../../../shared/domain/session/session.ts'
import {
  foldSession,
  frontGate,
  isBusy,
  itemOf,
  keptOutput,
  newSessionView,
  prependItems,
  type SessionView,
} from './session-reducer.ts'

const state = fixtureState(fixtureSession())
const make = new ItemMaker()
const [question, answer, second, reply] = [
  make.user(1, '閏年？'),
  make.answer(1, '平', { state: 'writing' }),
  make.user(2, 'では 2000 年は？'),
  make.answer(2, '閏年です。'),
]

function opened(items = [question, answer], hasMore = false): SessionView {
  return foldSession(newSessionView('session-1'), { type: 'snapshot', seq: 5, state, items, hasMore })
}
const fold = (view: SessionView, ...events: SessionEvent[]) => events.reduce(foldSession, view)

describe('foldSession', () => {
  it('begins with a snapshot', () => {
    const view = opened()
    expect([view.status, view.seq, view.items.length, view.hasMore]).toEqual(['ready', 5, 2, false])
  })

  it('grows one item and leaves the list of all the same object', () => {
    const before = opened()
    const after = fold(
      before,
      { type: 'text', seq: 6, itemId: answer.itemId, text: '年' },
      { type: 'reasoning', seq: 7, itemId: answer.itemId, text: '百で割れる' },
      { type: 'text', seq: 8, itemId: answer.itemId, text: 'です。' },
    )
    expect(after.items).toBe(before.items)
    expect(after.state).toBe(before.state)
    expect(itemOf(after, answer.itemId)).toMatchObject({ text: '平年です。', reasoning: '百で割れる' })
  })

  it('lets an event pass that is already in, and one for an item that it does not have', () => {
    const view = opened()
    expect(fold(view, { type: 'text', seq: 5, itemId: answer.itemId, text: '年' })).toBe(view)
    const after = fold(view, { type: 'text', seq: 6, itemId: 'elsewhere', text: '年' })
    expect([after.seq, after.items, after.writing]).toEqual([6, view.items, {}])
  })

  it('settles an item in its place when it comes whole', () => {
    const whole = { ...answer, text: '平年です。', state: 'finished' } as typeof answer
    const after = fold(
      opened(),
      { type: 'text', seq: 6, itemId: answer.itemId, text: '年' },
      { type: 'item', seq: 7, item: whole },
    )
    expect(after.items).toEqual([question, whole])
    expect(after.writing).toEqual({})
  })

  it('keeps the items in their order, whenever they come', () => {
    const after = fold(
      opened([question]),
      { type: 'item', seq: 6, item: second },
      { type: 'item', seq: 7, item: answer },
    )
    expect(after.items).toEqual([question, answer, second])
  })

  it('cuts a turn and what follows, also while it is being written', () => {
    const view = fold(
      opened([question, answer, second, reply]),
      { type: 'text', seq: 6, itemId: reply.itemId, text: '…' },
      { type: 'cut', seq: 7, fromTurn: 2 },
    )
    expect([view.items, view.writing]).toEqual([[question, answer], {}])
  })

  it('keeps only the end of a long output', () => {
    const call = make.call(2, 'run_command', 'npm test', { state: 'running' })
    const view = fold(
      opened([call]),
      { type: 'output', seq: 6, itemId: call.itemId, text: 'a'.repeat(keptOutput) },
      { type: 'output', seq: 7, itemId: call.itemId, text: '終わり' },
    )
    const item = itemOf(view, call.itemId)
    const text = item?.kind === 'call' ? item.text : ''
    expect([text.length, text.endsWith('a終わり')]).toEqual([keptOutput, true])
  })

  it('keeps the same objects of a state that says the same', () => {
    const before = opened()
    const after = fold(before, {
      type: 'state',
      seq: 6,
      state: { ...structuredClone(state), mode: 'plan' },
    })
    expect(after.state?.mode).toBe('plan')
    expect(after.state?.course).toBe(before.state?.course)
  })

  it('joins a fresh snapshot to the older pages where they meet, and forgets them where they do not', () => {
    const paged = prependItems(opened([second, reply], true), { items: [question, answer], hasMore: false })
    const snapshot = { type: 'snapshot', seq: 9, state, hasMore: true } as const
    expect(fold(paged, { ...snapshot, items: [second, reply] }).items).toEqual([
      question,
      answer,
      second,
      reply,
    ])
    const later = make.user(9, 'ずっと後')
    expect(fold(paged, { ...snapshot, items: [later] }).items).toEqual([later])
    const undone = fold(paged, { ...snapshot, items: [question], hasMore: false })
    expect([undone.items, undone.hasMore]).toEqual([[question], false])
  })
})

describe('what is read from a session', () => {
  it('puts older items in front, each once', () => {
    const view = prependItems(opened([answer, second], true), { items: [question, answer], hasMore: true })
    expect(view.items).toEqual([question, answer, second])
    expect(view.hasMore).toBe(true)
  })

  it('knows the gate in front', () => {
    const gate = make.gate(2, fixtureGate())
    const view = fold(opened([question, gate]), {
      type: 'state',
      seq: 6,
      state: { ...state, openGates: ['gate-1'] },
    })
    expect(frontGate(view)).toBe(gate)
    expect(frontGate(opened([gate]))).toBeNull()
    expect(frontGate(null)).toBeNull()
  })

  it('is busy while it works and while it waits for a word', () => {
    expect(isBusy(state)).toBe(false)
    expect(isBusy({ ...state, activity: { phase: 'writing', progress: null, startedAt: 0 } })).toBe(true)
    const waiting = { step: 'EXECUTION', status: 'REQUIRES_USER_INPUT', waiting: 'answer' } as const
    expect(isBusy({ ...state, position: waiting })).toBe(true)
  })
})

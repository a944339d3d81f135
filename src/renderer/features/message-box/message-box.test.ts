import { describe, expect, it } from 'vitest'
import { idleBox, press } from '../../../../tests/fakes/box-press.ts'
import { ItemMaker } from '../../../../tests/fakes/window-host/session-fixtures.ts'
import { ChipStore } from '../../editor/message/message-chips.ts'
import { isLongPaste } from '../../editor/message/message-editor.ts'
import { type BoxAction, type BoxFacts, boxAction, type EnterMeaning, enterMeaning } from './box-keys.ts'
import { recallStep, sentMessages } from './recall.ts'

const idle = idleBox
const running = { ...idle, isRunning: true, canSteer: true }
const empty = { ...idle, isEmpty: true, isCaretAtStart: true }

describe('keys of the message box', () => {
  it.each<[string, BoxFacts, BoxAction | null]>([
    ['Enter', idle, 'send'],
    ['Enter', running, 'send'],
    ['Shift+Enter', idle, null],
    ['Ctrl+Enter', idle, 'send'],
    ['Ctrl+Enter', running, 'steer'],
    ['Cmd+Enter', running, 'steer'],
    ['Ctrl+Enter', { ...idle, canSteer: true }, 'steer'],
    ['Alt+Enter', running, 'beside'],
    ['Alt+Enter', idle, 'beside'],
    ['Alt+m', idle, 'next-mode'],
    ['Shift+Tab', idle, null],
    ['Tab', idle, null],
    ['Escape', idle, null],
    ['Escape', { ...idle, isRecalled: true }, 'back-to-unsent'],
    ['Escape', { ...running, isEmpty: true }, 'stop'],
    ['Escape', running, 'ask-before-stop'],
    ['Escape', { ...running, isStopAsked: true }, 'stop'],
    ['ArrowUp', empty, 'older'],
    ['ArrowUp', idle, null],
    ['ArrowUp', { ...idle, isRecalled: true, isCaretAtStart: true }, 'older'],
    ['ArrowUp', { ...idle, isRecalled: true }, null],
    ['Shift+ArrowUp', empty, null],
    ['ArrowDown', { ...idle, isRecalled: true }, 'newer'],
    ['ArrowDown', { ...idle, isRecalled: true, isCaretAtEnd: false }, null],
    ['ArrowDown', empty, null],
    ['a', idle, null],
  ])('%s', (keys, facts, wanted) => {
    expect(boxAction(press(keys), facts)).toBe(wanted)
  })

  it.each<[string, Partial<BoxFacts>, BoxAction | null]>([
    ['ArrowDown', {}, 'option-next'],
    ['ArrowUp', { isEmpty: true }, 'option-previous'],
    ['Tab', {}, 'option-take'],
    ['Enter', {}, 'option-take'],
    ['Enter', { isOptionWhole: true }, 'send'],
    ['Escape', { isRunning: true }, 'options-close'],
    ['Alt+m', {}, 'next-mode'],
  ])('%s over a list of commands', (keys, change, wanted) => {
    expect(boxAction(press(keys), { ...idle, hasOptions: true, ...change })).toBe(wanted)
  })
})

describe('what Enter is said to do', () => {
  const atGate = { sincePaintedMs: 900, isGateOpen: true, isCommand: false, isRunning: false }
  const words: [EnterMeaning, string | null][] = [
    ['approve', 'はい'],
    ['approve', 'OK'],
    ['refuse', 'いいえ。'],
    ['refuse', 'no'],
    ['decline', 'いや、一覧だけにして'],
    ['decline', 'no, just list the folder'],
    ['beside', '何が変わりますか。'],
    ['beside', 'What does this change?'],
    ['beside', 'yes, but keep the name'],
    ['beside', null],
  ]
  it.each(words)('at an open gate: %s for %j', (meaning, text) => {
    expect(enterMeaning({ ...atGate, text })).toBe(meaning)
    // An answer beside may be under way.
    expect(enterMeaning({ ...atGate, text, isRunning: true })).toBe(meaning)
  })

  it.each(words)('is beside for what was begun before the gate could be read: %s, %j', (_, text) => {
    expect(enterMeaning({ ...atGate, text, sincePaintedMs: 600 })).toBe('beside')
    expect(enterMeaning({ ...atGate, text, sincePaintedMs: null })).toBe('beside')
  })

  it('is to send without a gate, to queue during a run, and to run a command in any case', () => {
    const free = { text: 'はい', sincePaintedMs: null, isGateOpen: false, isCommand: false, isRunning: false }
    expect(enterMeaning(free)).toBe('send')
    expect(enterMeaning({ ...free, isRunning: true })).toBe('queue')
    expect(enterMeaning({ ...atGate, text: '/help', isCommand: true })).toBe('send')
  })
})

describe('recalling', () => {
  const make = new ItemMaker()
  const text = (value: string) => [{ kind: 'text' as const, text: value }]
  const sent = sentMessages([make.user(1, '一'), make.answer(1, '…'), make.user(2, '二'), make.user(3, '二')])

  it('knows what was sent, the newest first and once', () => expect(sent).toEqual([text('二'), text('一')]))

  it('goes back and forth and gives the unsent text back', () => {
    const one = recallStep(null, 1, sent, text('書きかけ'))
    const two = recallStep(one?.recall ?? null, 1, sent, [])
    expect([one?.segments, two?.segments]).toEqual([text('二'), text('一')])
    expect(recallStep(two?.recall ?? null, 1, sent, [])).toBeNull()
    const back = recallStep(two?.recall ?? null, -1, sent, [])
    const unsent = recallStep(back?.recall ?? null, -1, sent, [])
    expect(unsent).toEqual({ recall: null, segments: text('書きかけ') })
    expect(recallStep(null, -1, sent, [])).toBeNull()
  })
})

describe('pieces of a message', () => {
  it('come out as they were put in', () => {
    const chips = new ChipStore()
    const segments = [
      { kind: 'text' as const, text: '直して：' },
      { kind: 'paste' as const, text: 'const a = 1\n' },
      { kind: 'file-ref' as const, path: 'src/a.ts', range: null },
      { kind: 'text' as const, text: '\nお願い' },
    ]
    expect(chips.toSegments(chips.toText(segments))).toEqual(segments)
  })

  it('cannot be named by a text from outside', () => {
    const chips = new ChipStore()
    chips.add({ kind: 'paste', text: '秘密' })
    expect(chips.toSegments(chips.toText([{ kind: 'text', text: '\uE0000\uE001' }]))).toEqual([
      { kind: 'text', text: '0' },
    ])
  })

  it('a long paste is one, a short one is text', () => {
    expect(isLongPaste('a'.repeat(1500))).toBe(false)
    expect(isLongPaste('a'.repeat(1501))).toBe(true)
    expect(isLongPaste('a\n'.repeat(21))).toBe(true)
  })
})

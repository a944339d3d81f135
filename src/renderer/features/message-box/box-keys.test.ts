import { describe, expect, it } from 'vitest'
import { idleBox, press } from '../../../../tests/fakes/box-press.ts'
import { answerAction, type BoxAction, type BoxFacts, boxAction, ghostEnter } from './box-keys.ts'

const whole: BoxFacts = { ...idleBox, isEmpty: true, isCaretAtStart: true, ghost: 'whole' }
const rest: BoxFacts = { ...whole, isEmpty: false, isCaretAtStart: false, ghost: 'rest' }
const none: BoxFacts = { ...whole, ghost: 'none' }
const speculated: BoxFacts = { ...whole, hasSpeculation: true }
const filled: BoxFacts = { ...idleBox, hasSpeculation: true }
const mac = { ...whole, isMac: true }

describe('keys over a ghost', () => {
  it.each<[string, string, BoxFacts, BoxAction | null]>([
    ['Tab', 'a whole one', whole, 'ghost-fill'],
    ['ArrowRight', 'a whole one', whole, 'ghost-fill'],
    ['Enter', 'a whole one', whole, 'ghost-send'],
    ['Enter', 'one that is only filled', { ...whole, ghostEnter: 'fill' }, 'ghost-fill'],
    ['Ctrl+ArrowRight', 'a whole one', whole, 'ghost-word'],
    ['Escape', 'a whole one', whole, 'ghost-dismiss'],
    ['Tab', 'a rest', rest, 'ghost-fill'],
    ['ArrowRight', 'a rest', rest, 'ghost-fill'],
    ['Ctrl+ArrowRight', 'a rest', rest, 'ghost-word'],
    ['Enter', 'a rest: what was taken goes', rest, 'send'],
    ['Escape', 'a rest', rest, 'ghost-dismiss'],
    ['Shift+Tab', 'a whole one', whole, null],
    ['Alt+m', 'a whole one', whole, 'next-mode'],
    ['Shift+ArrowRight', 'a whole one', whole, null],
    ['Ctrl+Tab', 'a whole one', whole, null],
    ['Alt+Tab', 'a whole one', whole, null],
    ['Ctrl+Enter', 'a whole one', whole, 'send'],
    ['Alt+Enter', 'a whole one', whole, 'beside'],
    ['Shift+Enter', 'a whole one', whole, null],
    ['Alt+ArrowRight', 'a whole one', whole, null],
    ['Alt+ArrowRight', 'a whole one on macOS', mac, 'ghost-word'],
    ['Ctrl+Alt+ArrowRight', 'a whole one on macOS', mac, null],
    ['Cmd+ArrowRight', 'a whole one on macOS', mac, null],
    ['ArrowUp', 'a whole one', whole, 'older'],
    ['a', 'a whole one', whole, null],
    ['Tab', 'none', none, null],
    ['ArrowRight', 'none', none, null],
    ['Ctrl+ArrowRight', 'none', none, null],
    ['Enter', 'none', none, 'send'],
    ['Escape', 'none', none, null],
    ['Tab', 'one that is speculated', speculated, 'speculation-accept'],
    ['Enter', 'one that is speculated', speculated, 'speculation-accept'],
    ['Enter', 'one that is speculated and only filled', { ...speculated, ghostEnter: 'fill' }, 'ghost-fill'],
    ['ArrowRight', 'one that is speculated', speculated, 'ghost-fill'],
    ['Ctrl+ArrowRight', 'one that is speculated', speculated, 'ghost-word'],
    ['Escape', 'one that is speculated', speculated, 'ghost-dismiss'],
    ['Ctrl+Tab', 'one that is speculated', speculated, null],
    ['Tab', 'the rest of one that is speculated', { ...rest, hasSpeculation: true }, 'speculation-accept'],
    ['Enter', 'the rest of one that is speculated', { ...rest, hasSpeculation: true }, 'send'],
    ['Enter', 'one that came under the key', { ...speculated, ghost: 'none' }, 'send'],
    ['Enter', 'a filled text that is speculated', filled, 'speculation-accept'],
    ['Ctrl+Enter', 'a filled text that is speculated', filled, 'send'],
    ['Shift+Enter', 'a filled text that is speculated', filled, null],
    ['Alt+Enter', 'a filled text that is speculated', filled, 'beside'],
    ['Tab', 'a filled text that is speculated', filled, null],
    ['Tab', 'a list', { ...rest, hasOptions: true }, 'option-take'],
    ['Escape', 'a list', { ...rest, hasOptions: true }, 'options-close'],
  ])('%s over %s', (keys, _, facts, wanted) => expect(boxAction(press(keys), facts)).toBe(wanted))

  it.each(['Tab', 'ArrowRight', 'Ctrl+ArrowRight', 'Enter', 'Escape'])(
    '%s that is held down does nothing to it',
    (keys) => {
      for (const facts of [whole, rest, mac, speculated, { ...rest, hasSpeculation: true }, filled])
        expect(boxAction(press(keys, true), facts) ?? '').not.toMatch(/^(ghost|speculation)/)
    },
  )

  it.each([
    ['テストを実行して', 'send'],
    ['/review', 'fill'],
    ['!ls', 'fill'],
    ['a/b を直して', 'send'],
  ] as const)('Enter over %s: %s', (text, wanted) => {
    expect(ghostEnter({ text }, 'send')).toBe(wanted)
    expect(ghostEnter({ text }, 'fill')).toBe('fill')
  })
})

describe('keys of the field that a question is answered in', () => {
  it.each([
    ['Enter', 'answer'],
    ['Ctrl+Enter', 'answer'],
    ['Shift+Enter', null],
    ['Alt+Enter', null],
    ['Escape', 'leave'],
    ['Shift+Escape', null],
    ['ArrowUp', null],
    ['Tab', null],
  ] as const)('%s: %s', (keys, wanted) => expect(answerAction(press(keys))).toBe(wanted))
})

import { describe, expect, it } from 'vitest'
import { SuggestionGuard } from '../../shared/domain/session/suggestion.ts'
import { closedGuard, type SuggestionFacts } from './suggestion-guards.ts'

const open: SuggestionFacts = {
  isOn: true,
  windows: 1,
  attendedWindows: 1,
  ended: 'replied',
  isRunning: false,
  lastItem: 'answer',
  hasPendingError: false,
  gates: [],
  question: 'none',
  isPlanMode: false,
  queuedMessages: 0,
  replies: 2,
}

const closing: Record<SuggestionGuard, Partial<SuggestionFacts>> = {
  setting_off: { isOn: false },
  no_window: { windows: 0, attendedWindows: 0 },
  driven_by_program: { attendedWindows: 0 },
  not_after_turn: { ended: null },
  run_active: { isRunning: true },
  last_item_error: { lastItem: 'error' },
  pending_error: { hasPendingError: true },
  command_confirmation: { gates: ['other', 'command'] },
  permission_dialog: { gates: ['permission'] },
  gate_open: { gates: ['other'] },
  loop_question: { question: 'loop' },
  elicitation: { question: 'model' },
  plan_mode: { isPlanMode: true },
  message_queued: { queuedMessages: 1 },
  turn_cancelled: { ended: 'stopped' },
  early_conversation: { replies: 1 },
}

describe('the guards', () => {
  it('let a suggestion through where none is closed', () => {
    expect(closedGuard(open)).toBeNull()
    expect(Object.keys(closing).sort()).toEqual([...SuggestionGuard.options].sort())
  })

  it.each(SuggestionGuard.options)('%s closes, by its name', (guard) => {
    expect(closedGuard({ ...open, ...closing[guard] })).toBe(guard)
  })

  it('name the first that is closed', () => {
    const all = Object.assign({}, open, ...Object.values(closing))
    expect(closedGuard(all)).toBe('setting_off')
    expect(closedGuard({ ...open, replies: 0, isPlanMode: true })).toBe('plan_mode')
  })
})

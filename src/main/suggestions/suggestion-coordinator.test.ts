import { describe, expect, it } from 'vitest'
import { stateAt } from '../../../tests/fakes/agent/agent-session.ts'
import {
  answer,
  dismissed,
  profile,
  SuggestionStage,
  settled,
} from '../../../tests/fakes/rigs/suggestion-stage.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import type { SuggestionGuard } from '../../shared/domain/session/suggestion.ts'

const common = { turn: 1, at: 0 }

function gate(command: boolean, kind: 'calls' | 'plan' = 'calls'): SessionItem {
  const line = { line: 'ls', folder: '.', parts: ['ls'], isBackground: false }
  const risk = { level: 'low' as const, reasons: [] }
  const words = { hash: 'h', intent: '', reason: '', isReasonFromDecision: false, alternatives: [] }
  const call = {
    ...words,
    callId: 'c',
    tool: 'run_command' as const,
    risk,
    patterns: [],
    files: [],
    command: command ? line : null,
    reads: [],
    plan: null,
  }
  return {
    ...common,
    itemId: 'g',
    seq: 0,
    kind: 'gate',
    gate: { gateId: 'g', kind, calls: [call], risk },
    state: 'open',
    reason: null,
  }
}

function question(stage: SuggestionStage, tool: 'ask_user' | 'grep'): void {
  const done = { args: '{}', outcome: null, text: '', view: null }
  stage.add({
    ...common,
    ...done,
    itemId: 'k',
    seq: 0,
    kind: 'call',
    callId: 'q',
    tool,
    name: tool,
    title: '',
    state: 'running',
  })
  const open = { answer: null, isOpen: true, options: [] }
  stage.add({ ...common, ...open, itemId: 'q', seq: 0, kind: 'question', callId: 'q', question: 'A?' })
}

/** What happens to make each guard true. `early_conversation` and `not_after_turn` cannot come by themselves later. */
const closing: Partial<Record<SuggestionGuard, (stage: SuggestionStage) => void | Promise<void>>> = {
  setting_off: (stage) => {
    stage.isOn = false
  },
  no_window: (stage) => stage.leave(),
  driven_by_program: async (stage) => {
    await stage.open(false)
    stage.windows[0]?.abort()
    await settled()
  },
  run_active: (stage) => {
    stage.isWorking = true
  },
  last_item_error: (stage) =>
    stage.add({
      ...common,
      itemId: 'e',
      seq: 0,
      kind: 'error',
      failure: null,
      error: null,
      isRetried: false,
    }),
  pending_error: (stage) => {
    stage.canRecover = true
  },
  command_confirmation: (stage) => stage.add(gate(true)),
  permission_dialog: (stage) => stage.add(gate(false)),
  gate_open: (stage) => stage.add(gate(false, 'plan')),
  loop_question: (stage) => question(stage, 'grep'),
  elicitation: (stage) => question(stage, 'ask_user'),
  plan_mode: (stage) => {
    stage.state = stateAt('PLANNING/S', { mode: 'plan' })
  },
  message_queued: (stage) => {
    stage.queue = [{ messageId: 'm', segments: [] }]
  },
  turn_cancelled: (stage) => {
    stage.end = 'stopped'
  },
}
const guards = Object.entries(closing)

/** Tells the coordinator that a guard may have closed: by the end of the turn, or by any other event. */
function meet({ coordinator, end }: SuggestionStage, guard: string): void {
  if (guard === 'turn_cancelled') coordinator.turnEnded(end)
  else coordinator.revalidate()
}

describe('the suggestions of a session', () => {
  it('are made when a turn ends, and once', async () => {
    const stage = new SuggestionStage()
    await stage.open()
    await stage.turn()
    stage.coordinator.revalidate()
    stage.answer('run it')
    await settled()
    expect(stage.last).toMatchObject({ text: 'run it', source: 'model', suppressed: null })
    expect(stage.reasons('offered')).toEqual([null])
    expect(stage.recorded.size).toBe(1)
  })

  it('are not made of a conversation that has only begun', async () => {
    const stage = new SuggestionStage()
    stage.items = []
    await stage.open()
    await stage.turn()
    expect(stage.reasons('suppressed')).toEqual(['early_conversation'])
    expect(stage.signal).toBeUndefined()
  })

  it('are made after a turn of more items than are read at once', async () => {
    const stage = new SuggestionStage()
    await stage.open()
    stage.isWorking = true
    stage.coordinator.revalidate()
    for (let at = 0; at < 250; at++)
      stage.add({ ...gate(true), itemId: `g${at}`, state: 'approved' } as SessionItem)
    stage.add(answer('three'))
    stage.isWorking = false
    stage.coordinator.turnEnded(stage.end)
    await settled()
    stage.answer('run it')
    await settled()
    expect(stage.reasons('suppressed')).toEqual([])
    expect(stage.last?.text).toBe('run it')
  })

  it.each(guards)('%s, at the start: nothing is asked, and the name is kept', async (name, close) => {
    const stage = new SuggestionStage()
    await stage.open()
    if (name === 'run_active') stage.state = stateAt('PLANNING/P reply')
    else await close(stage)
    // The turn's own answer must not stand after what closes the guard.
    const added = stage.items.filter(({ kind }) => kind === 'error')
    stage.items = stage.items.filter(({ kind }) => kind !== 'error')
    stage.isWorking = true
    stage.coordinator.revalidate()
    stage.isWorking = false
    stage.add(answer('three'))
    for (const item of added) stage.add(item)
    if (name === 'run_active') stage.coordinator.revalidate()
    else stage.coordinator.turnEnded(stage.end)
    await settled()
    expect(stage.signal).toBeUndefined()
    // A run that goes on by itself has not ended yet.
    expect(stage.reasons('suppressed')).toEqual(name === 'run_active' ? [] : [name])
  })

  it.each(guards)('%s, while it is made: the request ends', async (name, close) => {
    const stage = new SuggestionStage()
    await stage.open()
    await stage.turn()
    await close(stage)
    meet(stage, name)
    await settled()
    expect(stage.signal?.aborted).toBe(true)
    expect(stage.reasons('aborted')).toEqual([name])
    expect(stage.clock.pending).toBe(0)
  })

  it.each(guards)('%s, while it is shown: it goes', async (name, close) => {
    const stage = new SuggestionStage()
    await stage.open()
    await stage.turn()
    stage.answer('run it')
    await settled()
    expect(stage.last?.text).toBe('run it')
    expect(stage.reads.map(({ text }) => text)).toEqual(['run it'])
    await close(stage)
    meet(stage, name)
    await settled()
    if (name !== 'no_window') expect(stage.last).toMatchObject({ text: null, suppressed: name })
    expect(stage.reasons('aborted')).toEqual([name])
    expect(stage.reads[0]?.signal.aborted).toBe(true)
    expect(stage.coordinator.outcome('no such', dismissed)).toBe(false)
  })

  it.each(['accepted', 'ignored'] as const)(
    '%s: what is read in advance goes on only if it is wanted',
    async (outcome) => {
      const stage = new SuggestionStage()
      await stage.open()
      await stage.turn()
      stage.answer('run it')
      await settled()
      const { suggestionId = null } = stage.last ?? {}
      const method = outcome === 'accepted' ? 'tab' : null
      const how = { ...dismissed, outcome, method } as const
      expect(stage.coordinator.outcome(suggestionId ?? '', how)).toBe(true)
      expect(stage.reads[0]?.signal.aborted).toBe(outcome === 'ignored')
      // The message itself wants the model.
      stage.isWorking = true
      stage.coordinator.revalidate()
      expect(stage.reads[0]?.signal.aborted).toBe(true)
    },
  )

  it('that have stopped for their cost say so until they may go on', async () => {
    const stage = new SuggestionStage()
    await stage.open()
    for (const _ of Array(3)) stage.cost.timedOut(profile.id)
    await stage.turn()
    expect(stage.last?.suppressed).toBe('paused_timeouts')
    stage.cost.resume()
    stage.coordinator.resumed()
    await settled()
    expect(stage.last?.suppressed).toBeNull()
    stage.items = []
    await stage.turn()
    expect(stage.last?.suppressed).toBe('early_conversation')
    stage.coordinator.resumed()
    await settled()
    expect(stage.last?.suppressed).toBe('early_conversation')
  })

  it('of a turn that nobody watched are recorded as not made, and not made up for', async () => {
    const stage = new SuggestionStage()
    await stage.turn()
    stage.coordinator.revalidate()
    expect(stage.reasons('suppressed')).toEqual(['no_window'])
    await stage.open()
    expect(stage.last).toMatchObject({ text: null })
    expect(stage.signal).toBeUndefined()
    expect(stage.recorded.size).toBe(1)
  })

  it('stand again in a window that was loaded anew, as often as it is', async () => {
    const stage = new SuggestionStage()
    await stage.open()
    await stage.turn()
    stage.answer('run it')
    await settled()
    const shown = stage.last
    const asked = stage.signal
    for (const _ of Array(2)) {
      await stage.leave()
      expect(stage.reasons('aborted')).toEqual(['no_window'])
      await stage.open()
      expect(stage.last).toEqual(shown)
      expect(stage.reasons('offered')).toEqual([null])
    }
    expect(stage.signal).toBe(asked)
    expect(stage.reads).toHaveLength(1)
    expect(stage.recorded.size).toBe(1)
    expect(stage.coordinator.outcome(shown?.suggestionId ?? '', dismissed)).toBe(true)
    await stage.leave()
    await stage.open()
    expect(stage.last?.text).toBeNull()
    expect(stage.reasons('ignored')).toEqual([null])
  })

  it('stand again where only a program watched meanwhile', async () => {
    const stage = new SuggestionStage()
    await stage.open(false)
    await stage.open()
    await stage.turn()
    stage.answer('run it')
    await settled()
    stage.windows[1]?.abort()
    await settled()
    expect(stage.reasons('aborted')).toEqual(['driven_by_program'])
    await stage.open()
    expect(stage.last?.text).toBe('run it')
  })

  const notMeanwhile = guards.filter(([name]) => name !== 'no_window' && name !== 'driven_by_program')

  it.each(notMeanwhile)('%s, while no window is there: they do not come back', async (name, close) => {
    const stage = new SuggestionStage()
    await stage.open()
    await stage.turn()
    stage.answer('run it')
    await settled()
    const { isOn, state, items, queue, canRecover, isWorking } = stage
    await stage.leave()
    await close(stage)
    meet(stage, name)
    // Also where all is again as it was.
    Object.assign(stage, { isOn, state, items, queue, canRecover, isWorking })
    stage.coordinator.revalidate()
    await stage.open()
    expect(stage.last?.text).toBeNull()
    expect(stage.reasons('offered')).toEqual([])
  })

  it('that have stopped for their cost say so in a window that was loaded anew, too', async () => {
    const stage = new SuggestionStage()
    await stage.open()
    for (const _ of Array(3)) stage.cost.timedOut(profile.id)
    await stage.turn()
    await stage.leave()
    await stage.open()
    expect(stage.last?.suppressed).toBe('paused_timeouts')
    await stage.leave()
    stage.cost.resume()
    stage.coordinator.resumed()
    await stage.open()
    expect(stage.last?.suppressed).toBeNull()
  })

  it('say nothing after the end, and leave nothing running', async () => {
    const stage = new SuggestionStage()
    await stage.open()
    await stage.turn()
    await stage.coordinator.close()
    expect(stage.signal?.aborted).toBe(true)
    const before = stage.recorded.size
    stage.coordinator.revalidate()
    expect(stage.recorded.size).toBe(before)
  })
})

import { describe, expect, it } from 'vitest'
import { stateAt } from '../../../tests/fakes/agent-session.ts'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import type { ModelProfile } from '../../shared/domain/model/model-profile.ts'
import type { SessionState } from '../../shared/domain/session/session.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import type {
  SuggestionEvent,
  SuggestionGuard,
  SuggestionState,
} from '../../shared/domain/session/suggestion.ts'
import { silentLog } from '../platform/log.ts'
import { SuggestionCoordinator, type SuggestionPlayer } from './suggestion-coordinator.ts'
import { SuggestionCost } from './suggestion-cost.ts'
import type { Tokenless } from './tokenless-suggestions.ts'

const common = { turn: 1, at: 0 }
const profile: ModelProfile = {
  id: 'p',
  name: 'p',
  backend: 'demo',
  language: 'en',
  templateId: 'plain',
  samplerPresetId: 's',
  timeouts: { connectMs: 1_000, firstTokenMs: 1_000, idleMs: 1_000 },
}

/** A coordinator over a session that the test changes, and a model that answers when the test says so. */
class Stage {
  /** The suggestions that are found without the model. */
  free: Tokenless[] = []
  isOn = true
  isWorking = false
  canRecover = false
  queue: { messageId: string; segments: [] }[] = []
  state = stateAt('PLANNING/S')
  items: SessionItem[] = []
  readonly recorded = new Map<string, SuggestionEvent>()
  readonly seen: SuggestionState[] = []
  readonly windows: AbortController[] = []
  signal: AbortSignal | undefined
  answer: (text: string) => void = () => undefined
  readonly reads: { text: string; signal: AbortSignal }[] = []
  /** What the session's speculations are told. */
  readonly speculated: string[] = []
  readonly clock = manualClock()
  readonly cost = new SuggestionCost()
  readonly coordinator: SuggestionCoordinator

  constructor(speculates = false) {
    let id = 0
    this.coordinator = new SuggestionCoordinator(
      {
        clock: this.clock,
        random: { next: () => 0, id: () => `id${++id}` },
        log: silentLog,
        cost: this.cost,
        filterReason: () => null,
        tokenless: () => this.free,
        switches: () => ({
          enableFollowupSuggestions: this.isOn,
          enableCacheSharing: true,
          enableSpeculation: false,
          enableChainedSpeculation: false,
          stopAtFirstWrite: false,
        }),
        models: async () => ({ main: profile, fast: null }),
        ...(speculates && {
          speculation: () => ({
            isAccepting: false,
            takeNext: () => null,
            withdrawn: (reason: string) => void this.speculated.push(`withdrawn: ${reason}`),
            offered: async (_id: string, text: string) => this.speculated.push(`offered: ${text}`) > 0,
          }),
        }),
        events: {
          add: (event) => void this.recorded.set(event.suggestionId, event),
          change: (id, change) => {
            const event = this.recorded.get(id)
            if (event !== undefined) this.recorded.set(id, { ...event, ...change })
          },
        },
      },
      this.#player(),
    )
    for (const text of ['one', 'two']) this.add(answer(text))
  }

  get last(): SuggestionState | undefined {
    return this.seen.at(-1)
  }

  add(item: SessionItem): void {
    this.items = [...this.items, { ...item, seq: this.items.length + 1 }]
  }

  async open(isAttended = true): Promise<void> {
    const end = new AbortController()
    this.windows.push(end)
    void this.#read(isAttended, end.signal)
    await settled()
  }

  /** Closes every window. */
  async leave(): Promise<void> {
    for (const window of this.windows) window.abort()
    await settled()
  }

  async #read(isAttended: boolean, signal: AbortSignal): Promise<void> {
    for await (const state of this.coordinator.watch(isAttended, signal)) this.seen.push(state)
  }

  /** Runs a turn to its end. */
  async turn(): Promise<void> {
    this.isWorking = true
    this.coordinator.look()
    this.isWorking = false
    this.add(answer('three'))
    this.coordinator.turnEnded()
    await settled()
  }

  reasons(outcome: SuggestionEvent['outcome']): (string | null)[] {
    return [...this.recorded.values()].filter((one) => one.outcome === outcome).map(({ reason }) => reason)
  }

  #player(): SuggestionPlayer {
    const stage = this
    return {
      session: {
        sessionId: 's',
        workId: 'w',
        language: 'en',
        log: [],
        turn: 1,
        count: () => undefined,
        get isWorking() {
          return stage.isWorking
        },
        get queue() {
          return stage.queue
        },
        get state() {
          return stage.state
        },
        view: () => ({ canRecover: stage.canRecover }) as SessionState,
        page: ({ before, limit }) => {
          const found = stage.items.filter(({ seq }) => before === undefined || seq < before)
          return { items: found.slice(-limit), hasMore: found.length > limit }
        },
        openItems: () =>
          stage.items.filter(
            (item) =>
              (item.kind === 'gate' && item.state === 'open') || (item.kind === 'question' && item.isOpen),
          ),
      },
      suggest: (_context, _ask, signal) =>
        new Promise((resolve, reject) => {
          stage.signal = signal
          signal.addEventListener('abort', () => reject(signal.reason))
          stage.answer = (text) =>
            resolve({
              kind: 'answer',
              text,
              end: 'finished',
              isConstrained: false,
              usage: null,
              modelName: 'm',
              expectedTokens: 0,
            })
        }),
      preRead: (text, signal) =>
        new Promise((_resolve, reject) => {
          stage.reads.push({ text, signal })
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    }
  }
}

function answer(text: string): SessionItem {
  const modelled = { reasoning: '', isCut: false, usage: null, modelName: 'm', isDemo: false }
  const state = 'finished' as const
  return { ...common, ...modelled, itemId: text, seq: 0, kind: 'answer', purpose: 'reply', state, text }
}

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

function question(stage: Stage, tool: 'ask_user' | 'grep'): void {
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
const closing: Partial<Record<SuggestionGuard, (stage: Stage) => void | Promise<void>>> = {
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
    const place = { step: 'PLANNING' as const, status: 'IN_PROGRESS' as const }
    const history = [{ seq: 1, from: place, to: place, cause: 'user.stop', ended: 'stopped' as const }]
    stage.state = stateAt('PLANNING/U', { history })
  },
}
const guards = Object.entries(closing)

const dismissed = {
  outcome: 'ignored',
  method: null,
  timeMs: 1,
  firstKeystrokeMs: null,
  wasFocused: true,
} as const

/** Waits until all promises that are ready have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('the suggestions of a session', () => {
  it('are made when a turn ends, and once', async () => {
    const stage = new Stage()
    await stage.open()
    await stage.turn()
    stage.coordinator.look()
    stage.answer('run it')
    await settled()
    expect(stage.last).toMatchObject({ text: 'run it', source: 'model', suppressed: null })
    expect(stage.reasons('offered')).toEqual([null])
    expect(stage.recorded.size).toBe(1)
  })

  it('are not made of a conversation that has only begun', async () => {
    const stage = new Stage()
    stage.items = []
    await stage.open()
    await stage.turn()
    expect(stage.reasons('suppressed')).toEqual(['early_conversation'])
    expect(stage.signal).toBeUndefined()
  })

  it('are made after a turn of more items than are read at once', async () => {
    const stage = new Stage()
    await stage.open()
    stage.isWorking = true
    stage.coordinator.look()
    for (let at = 0; at < 250; at++)
      stage.add({ ...gate(true), itemId: `g${at}`, state: 'approved' } as SessionItem)
    stage.add(answer('three'))
    stage.isWorking = false
    stage.coordinator.turnEnded()
    await settled()
    stage.answer('run it')
    await settled()
    expect(stage.reasons('suppressed')).toEqual([])
    expect(stage.last?.text).toBe('run it')
  })

  it.each(guards)('%s, at the start: nothing is asked, and the name is kept', async (name, close) => {
    const stage = new Stage()
    await stage.open()
    if (name === 'run_active') stage.state = stateAt('PLANNING/P reply')
    else await close(stage)
    // The turn's own answer must not stand after what closes the guard.
    const added = stage.items.filter(({ kind }) => kind === 'error')
    stage.items = stage.items.filter(({ kind }) => kind !== 'error')
    stage.isWorking = true
    stage.coordinator.look()
    stage.isWorking = false
    stage.add(answer('three'))
    for (const item of added) stage.add(item)
    if (name === 'run_active') stage.coordinator.look()
    else stage.coordinator.turnEnded()
    await settled()
    expect(stage.signal).toBeUndefined()
    // A run that goes on by itself has not ended yet.
    expect(stage.reasons('suppressed')).toEqual(name === 'run_active' ? [] : [name])
  })

  it.each(guards)('%s, while it is made: the request ends', async (name, close) => {
    const stage = new Stage()
    await stage.open()
    await stage.turn()
    await close(stage)
    stage.coordinator.look()
    await settled()
    expect(stage.signal?.aborted).toBe(true)
    expect(stage.reasons('aborted')).toEqual([name])
    expect(stage.clock.pending).toBe(0)
  })

  it.each(guards)('%s, while it is shown: it goes', async (name, close) => {
    const stage = new Stage()
    await stage.open()
    await stage.turn()
    stage.answer('run it')
    await settled()
    expect(stage.last?.text).toBe('run it')
    expect(stage.reads.map(({ text }) => text)).toEqual(['run it'])
    await close(stage)
    stage.coordinator.look()
    await settled()
    if (name !== 'no_window') expect(stage.last).toMatchObject({ text: null, suppressed: name })
    expect(stage.reasons('aborted')).toEqual([name])
    expect(stage.reads[0]?.signal.aborted).toBe(true)
    expect(stage.coordinator.outcome('no such', dismissed)).toBe(false)
  })

  it.each(['accepted', 'ignored'] as const)(
    '%s: what is read ahead goes on only if it is wanted',
    async (outcome) => {
      const stage = new Stage()
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
      stage.coordinator.look()
      expect(stage.reads[0]?.signal.aborted).toBe(true)
    },
  )

  it('that have stopped for their cost say so until they may go on', async () => {
    const stage = new Stage()
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
    const stage = new Stage()
    await stage.turn()
    stage.coordinator.look()
    expect(stage.reasons('suppressed')).toEqual(['no_window'])
    await stage.open()
    expect(stage.last).toMatchObject({ text: null })
    expect(stage.signal).toBeUndefined()
    expect(stage.recorded.size).toBe(1)
  })

  it('stand again in a window that was loaded anew, as often as it is', async () => {
    const stage = new Stage()
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
    const stage = new Stage()
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

  it.each(notMeanwhile)('%s, while no window is there: they do not come back', async (_, close) => {
    const stage = new Stage()
    await stage.open()
    await stage.turn()
    stage.answer('run it')
    await settled()
    const { isOn, state, items, queue, canRecover, isWorking } = stage
    await stage.leave()
    await close(stage)
    stage.coordinator.look()
    // Also where all is again as it was.
    Object.assign(stage, { isOn, state, items, queue, canRecover, isWorking })
    stage.coordinator.look()
    await stage.open()
    expect(stage.last?.text).toBeNull()
    expect(stage.reasons('offered')).toEqual([])
  })

  it('that have stopped for their cost say so in a window that was loaded anew, too', async () => {
    const stage = new Stage()
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
    const stage = new Stage()
    await stage.open()
    await stage.turn()
    await stage.coordinator.close()
    expect(stage.signal?.aborted).toBe(true)
    const before = stage.recorded.size
    stage.coordinator.look()
    expect(stage.recorded.size).toBe(before)
  })
})

describe('several suggestions after one turn', () => {
  const tip: Tokenless = { text: 'run the tests', source: 'tip' }
  const option: Tokenless = { text: 'the second way', source: 'option' }

  async function offered(free: Tokenless[]): Promise<Stage> {
    const stage = new Stage()
    stage.free = free
    await stage.open()
    await stage.turn()
    return stage
  }
  const other = async (stage: Stage, step: 1 | -1): Promise<void> => {
    stage.coordinator.other(stage.last?.suggestionId ?? '', step)
    await settled()
  }
  const shown = ({ last }: Stage) => [last?.text, last?.place?.number, last?.place?.count]

  it('stand behind each other, the model’s own last, and each counts as shown once', async () => {
    const stage = await offered([tip, option, tip])
    expect(shown(stage)).toEqual([tip.text, 1, 3])
    await other(stage, 1)
    expect(shown(stage)).toEqual([option.text, 2, 3])
    expect(stage.signal).toBeUndefined()
    await other(stage, 1)
    expect(stage.last?.place?.isMaking).toBe(true)
    stage.answer('write the notes')
    await settled()
    expect(shown(stage)).toEqual(['write the notes', 3, 3])
    await other(stage, 1)
    expect(shown(stage)).toEqual([tip.text, 1, 3])
    await other(stage, -1)
    expect(shown(stage)).toEqual(['write the notes', 3, 3])
    expect([...stage.recorded.values()].map(({ source }) => source)).toEqual(['tip', 'option', 'model'])
  })

  it('follow two presses of a window that has not heard of the first one yet', async () => {
    const todo: Tokenless = { text: 'write the notes', source: 'todo' }
    const stage = await offered([tip, option, todo])
    const first = stage.last?.suggestionId ?? ''
    stage.coordinator.other(first, -1)
    stage.coordinator.other(first, -1)
    await settled()
    expect(shown(stage)).toEqual([option.text, 2, 3])
  })

  it('are fewer where the model says the same or nothing', async () => {
    const stage = await offered([tip])
    await other(stage, 1)
    stage.answer(tip.text)
    await settled()
    expect(stage.last).toEqual({ suggestionId: 'id1', text: tip.text, source: 'tip', suppressed: null })
    expect(stage.reasons('suppressed')).toEqual(['repeated'])
  })

  it('end with the one that is taken, and what is no longer there turns to nothing', async () => {
    const stage = await offered([tip, option])
    const first = stage.last?.suggestionId ?? ''
    await other(stage, 1)
    const second = stage.last?.suggestionId ?? ''
    const accepted = {
      outcome: 'accepted',
      method: 'tab',
      timeMs: 1,
      firstKeystrokeMs: null,
      wasFocused: true,
    } as const
    expect(stage.coordinator.outcome(first, accepted)).toBe(false)
    expect(stage.coordinator.outcome(second, accepted)).toBe(true)
    await settled()
    expect(stage.last?.text).toBeNull()
    expect(stage.reads[0]?.signal.aborted).toBe(true)
    stage.coordinator.other(second, 1)
    await settled()
    expect(stage.last?.text).toBeNull()
  })

  it.each(['accepted', 'ignored'] as const)(
    'have a run for the first alone, which goes on while another is shown and ends where that is %s',
    async (outcome) => {
      const stage = new Stage(true)
      stage.free = [tip, option]
      await stage.open()
      await stage.turn()
      expect(stage.speculated.splice(0).at(-1)).toBe(`offered: ${tip.text}`)
      await other(stage, 1)
      await other(stage, -1)
      await other(stage, 1)
      expect(stage.last?.text).toBe(option.text)
      expect([stage.speculated, stage.reads]).toEqual([[], []])
      const method = outcome === 'accepted' ? 'tab' : null
      stage.coordinator.outcome(stage.last?.suggestionId ?? '', { ...dismissed, outcome, method })
      await settled()
      expect(stage.speculated).toEqual(['withdrawn: ignored'])
    },
  )

  it('take the model’s own away with the others, where a turn begins meanwhile', async () => {
    const stage = await offered([tip])
    await other(stage, 1)
    stage.isWorking = true
    stage.coordinator.look()
    stage.answer('too late')
    await settled()
    expect(stage.last?.text).toBeNull()
    expect(stage.reasons('aborted')).toContain('run_active')
  })
})

import {
  SuggestionCoordinator,
  type SuggestionPlayer,
} from '../../../src/main/suggestions/suggestion-coordinator.ts'
import { SuggestionCost } from '../../../src/main/suggestions/suggestion-cost.ts'
import type { Tokenless } from '../../../src/main/suggestions/tokenless-suggestions.ts'
import type { ModelProfile } from '../../../src/shared/domain/model/model-profile.ts'
import type { TurnEnd } from '../../../src/shared/domain/session/agent-state.ts'
import type { SessionState } from '../../../src/shared/domain/session/session.ts'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import type { SuggestionEvent, SuggestionState } from '../../../src/shared/domain/session/suggestion.ts'
import { stateAt } from '../agent/agent-session.ts'
import { manualClock } from '../manual-clock.ts'
import { silentLog } from '../silent-log.ts'

/** The model of the stage. */
export const profile: ModelProfile = {
  id: 'p',
  name: 'p',
  backend: 'demo',
  language: 'en',
  templateId: 'plain',
  samplerPresetId: 's',
  timeouts: { connectMs: 1_000, firstTokenMs: 1_000, idleMs: 1_000 },
}

/** A coordinator over a session that the test changes, and a model that answers when the test says so. */
export class SuggestionStage {
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
  /** The suggestions that were offered for speculations, and the reasons of those that were withdrawn, in order. */
  readonly speculated: string[] = []
  readonly clock = manualClock()
  readonly cost = new SuggestionCost()
  readonly coordinator: SuggestionCoordinator

  /** `speculates`: a speculation runs for each suggestion that is offered for one. */
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

  /** How turns end. */
  end: TurnEnd = 'replied'

  /** Runs a turn to its end. */
  async turn(): Promise<void> {
    this.isWorking = true
    this.coordinator.revalidate()
    this.isWorking = false
    this.add(answer('three'))
    this.coordinator.turnEnded(this.end)
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

/** An answer of the model in the first turn. */
export function answer(text: string): SessionItem {
  const modelled = { reasoning: '', isCut: false, usage: null, modelName: 'm', isDemo: false }
  const state = 'finished' as const
  return { turn: 1, at: 0, ...modelled, itemId: text, seq: 0, kind: 'answer', purpose: 'reply', state, text }
}

/** The outcome of a suggestion without which the user went on. */
export const dismissed = {
  outcome: 'ignored',
  method: null,
  timeMs: 1,
  firstKeystrokeMs: null,
  wasFocused: true,
} as const

/** Waits until all promises that are ready have run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

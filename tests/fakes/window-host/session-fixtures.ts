import type { ModelUsage } from '../../../src/shared/domain/model/model-status.ts'
import { emptyCourse } from '../../../src/shared/domain/session/agent-course.ts'
import type { GateView } from '../../../src/shared/domain/session/gate.ts'
import type { ListedSession, SessionState } from '../../../src/shared/domain/session/session.ts'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import { fixtureNow } from './fixtures.ts'

export function fixtureSession(change: Partial<ListedSession> = {}): ListedSession {
  return {
    sessionId: 'session-1',
    workId: 'work-1',
    title: '日付の誤りを直す',
    createdAt: fixtureNow,
    updatedAt: fixtureNow,
    messages: 1,
    branchedFrom: null,
    isWorking: false,
    isWaiting: false,
    ...change,
  }
}

export function fixtureState(session: ListedSession, change: Partial<SessionState> = {}): SessionState {
  const { isWorking: _working, isWaiting: _waiting, ...plain } = session
  return {
    session: plain,
    position: { step: 'PLANNING', status: 'IN_PROGRESS', waiting: 'none' },
    mode: 'ask',
    course: emptyCourse,
    pinned: [],
    todos: [],
    planTitle: null,
    decisionLog: [],
    learnedPatterns: [],
    proposedPatterns: [],
    openGates: [],
    queue: [],
    isQueueHeld: false,
    activity: null,
    context: null,
    canRecover: false,
    folders: [],
    ...change,
  }
}

export const fixtureUsage: ModelUsage = {
  promptTokens: 3412,
  reusedTokens: 3390,
  isReuseEstimated: false,
  completionTokens: 148,
  msPrompt: 400,
  msTotal: 3250,
  tokensPerSecond: 52,
  isExact: true,
}

type Fields<K extends SessionItem['kind']> = Omit<Extract<SessionItem, { kind: K }>, 'kind'>

/** Items of one conversation in their order; `seq` and `itemId` count up. */
export class ItemMaker {
  #seq = 0

  #common(turn: number) {
    this.#seq += 1
    return { itemId: `item-${this.#seq}`, seq: this.#seq, turn, at: fixtureNow + this.#seq * 1000 }
  }

  user(turn: number, text: string, change: Partial<Fields<'user'>> = {}): SessionItem {
    const segments = [{ kind: 'text' as const, text }]
    return { ...this.#common(turn), kind: 'user', how: 'send', segments, ...change }
  }

  file(turn: number, path: string, change: Partial<Fields<'file'>> = {}): SessionItem {
    return {
      ...this.#common(turn),
      kind: 'file',
      path,
      range: null,
      what: 'file',
      state: 'ok',
      text: '',
      sizeBytes: null,
      isCut: false,
      isUnsaved: false,
      encodings: [],
      trouble: null,
      ...change,
    }
  }

  answer(turn: number, text: string, change: Partial<Fields<'answer'>> = {}): SessionItem {
    return {
      ...this.#common(turn),
      kind: 'answer',
      purpose: 'reply',
      state: 'finished',
      text,
      reasoning: '',
      isCut: false,
      usage: fixtureUsage,
      modelName: 'Qwen3 4B',
      isDemo: false,
      ...change,
    }
  }

  decision(turn: number, rationale: string): SessionItem {
    return {
      ...this.#common(turn),
      kind: 'decision',
      decision: {
        rationale,
        goal_consistency: { answer: 'yes', reason: '' },
        constraint_check: { answer: 'yes', reason: '' },
        next_step: 'continue',
        step: 'EXECUTION',
        prompt_pattern: 'base_main_specialized',
        state_delta: null,
      },
      isRepaired: false,
      usage: null,
    }
  }

  call(
    turn: number,
    tool: NonNullable<Fields<'call'>['tool']>,
    title: string,
    change: Partial<Fields<'call'>> = {},
  ): SessionItem {
    const common = this.#common(turn)
    return {
      ...common,
      kind: 'call',
      callId: `call-${common.seq}`,
      tool,
      name: tool,
      title,
      args: '{}',
      state: 'done',
      outcome: null,
      text: '',
      view: null,
      ...change,
    }
  }

  gate(turn: number, gate: GateView, change: Partial<Fields<'gate'>> = {}): SessionItem {
    return { ...this.#common(turn), kind: 'gate', gate, state: 'open', reason: null, ...change }
  }

  question(turn: number, question: string, options: string[]): SessionItem {
    const common = this.#common(turn)
    return {
      ...common,
      kind: 'question',
      callId: `call-${common.seq}`,
      question,
      options,
      answer: null,
      isOpen: true,
    }
  }

  notice(turn: number, notice: Fields<'notice'>['notice']): SessionItem {
    return { ...this.#common(turn), kind: 'notice', notice }
  }

  error(turn: number, change: Partial<Fields<'error'>> = {}): SessionItem {
    return {
      ...this.#common(turn),
      kind: 'error',
      failure: 'model-failed',
      error: { code: 'model/unreachable', address: 'http://127.0.0.1:8080' },
      isRetried: false,
      ...change,
    }
  }

  compaction(turn: number, summary: string): SessionItem {
    return {
      ...this.#common(turn),
      kind: 'compaction',
      summary,
      tokensBefore: 6560,
      tokensAfter: 720,
      state: 'finished',
    }
  }

  undo(turn: number, undoneTurn: number, files: string[]): SessionItem {
    return { ...this.#common(turn), kind: 'undo', undoneTurn, files }
  }
}

/** A gate over one edit of the mock's file. */
export function fixtureGate(change: Partial<GateView> = {}): GateView {
  return {
    gateId: 'gate-1',
    kind: 'calls',
    risk: { level: 'low', reasons: [] },
    calls: [
      {
        callId: 'call-edit',
        tool: 'edit',
        hash: 'hash-1',
        intent: '閏年の判定を正しくする',
        reason: '100 年の例外がない',
        isReasonFromDecision: false,
        alternatives: ['標準の Date に任せる（遅い）'],
        risk: { level: 'low', reasons: [] },
        patterns: ['src/*.ts'],
        files: [
          {
            path: 'src/date.ts',
            to: null,
            action: 'edit',
            addedLines: 1,
            removedLines: 1,
            hunks: 1,
            sizeBytes: 900,
          },
        ],
        command: null,
        reads: [],
        plan: null,
      },
    ],
    ...change,
  }
}

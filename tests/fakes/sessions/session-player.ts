import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import type { GateAnswerInput } from '../../../src/shared/domain/session/gate.ts'
import type { SessionEvent, SessionState } from '../../../src/shared/domain/session/session.ts'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import type { SessionApp } from './session-app.ts'

const context: CallContext = { signal: new AbortController().signal }

/** Created once: the stack trace of a new error for each watch costs more than the watch. */
const over = new Error('the watch is over')

type GateItem = Extract<SessionItem, { kind: 'gate' }>

/** One session of an app, and the actions of its user. */
export type SessionPlayer = SessionApp & {
  /** The folder that the session works in. */
  root: string
  workId: string
  sessionId: string
  say(text: string, how?: 'send' | 'steer' | 'beside'): Promise<string>
  items(): Promise<SessionItem[]>
  state(): Promise<SessionState>
  /** Waits until the session does nothing more by itself. */
  rest(): Promise<SessionState>
  stop(): Promise<void>
  /** The front gate of the conversation. */
  gate(): Promise<GateItem | undefined>
  answer(verdict: 'approve' | 'refuse', change?: Partial<GateAnswerInput>): Promise<void>
  /** Approves every gate until the session rests. */
  approveAll(): Promise<SessionState>
  read(path: string): string
}

/** Opens `root` in the app, with `files` written into it first, and begins a session there, or goes on with one. */
export async function openSessionPlayer(
  opened: SessionApp,
  place: {
    root: string
    files?: Readonly<Record<string, string | Uint8Array>>
    sessionId?: string | null
    isTrusted?: boolean
  },
): Promise<SessionPlayer> {
  const { api } = opened.app
  const { root, files = {} } = place
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const { workId } = await api['work.open']({ path: root }, context)
  if (place.isTrusted !== false) await api['trust.set']({ workId, isTrusted: true }, context)
  const sessionId = place.sessionId ?? (await api['session.create']({ workId }, context)).session.sessionId

  /** Waits for the first event for which `pick` returns a value. */
  const watched = async <T>(pick: (event: SessionEvent) => T | undefined): Promise<T> => {
    const end = new AbortController()
    try {
      for await (const event of api['session.watch']({ sessionId }, { signal: end.signal })) {
        const found = pick(event)
        if (found !== undefined) return found
      }
    } finally {
      end.abort(over)
    }
    throw new Error('the session told nothing more')
  }
  const snapshot = () => watched((event) => (event.type === 'snapshot' ? event : undefined))
  const player: SessionPlayer = {
    ...opened,
    root,
    workId,
    sessionId,
    async say(text, how = 'send') {
      const segments = [{ kind: 'text' as const, text }]
      return (await api['session.send']({ sessionId, segments, how, gate: null }, context)).became
    },
    items: async () => (await snapshot()).items,
    state: async () => (await snapshot()).state,
    async rest() {
      for (;;) {
        const { state } = await snapshot()
        if (isResting(state)) return state
        await watched((event) => ('state' in event && isResting(event.state) ? true : undefined))
        // The session may continue at once: then it does not rest yet.
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    async stop() {
      await api['session.stop']({ sessionId }, context)
    },
    async gate() {
      const { state, items } = await snapshot()
      const [front] = state.openGates
      return items.find((item): item is GateItem => item.kind === 'gate' && item.gate.gateId === front)
    },
    async answer(verdict, change = {}) {
      const item = await player.gate()
      if (item === undefined) throw new Error('no gate is open')
      const answers = item.gate.calls.map(({ callId, hash }) => ({
        callId,
        shownHash: hash,
        isApproved: verdict === 'approve',
        refusedHunks: [],
      }))
      const answer: GateAnswerInput = {
        gateId: item.gate.gateId,
        sincePaintedMs: 1000,
        verdict,
        answers,
        reason: null,
        remember: null,
        ...change,
      }
      await api['gate.answer']({ sessionId, answer }, context)
    },
    async approveAll() {
      for (;;) {
        const state = await player.rest()
        if (state.openGates.length === 0) return state
        await player.answer('approve')
      }
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
  }
  return player
}

export function isResting({ position, activity }: SessionState): boolean {
  return activity === null && (position.status !== 'IN_PROGRESS' || position.waiting === 'none')
}

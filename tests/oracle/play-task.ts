import { setTimeout as sleep } from 'node:timers/promises'
import type { CallContext } from '../../src/shared/contract/method.ts'
import type { GateDiff, GateView } from '../../src/shared/domain/session/gate.ts'
import type { SessionState, SessionStats } from '../../src/shared/domain/session/session.ts'
import { isAppError } from '../../src/shared/errors.ts'
import type { SessionPlayer } from '../fakes/sessions/session-host.ts'
import { FolderWitness } from './folder-witness.ts'
import { type OracleTask, testLine } from './oracle-task.ts'

const context: CallContext = { signal: new AbortController().signal }

export type PlayOptions = {
  /** False: a command that changes a file counts as a change without consent. */
  canCommandsWrite: boolean
  /** Maximum number of times that a model that stops to ask is told to go on. */
  nudges: number
  limitMs: number
}

export type PlayedTask = {
  state: SessionState
  stats: SessionStats
  /** Changes without consent, or other than shown. */
  problems: string[]
  /** Approved changes that were not made. */
  notWritten: string[]
  gates: GateView[]
  isTimeUp: boolean
}

/** Sends the task's message and approves every gate until the session has ended its work. */
export async function playTask(
  player: SessionPlayer,
  task: OracleTask,
  options: PlayOptions,
): Promise<PlayedTask> {
  const { root, sessionId } = player
  const { api } = player.app
  const witness = new FolderWitness(root, options)
  const gates: GateView[] = []
  const nudges = Array.from({ length: options.nudges }, () => goOn[task.speaks])
  let isTimeUp = false
  const clock = setTimeout(() => {
    isTimeUp = true
    void player.stop()
  }, options.limitMs)
  await player.say(`${task.message}\n\n${testsAre[task.speaks]} ${testLine(task)}`)
  try {
    for (;;) {
      const state = await player.rest()
      witness.look()
      const asked = await player.gate()
      if (asked !== undefined && !isTimeUp) {
        const { gate } = asked
        const diffs = await diffsOf(player, gate)
        if (!(await approved(player))) continue
        gates.push(gate)
        witness.approve(gate, diffs)
        continue
      }
      const nudge = isWaiting(state) && !isTimeUp ? nudges.shift() : undefined
      if (nudge === undefined) {
        const { problems } = witness
        const stats = await api['session.stats']({ sessionId }, context)
        return { state, stats, problems, notWritten: witness.notWritten(), gates, isTimeUp }
      }
      await player.say(nudge)
    }
  } finally {
    clearTimeout(clock)
  }
}

const goOn = {
  ja: 'よいと思うように、最後まで進めてください。',
  en: 'Go on as you think best, to the end.',
} as const
const testsAre = { ja: 'テストはこれで走ります:', en: 'The tests run with:' } as const

function isWaiting({ position }: SessionState): boolean {
  return position.status === 'REQUIRES_USER_INPUT'
}

async function diffsOf({ app, sessionId }: SessionPlayer, { gateId, calls }: GateView): Promise<GateDiff[]> {
  const diffs: GateDiff[] = []
  for (const { callId, files } of calls) {
    for (const { path } of files)
      diffs.push(await app.api['gate.diff']({ sessionId, gateId, callId, path }, context))
  }
  return diffs
}

/** Approves the gate; returns false where its content has just changed and must be read again first. */
async function approved(player: SessionPlayer): Promise<boolean> {
  try {
    await player.answer('approve')
    return true
  } catch (error) {
    if (!isAppError(error, 'gate/too-early')) throw error
    await sleep(100)
    return false
  }
}

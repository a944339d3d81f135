/** Every fault of a llama.cpp server, and every error in every kind of request of a session. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import type { ErrorInfo } from '../../../src/shared/errors.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { fastClock } from '../../fakes/fast-clock.ts'
import type { FakeLlamaServer } from '../../fakes/servers/fake-llama-server.ts'
import {
  type Answer,
  type AskedRequest,
  type FaultName,
  faultNames,
} from '../../fakes/servers/llama/answer.ts'
import { servedModel, startSessionLlama } from '../../fakes/servers/session-llama.ts'
import { scriptedMind, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { openTestApp, type TestApp } from '../../fakes/sessions/session-host.ts'
import { storedSession } from '../../fakes/sessions/stored-session.ts'

const phases = ['decision', 'reply', 'work'] as const
type Phase = (typeof phases)[number]
/** How many times as fast as the system's the app's clock runs: the waits between attempts are short. */
const haste = 10
const patient = { connectMs: 30_000 * haste, firstTokenMs: 30_000 * haste, idleMs: 30_000 * haste }
/** Timeouts for faults in which the server is silent; other tests need longer ones on a busy machine. */
const impatient = { ...patient, firstTokenMs: 1_500 * haste, idleMs: 1_000 * haste }
/** A text of characters of several bytes, which can be cut in the middle. */
const rationale = '猫を見る'
const said = '猫が見た。 Then it slept on the warm stone.'

/**
 * The error that the user sees for a fault; null: none.
 *
 * Shape: `kept` is the text from before the fault that stays. `times`: number of requests with the fault, lower where
 * each of them waits. `phases`: the phases whose requests contain the part that the fault cuts.
 */
const told: Record<
  FaultName,
  { code: ErrorInfo['code'] | null; kept?: string; times?: number; phases?: readonly Phase[] }
> = {
  'connection-refused': { code: 'model/unreachable' },
  'closed-before-headers': { code: 'model/cut', times: 4 },
  'never-answers': { code: 'model/timeout', times: 1 },
  loading: { code: 'model/busy', times: 5 },
  'busy-queue': { code: null },
  'slow-first-token': { code: null },
  'silent-midway': { code: 'model/timeout', times: 1, kept: '猫' },
  'cut-in-text': { code: 'model/cut', kept: '猫' },
  'cut-in-character': { code: 'model/cut', kept: '猫' },
  'cut-in-tool-call': { code: 'model/cut', kept: said, phases: ['work'] },
  'no-end': { code: 'model/cut', kept: said },
  'no-done': { code: null },
  'error-under-200': { code: 'model/server-error', kept: '猫' },
  'error-after-generating': { code: 'model/server-error' },
  'garbage-sse': { code: 'model/bad-response' },
  'not-json': { code: 'model/bad-response' },
  'html-page': { code: 'model/bad-response' },
  'wrong-content-type': { code: null },
  unauthorized: { code: 'model/unauthorized' },
  'not-found': { code: 'model/server-error' },
  'context-exceeded': { code: 'model/context-overflow' },
  redirect: { code: 'model/bad-response' },
}

/**
 * The phases in which a fault is played: of faults with the same error each has another phase, so that each error is met
 * in all. One after which text is kept, or of two alike, has all but another phase. `TSUGI_SOAK` plays every fault in
 * every phase.
 */
function phasesOf(name: FaultName): readonly Phase[] {
  if (told[name].phases !== undefined) return told[name].phases
  const alike = faultNames.filter((other) => told[other].code === told[name].code)
  if (alike.length === 1 || process.env.TSUGI_SOAK !== undefined) return phases
  const one = phases[alike.indexOf(name) % phases.length]
  const isTwice = told[name].kept !== undefined || alike.length === 2
  return phases.filter((phase) => (phase === one) !== isTwice)
}

let llama: FakeLlamaServer
let opened: TestApp
const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'tsugi-test-')))
/** The model of each phase's session. */
const minds = new Map<Phase, (request: AskedRequest) => Answer>()

beforeAll(async () => {
  llama = await startSessionLlama({ contextTokens: 3 * 32_768, slots: 3 })
  llama.options.answer = (request) => {
    const phase = phases.find((name) => JSON.stringify(request.messages).includes(`a ${name} that fails`))
    if (phase === undefined) throw new Error('a request of no session')
    return minds.get(phase)?.(request) ?? {}
  }
  const model = servedModel(llama.address)
  opened = await openTestApp({ dataDir, model, clock: fastClock(haste) })
})
beforeEach(() => llama.accept())
afterAll(async () => {
  await opened.app.close()
  await llama.close()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('a fault of the model', () => {
  for (const name of faultNames) {
    it(`${name}: is told, keeps what was said, and the next message goes on`, async () => {
      const met = phasesOf(name)
      // A server that nobody reaches would fail the other sessions in other requests than theirs.
      await opened.setTimeouts(told[name].code === 'model/timeout' ? impatient : patient)
      if (name === 'connection-refused') for (const phase of met) await fail(name, phase)
      else await Promise.all(met.map((phase) => fail(name, phase)))
      expect(opened.bugs).toEqual([])
      expect(llama.scriptErrors).toEqual([])
    })
  }
})

async function fail(name: FaultName, phase: Phase): Promise<void> {
  const { code, kept, times = Number.POSITIVE_INFINITY } = told[name]
  const player = await opened.open({ root: tempFolder(), files: { 'a.txt': 'one\n' } })
  const mind = faultyMind(name, phase, times)
  minds.set(phase, mind.answer)
  await player.say(`Look at a ${phase} that fails.`)
  const state = await player.rest()
  const items = await player.items()
  const errors = items.filter((item) => item.kind === 'error')
  // Repeated attempts that fail in the same way count as one failure.
  expect(errors.map(({ error }) => error?.code)).toEqual(code === null ? [] : [code])
  const isOver = code === null || times < Number.POSITIVE_INFINITY
  expect(state.position).toEqual({ step: 'PLANNING', status: endOf(phase, isOver), waiting: 'none' })
  if (!isOver) expect(items.at(-1)).toMatchObject({ kind: 'notice', notice: { limit: 'recoveries' } })
  if (kept !== undefined && phase !== 'decision') expect(failedTexts(items)[0]).toBe(kept)
  if (isOver) expect(finishedTexts(items)).toContain(said)
  expect(items[0]).toMatchObject({ kind: 'user' })
  const stored = storedSession(dataDir, player.sessionId)
  expect([stored.state.calls, stored.state.gates]).toEqual([[], []])

  mind.mend()
  await llama.accept()
  await player.say('And now?')
  expect((await player.rest()).position.status).not.toBe('ERROR')
  expect(finishedTexts(await player.items()).at(-1)).toBe(said)
  expect(player.read('a.txt')).toBe('one\n')
}

/** Creates a model that decides, reads a file in the phase `work`, and answers; the phase's requests fail. */
function faultyMind(name: FaultName, phase: Phase, times: number) {
  let left = times
  let isMended = false
  let worked = 0
  const thoughtOf = (now: Phase): Thought => {
    if (now === 'decision')
      return phase === 'work' && worked < 2 ? workIn('PLANNING', { rationale }) : { decide: { rationale } }
    if (now === 'reply') return { say: said }
    if (worked === 1) return { say: '' }
    return { say: said, call: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }
  }
  return {
    answer(request: AskedRequest): Answer {
      const now = phaseOf(request)
      const answer = scriptedMind(thoughtOf(now)).answer(request)
      const isFaulty = now === phase && left > 0 && !isMended
      if (isFaulty) left -= 1
      if (now === 'work' && (!isFaulty || told[name].code === null)) worked += 1
      return isFaulty ? { ...answer, fault: name } : answer
    },
    mend() {
      isMended = true
      worked = 2
    },
  }
}

function phaseOf({ schema, body }: AskedRequest): Phase {
  if (schema !== null) return 'decision'
  return body.tool_choice === 'none' ? 'reply' : 'work'
}

function endOf(phase: Phase, isOver: boolean): string {
  // A turn that used tools ends with the user's word.
  return isOver && phase !== 'work' ? 'SUCCESS' : 'REQUIRES_USER_INPUT'
}

function failedTexts(items: SessionItem[]): string[] {
  return items.flatMap((item) => (item.kind === 'answer' && item.state === 'failed' ? [item.text] : []))
}

function finishedTexts(items: SessionItem[]): string[] {
  return items.flatMap((item) => (item.kind === 'answer' && item.state === 'finished' ? [item.text] : []))
}

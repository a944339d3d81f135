import { expect, onTestFinished } from 'vitest'
import type { SpeculationLinkState } from '../../../src/shared/domain/session/speculation.ts'
import type { FakeLlamaServer } from '../servers/fake-llama-server.ts'
import { calls, justAnswer, noCalls, plan, type scriptedMind, type Thought, workIn } from './scripted-mind.ts'
import { type SessionHost, type SessionHostOptions, scriptedHost } from './session-host.ts'
import { playSpeculation, type SpeculationWatch, watchSpeculations } from './speculation-watch.ts'
import { type SuggestionWatch, watchSuggestions } from './suggestion-watch.ts'

const roomFiles = {
  'src/app.ts': 'export const port = 1\nexport const host = "a"\n',
  'README.md': '# one\n',
}

/** A session after two answers, whose suggestion is played as a speculation. */
export type SpeculationRoom = {
  host: SessionHost
  llama: FakeLlamaServer
  mind: ReturnType<typeof scriptedMind>
  ghosts: SuggestionWatch
  speculations: SpeculationWatch
}

/** The edit of one line, from a plan to its approving review. `more`: thoughts after the edit. */
export function editPort(...more: Thought[]): Thought[] {
  return [
    workIn('PLANNING'),
    calls(['read_file', { path: 'src/app.ts' }]),
    plan('use port two'),
    workIn('EXECUTION'),
    calls(['edit', { path: 'src/app.ts', old_text: 'port = 1', new_text: 'port = 2', reason: 'as asked' }]),
    ...more,
    noCalls,
  ]
}

/** Opens a room. `thoughts` are those of the speculation, `next` is the suggestion behind it. */
export async function openRoom(
  thoughts: Thought[],
  options: Omit<SessionHostOptions, 'thoughts'> & {
    settings?: Record<string, boolean>
    next?: string
    /** Called before the first message. */
    prepare?: (host: SessionHost) => Promise<void>
  } = {},
): Promise<SpeculationRoom> {
  const { settings = {}, next, prepare, ...own } = options
  const host = await scriptedHost([...justAnswer('Hello.'), ...justAnswer('It listens on a port.')], {
    ...own,
    files: { ...roomFiles, ...own.files },
  })
  onTestFinished(() => expect(host.bugs).toEqual([]))
  const { llama, mind } = host
  await prepare?.(host)
  await playSpeculation(host, settings)
  const ghosts = await watchSuggestions(host)
  const speculations = await watchSpeculations(host)
  await host.say('hello there')
  await host.rest()
  mind.suggest('use port two', ...(next === undefined ? [] : [next]))
  mind.think(...thoughts)
  await host.say('what does src/app.ts do?')
  await host.rest()
  return { host, llama, mind, ghosts, speculations }
}

/** Approves all that the gate of the acceptance shows, as it opens; returns the state with the gate. */
export async function approveGate({ speculations }: SpeculationRoom): Promise<SpeculationLinkState> {
  const link = await speculations.becomes({ accepting: { step: 'gate', gate: expect.anything() } })
  if (link.accepting?.step !== 'gate') throw new Error('no gate')
  const { gateId, calls: shown } = link.accepting.gate
  const answers = shown.map(({ callId, hash }) => ({
    callId,
    shownHash: hash,
    isApproved: true,
    refusedHunks: [],
  }))
  const base = { gateId, sincePaintedMs: 1000, verdict: 'approve', reason: null, remember: null } as const
  await speculations.decide(link, { kind: 'gate', answer: { ...base, answers } })
  return link
}

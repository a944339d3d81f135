import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { acceptanceRig, sessionId } from '../../../tests/fakes/rigs/acceptance-rig.ts'
import type { PromptEntry } from '../agent/model/prompt/prompt-entry.ts'
import { systemRandom } from '../platform/random.ts'
import { createForkRepository } from '../speculation/session-fork.ts'
import {
  adoptedTurn,
  type ForkedTurn,
  forkPoint,
  isAsLeft,
  readFork,
  removeAdopted,
  sessionWithout,
  storeAdopted,
} from './adopted-turn.ts'
import { LiveSession } from './live-session.ts'

const reply = (turn: number, text: string): PromptEntry => ({ turn, role: 'assistant', kind: 'reply', text })

function stage() {
  const rig = acceptanceRig({ dataDir: tempFolder(), root: tempFolder() })
  onTestFinished(() => rig.store.close())
  const { session, store } = rig
  const from = forkPoint(session)
  const repository = createForkRepository(session.record, session.log)
  const deps = { clock: manualClock(), random: systemRandom, onListed: () => undefined }
  const fork = new LiveSession({ ...deps, repository }, sessionId)
  fork.startTurn([{ kind: 'text', text: 'second' }])
  fork.add({ kind: 'user', how: 'send', segments: [{ kind: 'text', text: 'second' }] })
  const read = (): ForkedTurn => readFork(from, fork, repository, 'script')
  const take = (note: string | null = null) => {
    const turn = read()
    const more = {
      now: 5,
      state: turn.state,
      changeSetId: 'set',
      unmade: new Set<string>(),
      items: [],
      results: [],
      note,
    }
    const adopted = adoptedTurn(session, turn, { ...more, newId: () => systemRandom.id() })
    store.sessions.together(() => storeAdopted(store.sessions, adopted))
    session.become(adopted, adopted.items)
    return adopted
  }
  /** Opens the session from the store, as another host would. */
  const reopened = (): LiveSession => new LiveSession({ ...deps, repository: store.sessions }, sessionId)
  return { ...rig, fork, read, take, reopened }
}

const texts = ({ log }: Pick<LiveSession, 'log'>): string[] => log.map(({ text }) => text)

describe('a turn of a fork', () => {
  it('that was compacted brings the new prompt, and the old one stays in the store', () => {
    const { fork, take, session, reopened, store } = stage()
    fork.appendEntries([reply(2, 'before')])
    fork.replaceLog([{ turn: 2, role: 'system', kind: 'summary', text: 'short' }])
    fork.appendEntries([reply(2, 'behind')])
    take('told')
    expect(texts(session)).toEqual(['short', 'behind', 'told'])
    expect(texts(reopened())).toEqual(texts(session))
    expect(store.sessions.entries(sessionId, 0).map(({ text }) => text)).toEqual(['first', 'done', 'before'])
    session.cut(2)
    expect(texts(session)).toEqual(['first', 'done'])
    expect(texts(reopened())).toEqual(['first', 'done'])
  })

  it('comes in whole: the queue that waits here stays, what it cost is added', () => {
    const { fork, take, session, reopened } = stage()
    fork.appendEntries([reply(2, 'yes')])
    fork.count({ completionTokens: 3 })
    session.enqueue({ messageId: 'm', segments: [{ kind: 'text', text: 'waits' }] })
    take()
    const other = reopened()
    expect(other.record).toEqual({ ...session.record, session: session.session })
    expect(other.queue).toHaveLength(1)
    expect(session.record.stats).toMatchObject({ turns: 2, completionTokens: 3 })
    expect(session.page({ limit: 9 }).items.map(({ seq, turn }) => [seq, turn])).toEqual([
      [1, 1],
      [2, 2],
    ])
  })

  it('names the change set at each call that changed files, also at a command', () => {
    const { fork, take, session } = stage()
    const call = { kind: 'call', name: 'run_command', tool: 'run_command', args: '', title: 'fmt' } as const
    const view = {
      kind: 'command',
      line: 'fmt',
      commandId: 'c',
      end: 'exited',
      exitCode: 0,
      signal: null,
    } as const
    const more = { durationMs: 1, isCut: false, isReadOnly: false } as const
    const file = { path: 'a.ts', to: null, action: 'edit', addedLines: 1, removedLines: 0 } as const
    const sandboxed = { files: [file], ignored: [], left: [], changeSetId: '', isDeclined: false }
    const ended = { state: 'done', outcome: null, text: '', callId: 'c1' } as const
    fork.add({ ...call, ...ended, view: { ...view, ...more, sandboxed } })
    take()
    const [item] = session.itemsAbout('call', 'c1')
    expect(item?.view).toMatchObject({ sandboxed: { files: [file], changeSetId: 'set' } })
  })

  it('leaves no trace where it is taken out again; what came meanwhile stays', () => {
    const { fork, take, session, reopened, store } = stage()
    fork.appendEntries([reply(2, 'yes')])
    fork.count({ completionTokens: 3 })
    const before = session.record
    const adopted = take()
    session.setState({ ...session.state, mode: 'full' })
    session.enqueue({ messageId: 'm', segments: [{ kind: 'text', text: 'waits' }] })
    store.sessions.together(() => removeAdopted(store.sessions, adopted, session))
    session.become(sessionWithout(adopted, session), [])
    for (const one of [session, reopened()]) {
      expect(texts(one)).toEqual(['first', 'done'])
      expect([one.turn, one.state.mode, one.queue.length]).toEqual([1, 'full', 1])
      expect(one.record.stats).toEqual(before.stats)
      expect(one.page({ limit: 9 }).items).toHaveLength(1)
    }
    expect(store.sessions.changesSince(sessionId, 1)).toEqual([])
    // The next turn is an ordinary one.
    session.startTurn([{ kind: 'text', text: 'third' }])
    expect(session.add({ kind: 'user', how: 'send', segments: [] }).seq).toBe(3)
  })

  it('keeps what other sessions of the project were taught meanwhile, and adds its own counts', () => {
    const { fork, take, session } = stage()
    const { memory } = session.state
    fork.setState({ ...fork.state, memory: { ...memory, filesWritten: memory.filesWritten + 2 } })
    const corrections = [{ text: 'use tabs', times: 2, isDeclined: false }]
    const taught = { ...memory, learnedPatterns: ['no jokes'], corrections }
    session.setState({ ...session.state, memory: taught })
    const adopted = take()
    expect(session.state.memory).toEqual({ ...taught, filesWritten: memory.filesWritten + 2 })
    expect(sessionWithout(adopted, session).state.memory).toEqual(taught)
  })

  it('fits only where the session stands as it was left', () => {
    const { read, session } = stage()
    const turn = read()
    expect(isAsLeft(session, turn)).toBe(true)
    session.setState({ ...session.state, mode: 'plan' })
    expect(isAsLeft(session, turn)).toBe(true)
    session.setState({ ...session.state, memory: { ...session.state.memory, learnedPatterns: ['no jokes'] } })
    expect(isAsLeft(session, turn)).toBe(true)
    session.setState({ ...session.state, lastDelta: 'another course' })
    expect(isAsLeft(session, turn)).toBe(false)
  })
})

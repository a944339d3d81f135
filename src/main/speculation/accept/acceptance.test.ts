import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import {
  type AcceptanceRigOptions,
  acceptanceRig,
  sessionId,
} from '../../../../tests/fakes/rigs/acceptance-rig.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { systemRandom } from '../../platform/random.ts'
import { createCheckpointStore } from '../../workspace/checkpoint-store.ts'
import { TurnUndo } from '../../workspace/undo/turn-undo.ts'
import { undoDisk } from '../../workspace/undo/undo-disk.ts'
import { noAnswers } from './acceptable-link.ts'

function stage(files: Record<string, string>, options: Partial<AcceptanceRigOptions> = {}) {
  const [dataDir, root] = [tempFolder(), tempFolder()]
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text)
  for (const [path, text] of Object.entries(files)) write(path, text)
  const rig = acceptanceRig({ dataDir, root, ...options })
  onTestFinished(() => rig.store.close())
  const read = (path: string): string | null =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null
  const stored = () => {
    const { sessions } = rig.store
    const record = sessions.get(sessionId)
    return {
      record,
      kinds: sessions.allItems(sessionId).map(({ kind }) => kind),
      log: sessions.entries(sessionId, record.epoch).map(({ kind, text }) => `${kind}: ${text}`),
      changes: sessions.changesSince(sessionId, 1),
    }
  }
  return { ...rig, dataDir, root, write, read, stored }
}

const checkpointsIn = (dataDir: string) =>
  createCheckpointStore({
    disk: nodeDisk,
    folder: join(dataDir, 'checkpoints'),
    hostId: systemRandom.id(),
    random: systemRandom,
  })

const three = {
  'a.txt': ['a\n', 'A\n'],
  'new/b.txt': [null, 'b\n'],
  'c.txt': ['c\n', null],
} satisfies Record<string, [string | null, string | null]>

describe('an acceptance', () => {
  it('knows that it is no news what a command of the fork made of a file, and that the model has not seen it', async () => {
    const { into, ledger, acceptance, play } = stage({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const lines = { from: 1, to: 1 }
    for (const name of ['a', 'b']) ledger.note(`${name}.txt`, contentHash(`${name}\n`), lines)
    const link = play({ files: { 'a.txt': ['a\n', 'A\n'], 'b.txt': ['b\n', 'B\n'] } })
    const seen = ledger.copy()
    seen.note('a.txt', contentHash('A\n'), lines)
    seen.replaced('b.txt', contentHash('B\n'))
    await acceptance.accept({ ...link, ledger: seen }, into, noAnswers)
    expect([ledger.has('a.txt'), ledger.has('b.txt')]).toEqual([true, false])
    for (const name of ['A', 'B'])
      expect(ledger.isNews(`${name.toLowerCase()}.txt`, contentHash(`${name}\n`))).toBe(false)
  })

  it('brings files, conversation, prompt and state in at once, and the turn can be undone as any other', async () => {
    const { into, acceptance, play, session, read, stored, changeSets, root, dataDir } = stage({
      'a.txt': 'a\n',
      'c.txt': 'c\n',
    })
    const outcome = await acceptance.accept(play({ files: three }), into, noAnswers)
    expect(outcome).toMatchObject({
      step: 'accepted',
      left: [],
      isAltered: false,
      isRefused: false,
      how: 'done',
    })
    expect([read('a.txt'), read('new/b.txt'), read('c.txt')]).toEqual(['A\n', 'b\n', null])
    expect(session.turn).toBe(2)
    expect(session.state).toMatchObject({ step: 'PLANNING', status: 'SUCCESS', staged: null })
    const { record, kinds, log, changes } = stored()
    expect(record).toEqual({ ...session.record, session: session.session })
    expect(record.stats).toMatchObject({ turns: 2, calls: 1, completionTokens: 7 })
    expect(kinds).toEqual(['user', 'user', 'call'])
    expect(log).toEqual([
      'message: first',
      'reply: done',
      'message: second',
      'work: I edit.',
      'result: edited',
    ])
    expect(session.log.map(({ kind }) => kind)).toEqual(['message', 'reply', 'message', 'work', 'result'])
    const items = session.page({ limit: 10 }).items
    expect(items.map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(items[1]).toMatchObject({ kind: 'user', speculatedBy: 'script' })
    expect(items[2]).toMatchObject({ kind: 'call', view: { changeSetId: changes[0] } })

    const checkpoints = checkpointsIn(dataDir)
    const undo = new TurnUndo({
      changeSet: (id) => changeSets.get(id),
      changeSetsFrom: (id) => changeSets.from(id),
      bytes: (hash) => checkpoints.get(hash),
      present: (folder, path) =>
        undoDisk({
          disk: nodeDisk,
          documents: { flush: async () => undefined },
          listFiles: async () => [],
        }).present(folder, path),
      entryAt: async () => null,
      withContent: async () => [],
    })
    const apply = async (changes: Parameters<typeof changeSets.apply>[0]['changes']) => {
      const { id, conflicts } = await changeSets.apply({ root, changes })
      return { changeSetId: id, conflicts }
    }
    await undo.undo(root, changes, new Map(), () => ({ apply }), 'undo')
    expect([read('a.txt'), read('new/b.txt'), read('c.txt')]).toEqual(['a\n', null, 'c\n'])
    session.cut(2)
    expect(session.turn).toBe(1)
    expect(stored().log).toEqual(['message: first', 'reply: done'])
  })

  it('of one that changed nothing is the conversation alone', async () => {
    const { into, acceptance, play, session, stored } = stage({})
    const place = { step: 'PLANNING', status: 'REQUIRES_USER_INPUT' } as const
    const end = { seq: 1, from: place, to: place, cause: 'reply.finished/question', ended: 'asked' } as const
    const state = { ...place, waiting: 'none', staged: null } as const
    const outcome = await acceptance.accept(
      play({ files: {}, state: { ...state, history: [end] } }),
      into,
      noAnswers,
    )
    expect(outcome).toMatchObject({ step: 'accepted', changeSetId: null, files: [], isAltered: false })
    // The turn has ended in the fork, and not by a reply.
    expect(outcome).toMatchObject({ how: 'asked' })
    expect(session.turn).toBe(2)
    expect(stored().changes).toEqual([])
  })

  it('counts once: of two at the same time the first wins', async () => {
    const { into, acceptance, play, session, read } = stage({ 'a.txt': 'a\n' })
    const [one, other] = [
      play({ files: { 'a.txt': ['a\n', 'one\n'] } }),
      play({ files: { 'a.txt': ['a\n', 'other\n'] } }),
    ]
    const outcomes = await Promise.all([
      acceptance.accept(one, into, noAnswers),
      acceptance.accept(other, into, noAnswers),
    ])
    expect(outcomes.map(({ step }) => step)).toEqual(['accepted', 'lost'])
    expect(read('a.txt')).toBe('one\n')
    expect(session.turn).toBe(2)
  })

  it('comes to nothing where the session has gone on', async () => {
    const { into, acceptance, play, session, read } = stage({ 'a.txt': 'a\n' })
    const link = play({ files: { 'a.txt': ['a\n', 'A\n'] } })
    session.startTurn([{ kind: 'text', text: 'something else' }])
    expect(await acceptance.accept(link, into, noAnswers)).toEqual({ step: 'lost' })
    expect(read('a.txt')).toBe('a\n')
  })

  it('takes the mode that holds now, not the one that it was played in', async () => {
    const { into, acceptance, play, session } = stage({ 'a.txt': 'a\n' })
    const link = play({ files: { 'a.txt': ['a\n', 'A\n'] } })
    session.setState({ ...session.state, mode: 'full' })
    await acceptance.accept(link, into, noAnswers)
    expect(session.state.mode).toBe('full')
  })

  it('warns where a file was only read and has changed since', async () => {
    const { into, acceptance, play, session } = stage({ 'a.txt': 'a\n', 'r.txt': 'now\n' })
    const link = play({
      files: { 'a.txt': ['a\n', 'A\n'] },
      reads: { 'r.txt': contentHash('then\n'), 'gone.txt': 'x' },
    })
    const outcome = await acceptance.accept(link, into, noAnswers)
    expect(outcome).toEqual({ step: 'stale', paths: ['r.txt', 'gone.txt'], hasMore: false })
    expect(session.turn).toBe(1)
    expect(await acceptance.accept(link, into, { ...noAnswers, knowsStale: true })).toMatchObject({
      step: 'accepted',
    })
  })
})

describe('a boundary', () => {
  it('applies what is finished; its own call waits for the session, what was behind it is gone', async () => {
    const { into, acceptance, play, session, stored } = stage({ 'a.txt': 'a\n' })
    const calls = ['stop', 'later'].map((callId) => ({
      kind: 'world' as const,
      callId,
      access: 'execute' as const,
      hash: 'h',
      stage: 'asked' as const,
      record: null,
    }))
    const link = play({
      files: { 'a.txt': ['a\n', 'A\n'] },
      state: { step: 'EXECUTION', status: 'IN_PROGRESS', waiting: 'work', calls },
      boundary: { kind: 'shell', callId: 'stop', title: 'npm test' },
      openCalls: ['stop', 'later'],
    })
    const outcome = await acceptance.accept(link, into, noAnswers)
    expect(outcome).toMatchObject({ step: 'accepted', how: null, isAltered: false })
    expect(session.state).toMatchObject({ step: 'EXECUTION', waiting: 'work', staged: null })
    expect(session.state.calls.map(({ callId }) => callId)).toEqual(['stop'])
    const work = session.log.find(({ kind }) => kind === 'work')
    expect(work?.calls?.map(({ callId }) => callId)).toEqual(['edit-1', 'stop'])
    expect(stored().kinds).toEqual(['user', 'user', 'call', 'call'])
  })
})

describe('what somebody changes meanwhile', () => {
  it('between the plan and the commit is asked about', async () => {
    let reads = 0
    const { into, acceptance, play, session, read, write } = stage(
      { 'a.txt': 'a\n' },
      {
        flush: async () => {
          reads += 1
          // The second look is the one right before the commit.
          if (reads === 2) write('a.txt', 'theirs\n')
        },
      },
    )
    const outcome = await acceptance.accept(play({ files: { 'a.txt': ['a\n', 'A\n'] } }), into, noAnswers)
    expect(outcome).toMatchObject({ step: 'conflicts', files: [{ path: 'a.txt', why: 'changed' }] })
    expect(read('a.txt')).toBe('theirs\n')
    expect(session.turn).toBe(1)
  })

  it('between the commit and the writing is left alone, and told to the user and the model', async () => {
    const { into, acceptance, play, session, read, write, inherited } = stage(
      { 'a.txt': 'a\n', 'b.txt': 'b\n' },
      { onStep: (step, path) => (step === 'before-rename' && path === 'b.txt' ? theirs() : undefined) },
    )
    const theirs = (): void => write('b.txt', 'theirs\n')
    const files = { 'a.txt': ['a\n', 'A\n'], 'b.txt': ['b\n', 'B\n'] } satisfies Record<
      string,
      [string, string]
    >
    const outcome = await acceptance.accept(play({ files }), into, noAnswers)
    expect(outcome).toMatchObject({ step: 'accepted', left: ['b.txt'], isAltered: true })
    expect([read('a.txt'), read('b.txt')]).toEqual(['A\n', 'theirs\n'])
    const notice = session.page({ limit: 1 }).items[0]
    expect(notice).toMatchObject({ kind: 'notice', notice: { kind: 'left-alone', paths: ['b.txt'] } })
    expect(inherited).toMatchObject([{ kind: 'note', text: 'left-alone' }])
  })

  it('does not matter where it is the very same change', async () => {
    const { into, acceptance, play, write, read } = stage({ 'a.txt': 'a\n', 'c.txt': 'c\n' })
    const link = play({ files: three })
    write('a.txt', 'A\n')
    rmSync(join(into.root, 'c.txt'))
    expect(await acceptance.accept(link, into, noAnswers)).toMatchObject({
      step: 'accepted',
      isAltered: false,
    })
    expect([read('a.txt'), read('new/b.txt'), read('c.txt')]).toEqual(['A\n', 'b\n', null])
  })
})

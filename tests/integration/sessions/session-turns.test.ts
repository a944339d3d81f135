import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemRandom } from '../../../src/main/platform/random.ts'
import { openDatabase } from '../../../src/main/store/database/database.ts'
import { createSessionRepository } from '../../../src/main/store/sessions/session-repository.ts'
import { createWorkRepository } from '../../../src/main/store/works/work-repository.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { editCall, justAnswer, readAndPlan, runCall } from '../../fakes/sessions/scripted-mind.ts'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'

const context = { signal: new AbortController().signal }
const files = { 'a.txt': 'one\n' }

describe('a turn that began while a command ran', () => {
  it('can be taken back, and the session goes on', async () => {
    const session = await scriptedHost([...readAndPlan('a.txt'), runCall('sleep 60')], { files })
    const { api } = session.app
    const { sessionId } = session
    await session.say('wait')
    await session.rest()
    await session.answer('approve')
    await running(session)
    session.mind.think(...justAnswer('I see.'))
    await session.say('do something else', 'steer')
    await api['session.undo']({ sessionId, turn: 2, what: 'conversation', choices: [] }, context)
    session.mind.left.splice(0, Infinity, ...justAnswer('Here.'))
    expect(await session.say('are you there?')).toBe('message')
    await session.rest()
    expect((await session.items()).at(-1)).toMatchObject({ kind: 'answer', text: 'Here.' })
    expect(session.bugs).toEqual([])
  })
})

describe('a message that waits while its turn is taken back', () => {
  it('goes on waiting, and does not begin in what is being taken back', async () => {
    const session = await scriptedHost([...readAndPlan('a.txt'), runCall('sleep 60')], { files })
    const { sessionId } = session
    await session.say('wait')
    await session.rest()
    await session.answer('approve')
    await running(session)
    expect(await session.say('and then?')).toBe('queued')
    session.mind.think(...justAnswer('Then.'))
    await session.app.api['session.undo']({ sessionId, turn: 1, what: 'both', choices: [] }, context)
    const state = await session.rest()
    expect(await session.items()).toEqual([])
    expect(state.queue).toHaveLength(1)
    expect(session.mind.left).toHaveLength(2)
    expect(session.bugs).toEqual([])
  })
})

describe('a message that is sent while a turn is being taken back', () => {
  it.each(['undo', 'redo'] as const)('comes after the %s: nothing of it is lost', async (what) => {
    const thoughts = [...readAndPlan('a.txt'), editCall('a.txt', 'one', 'ONE'), ...justAnswer('Done.')]
    const session = await scriptedHost(thoughts, { files })
    const { api } = session.app
    const { sessionId } = session
    await session.say('change it')
    await session.rest()
    await session.approveAll()
    const undo = () => api['session.undo']({ sessionId, turn: 1, what: 'both', choices: [] }, context)
    if (what === 'redo') await undo()
    session.mind.think(...justAnswer('Here.'))
    const work = what === 'undo' ? undo() : api['session.redo']({ sessionId, choices: [] }, context)
    expect(await session.say('are you there?')).toBe('message')
    expect(session.read('a.txt')).toBe(what === 'undo' ? 'one\n' : 'ONE\n')
    await work
    await session.rest()
    const said = (await session.items()).flatMap((item) => (item.kind === 'user' ? item.segments : []))
    expect(said).toEqual([{ kind: 'text', text: 'are you there?' }])
    expect((await session.items()).at(-1)).toMatchObject({ kind: 'answer', text: 'Here.' })
    expect(session.bugs).toEqual([])
  })
})

async function running(session: Awaited<ReturnType<typeof scriptedHost>>): Promise<void> {
  for (;;) {
    const items = await session.items()
    if (items.some((item) => item.kind === 'call' && item.state === 'running')) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('a turn that changed files while the user wrote', () => {
  it('is undone without what was typed in the window, names its commands, and is redone', async () => {
    const thoughts = [
      ...readAndPlan('a.txt'),
      editCall('a.txt', 'one', 'uno'),
      editCall('a.txt', 'uno', 'ONE'),
      runCall('touch made.txt'),
      ...justAnswer('Done.'),
    ]
    const session = await scriptedHost(thoughts, { files: { 'a.txt': 'one\n\ntwo\n' } })
    const { api } = session.app
    const { sessionId, workId } = session
    await session.say('change it')
    await session.rest()
    await session.approveAll()
    expect(session.read('a.txt')).toBe('ONE\n\ntwo\n')

    const leave = new AbortController()
    const watch = api['document.watch']({ workId, path: 'a.txt' }, { signal: leave.signal })
    const { value: opened } = await watch[Symbol.asyncIterator]().next()
    if (opened?.kind !== 'snapshot') throw new Error('no snapshot')
    const changed = await api['session.turnFiles']({ sessionId, turn: 1 }, context)
    const texts = { old: 'one\n\ntwo\n', new: 'ONE\n\ntwo\n' }
    expect(changed).toEqual({ files: [{ path: 'a.txt', from: null, texts }] })
    const { documentId, version, text } = opened.snapshot
    // Undo comes before the autosave.
    const typed = [text.length, [0, 'typed by me', '']]
    const change = { documentId, clientId: 'w', baseVersion: version, changes: [typed] }
    await api['document.change'](change, context)

    const preview = await api['session.undoPreview']({ sessionId, turn: 1 }, context)
    expect(preview).toMatchObject({
      files: [{ path: 'a.txt', keepsEdits: true, places: [] }],
      commands: ['touch made.txt'],
    })
    const undo = { sessionId, turn: 1, what: 'files' as const, choices: [] }
    expect(await api['session.undo'](undo, context)).toEqual({ kept: [], left: [], canRedo: true })
    expect(session.read('a.txt')).toBe('one\n\ntwo\ntyped by me\n')
    expect(session.read('made.txt')).toBe('')

    await api['session.redo']({ sessionId, choices: [] }, context)
    expect(session.read('a.txt')).toBe('ONE\n\ntwo\ntyped by me\n')
    await expect(api['session.redoPreview']({ sessionId }, context)).rejects.toMatchObject({
      info: { code: 'session/no-undo' },
    })
    await api['session.undo'](undo, context)
    expect(session.read('a.txt')).toBe('one\n\ntwo\ntyped by me\n')
    leave.abort()
    expect(session.bugs).toEqual([])
  })
})

describe('a branch of a session that waits for consent', () => {
  it('asks nothing itself, and the gate can still be answered where it stands', async () => {
    const thoughts = [...readAndPlan('a.txt'), editCall('a.txt', 'one', 'two'), runCall('true')]
    const session = await scriptedHost(thoughts, { files })
    const { api } = session.app
    await session.say('change it')
    await session.rest()
    expect(await session.gate()).toBeDefined()
    const { session: made } = await api['session.branch']({ sessionId: session.sessionId, turn: 1 }, context)
    const branch = await session.open({ root: session.root, sessionId: made.sessionId })
    expect(await branch.state()).toMatchObject({ openGates: [], position: { status: 'REQUIRES_USER_INPUT' } })
    expect((await branch.items()).filter((item) => item.kind === 'gate')).toMatchObject([
      { state: 'withdrawn' },
    ])
    await session.answer('approve')
    await session.rest()
    expect(session.read('a.txt')).toBe('two\n')
    expect(session.bugs).toEqual([])
  })
})

describe('an undo that cannot change a file', () => {
  it.each(['files', 'both'] as const)(
    'names it in the conversation, with both of its texts (%s)',
    async (what) => {
      const thoughts = [...readAndPlan('a.txt'), editCall('a.txt', 'one', 'ONE'), ...justAnswer('Done.')]
      const session = await scriptedHost(thoughts, { files })
      onTestFinished(() => session.close())
      const { sessionId, root } = session
      const { api } = session.app
      await session.say('change it')
      await session.rest()
      await session.approveAll()
      chmodSync(join(root, 'a.txt'), 0o444)
      const result = await api['session.undo']({ sessionId, turn: 1, what, choices: [] }, context)
      expect(result).toMatchObject({ left: ['a.txt'], canRedo: false })
      const item = (await session.items()).at(-1)
      expect(item).toMatchObject({ kind: 'undo', files: [], left: ['a.txt'] })
      const itemId = item?.itemId ?? ''
      expect(await api['session.leftFile']({ sessionId, itemId, path: 'a.txt' }, context)).toEqual({
        current: 'ONE\n',
        wanted: 'one\n',
      })
      await expect(
        api['session.leftFile']({ sessionId, itemId, path: 'b.txt' }, context),
      ).rejects.toMatchObject({ info: { code: 'file/not-found' } })
      expect(session.bugs).toEqual([])
    },
  )
})

describe('an undo whose host ended in its middle', () => {
  it.each(['files', 'both'] as const)('is finished by the next one, which says so (%s)', async (what) => {
    const dataDir = tempFolder()
    const thoughts = [...readAndPlan('a.txt'), editCall('a.txt', 'one', 'ONE'), ...justAnswer('Done.')]
    const session = await scriptedHost(thoughts, { files, dataDir })
    const { sessionId, workId } = session
    await session.say('change it')
    await session.rest()
    await session.approveAll()
    await session.close()
    const db = openDatabase(join(dataDir, 'tsugi.db'))
    const changes = createSessionRepository(db).turnChangesSince(sessionId, 1)
    const changeSetIds = changes.map(({ changeSetId }) => changeSetId)
    const rest = { isRedo: false, cutsConversation: what === 'both', note: 'undo x', choices: [] }
    createWorkRepository(db, systemRandom).setState(workId, 'undo-jobs', {
      [sessionId]: { turn: 1, changeSetIds, changes, ...rest },
    })
    db.close()

    const next = await session.restart()
    onTestFinished(() => next.close())
    // As a window that opens the work does.
    for await (const _ of next.app.api['session.watchList']({ workId }, context)) break
    await expect.poll(() => next.read('a.txt')).toBe('one\n')
    await expect.poll(async () => (await next.items()).at(-1)?.kind).toBe('undo')
    const items = await next.items()
    expect(items.at(-1)).toMatchObject({ kind: 'undo', undoneTurn: 1, files: ['a.txt'], isResumed: true })
    expect(items.length > 1).toBe(what === 'files')
    await next.app.api['session.redo']({ sessionId, choices: [] }, context)
    expect(next.read('a.txt')).toBe('ONE\n')
    expect(next.bugs).toEqual([])
  })
})

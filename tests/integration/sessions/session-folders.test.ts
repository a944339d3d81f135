import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import type { CallItem } from '../../../src/shared/domain/session/session-item.ts'
import { placeOnDisk } from '../../fakes/disks/on-disk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import {
  approve,
  calls,
  justAnswer,
  noCalls,
  plan,
  type Thought,
  workIn,
} from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, scriptedHost } from '../../fakes/sessions/session-host.ts'

placeOnDisk()

const context: CallContext = { signal: new AbortController().signal }
const reason = 'it is wrong'

/** A session, and a repository beside its folder. */
async function host(options: { isTrusted?: boolean } = {}, ...thoughts: Thought[]) {
  const session = await scriptedHost(thoughts, { ...options, files: { 'a.txt': 'one\n' } })
  const lib = tempFolder()
  mkdirSync(join(lib, '.git'))
  mkdirSync(join(lib, 'src'))
  writeFileSync(join(lib, 'src', 'lib.txt'), 'one\ntwo\n')
  writeFileSync(join(lib, 'AGENTS.md'), 'Write in the manner of the library.\n')
  return { session, mind: session.mind, lib, file: `${lib}/src/lib.txt` }
}

const made = async (session: SessionHost): Promise<CallItem[]> =>
  (await session.items()).filter((item) => item.kind === 'call')

const add = (session: SessionHost, path: string, isTrusted: boolean | null = null) =>
  session.app.api['session.addFolder']({ sessionId: session.sessionId, path, isTrusted }, context)

async function say(session: SessionHost, text: string): Promise<void> {
  await session.say(text)
  await session.approveAll()
  expect(session.bugs).toEqual([])
}

/** What the model was sent with the last request. */
function asked(session: SessionHost): string {
  const body = session.llama.requests.findLast(({ path }) => path.endsWith('/chat/completions'))?.body
  return (body as { messages: { content: string }[] }).messages.map(({ content }) => content).join('\n')
}

const reading = (path: string): Thought[] => [
  workIn('PLANNING'),
  calls(['read_file', { path }]),
  noCalls,
  ...justAnswer('Done.'),
]
/** A turn that changes both folders. */
const changing = (file: string): Thought[] => [
  workIn('PLANNING'),
  calls(['read_file', { path: file }], ['read_file', { path: 'a.txt' }]),
  plan('set it right'),
  workIn('EXECUTION'),
  calls(
    ['edit', { path: file, old_text: 'two', new_text: 'TWO', reason }],
    ['edit', { path: 'a.txt', old_text: 'one', new_text: 'ONE', reason }],
    ['write_file', { path: `${file}.new`, content: 'new\n', reason }],
  ),
  noCalls,
  approve,
]

describe('a folder that the user adds to a session', () => {
  it('is offered where a call was refused for it, and the model goes on there, until all is undone', async () => {
    const { session, mind, lib, file } = await host({})
    const { api } = session.app
    const { sessionId } = session
    mind.think(...reading(file), ...changing(file))
    await say(session, 'Read the library.')
    const [refused] = await made(session)
    expect(refused).toMatchObject({ state: 'refused', offer: { path: lib, problem: null } })
    expect(refused?.text).toContain(file)

    const assessment = await api['session.assessFolder']({ sessionId, path: lib }, context)
    expect(assessment).toEqual({ path: lib, problem: null, isTrusted: false })
    expect(await add(session, lib)).toEqual({ folder: { path: lib, isTrusted: false } })
    expect((await session.state()).folders).toEqual([{ path: lib, isTrusted: false }])

    await say(session, 'Now set both right.')
    expect(asked(session)).toContain(`The user added the folder ${lib}`)
    expect(asked(session)).toContain(`The user does not trust the folder ${lib}`)
    expect(asked(session)).not.toContain('the manner of the library')
    expect(readFileSync(file, 'utf8')).toBe('one\nTWO\n')
    expect(session.read('a.txt')).toBe('ONE\n')

    const { files } = await api['session.undoPreview']({ sessionId, turn: 2 }, context)
    expect(files.map(({ path, to }) => [path, to]).sort()).toEqual([
      [file, file],
      [`${file}.new`, null],
      ['a.txt', 'a.txt'],
    ])
    const { left } = await api['session.undo']({ sessionId, turn: 2, what: 'files', choices: [] }, context)
    expect(left).toEqual([])
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    expect(session.read('a.txt')).toBe('one\n')

    const { entries } = await api['session.audit']({ sessionId, limit: 100 }, context)
    const acts = entries.filter(({ tool }) => tool === 'add_folder')
    expect(acts).toMatchObject([{ subject: lib, verdict: 'approved', record: { by: 'user' } }])
  })

  it('is undone in the one folder where the other is gone', async () => {
    const { session, mind, lib, file } = await host({})
    const { sessionId } = session
    await add(session, lib)
    mind.think(...changing(file))
    await say(session, 'Set both right.')
    rmSync(lib, { recursive: true })
    const undone = await session.app.api['session.undo'](
      { sessionId, turn: 1, what: 'files', choices: [] },
      context,
    )
    expect(undone.left.sort()).toEqual([file, `${file}.new`])
    expect(session.read('a.txt')).toBe('one\n')
  })

  it('stays after a restart, and is heard of by a model that begins anew', async () => {
    const { session, mind, lib, file } = await host({}, ...justAnswer('Hello.'))
    await say(session, 'Hello')
    await add(session, lib, true)
    const again = await session.restart()
    onTestFinished(() => again.close())
    expect((await again.state()).folders).toEqual([{ path: lib, isTrusted: true }])
    mind.think(...reading(file))
    await say(again, 'Read it.')
    expect((await made(again)).map(({ state }) => state)).toEqual(['done'])
    expect(asked(again)).toContain(`- ${lib}`)
    expect(asked(again)).toContain(`The user added the folder ${lib}`)
    expect(asked(again).split('the manner of the library')).toHaveLength(2)
  })

  it('says what it says of itself where it is trusted, then or later, and once', async () => {
    const { session, mind, lib } = await host({ isTrusted: false }, ...justAnswer('Hello.'))
    const { sessionId } = session
    await add(session, lib)
    const trust = (isTrusted: boolean) =>
      session.app.api['session.trustFolder']({ sessionId, path: lib, isTrusted }, context)
    for (const isTrusted of [true, false, true]) await trust(isTrusted)
    expect((await session.state()).folders).toEqual([{ path: lib, isTrusted: true }])
    await say(session, 'Hello')
    expect(asked(session).split('the manner of the library')).toHaveLength(2)
    mind.think(...justAnswer('Hello.'))
    await trust(false)
    await trust(true)
    await say(session, 'Hello again')
    expect(asked(session).split('the manner of the library')).toHaveLength(2)
  })

  it('is taken away again: open gates about it go, and nothing in it is reached', async () => {
    const { session, mind, lib, file } = await host({})
    const { sessionId } = session
    await add(session, lib)
    mind.think(...changing(file).slice(0, 5), ...justAnswer('I cannot.'), ...reading(file))
    await session.say('Set it right.')
    await expect.poll(async () => (await session.gate())?.gate.calls.length).toBe(3)
    await session.app.api['session.removeFolder']({ sessionId, path: lib }, context)
    await session.rest()
    expect((await session.state()).openGates).toEqual([])
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    await session.stop()
    mind.left.length = 0
    mind.think(...reading(file))
    await say(session, 'Read it again.')
    expect(asked(session)).toContain(`took the folder ${lib} off the session`)
    expect((await made(session)).at(-1)).toMatchObject({ state: 'refused', offer: { path: lib } })
    const again = session.app.api['session.removeFolder']({ sessionId, path: lib }, context)
    await expect(again).rejects.toMatchObject({ info: { code: 'folder/not-added', path: lib } })
  })

  it.skipIf(process.platform === 'win32')('lends no program to a line that only reads', async () => {
    const home = tempFolder()
    const bin = join(tempFolder(), 'bin')
    mkdirSync(bin)
    for (const name of ['ls', 'bash', 'cat', 'git']) {
      writeFileSync(join(bin, name), '#!/bin/sh\necho planted\n', { mode: 0o755 })
    }
    for (const name of ['.profile', '.bash_profile', '.bashrc'])
      writeFileSync(join(home, name), `export PATH="${bin}:/usr/bin:/bin"\n`)
    vi.stubEnv('HOME', home)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { session, mind } = await host({ isTrusted: true })
    await add(session, dirname(bin), true)
    const list = (reason: string): Thought => calls(['run_command', { line: 'ls /', reason }])
    mind.think(workIn('PLANNING'), list('what is there'), noCalls, ...justAnswer('Done.'))
    await say(session, 'What is on this machine?')
    const [call] = await made(session)
    expect(call?.state).toBe('done')
    expect(JSON.stringify(call)).not.toContain('planted')
    expect(JSON.stringify(call)).toContain('usr')
  })

  it('is refused where it must not be, and where its name is not its own', async () => {
    const { session, lib } = await host({})
    const problem = (path: string) =>
      add(session, path).then(
        () => 'added',
        (error: { info: { problem: string } }) => error.info.problem,
      )
    expect(await problem('/')).toBe('root')
    expect(await problem('/etc')).toBe('system')
    expect(await problem(session.root)).toBe('inside')
    expect(await problem(join(lib, 'nowhere'))).toBe('missing')
    expect(await problem(`${lib}/src/..`)).toBe('missing')
    expect(await problem(lib)).toBe('added')
    expect(await problem(join(lib, 'src'))).toBe('inside')
    expect((await session.state()).folders).toHaveLength(1)
  })

  it('goes with a branch of the session', async () => {
    const { session, lib } = await host({}, ...justAnswer('Hello.'))
    await add(session, lib)
    await say(session, 'Hello')
    const { session: copy } = await session.app.api['session.branch'](
      { sessionId: session.sessionId, turn: 1 },
      context,
    )
    const { entries } = await session.app.api['session.audit'](
      { sessionId: copy.sessionId, limit: 10 },
      context,
    )
    expect(entries).toMatchObject([{ tool: 'add_folder', subject: lib }])
    const again = await session.app.api['session.assessFolder'](
      { sessionId: copy.sessionId, path: lib },
      context,
    )
    expect(again.problem).toBe('inside')
  })
})

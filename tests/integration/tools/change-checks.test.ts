/** The folder's own checks after a turn's last change. */
import { describe, expect, it } from 'vitest'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import type { CallItem } from '../../../src/shared/domain/session/session-item.ts'
import { sandboxHere } from '../../fakes/rigs/real-sandbox.ts'
import { calls, type Thought } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, scriptedHost } from '../../fakes/sessions/session-host.ts'

const context: CallContext = { signal: new AbortController().signal }
const hasSandbox = (await sandboxHere()).kind === 'ready'
const line = 'bash check.sh'
/** A check that fails and prints each line of the file with the word `bad`. */
const check = 'grep -n bad a.txt && exit 1; echo all good\n'

function edit(from: string, to: string): Thought {
  return calls(['edit', { path: 'a.txt', old_text: from, new_text: to, reason: 'asked for' }])
}

async function checked(
  thoughts: readonly Thought[],
  options: Parameters<typeof scriptedHost>[1] & { lines?: string[] } = {},
): Promise<SessionHost> {
  const { lines = [line], ...own } = options
  const files = { 'a.txt': 'one\n', 'check.sh': check }
  const session = await scriptedHost(thoughts, { decideFirst: 'auto', files, ...own })
  const changeChecks = lines.map((each) => ({ line: each, isOn: true }))
  const { workId } = session
  await session.app.api['work.updateSettings']({ workId, patch: { changeChecks } }, context)
  return session
}

const read = calls(['read_file', { path: 'a.txt' }])

async function checksOf(session: SessionHost): Promise<CallItem[]> {
  const items = await session.items()
  return items.flatMap((item) => (item.kind === 'call' && item.check !== undefined ? item : []))
}

async function answersOf(session: SessionHost) {
  const items = await session.items()
  return items.flatMap((item) => (item.kind === 'answer' ? [[item.purpose, item.text]] : []))
}

function sent({ llama }: SessionHost): string {
  return JSON.stringify(llama.requests.at(-1)?.body)
}

describe('a check of the folder', () => {
  it('runs after the last change, asked about like a command, and the reply stays the reply', async () => {
    const session = await checked([read, edit('one', 'two'), { say: 'Done.' }])
    await session.say('Change it.')
    const state = await session.approveAll()
    expect(state.position).toEqual({ step: 'PLANNING', status: 'SUCCESS', waiting: 'none' })
    expect(await checksOf(session)).toMatchObject([{ title: line, state: 'done', check: 'passed' }])
    expect(await answersOf(session)).toEqual([['reply', 'Done.']])
    expect(session.mind.left).toEqual([])
    const items = await session.items()
    expect(items.filter(({ kind }) => kind === 'gate').length).toBe(2)
  })

  it('gives new problems to the model, which mends them before its one reply', async () => {
    const session = await checked([
      read,
      edit('one', 'bad'),
      { say: 'Done.' },
      edit('bad', 'good'),
      { say: 'Mended.' },
    ])
    await session.say('Change it.')
    await session.approveAll()
    expect((await checksOf(session)).map((item) => item.check)).toEqual(['new', 'passed'])
    expect(await answersOf(session)).toEqual([
      ['work', 'Done.'],
      ['reply', 'Mended.'],
    ])
    expect(sent(session)).toContain('1:bad')
    expect(session.bugs).toEqual([])
  })

  it('tells nothing that it found before the turn, and is not asked for twice', async () => {
    const session = await checked(
      [
        calls(['run_command', { line, reason: 'see' }]),
        read,
        edit('one', 'two'),
        { say: 'Done.' },
        { say: 'Talk.' },
      ],
      { files: { 'a.txt': 'bad\none\n', 'check.sh': check } },
    )
    await session.say('Change it.')
    await session.approveAll()
    expect((await checksOf(session)).map((item) => item.check)).toEqual(['known'])
    await session.say('Thanks.')
    await session.rest()
    expect(await checksOf(session)).toHaveLength(1)
    expect((await answersOf(session)).map(([purpose]) => purpose)).toEqual(['reply', 'reply'])
  })

  it('does not call a problem new after an undo that brought it back', async () => {
    const edits = [read, edit('bad', 'good'), { say: 'Mended.' }, edit('one', 'two'), { say: 'Two now.' }]
    const session = await checked([...edits, { say: 'The old fault is there again.' }], {
      files: { 'a.txt': 'bad\none\n', 'check.sh': check },
    })
    const { sessionId } = session
    await session.say('Mend it.')
    await session.approveAll()
    await session.app.api['session.undo']({ sessionId, turn: 1, what: 'files', choices: [] }, context)
    expect(session.read('a.txt')).toBe('bad\none\n')
    await session.say('Change the other line.')
    await session.approveAll()
    expect(session.read('a.txt')).toBe('bad\ntwo\n')
    expect((await checksOf(session)).map((item) => item.check)).toEqual(['passed', 'new'])
    expect(sent(session)).toContain('no earlier run is known to compare with')
    expect(sent(session)).not.toContain('found what it did not find before')
  })

  it('ends the turn after two rounds of mending, and says so', async () => {
    const session = await checked([
      read,
      edit('one', 'bad 1'),
      { say: 'Done.' },
      edit('bad 1', 'bad 2'),
      { say: 'Now?' },
      edit('bad 2', 'bad 3'),
      { say: 'I cannot.' },
    ])
    await session.say('Change it.')
    await session.approveAll()
    expect((await checksOf(session)).map((item) => item.check)).toEqual(['new', 'new', 'new'])
    const items = await session.items()
    expect(items.at(-1)).toMatchObject({ kind: 'notice', notice: { kind: 'limit', limit: 'check-runs' } })
    expect((await answersOf(session)).at(-1)).toEqual(['reply', 'I cannot.'])
  })

  it('does not run where the user refuses it, nor where the folder is not trusted', async () => {
    const refused = await checked([read, edit('one', 'two'), { say: 'Done.' }])
    await refused.say('Change it.')
    await refused.rest()
    await refused.answer('approve')
    await refused.rest()
    await refused.answer('refuse')
    await refused.rest()
    expect(await checksOf(refused)).toMatchObject([{ state: 'refused' }])
    expect(await answersOf(refused)).toEqual([['reply', 'Done.']])
    const untrusted = await checked([read, edit('one', 'two'), { say: 'Done.' }], { isTrusted: false })
    await untrusted.say('Change it.')
    await untrusted.approveAll()
    expect(await checksOf(untrusted)).toEqual([])
  })

  it.runIf(hasSandbox)('runs without a question in a copy, and leaves nothing of it', async () => {
    const session = await checked([read, edit('one', 'two'), { say: 'Done.' }], {
      files: { 'a.txt': 'one\n', 'check.py': "open('report.txt', 'w').write('left')\n" },
      lines: ['python3 check.py'],
    })
    const { workId } = session
    await session.app.api['sandbox.get']({ workId, isTriedAgain: false }, context)
    await session.app.api['sandbox.set']({ workId, isOn: true }, context)
    await session.say('Change it.')
    await session.approveAll()
    expect((await checksOf(session)).map((item) => item.check)).toEqual(['passed'])
    expect((await session.items()).filter(({ kind }) => kind === 'gate')).toHaveLength(1)
    expect(() => session.read('report.txt')).toThrow()
  })

  it('is proposed from what the folder names, and nothing runs by that', async () => {
    const session = await checked([{ say: 'Hi.' }], {
      files: { 'package.json': JSON.stringify({ scripts: { test: 'node --test', start: 'x' } }) },
      lines: [],
    })
    const { workId } = session
    expect(await session.app.api['check.proposed']({ workId }, context)).toEqual({ lines: ['npm test'] })
  })
})

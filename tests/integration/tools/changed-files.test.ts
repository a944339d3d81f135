import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import type { AskedRequest } from '../../fakes/servers/llama/answer.ts'
import { calls, isForSuggestion, type Thought } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, scriptedHost } from '../../fakes/sessions/session-host.ts'

const context: CallContext = { signal: new AbortController().signal }

type Messages = { role: string; content: string }[]

async function host(files: Record<string, string>, ...thoughts: Thought[]): Promise<SessionHost> {
  return scriptedHost(thoughts, { decideFirst: 'auto', files })
}

/** Returns the messages of each request of the conversation. */
function received({ llama }: SessionHost): Messages[] {
  return llama.requests
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => body as AskedRequest & { max_tokens?: number; messages: Messages })
    .filter((body) => !isForSuggestion(body) && body.max_tokens !== 1)
    .map(({ messages }) => messages)
}

/** Calls `change` while the model writes its answer to this request of the conversation, counted from 1. */
function duringRequest(session: SessionHost, number: number, change: () => void): void {
  session.llama.options.answer = (request) => {
    if (received(session).length === number) change()
    return session.mind.answer(request)
  }
}

function write({ root }: SessionHost, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text)
}

const read = (...paths: string[]): Thought =>
  calls(...paths.map((path): [string, Record<string, unknown>] => ['read_file', { path }]))
const run = (line: string): Thought => calls(['run_command', { line, reason: 'asked for' }])

describe('files that the user saves while a turn runs', () => {
  it.each([
    [
      '一章と二章を比べて。',
      '次のファイルは最後に見たあとで変わった: 一章.md, 二章.md。使う前に読み直す。',
      '一章.md は最後に見たあとで変わった。使う前に読み直す。',
    ],
    [
      'Compare both chapters.',
      'These files have changed since you last saw them: 一章.md, 二章.md. Read them again before you use them.',
      '一章.md has changed since you last saw it. Read it again before you use it.',
    ],
  ])('are named in the next request of that turn: %s', async (message, both, one) => {
    const session = await host(
      { '一章.md': '雨。\n', '二章.md': '風。\n', '三章.md': '雪。\n' },
      read('一章.md', '二章.md'),
      read('三章.md'),
      read('一章.md'),
      { say: '…' },
      { say: '…' },
    )
    duringRequest(session, 2, () => write(session, { '一章.md': '晴れ。\n', '二章.md': '凪。\n' }))
    await session.say(message)
    await session.rest()
    const turn = received(session)
    expect(turn).toHaveLength(4)
    expect(JSON.stringify(turn[1])).not.toContain(both)
    expect(turn[2]?.at(-1)?.role).toBe('user')
    expect(turn[2]?.at(-1)?.content).toContain(both)
    // Messages that were sent before stay the same, so that they are not processed again.
    expect(turn[2]?.slice(0, -3)).toEqual(turn[1])
    expect(JSON.stringify(turn[3]).split(both)).toHaveLength(2)
    write(session, { '一章.md': '雷。\n' })
    await session.say(message)
    await session.rest()
    const next = received(session)
    expect(next).toHaveLength(5)
    expect(next[4]?.at(-1)?.content).toContain(one)
    expect(session.bugs).toEqual([])
  })

  it('are not named for what the assistant and its commands did', async () => {
    const session = await host(
      { 'a.md': 'one\n', 'b.md': 'one\n' },
      read('a.md', 'b.md'),
      calls(['edit', { path: 'a.md', old_text: 'one', new_text: 'two', reason: 'asked for' }]),
      run('printf three > b.md'),
      { say: 'Done.' },
      { say: 'Well.' },
    )
    await session.say('write')
    await session.approveAll()
    expect(session.read('b.md')).toBe('three')
    await session.say('and now?')
    await session.rest()
    const requests = received(session)
    expect(requests).toHaveLength(5)
    expect(JSON.stringify(requests.at(-1))).not.toContain('changed since you last')
    expect(session.bugs).toEqual([])
  })

  it('are named by the next host, too, and what the assistant and its commands did is not', async () => {
    const session = await host(
      { 'a.md': 'one\n', 'b.md': 'one\n', 'c.md': 'one\n', 'd.md': 'one\n', 'e.md': 'one\n' },
      read('a.md', 'b.md', 'c.md', 'd.md', 'e.md'),
      calls(['edit', { path: 'a.md', old_text: 'one', new_text: 'two', reason: 'asked for' }]),
      calls(['move_file', { path: 'd.md', to: 'f.md', reason: 'asked for' }]),
      run('printf three > b.md; rm e.md'),
      { say: 'Done.' },
      calls(['edit', { path: 'a.md', old_text: 'two', new_text: 'three', reason: 'asked for' }]),
      { say: 'Well.' },
    )
    await session.say('write')
    await session.approveAll()
    const next = await session.restart()
    onTestFinished(() => next.close())
    write(session, { 'c.md': 'by the user\n' })
    await next.say('and now?')
    await next.approveAll()
    const requests = received(session)
    expect(requests).toHaveLength(7)
    expect(requests[5]?.at(-1)?.content).toContain('c.md has changed since you last saw it.')
    expect(JSON.stringify(requests.at(-1)).split('changed since you last')).toHaveLength(2)
    // Its prompt still shows the file: the model need not read it again.
    expect(next.read('a.md')).toBe('three\n')
    expect(next.bugs).toEqual([])
  })

  it('are named by one note where a turn is taken back', async () => {
    const session = await host(
      { 'a.md': 'one\n', 'b.md': 'one\n', 'c.md': 'one\n' },
      read('a.md', 'b.md', 'c.md'),
      calls(
        ['edit', { path: 'a.md', old_text: 'one', new_text: 'two', reason: 'asked for' }],
        ['edit', { path: 'b.md', old_text: 'one', new_text: 'two', reason: 'asked for' }],
      ),
      { say: 'Done.' },
      { say: 'Well.' },
    )
    await session.say('write')
    await session.approveAll()
    const { sessionId } = session
    await session.app.api['session.undo']({ sessionId, turn: 1, what: 'files', choices: [] }, context)
    expect(session.read('a.md')).toBe('one\n')
    await session.say('and now?')
    await session.rest()
    const last = JSON.stringify(received(session).at(-1))
    expect(last.split('took back your changes to these files: a.md, b.md.')).toHaveLength(2)
    expect(last).not.toContain('changed since you last')
    expect(session.bugs).toEqual([])
  })
})

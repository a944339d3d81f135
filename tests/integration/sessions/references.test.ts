import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import type { ReferenceAnswers } from '../../../src/shared/domain/session/file-reference.ts'
import type { MessageSegment } from '../../../src/shared/domain/session/message-segment.ts'
import type { FileItem } from '../../../src/shared/domain/session/session-item.ts'
import { eventually } from '../../fakes/eventually.ts'
import { calls, plan, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, type SessionHostOptions, scriptedHost } from '../../fakes/sessions/session-host.ts'

const context: CallContext = { signal: new AbortController().signal }
const answer: Thought[] = [{ decide: {} }, { say: 'Read.' }]

function host(options: SessionHostOptions = {}, turns = 1): Promise<SessionHost> {
  return scriptedHost(Array.from({ length: turns }, () => answer).flat(), options)
}

type Sent = { role: string; content: string }

/** Returns the messages of each generation request, from the user's first message on. */
function received(session: SessionHost): string[] {
  return session.llama.requests
    .filter(({ method, path }) => method === 'POST' && path === '/v1/chat/completions')
    .map(({ body }) => {
      const { messages } = body as { messages: Sent[] }
      return messages
        .filter(({ role }) => role !== 'system')
        .map(({ content }) => content)
        .join('\n')
    })
}

const lastReceived = (session: SessionHost): string => received(session).at(-1) ?? ''

async function ask(session: SessionHost, text: string): Promise<void> {
  await session.say(text)
  await session.rest()
  expect(session.bugs).toEqual([])
}

async function files(session: SessionHost): Promise<FileItem[]> {
  return (await session.items()).filter((item) => item.kind === 'file')
}

function write(session: SessionHost, path: string, text: string): void {
  mkdirSync(dirname(join(session.root, path)), { recursive: true })
  writeFileSync(join(session.root, path), text)
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}

function send(session: SessionHost, segments: MessageSegment[], references?: ReferenceAnswers) {
  const { sessionId, app } = session
  const how = 'send' as const
  const input = { sessionId, segments, how, gate: null, ...(references === undefined ? {} : { references }) }
  return app.api['session.send'](input, context)
}

/** Holds the model's answers back until the returned function is called. */
function holdModel(session: SessionHost): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  session.llama.options.answer = async (request) => {
    await promise
    return session.mind.answer(request)
  }
  return resolve
}

describe('a message that names files', () => {
  it('goes to the model with their exact text behind it, in order, each once, fenced', async () => {
    const session = await host({ files: { '小説/第一章.md': '雨。\n```\n風。\n', 'b c.md': 'second' } })
    await ask(session, '@小説/第一章.mdと、@"b c.md"を比べて。@小説/第一章.mdだけ直して。')
    const [first = ''] = received(session)
    expect(first).toContain(
      '@小説/第一章.mdと、@"b c.md"を比べて。@小説/第一章.mdだけ直して。\n\n````\n[File: 小説/第一章.md]\n雨。\n```\n風。\n\n````\n\n```\n[File: b c.md]\nsecond\n```\n',
    )
    expect(countOf(first, '[File: ')).toBe(2)
    expect((await session.items()).map(({ kind }) => kind).slice(0, 3)).toEqual(['user', 'file', 'file'])
    expect((await files(session)).map(({ path, state, sizeBytes }) => [path, state, sizeBytes])).toEqual([
      ['小説/第一章.md', 'ok', 18],
      ['b c.md', 'ok', 6],
    ])
  })

  it('says where one could not be attached, to the model and to the user', async () => {
    const session = await host({ files: { 'a.md': 'one' } })
    await ask(session, 'see @gone.md and @a.md, ada@example.com')
    expect(lastReceived(session)).toContain('see @gone.md and @a.md, ada@example.com\n')
    expect((await files(session)).map(({ path, state }) => [path, state])).toEqual([
      ['gone.md', 'not-found'],
      ['a.md', 'ok'],
    ])
    const [user] = await session.items()
    expect(user?.kind === 'user' ? user.segments : []).toEqual([
      { kind: 'text', text: 'see @gone.md and @a.md, ada@example.com' },
    ])
  })

  it.each([
    ['as a result of this window has', null, 21_845],
    ['as the user chose', 16_384, 5_461],
  ])('gives as much of a longer one %s, no character cut in two', async (_, attachedFileLimit, shown) => {
    const session = await host({
      files: { 'long.md': `x${'あ'.repeat(29_000)}` },
      llama: { contextTokens: 131_072 },
    })
    await session.app.api['settings.update']({ patch: { attachedFileLimit } }, context)
    await ask(session, '@long.md')
    const note = '[...truncated, 87001 bytes total — use read_file for the rest]'
    expect(lastReceived(session)).toContain(`\n[File: long.md]\nx${'あ'.repeat(shown)}\n${note}\n`)
    expect(await files(session)).toMatchObject([{ isCut: true, sizeBytes: 87_001 }])
  })

  it('fills no more than half of the context; what has no room left is one line', async () => {
    const text = 'The rain fell on the tower and nobody came. '.repeat(400)
    const names = ['a.md', 'b.md', 'c.md', 'd.md']
    const session = await host({
      files: Object.fromEntries(names.map((name) => [name, text])),
      llama: { contextTokens: 16_384 },
    })
    await ask(session, names.map((name) => `@${name}`).join(' '))
    const attached = await files(session)
    expect(attached.map(({ isCut }) => isCut)).toEqual([true, true, true, true])
    const note = `[...truncated, ${text.length} bytes total — use read_file for the rest]`
    const last = attached.at(-1)?.text ?? ''
    expect(last.length).toBeLessThan(3_000)
    for (const { path, text: shown } of attached) {
      expect(shown.startsWith(`[File: ${path}]\n`)).toBe(true)
      expect(shown.endsWith(note)).toBe(true)
    }
  })
})

describe('what was attached', () => {
  it('stays as it was in later turns, in a branch and after a restart; resent, it is read anew', async () => {
    const session = await host({ files: { 'a.md': 'old text' } }, 5)
    await ask(session, 'see @a.md')
    const shown = '```\n[File: a.md]\nold text\n```'
    write(session, 'a.md', 'new text')
    await ask(session, 'and now?')
    expect(countOf(lastReceived(session), shown)).toBe(1)
    expect(lastReceived(session)).not.toContain('new text')

    const { app, sessionId } = session
    const { session: branch } = await app.api['session.branch']({ sessionId, turn: 1 }, context)
    const segments: MessageSegment[] = [{ kind: 'text', text: 'go on' }]
    await app.api['session.send']({ sessionId: branch.sessionId, segments, how: 'send', gate: null }, context)
    await eventually(() => expect(session.mind.left).toHaveLength(4))
    expect(countOf(lastReceived(session), shown)).toBe(1)

    const before = received(session)
    const again = await session.restart()
    onTestFinished(() => again.close())
    await ask(again, 'still there?')
    expect(countOf(lastReceived(again), shown)).toBe(1)
    const head = (before[2] ?? '').slice(0, (before[2] ?? '').indexOf(shown) + shown.length)
    expect(lastReceived(again).startsWith(head)).toBe(true)

    await again.app.api['session.resend']({ sessionId, turn: 1 }, context)
    await again.rest()
    expect(lastReceived(again)).toContain('[File: a.md]\nnew text\n')
    expect(lastReceived(again)).not.toContain('old text')
    expect(again.bugs).toEqual([])
  })

  it('is told to have changed, once for each change, by its content', async () => {
    const session = await host({ files: { 'a.md': 'old', 'b.md': 'same' } }, 5)
    const note = (path: string) => `${path} has changed since you last saw it.`
    await ask(session, 'see @a.md and @b.md')
    write(session, 'b.md', 'same')
    await ask(session, 'nothing happened')
    expect(lastReceived(session)).not.toContain('has changed since')
    write(session, 'a.md', 'new')
    await ask(session, 'and now?')
    expect(countOf(lastReceived(session), note('a.md'))).toBe(1)
    expect(lastReceived(session)).not.toContain(note('b.md'))
    await ask(session, 'again?')
    expect(countOf(lastReceived(session), note('a.md'))).toBe(1)
    rmSync(join(session.root, 'b.md'))
    await ask(session, 'see @a.md')
    expect(countOf(lastReceived(session), note('a.md'))).toBe(1)
    expect(countOf(lastReceived(session), note('b.md'))).toBe(1)
  })

  it('is read again at a compaction, but for secrets, and is still heard of when it changes', async () => {
    const rain = '雨が降る。\n'.repeat(200)
    const session = await host({ files: { '章.md': rain, '.env': `KEY=1\n${'#'.repeat(2_000)}` } }, 4)
    await send(session, [{ kind: 'text', text: '@章.md @.env を' }], { allowSecrets: ['.env'] })
    await session.rest()
    for (const text of ['二', '三', '四']) await ask(session, text)
    write(session, '章.md', '晴れた。\n')
    session.mind.think({ say: '雨の章を読んだ。' }, ...answer, ...answer)
    const { app, sessionId } = session
    await app.api['session.compact']({ sessionId }, context)
    await ask(session, '五')
    const again = lastReceived(session)
    expect(again).toContain('雨の章を読んだ。')
    expect(again).toContain('1\t晴れた。')
    expect(again).not.toContain('雨が降る。')
    expect(again).not.toContain('KEY=1')
    expect(again).not.toContain('は最後に見たあとで変わった')
    write(session, '章.md', '曇った。\n')
    await ask(session, '六')
    expect(countOf(lastReceived(session), '章.md は最後に見たあとで変わった。')).toBe(1)
  })

  it('may be edited at once: the model has seen it', async () => {
    const session = await host({ files: { 'a.md': 'one\n' } }, 0)
    session.mind.think(
      workIn('PLANNING'),
      plan('change it'),
      workIn('EXECUTION'),
      calls(['edit', { path: 'a.md', old_text: 'one', new_text: 'two', reason: 'asked' }]),
    )
    await session.say('change @a.md')
    await session.rest()
    const gate = await session.gate()
    expect(gate?.gate.calls[0]).toMatchObject({ tool: 'edit', files: [{ path: 'a.md', hunks: 1 }] })
  })
})

describe('a secret', () => {
  const message: MessageSegment[] = [{ kind: 'text', text: 'what is in @.env ?' }]

  it('is asked about before it is sent, and nothing is in the conversation until then', async () => {
    const session = await host({ files: { '.env': 'KEY=1' } }, 2)
    await expect(send(session, message)).rejects.toMatchObject({
      info: { code: 'reference/secret', paths: ['.env'] },
    })
    expect(await session.items()).toEqual([])
    await send(session, message, { allowSecrets: [] })
    await session.rest()
    expect(lastReceived(session)).toContain('what is in [unresolved file ref: .env] ?')
    await send(session, message, { allowSecrets: ['.env'] })
    await session.rest()
    expect(lastReceived(session)).toContain('[File: .env]\nKEY=1\n')
    expect((await files(session)).map(({ state }) => state)).toEqual(['refused', 'ok'])
    const { app, sessionId } = session
    const { entries } = await app.api['session.audit']({ sessionId, limit: 9 }, context)
    expect(entries).toMatchObject([
      { tool: 'attach_file', subject: '.env', risk: 'high', verdict: 'approved', record: { by: 'user' } },
      { tool: 'attach_file', subject: '.env', verdict: 'refused', record: null },
    ])
  })

  it('that is resent without a word takes nothing away', async () => {
    const session = await host({ files: { '.env': 'KEY=1' } })
    await send(session, message, { allowSecrets: ['.env'] })
    await session.rest()
    const before = await session.items()
    const resent = session.app.api['session.resend']({ sessionId: session.sessionId, turn: 1 }, context)
    await expect(resent).rejects.toMatchObject({ info: { code: 'reference/secret' } })
    expect(await session.items()).toEqual(before)
  })
})

describe('an answer to a question of the model', () => {
  const asks: Thought[] = [workIn('PLANNING'), calls(['ask_user', { question: 'Which one?', options: [] }])]
  const question = async (session: SessionHost) =>
    (await session.items()).find((item) => item.kind === 'question')

  it('has its files with it, behind what was said', async () => {
    const session = await host({ files: { '章.md': '雨。\n', '.env': 'KEY=1' } }, 0)
    session.mind.think(...asks, { say: '' }, ...answer)
    await session.say('go')
    const isAsked = async () => expect(await question(session)).toMatchObject({ isOpen: true })
    await eventually(isAsked)
    const { app, sessionId } = session
    const text = '@章.mdと、@.env と @gone.md'
    const segments: MessageSegment[] = [
      { kind: 'file-ref', path: '章.md', range: null },
      { kind: 'text', text: 'と、@.env と @gone.md' },
    ]
    const callId = (await question(session))?.callId ?? ''
    const refused = app.api['session.answerQuestion']({ sessionId, callId, segments }, context)
    await expect(refused).rejects.toMatchObject({ info: { code: 'reference/secret', paths: ['.env'] } })
    const references = { allowSecrets: [] }
    await app.api['session.answerQuestion']({ sessionId, callId, segments, references }, context)
    await session.rest()
    expect(await question(session)).toMatchObject({ isOpen: false, answer: text })
    expect((await files(session)).map(({ path, state }) => [path, state])).toEqual([
      ['章.md', 'ok'],
      ['.env', 'refused'],
      ['gone.md', 'not-found'],
    ])
    const told = received(session).find((one) => one.includes('[File: 章.md]')) ?? ''
    expect(told).toContain('@章.mdと、[unresolved file ref: .env] と @gone.md')
    expect(told.indexOf('[File: 章.md]\n雨。\n')).toBeGreaterThan(told.indexOf('@章.mdと、['))
    expect(session.bugs).toEqual([])
  })

  it('is refused where the question has closed meanwhile, so that its text is kept', async () => {
    const session = await host({ files: {} }, 0)
    session.mind.think(...asks)
    await session.say('go')
    await eventually(async () => expect(await question(session)).toMatchObject({ isOpen: true }))
    const callId = (await question(session))?.callId ?? ''
    await session.stop()
    await session.rest()
    const segments: MessageSegment[] = [{ kind: 'text', text: 'the first one' }]
    const { app, sessionId } = session
    const late = app.api['session.answerQuestion']({ sessionId, callId, segments }, context)
    await expect(late).rejects.toMatchObject({ info: { code: 'session/question-closed' } })
    expect(await question(session)).toMatchObject({ isOpen: false, answer: null })
    expect(session.bugs).toEqual([])
  })

  it('that is written in the message box is one just so', async () => {
    const session = await host({ files: { 'a.md': 'one' } }, 0)
    session.mind.think(...asks, { say: '' }, ...answer)
    await session.say('go')
    const isAsked = async () => expect(await question(session)).toMatchObject({ isOpen: true })
    await eventually(isAsked)
    await send(session, [
      { kind: 'file-ref', path: 'a.md', range: null },
      { kind: 'text', text: 'を' },
    ])
    await session.rest()
    expect(await question(session)).toMatchObject({ answer: '@a.mdを' })
    expect(lastReceived(session)).toContain('[File: a.md]\none\n')
  })
})

describe('completion', () => {
  it('offers what Git does not ignore; what is ignored can still be typed', async () => {
    const session = await host({
      files: { '.gitignore': 'out/\n', 'src/app.ts': 'x', 'out/app.js': 'built', '.github/ci.yml': '' },
    })
    const { workId, app } = session
    const complete = async (query: string) => {
      const input = { workId, query, limit: 20, openPaths: [] }
      // A folder that takes long is offered when it has been read.
      const whole = async () => {
        const answer = await app.api['reference.complete'](input, context)
        expect(answer.isComplete).toBe(true)
        return answer
      }
      return (await eventually(whole)).candidates.map(({ path }) => path)
    }
    expect(await complete('app')).toEqual(['src/app.ts'])
    expect(await complete('ci')).toEqual(['.github/ci.yml'])
    await ask(session, 'see @out/app.js')
    expect(await files(session)).toMatchObject([{ path: 'out/app.js', state: 'ok' }])
    write(session, 'src/apple.ts', '')
    await app.api['reference.refresh']({ workId }, context)
    const isOffered = async () => expect(await complete('apple')).toEqual(['src/apple.ts'])
    await eventually(isOffered)
  })
})

describe('a message that waits, turns or stands beside', () => {
  it('reads the files as they are when its turn comes', async () => {
    const session = await host({ files: { 'a.md': 'early' } }, 2)
    const goOn = holdModel(session)
    await session.say('first')
    expect(await session.say('see @a.md')).toBe('queued')
    write(session, 'a.md', 'late')
    goOn()
    await eventually(() => expect(session.mind.left).toEqual([]))
    await session.rest()
    expect(lastReceived(session)).toContain('see @a.md\n\n```\n[File: a.md]\nlate\n```')
    expect(lastReceived(session)).not.toContain('early')
  })

  it('is asked about a secret before it waits', async () => {
    const session = await host({ files: { '.env': 'KEY=1' } }, 2)
    const goOn = holdModel(session)
    const segments: MessageSegment[] = [{ kind: 'file-ref', path: '.env', range: null }]
    await session.say('first')
    await expect(send(session, segments)).rejects.toMatchObject({ info: { code: 'reference/secret' } })
    expect((await session.state()).queue).toEqual([])
    expect(await send(session, segments, { allowSecrets: ['.env'] })).toEqual({ became: 'queued' })
    goOn()
    await eventually(() => expect(session.mind.left).toEqual([]))
    await session.rest()
    expect(lastReceived(session)).toContain('[File: .env]\nKEY=1\n')
  })

  it('that may not be sent when its turn comes waits for the user, and the next one goes on', async () => {
    const session = await host({ files: { 'a.md': 'one' } }, 2)
    const goOn = holdModel(session)
    await session.say('first')
    expect(await session.say('see @.env')).toBe('queued')
    expect(await session.say('see @a.md')).toBe('queued')
    write(session, '.env', 'KEY=1')
    goOn()
    await eventually(() => expect(session.mind.left).toEqual([]))
    await session.rest()
    expect(received(session).join('')).not.toContain('KEY=1')
    expect(lastReceived(session)).toContain('see @a.md\n\n```\n[File: a.md]\none\n```')
    const [waiting, ...others] = (await session.state()).queue
    expect(waiting?.refusal).toEqual({ code: 'reference/secret', paths: ['.env'] })
    expect(others).toEqual([])
    expect((await session.items()).filter(({ kind }) => kind === 'error')).toEqual([])
    const { app, sessionId } = session
    const messageId = waiting?.messageId ?? ''
    const back = await app.api['session.removeQueued']({ sessionId, messageId }, context)
    expect(back.segments).toEqual([{ kind: 'text', text: 'see @.env' }])
    expect(session.bugs).toEqual([])
  })

  it('has its files with it beside a running turn', async () => {
    const session = await host({ files: { 'a.md': 'one' } }, 0)
    session.mind.think({ say: 'Beside.' })
    await session.say('what is in @a.md ?', 'beside')
    await eventually(() => expect(session.mind.left).toEqual([]))
    await session.rest()
    expect(lastReceived(session)).toContain('what is in @a.md ?\n\n```\n[File: a.md]\none\n```')
    expect((await session.items()).map(({ kind }) => kind)).toEqual(['user', 'file', 'answer'])
  })
})

describe('a file that can be read in two ways', () => {
  it('is read as the user chose it, also in the next host', async () => {
    // The same bytes are ああ in EUC-JP and ､｢､｢ in Shift_JIS.
    const session = await host({}, 3)
    writeFileSync(join(session.root, 'a.txt'), Buffer.from([0xa4, 0xa2, 0xa4, 0xa2]))
    await ask(session, 'read @a.txt')
    expect(await files(session)).toMatchObject([{ state: 'encoding' }])
    await send(session, [{ kind: 'text', text: 'read @a.txt' }], { encodings: { 'a.txt': 'euc-jp' } })
    await session.rest()
    const next = await session.restart()
    onTestFinished(() => next.close())
    await ask(next, 'and @a.txt again')
    expect((await files(next)).map(({ state, text }) => [state, text])).toEqual([
      ['encoding', ''],
      ['ok', '[File: a.txt]\nああ'],
      ['ok', '[File: a.txt]\nああ'],
    ])
  })
})

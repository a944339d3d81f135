import { describe, expect, it } from 'vitest'
import { anyServer, exited, runCall, toolRig } from '../../../../tests/fakes/rigs/tool-rig.ts'
import { ServerFailure } from '../../mcp/server-failure.ts'
import type { ServerTools } from '../../mcp/tool-servers.ts'
import { limitListed, limitResultBytes, sizeOf } from '../defining/result-text.ts'

const reason = 'because'

describe('run_command', () => {
  it('says what it would run, whether it only reads, and how it ended', async () => {
    const rig = await toolRig()
    rig.write('sub/a.txt', '')
    const call = await rig.call('run_command', { line: 'ls -l', folder: 'sub', timeout_s: 5, reason })
    expect(call).toMatchObject({
      access: 'execute',
      isReadOnly: true,
      title: 'ls -l',
      reason,
      facts: { kind: 'command', line: 'ls -l', folder: 'sub', isBackground: false },
    })
    rig.outcome = { ...exited('\u001b[1mno\u0000\n', 2), totalBytes: 5 }
    const result = await runCall(call)
    expect(result).toMatchObject({ isOk: false, view: { kind: 'command', exitCode: 2 } })
    expect(result.text).toBe('Ended with exit code 2.\n␛[1mno␀')
    expect(rig.commands).toMatchObject([{ timeoutMs: 5_000, isReadOnly: true, isBackground: false }])
  })

  it('takes no line for read-only that runs in the background or uses an unknown git configuration', async () => {
    const rig = await toolRig()
    const isReadOnly = async (args: object) => (await rig.call('run_command', { reason, ...args })).isReadOnly
    expect(await isReadOnly({ line: 'cat a.txt' })).toBe(true)
    expect(await isReadOnly({ line: 'cat a.txt', background: true })).toBe(false)
    expect(await isReadOnly({ line: 'git status' })).toBe(false)
    expect(await isReadOnly({ line: 'rm a.txt' })).toBe(false)
    expect(await isReadOnly({ line: 'cat $(' })).toBe(false)
  })

  it('refuses what cannot be run', async () => {
    const rig = await toolRig()
    rig.write('file', '')
    for (const args of [
      { line: '  ' },
      { line: 'a\0b' },
      { line: 'ls', folder: 'file' },
      { line: 'ls', folder: '..' },
      { line: 'ls', folder: 'nowhere' },
      { line: 'ls', timeout_s: 0 },
      { line: 'ls', timeout_s: 601 },
    ]) {
      expect((await rig.run('run_command', { reason, ...args })).isOk, JSON.stringify(args)).toBe(false)
    }
    expect(rig.commands).toEqual([])
  })

  it('cuts a long output, head and tail, with the total and how to read the rest', async () => {
    const rig = await toolRig()
    rig.outcome = exited(`first\n${'日本語\n'.repeat(10_000)}last`)
    const { text } = await rig.run('run_command', { line: 'cat x', reason })
    expect(sizeOf(text)).toBeLessThanOrEqual(limitResultBytes)
    expect(text).toContain('first\n')
    expect(text).toMatch(/of 100010 bytes left out.+command_output with command_id "cmd"/)
    expect(text.endsWith('last')).toBe(true)
  })

  it.each([
    ['timeout', 'Stopped after 120 seconds'],
    ['stopped', 'Stopped by the user'],
    ['background', 'command_id "cmd"'],
    ['failed-to-start', 'no bash'],
  ] as const)('says of an end by %s: %s', async (end, sentence) => {
    const rig = await toolRig()
    const failure = end === 'failed-to-start' ? ({ code: 'command/no-shell' } as const) : null
    rig.outcome = { ...exited(''), end, exitCode: null, failure }
    const result = await rig.run('run_command', { line: 'x', reason })
    expect(result.text).toContain(sentence)
    expect(result.isOk).toBe(end === 'background')
  })

  it('is stopped before it starts', async () => {
    const rig = await toolRig()
    const call = await rig.call('run_command', { line: 'ls', reason })
    const result = await runCall(call, AbortSignal.abort())
    expect(result).toMatchObject({ isOk: false, text: expect.stringContaining('stopped') })
    expect(rig.commands).toEqual([])
  })
})

describe('command_output and command_stop', () => {
  it('ask for no consent beyond a read, and know only ids that were given', async () => {
    const rig = await toolRig()
    const call = await rig.call('command_output', { command_id: 'known' })
    expect(call).toMatchObject({ access: 'read', facts: { kind: 'read', paths: [] } })
    expect((await runCall(call)).text).toBe('Still running. For what comes next: since 3.\nout')
    expect((await rig.run('command_output', { command_id: 'x' })).isOk).toBe(false)
    expect((await rig.run('command_stop', { command_id: 'known' })).isOk).toBe(true)
    expect((await rig.run('command_stop', { command_id: '../x' })).isOk).toBe(false)
  })

  it('leave out lines with a key of a command that ran in a copy, also where a page ends in one', async () => {
    const key = `ghp_${'a1B2'.repeat(9)}`
    const whole = Buffer.from(`${`token: ${key}\nplain\n`.repeat(2_000)}end`)
    const rig = await toolRig({
      wrap: (operations) => ({
        ...operations,
        commandOutput: (_id, since) => {
          const output = whole.subarray(since).toString()
          return { output, nextBytes: whole.length, isRunning: false, exitCode: 0, isInCopy: true }
        },
      }),
    })
    let since = 0
    for (let page = 0; page < 20; page += 1) {
      const { text } = await rig.run('command_output', { command_id: 'a', since })
      expect(text).not.toMatch(/ghp_|B2a1/)
      const next = /since (\d+)\.\]$/.exec(text)?.[1]
      if (next === undefined) break
      expect(text).toMatch(/Lines left out .+: \d+\./)
      since = Number(next)
    }
    expect(since).toBeGreaterThan(whole.length / 2)
  })

  it('page through a long output without a gap', async () => {
    const whole = Array.from({ length: 9_000 }, (_, at) => `line ${at} 日本\u0007`).join('\n')
    const bytes = Buffer.from(whole)
    const rig = await toolRig({
      wrap: (operations) => ({
        ...operations,
        commandOutput: (_id, since) => {
          const output = bytes.subarray(since).toString()
          return { output, nextBytes: bytes.length, isRunning: false, exitCode: 0 }
        },
      }),
    })
    let since = 0
    let pages = 0
    const seen: string[] = []
    for (;;) {
      const { text } = await rig.run('command_output', { command_id: 'a', since })
      expect(sizeOf(text)).toBeLessThanOrEqual(limitResultBytes)
      seen.push(...text.split('\n').slice(1))
      pages++
      const next = /since (\d+)\.\]$/.exec(text)?.[1]
      if (next === undefined) break
      seen.pop()
      since = Number(next)
    }
    expect(pages).toBeGreaterThan(5)
    const wanted = whole.replaceAll('\n', '').replaceAll('\u0007', '␇')
    expect(seen.join('').replaceAll('\n', '') === wanted).toBe(true)
  })
})

it('knows which names a pattern stands for, unless the folder has more than are listed', async () => {
  const many = Array.from({ length: limitListed }, (_, at) => ({
    name: `${at}.txt`,
    kind: 'file' as const,
    sizeBytes: 0,
  }))
  const rig = await toolRig({
    wrap: (operations) => ({
      ...operations,
      list: async (path, options) => (path.startsWith('many') ? many : operations.list(path, options)),
    }),
  })
  for (const path of ['one/a.md', 'two/b.md', 'notes.txt', 'many/x']) rig.write(path, '')
  const literalOf = async (line: string, folder = '.'): Promise<unknown> => {
    const { facts } = await rig.call('run_command', { line, folder, reason: 'as asked' })
    return facts.kind === 'command' ? facts.literal : undefined
  }
  expect(await literalOf('cat */a.md')).toBe("cat 'one/a.md'")
  expect(await literalOf('ls -d */')).toBe("ls -d 'many/' 'one/' 'two/'")
  expect(await literalOf('ls 1*.txt', 'many')).toBeNull()
  expect((await rig.run('list_directory', { path: 'many' })).text).toMatch(/^many: 5000\+ /)
})

it('shows all arguments for a server where consent is asked, however long they are', async () => {
  const rig = await toolRig()
  const given = { note: 'long '.repeat(2_000), to: 'everyone' }
  const { facts } = await rig.call('mcp__any__because', given)
  expect(facts).toMatchObject({ kind: 'outside', line: `any/because ${JSON.stringify(given, null, 2)}` })
})

it.each([
  ['en', 'It sent a message of more than 10000000 bytes'],
  ['ja', '10000000 バイトを超えるメッセージ'],
] as const)(
  'tells the model in its language (%s) why a server ended in a call',
  async (language, sentence) => {
    const ended: ServerTools = {
      ...anyServer,
      call: async () => {
        throw new ServerFailure('during', { code: 'mcp/too-large', limitBytes: 10_000_000 })
      },
    }
    const rig = await toolRig({ language, servers: ended })
    const { isOk, text } = await rig.run('mcp__any__because', {})
    expect([isOk, text]).toEqual([false, expect.stringContaining(sentence)])
    expect(text).not.toContain('{{')
  },
)

describe('the calls for the session itself', () => {
  it('propose a plan, clipped to its limits, with a hash of what it says', async () => {
    const rig = await toolRig()
    const plan = {
      title: `${'長'.repeat(150)}\nsecond line`,
      purpose: 'p',
      steps: [
        { text: 't', kind: 'write', path: 'a.ts' },
        { text: 'u', kind: 'run' },
      ],
      risk: 'low',
      successCriteria: 's',
    }
    const [read, again, other] = await rig.prepare(
      ['propose_plan', plan],
      ['propose_plan', plan],
      ['propose_plan', { ...plan, risk: 'high' }],
    )
    if (read?.kind !== 'session' || read.call.kind !== 'plan') throw new Error('no plan')
    expect(read.call.proposal.title).toBe(`${'長'.repeat(99)}…`)
    expect(read.call.proposal.steps).toEqual([
      { text: 't', kind: 'write', path: 'a.ts' },
      { text: 'u', kind: 'run', path: null },
    ])
    const hashes = [read, again, other].map((one) =>
      one?.kind === 'session' && one.call.kind === 'plan' ? one.call.hash : '',
    )
    expect(new Set(hashes).size).toBe(2)
  })

  it('take todos, a review and a question', async () => {
    const rig = await toolRig()
    const reads = await rig.prepare(
      [
        'todo_write',
        {
          todos: [
            { text: 'a', done: true },
            { text: 'b', done: false },
          ],
        },
      ],
      ['submit_review', { rating: 'good', problems: [], improvements: ['x'], verdict: 'approve' }],
      ['ask_user', { question: 'A or B?', options: ['A', 'B'] }],
      ['todo_write', { todos: [] }],
      ['submit_review', { rating: 'great', problems: [], improvements: [], verdict: 'approve' }],
      ['ask_user', {}],
    )
    expect(reads).toMatchObject([
      {
        title: 'b',
        call: {
          kind: 'todo',
          todos: [
            { text: 'a', isDone: true },
            { text: 'b', isDone: false },
          ],
        },
      },
      { call: { kind: 'review', report: { verdict: 'approve' } } },
      { title: 'A or B?', call: { kind: 'question', question: 'A or B?' }, options: ['A', 'B'] },
      { kind: 'invalid', reason: expect.stringContaining('todos: too small') },
      { kind: 'invalid', reason: expect.stringContaining('rating: must be one of good, fair, needs-work') },
      { kind: 'invalid', reason: expect.stringContaining('question: is missing') },
    ])
  })
})

it('counts the lines of a written file without an empty one behind its last', async () => {
  const rig = await toolRig()
  const { text } = await rig.run('write_file', { path: 'a.txt', content: 'one\ntwo\n', reason: 'as asked' })
  expect(text).toMatch(/\b2\b/)
  expect(text).not.toMatch(/\b3\b/)
})

import { describe, expect, it } from 'vitest'
import { playPlainLoop } from '../../../bench/plain-loop.ts'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import type { AskedRequest } from '../../fakes/servers/llama/answer.ts'
import { directTurns, playDirectTurn } from '../../fakes/sessions/direct-turns.ts'
import { calls, isForSuggestion, type Thought } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, type SessionHostOptions, scriptedHost } from '../../fakes/sessions/session-host.ts'

function direct(
  thoughts: readonly Thought[],
  options: Omit<SessionHostOptions, 'answer'> = {},
): Promise<SessionHost> {
  return scriptedHost(thoughts, { decideFirst: 'auto', ...options })
}

const context: CallContext = { signal: new AbortController().signal }

type Asked = Pick<AskedRequest, 'messages'> & { max_tokens?: number }

/** Requests of the conversation itself. */
function asked({ llama }: SessionHost): Asked[] {
  const isChat = ({ path }: { path: string }) => path.endsWith('/chat/completions')
  const bodies = llama.requests.filter(isChat).map(({ body }) => body as Asked)
  return bodies.filter((body) => !isForSuggestion(body) && body.max_tokens !== 1)
}

const edit = { path: 'a.txt', old_text: 'one', new_text: 'two', reason: 'asked for' }

describe('a model that calls tools by itself', () => {
  it.each(directTurns())('is asked as often as a plain loop, with little more: $name', async (turn) => {
    const { requests, promptTokens, head, state, items, oddities } = await playDirectTurn(turn)
    const plain = await playPlainLoop(turn, head, { root: tempFolder(), dataDir: tempFolder() })
    expect(oddities).toEqual([])
    expect(requests).toBe(turn.requests)
    expect(plain.requests).toBe(turn.requests)
    expect(promptTokens).toBeLessThanOrEqual(turn.promptTokens)
    expect(promptTokens / plain.promptTokens).toBeLessThanOrEqual(turn.ratio)
    expect(promptTokens / plain.promptTokens).toBeGreaterThan(1)
    expect(state.position).toEqual({ step: 'PLANNING', status: 'SUCCESS', waiting: 'none' })
    const replies = items.filter((item) => item.kind === 'answer' && item.purpose === 'reply')
    expect(replies).toHaveLength(1)
    const decisions = items.filter((item) => item.kind === 'decision')
    expect(decisions).toHaveLength(requests)
    expect(decisions.every((item) => item.kind === 'decision' && item.source === 'derived')).toBe(true)
  })

  it('is told once where it works: tree, commands and that a cd does not last', async () => {
    const scripts = JSON.stringify({ scripts: { test: 'node --test' } })
    const session = await direct([{ say: 'Hi.' }, { say: 'Hi again.' }], {
      files: { 'src/a.txt': 'one\n', 'package.json': scripts },
    })
    for (const text of ['hello', 'hello again']) {
      await session.say(text)
      await session.rest()
    }
    const texts = asked(session).map(({ messages }) => JSON.stringify(messages))
    expect(texts).toHaveLength(2)
    for (const text of texts) {
      expect(text.split('Where you work')).toHaveLength(2)
      expect(text).toContain('src/\\n  a.txt')
      expect(text).toContain('npm test')
    }
  })

  it('writes a file only once its gate is approved', async () => {
    const session = await direct(
      [calls(['read_file', { path: 'a.txt' }]), calls(['edit', edit]), { say: 'Done.' }],
      {
        files: { 'a.txt': 'one\n' },
      },
    )
    await session.say('change it')
    const waiting = await session.rest()
    expect(waiting.position.step).toBe('AWAITING_APPROVAL')
    expect(session.read('a.txt')).toBe('one\n')
    await session.answer('approve')
    await session.rest()
    expect(session.read('a.txt')).toBe('two\n')
  })

  it('is asked about a later change by that change, not by the first one of the turn', async () => {
    const write = (path: string) => calls(['write_file', { path, content: 'x\n', reason: 'asked for' }])
    const session = await direct([write('first.txt'), write('second.txt'), { say: 'Done.' }])
    await session.say('make two files')
    for (const path of ['first.txt', 'second.txt']) {
      await session.rest()
      const gate = (await session.items()).findLast((item) => item.kind === 'gate')
      expect(gate).toMatchObject({ gate: { calls: [{ intent: path }] } })
      await session.answer('approve')
    }
    await session.rest()
    expect(session.read('second.txt')).toBe('x\n')
  })

  it('hears the reason of a refusal in the same turn', async () => {
    const thoughts = [
      calls(['read_file', { path: 'a.txt' }]),
      calls(['edit', edit]),
      calls(['edit', { ...edit, new_text: 'three' }]),
      { say: 'It is three now.' },
    ]
    const session = await direct(thoughts, { files: { 'a.txt': 'one\n' } })
    await session.say('change it')
    await session.rest()
    await session.answer('refuse', { reason: 'three, not two' })
    await session.rest()
    expect(JSON.stringify(asked(session).at(-1)?.messages.at(-1))).toContain('three, not two')
    await session.approveAll()
    expect(session.read('a.txt')).toBe('three\n')
    const items = await session.items()
    expect(items.filter((item) => item.kind === 'user')).toHaveLength(1)
    expect(items.filter((item) => item.kind === 'answer')).toHaveLength(1)
  })

  it('asks the user before a change that breaks a constraint, and the model where it does not say', async () => {
    const read = calls(['read_file', { path: 'a.txt' }])
    const breaking = { ...edit, conflicts: 'Breaks "keep a.txt": it writes to it.' }
    const thoughts = [read, calls(['edit', edit]), calls(['edit', breaking])]
    const session = await direct(thoughts, { files: { 'a.txt': 'one\n' } })
    const { sessionId } = session
    const context = { signal: new AbortController().signal }
    const course = { kind: 'write' as const, item: 'constraints' as const, value: ['keep a.txt'] }
    await session.app.api['session.editCourse']({ sessionId, edit: course }, context)
    await session.say('change it')
    const waiting = await session.rest()
    expect(waiting.position.waiting).toBe('answer')
    const items = await session.items()
    const question = items.find((item) => item.kind === 'question')
    expect(question).toMatchObject({ question: expect.stringContaining('keep a.txt') })
    expect(items.filter((item) => item.kind === 'gate')).toEqual([])
    expect(JSON.stringify(asked(session).at(-1)?.messages)).toContain('Call again and say in conflicts')
    expect(JSON.stringify(asked(session)[0])).toContain('conflicts')
  })

  const reviewed = { rating: 'good', problems: [], improvements: [], verdict: 'approve' }
  it.each([
    ['behind the review', [calls(['submit_review', reviewed]), { say: 'It is two, and I looked again.' }]],
    ['beside the review', [{ ...calls(['submit_review', reviewed]), say: 'It is two, and I looked again.' }]],
  ])('is reviewed after every change, where the settings say so, and replies %s', async (_, closing) => {
    const thoughts = [
      calls(['read_file', { path: 'a.txt' }]),
      calls(['edit', edit]),
      { say: 'It is two now.' },
      ...closing,
      { say: 'You are welcome.' },
    ]
    const session = await direct(thoughts, { files: { 'a.txt': 'one\n' } })
    const context = { signal: new AbortController().signal }
    await session.app.api['settings.update']({ patch: { reviewChanges: 'always' } }, context)
    await session.say('change it')
    await session.approveAll()
    await session.say('thanks')
    await session.rest()
    expect(session.mind.left).toEqual([])
    const answers = (await session.items()).filter((item) => item.kind === 'answer')
    const replies = answers.filter((item) => item.kind === 'answer' && item.purpose === 'reply')
    expect(replies).toMatchObject([{ text: 'It is two, and I looked again.' }, { text: 'You are welcome.' }])
  })

  it('says that mode plan changes nothing, and carries its plan out in one press', async () => {
    const proposal = {
      title: 'write two',
      purpose: 'asked for',
      steps: [{ text: 'edit a.txt', kind: 'write', path: 'a.txt' }],
      risk: 'low',
      successCriteria: 'it says two',
    }
    const thoughts = [
      calls(['read_file', { path: 'a.txt' }], ['edit', edit]),
      calls(['propose_plan', proposal]),
      calls(['edit', edit]),
      { say: 'Done.' },
    ]
    const session = await direct(thoughts, { files: { 'a.txt': 'one\n' } })
    const context = { signal: new AbortController().signal }
    await session.app.api['session.setMode']({ sessionId: session.sessionId, mode: 'plan' }, context)
    await session.say('change it')
    const waiting = await session.rest()
    expect(session.read('a.txt')).toBe('one\n')
    expect(waiting.openGates).toHaveLength(1)
    await session.answer('approve')
    const state = await session.approveAll()
    const texts = asked(session).map(({ messages }) => JSON.stringify(messages))
    // The safety list comes with the plan, and not before it.
    expect(texts.map((text) => text.includes('Do the data that go in and come out stay whole?'))).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(state.mode).toBe('ask')
    expect(session.read('a.txt')).toBe('two\n')
    expect(session.mind.left).toEqual([])
  })

  it('puts a question aside, tells of it with the next message, and hears its answer later', async () => {
    const question = 'what of 1582?'
    const aside = { name: 'update_course', arguments: { open_questions: [question] } }
    const session = await direct([
      { call: [aside], say: 'I leave 1582 open and stop here.' },
      { say: 'Nothing new. '.repeat(200) },
      ...['Then I leave it.', 'Yes.', 'The calendar was checked.', 'No.'].map((say) => ({ say })),
    ])
    await session.say('check the calendar')
    const rested = await session.rest()
    expect(rested.course).toMatchObject({ goal: 'check the calendar', openQuestions: [question] })
    const items = await session.items()
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'notice', notice: { kind: 'question-deferred', question } }),
    )
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'answer', purpose: 'reply', text: 'I leave 1582 open and stop here.' }),
    )
    const decision = items.find((item) => item.kind === 'decision')
    expect(decision).toMatchObject({
      decision: { next_step: 'defer', state_delta: { open_questions: [question] } },
    })
    await session.say('anything new?')
    await session.rest()
    expect(JSON.stringify(asked(session).at(-1)?.messages.at(-1))).toContain(question)
    await session.say(`About “${question}”: leave it.`)
    const answered = await session.rest()
    expect(answered.course.openQuestions).toEqual([])
    expect(JSON.stringify(asked(session).at(-1)?.messages.at(-1))).toContain('leave it')
    expect(asked(session)).toHaveLength(3)
    // A compaction leaves the message out; the reference to it still states its topic.
    await session.say('well?')
    await session.rest()
    await session.app.api['session.compact']({ sessionId: session.sessionId }, context)
    await session.say('anything else?')
    await session.rest()
    expect(JSON.stringify(asked(session).at(-1)?.messages)).toContain('- conversation:1 check the calendar')
  })

  it('keeps its tools where a result only tells of other tools, so that the prompt keeps its beginning', async () => {
    const session = await direct(
      [calls(['run_tests', {}], ['grep', { pattern: 'tool' }]), { say: 'There is none.' }],
      { files: { 'notes.txt': 'the tool command_output takes command_id "abc"\n' } },
    )
    await session.say('look')
    await session.rest()
    const bodies = asked(session).map((body) => JSON.stringify(body))
    expect(bodies[1]).toContain('the tool command_output takes')
    const declared = asked(session).map((body) => JSON.stringify((body as { tools?: unknown }).tools))
    expect(declared[1]).toBe(declared[0])
  })

  it('has the tools for commands that run once a result has named them, and other tools from the start', async () => {
    const background = calls(['run_command', { line: 'sleep 30', background: true, reason: 'a server' }])
    const session = await direct([background, { say: 'It runs.' }])
    await session.say('start it')
    await session.approveAll()
    const declared = asked(session).map((body) => JSON.stringify((body as { tools?: unknown }).tools))
    expect(declared).toHaveLength(2)
    expect(declared[0]).not.toContain('"name":"command_output"')
    expect(declared[1]).toContain('"name":"command_output"')
    for (const tools of declared) expect(tools).toContain('"name":"update_course"')
  })
})

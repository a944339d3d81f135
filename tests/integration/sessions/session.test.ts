import { describe, expect, it } from 'vitest'
import { approve, calls, noCalls, plan, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, scriptedHost } from '../../fakes/sessions/session-host.ts'

async function kinds(session: SessionHost): Promise<string[]> {
  return (await session.items()).map((item) => ('state' in item ? `${item.kind} ${item.state}` : item.kind))
}

const files = { 'date.mjs': 'export function isLeap(year) {\n  return year % 4 === 0\n}\n' }
const fix = {
  path: 'date.mjs',
  old_text: 'year % 4 === 0',
  new_text: 'year % 4 === 0 && year % 100 !== 0',
  reason: '1900 is none',
}

describe('a session', () => {
  it('goes from the question to the plan, the gated edit, the command that sees it, the review, done', async () => {
    const session = await scriptedHost(
      [
        workIn('PLANNING', {
          state_delta: {
            goal: 'leap years are right',
            why_now: null,
            constraints: null,
            plan_brief: null,
            open_questions: null,
            summary: 'a goal',
          },
        }),
        calls(['read_file', { path: 'date.mjs' }]),
        plan('correct the rule'),
        workIn('EXECUTION'),
        calls(['edit', fix]),
        calls(['run_command', { line: 'grep -c 100 date.mjs', reason: 'see it' }]),
        noCalls,
        approve,
      ],
      { files },
    )
    await session.say('1900 is no leap year. Correct it.')
    const waiting = await session.rest()
    expect(session.bugs).toEqual([])
    expect(waiting.position).toEqual({
      step: 'AWAITING_APPROVAL',
      status: 'REQUIRES_USER_INPUT',
      waiting: 'gate',
    })
    expect(session.read('date.mjs')).toBe(files['date.mjs'])
    const gate = await session.gate()
    expect(gate?.gate.calls[0]).toMatchObject({
      tool: 'edit',
      intent: 'correct the rule',
      reason: '1900 is none',
      files: [{ path: 'date.mjs', hunks: 1 }],
    })
    const ended = await session.approveAll()
    expect(ended.position).toEqual({ step: 'PLANNING', status: 'SUCCESS', waiting: 'none' })
    expect(session.read('date.mjs')).toContain('year % 100 !== 0')
    const items = await session.items()
    const command = items.find((item) => item.kind === 'call' && item.name === 'run_command')
    expect(command).toMatchObject({ state: 'done', view: { kind: 'command', exitCode: 0 } })
    expect(command?.kind === 'call' ? command.text : '').toContain('1')
    expect(session.mind.left).toEqual([])
    expect(session.bugs).toEqual([])
  })

  it('answers a question', async () => {
    const session = await scriptedHost([{ decide: {} }, { say: 'It is a rule of the calendar.' }])
    await session.say('What is a leap year?')
    const state = await session.rest()
    expect(await kinds(session)).toEqual(['user', 'decision', 'answer finished'])
    expect(state.context?.usedTokens).toBeGreaterThan(50)
    expect(session.bugs).toEqual([])
  })

  it('speaks to the model in the language of its first message, whatever the window shows', async () => {
    const answers: Thought[] = [{ decide: {} }, { say: 'Yes.' }]
    const inEnglish = { prompt: "You are Tsugi's assistant.", tool: 'Replace places' }
    const inJapanese = { prompt: 'あなたは Tsugi の', tool: 'ファイルの中を置き換える' }
    for (const [window, first, wanted] of [
      ['ja', 'Is 1900 a leap year?', inEnglish],
      ['en', '1900年は閏年？', inJapanese],
    ] as const) {
      const session = await scriptedHost([...answers, ...answers], { language: window })
      await session.say(first)
      await session.rest()
      await session.say(window === 'ja' ? '本当に？' : 'Really?')
      await session.rest()
      for (const { body } of session.llama.requests.filter(({ path }) => path === '/v1/chat/completions')) {
        const sent = JSON.stringify(body)
        expect(sent).toContain(wanted.prompt)
        const { tools } = body as { tools: { function: { name: string; description: string } }[] }
        expect(tools.find(({ function: { name } }) => name === 'edit')?.function.description).toContain(
          wanted.tool,
        )
      }
      expect(session.mind.left).toEqual([])
      expect(session.bugs).toEqual([])
    }
  })
})

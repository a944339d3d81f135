/** What waits for the user, and what changes, in a real session: nothing is asked for, and what was suggested goes. */
import { renameSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  calls,
  isForSuggestion,
  justAnswer,
  type Thought,
  workIn,
} from '../../fakes/sessions/scripted-mind.ts'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'
import { watchSuggestions } from '../../fakes/sessions/suggestion-watch.ts'

const context = { signal: new AbortController().signal }
const suggested = 'run the tests'

const riskyPlan = calls([
  'propose_plan',
  {
    title: 'check it',
    purpose: 'see whether it works',
    steps: [{ text: 'write ending.md', kind: 'write', path: null }],
    risk: 'high',
    successCriteria: 'it works',
  },
])

/** A watched session after two turns: the end of the second one is the first at which something is suggested. */
async function talkedTwice() {
  let isHeld = false
  const silence = new Promise<never>(() => undefined)
  const session = await scriptedHost([...justAnswer('Yes.'), ...justAnswer('It is mended.')], {
    language: 'en',
    files: { 'note.txt': 'one\n' },
    answer: (request) => (isHeld && !isForSuggestion(request) ? silence : undefined),
  })
  const { app, llama, mind, sessionId } = session
  mind.suggest(...Array.from({ length: 5 }, () => suggested))
  const window = await watchSuggestions(session)
  const turn = async (message: string, answer?: string) => {
    if (answer !== undefined) mind.think(...justAnswer(answer))
    await session.say(message)
    await session.rest()
  }
  /** The reasons of the newest records, the newest first. */
  const becomeNewest = (reasons: (string | null)[]) =>
    expect
      .poll(async () => {
        const { events } = await app.api['suggestion.list']({ limit: reasons.length }, context)
        return events.map(({ reason }) => reason)
      })
      .toEqual(reasons)
  /** How often the model was asked for the next message. */
  const asked = () =>
    llama.requests.filter(
      ({ path, body }) =>
        path.endsWith('/chat/completions') && isForSuggestion(body as Parameters<typeof isForSuggestion>[0]),
    ).length
  /** Returns why a window that begins to watch now gets no suggestion. */
  const suppressed = async (): Promise<string | null> => {
    const end = new AbortController()
    for await (const state of app.api['suggestion.watch']({ sessionId, isAttended: true }, end)) {
      end.abort()
      return state.suppressed
    }
    return null
  }
  await turn('read it')
  await becomeNewest(['early_conversation'])
  expect(asked()).toBe(0)
  await turn('mend it')
  expect(await window.shown()).toMatchObject({ text: suggested })
  expect(asked()).toBe(1)
  return {
    session,
    mind,
    window,
    turn,
    becomeNewest,
    asked,
    suppressed,
    setMode: (mode: 'plan' | 'ask') => app.api['session.setMode']({ sessionId, mode }, context),
    hold(value: boolean) {
      isHeld = value
    },
  }
}

it('nothing is suggested, and nothing asked, while something waits for the user', async () => {
  const { session, mind, window, turn, becomeNewest, asked, hold } = await talkedTwice()
  const isSuppressed = async (reason: string) => {
    await becomeNewest([reason])
    await window.becomes({ text: null })
    expect(asked()).toBe(1)
  }
  const approve = async (...thoughts: Thought[]) => {
    mind.think(...thoughts)
    await session.answer('approve')
  }
  mind.think(workIn('PLANNING'), riskyPlan)
  await session.say('check it')
  await isSuppressed('gate_open')
  await approve(
    calls(['read_file', { path: 'note.txt' }]),
    calls(['edit', { path: 'note.txt', old_text: 'one', new_text: 'two', reason: 'asked for' }]),
  )
  await isSuppressed('permission_dialog')
  await approve(calls(['run_command', { line: 'touch a.txt', reason: 'asked for' }]))
  await isSuppressed('command_confirmation')
  await approve(calls(['ask_user', { question: 'Which title?', options: ['The Clock', 'The Harbour'] }]))
  await isSuppressed('elicitation')
  mind.think(...Array.from({ length: 3 }, () => calls(['list_directory', { path: 'nowhere' }])))
  const question = (await session.items()).find((item) => item.kind === 'question')
  const { app, sessionId } = session
  const segments = [{ kind: 'text' as const, text: 'The Harbour' }]
  const callId = question?.callId ?? ''
  await app.api['session.answerQuestion']({ sessionId, callId, segments }, context)
  await isSuppressed('loop_question')
  await session.stop()
  hold(true)
  await session.say('or rather')
  await expect.poll(() => session.llama.pendingCount).toBe(1)
  await session.stop()
  await isSuppressed('turn_cancelled')
  hold(false)
  mind.left.length = 0
  // The next turn that ends well has one again: what the plan left to do, without a request.
  await turn('go on', 'Here it is.')
  expect(await window.shown()).toMatchObject({ text: 'write ending.md' })
  expect(asked()).toBe(1)
  expect(mind.left).toEqual([])
})

it('a suggestion goes when what it stood on changes', async () => {
  const { session, mind, window, turn, becomeNewest, asked, suppressed, setMode, hold } = await talkedTwice()
  const { app, root, sessionId } = session
  await setMode('plan')
  await window.becomes({ text: null })
  await becomeNewest(['plan_mode'])
  await turn('which plan?', 'This one.')
  await becomeNewest(['plan_mode', 'plan_mode'])
  await setMode('ask')

  // A message that waits since a stop.
  hold(true)
  await session.say('the first')
  await expect.poll(() => session.llama.pendingCount).toBe(1)
  await session.say('the second')
  await session.stop()
  await becomeNewest(['message_queued'])
  hold(false)
  const [waiting] = (await session.state()).queue
  await app.api['session.removeQueued']({ sessionId, messageId: waiting?.messageId ?? '' }, context)

  renameSync(root, `${root}-away`)
  mind.left.length = 0
  mind.think(workIn('PLANNING'), calls(['read_file', { path: 'note.txt' }]))
  await session.say('go on')
  await becomeNewest(['last_item_error'])
  renameSync(`${root}-away`, root)
  // An answer beside does not mend it.
  mind.left.length = 0
  mind.think({ say: 'Beside.' })
  await session.say('what happened?', 'beside')
  await expect.poll(async () => JSON.stringify(await session.items())).toContain('Beside.')
  await expect.poll(suppressed).toBe('pending_error')
  expect(asked()).toBe(1)

  await turn('once more', 'It works.')
  expect(await window.shown()).toMatchObject({ text: suggested })
  const last = (await session.items()).at(-1)
  const turnOfLast = last?.turn ?? 0
  await app.api['session.undo']({ sessionId, turn: turnOfLast, what: 'conversation', choices: [] }, context)
  await window.becomes({ text: null })
  await expect.poll(suppressed).toBe('not_after_turn')
})

import { describe, expect, it } from 'vitest'
import { type Play, type Stage, setStage } from '../../../../tests/fakes/sessions/runner-stage.ts'
import type { MessageSegment } from '../../../shared/domain/session/message-segment.ts'
import type { SubmitItem } from '../prompt-submit.ts'

const plan: Play = { decide: { next_step: 'continue', prompt_pattern: 'base_main_specialized' } }
const answer: MessageSegment[] = [{ kind: 'text', text: '@a.md and @no.md' }]
const known = { path: 'a.md', hash: 'h', from: 1, to: 1 }
const text = '[File: a.md]\none'
const modelText = '@a.md and [unresolved file ref: no.md]'
const attached: SubmitItem[] = [
  {
    item: {
      kind: 'file',
      path: 'a.md',
      range: null,
      what: 'file',
      state: 'ok',
      text,
      sizeBytes: 3,
      isCut: false,
      isUnsaved: false,
      encodings: [],
      trouble: null,
      known,
    },
    entry: { role: 'system', kind: 'file', text, file: known },
    modelText,
  },
]

const items = ({ session }: Stage) => session.page({ limit: 50 }).items
const told = ({ session }: Stage) =>
  session.log.filter(({ kind }) => kind === 'result' || kind === 'file').map((entry) => entry.text)

/** A session whose model has asked something, beside another call. */
async function asked() {
  const stage = setStage()
  const calls = [
    { name: 'ask', args: 'which?' },
    { name: 'read', args: 'b.md' },
  ]
  stage.play(plan, { calls })
  stage.say('go')
  await stage.idle()
  const question = items(stage).find((item) => item.kind === 'question')
  return { stage, callId: question?.kind === 'question' ? question.callId : '' }
}

describe('an answer to a question', () => {
  it('is told with what it names behind the results of all calls, and shown as it was written', async () => {
    const { stage, callId } = await asked()
    stage.play({ say: [] })
    expect(stage.runner.answerQuestion(callId, answer, attached)).toBe(true)
    await stage.idle()
    expect(told(stage)).toEqual([`answered: ${modelText}`, 'result of b.md', text])
    expect(items(stage).find((item) => item.kind === 'question')).toMatchObject({
      isOpen: false,
      answer: '@a.md and @no.md',
    })
    expect(items(stage).filter((item) => item.kind === 'file')).toMatchObject([{ path: 'a.md', text }])
  })

  it('that comes too late leaves nothing behind', async () => {
    const { stage, callId } = await asked()
    stage.runner.stop()
    await stage.idle()
    expect(stage.runner.answerQuestion(callId, answer, attached)).toBe(false)
    expect(items(stage).filter((item) => item.kind === 'file')).toEqual([])
    expect(items(stage).find((item) => item.kind === 'question')).toMatchObject({
      isOpen: false,
      answer: null,
    })
  })

  it('keeps its files where the host ends before the model has them', async () => {
    const { stage } = await asked()
    for (const { item } of attached) if (item !== null) stage.session.add(item)
    const next = stage.reopen()
    expect(told(next)).toEqual([])
    await next.runner.resume(async () => [])
    next.play({}, { say: ['go on'] })
    next.say('still there?')
    await next.idle()
    const files = next.session.log.filter(({ kind }) => kind === 'file')
    expect(files).toMatchObject([{ role: 'system', text, file: known, turn: 1 }])
  })
})

describe('a conversation of which something stays open', () => {
  const defer: Play = { decide: { next_step: 'defer' } }
  const deferred = async (message: string): Promise<Stage> => {
    const stage = setStage()
    stage.play(defer, { say: ['Later.'] })
    stage.say(message)
    await stage.idle()
    return stage
  }

  it('is referred to by its number and the words of the user', async () => {
    const stage = await deferred('how does\nit end?')
    stage.play({ decide: {} }, { say: ['Fine.'] }, defer, { say: ['Later.'] })
    stage.say('thanks')
    await stage.idle()
    stage.say('and who tells it?')
    await stage.idle()
    const references = ['conversation:1 how does it end?', 'conversation:3 and who tells it?']
    expect(stage.session.state.contextRefs).toEqual(references)
    expect(stage.reopen().session.state.contextRefs).toEqual(references)
    stage.session.cut(3)
    expect(stage.session.state.contextRefs).toEqual(references.slice(0, 1))
    expect(stage.logged).toEqual([])
  })

  it.each([
    ['too long', 'あ'.repeat(5_000), `conversation:1 ${'あ'.repeat(99)}…`],
    ['without words', ' \n ', 'conversation:1'],
  ])('is referred to by what there is of a message that is %s', async (_, message, reference) => {
    const stage = await deferred(message)
    expect(stage.session.state.contextRefs).toEqual([reference])
    expect(stage.logged).toEqual([])
  })
})

describe('a question that stands before calls that need consent', () => {
  it('is answered first; then the user is asked about the calls, and they run', async () => {
    const stage = setStage({ isDirect: true, isGated: ({ access }) => access !== 'read' })
    const calls = [
      { name: 'ask', args: 'which?' },
      { name: 'write', args: 'b.md' },
    ]
    stage.play({ calls }, { say: ['Done.'] })
    stage.say('go')
    await stage.idle()
    expect(stage.session.state).toMatchObject({ waiting: 'answer', gates: [] })
    const question = items(stage).find((item) => item.kind === 'question')
    const callId = question?.kind === 'question' ? question.callId : ''
    expect(stage.runner.answerQuestion(callId, [{ kind: 'text', text: 'the second' }])).toBe(true)
    await stage.idle()
    const gateId = stage.session.state.gates[0]?.gateId ?? ''
    expect(items(stage).find((item) => item.kind === 'gate')).toMatchObject({
      state: 'open',
      gate: { gateId },
    })
    await stage.runner.answerGate({
      gateId,
      sincePaintedMs: 1000,
      verdict: 'approve',
      reason: null,
      answers: [],
      remember: null,
    })
    await stage.idle()
    expect(stage.ran).toEqual(['b.md'])
    expect(stage.session.state).toMatchObject({ step: 'PLANNING', status: 'SUCCESS' })
    expect(stage.logged).toEqual([])
  })
})

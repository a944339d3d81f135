import { describe, expect, it } from 'vitest'
import { stateAt } from '../../../../tests/fakes/agent/agent-session.ts'
import { type Stage, setStage } from '../../../../tests/fakes/sessions/runner-stage.ts'

const open = (callId: string) => ({
  kind: 'world' as const,
  callId,
  access: 'read' as const,
  hash: 'as it was elsewhere',
  stage: 'asked' as const,
  record: null,
})

/** Adds a turn to the session that began elsewhere; its calls `read b` and `read c` were never made. */
function adopt(stage: Stage, ...calls: [name: string, args: string][]): void {
  const { session } = stage
  session.startTurn([{ kind: 'text', text: 'go' }])
  const callIds = calls.map(([name, args], index) => {
    const callId = `far-${index}`
    session.add({
      kind: 'call',
      callId,
      tool: null,
      name,
      title: args,
      args,
      state: 'asked',
      outcome: null,
      text: '',
      view: null,
    })
    return callId
  })
  const turn = { ...session.state.turn, openRequestId: 7, lastRequestId: 7 }
  session.setState(stateAt('EXECUTION/P work', { calls: callIds.map(open), turn }))
}

const end = [{ say: ['done'] }, { say: ['looked'] }]
const outcomes = ({ session }: Stage) =>
  session
    .page({ limit: 20 })
    .items.flatMap((item) => (item.kind === 'call' ? `${item.title} ${item.state}` : []))

describe('a turn that was begun elsewhere', () => {
  it('goes on with the calls that nobody made, on the files as they are now', async () => {
    const stage = setStage()
    adopt(stage, ['read', 'b'], ['nonsense', 'c'])
    stage.play(...end)
    stage.runner.goOn(false)
    await stage.idle()
    expect(stage.ran).toEqual(['b'])
    expect(outcomes(stage)).toEqual(['b done', 'c refused'])
    expect(stage.asked.map(({ kind }) => kind)).toEqual(['work', 'work'])
    expect(stage.asked[0]?.log.flatMap(({ callId }) => callId ?? [])).toEqual(['far-1', 'far-0'])
  })

  it('asks about them by the rules that hold here', async () => {
    const stage = setStage({ isGated: () => true })
    adopt(stage, ['write', 'b'])
    stage.runner.goOn(false)
    await stage.idle()
    expect(stage.ran).toEqual([])
    expect(stage.session.state).toMatchObject({ step: 'AWAITING_APPROVAL', waiting: 'gate' })
    expect(outcomes(stage)).toEqual(['b asked'])
  })

  it('asks the model again where only its answer was missing', async () => {
    const stage = setStage()
    adopt(stage)
    stage.play(...end)
    stage.runner.goOn(false)
    await stage.idle()
    expect(stage.asked.map(({ kind }) => kind)).toEqual(['work', 'work'])
  })

  it('leaves everything to a message that the user sends meanwhile', async () => {
    const stage = setStage()
    adopt(stage, ['read', 'b'])
    stage.play({ decide: {} }, { say: ['hello'] })
    stage.runner.goOn(false)
    stage.say('no, wait')
    await stage.idle()
    expect(stage.ran).toEqual([])
    expect(stage.asked.map(({ kind }) => kind)).toEqual(['decide', 'reply'])
  })

  it.each([
    [true, ['npm test refused']],
    [false, []],
  ])('has the checks of the folder due where it has changed files: %s', async (hasChanged, checks) => {
    const folder = { lines: () => ['npm test'], known: () => null, keep: () => undefined }
    const stage = setStage({ isDirect: true, parts: { checks: folder } })
    adopt(stage)
    stage.play({ say: ['done'] })
    stage.runner.goOn(hasChanged)
    await stage.idle()
    // No tool of this stage runs it.
    expect(outcomes(stage)).toEqual(checks)
  })
})

describe('a call of which a fork keeps nothing', () => {
  it('waits, and does not run, for the session that goes on from there', async () => {
    const run = async () => ({ isOk: false, text: '', view: { kind: 'text' }, isLeftOpen: true }) as const
    const stage = setStage({ run })
    adopt(stage, ['read', 'b'])
    stage.runner.goOn(false)
    await stage.idle()
    expect(stage.session.state.calls).toEqual([{ kind: 'boundary', callId: 'far-0', stage: 'waiting' }])
    expect(outcomes(stage)).toEqual(['b waiting'])
  })
})

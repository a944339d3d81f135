import { describe, expect, it } from 'vitest'
import { type Stage, setStage } from '../../../../tests/fakes/sessions/runner-stage.ts'
import type { CallFacts, PreparedCall, RawCall, ReadCall } from '../../tools/prepared-call.ts'

const line = 'npm test'
const passed = {
  kind: 'command',
  line,
  commandId: 'c',
  end: 'exited',
  exitCode: 0,
  signal: null,
  durationMs: 1,
  isCut: false,
} as const

/** A session that has changed a file, while the check of its folder is read: `go` lets it be read. */
async function checking({ isGated = false } = {}) {
  let go = (): void => undefined
  let isRead = false
  const until = new Promise<void>((resolve) => {
    go = resolve
  })
  const ran: string[] = []
  const read = (raw: RawCall): ReadCall => ({ kind: 'world', call: prepared(raw, ran) })
  const stage = setStage({
    isDirect: true,
    isGated: ({ access }) => isGated && access === 'execute',
    parts: {
      checks: { lines: () => [line], known: () => null, keep: () => undefined },
      toolbox: {
        declarations: [],
        callSchema: async () => ({}),
        async prepare(calls) {
          isRead = calls.some(({ name }) => name === 'run_command')
          if (isRead) await until
          return calls.map(read)
        },
        filesInUse: () => [],
      },
    },
  })
  stage.play({ calls: [{ name: 'write_file', args: 'a.md' }] }, { say: ['Done.'] })
  stage.say('change it')
  await expect.poll(() => isRead).toBe(true)
  const items = () => stage.session.page({ limit: 50 }).items
  return { stage, go, ran, items }
}

function prepared({ callId, name, args }: RawCall, ran: string[]): PreparedCall {
  const isWrite = name === 'write_file'
  const file = { path: args, to: null, action: 'edit', oldText: '', newText: '', sizeBytes: 0 } as const
  const facts: CallFacts = isWrite
    ? { kind: 'change', files: [file] }
    : { kind: 'command', line, folder: '.', isBackground: false }
  const call: PreparedCall = {
    callId,
    tool: isWrite ? 'write_file' : 'run_command',
    access: isWrite ? 'write' : 'execute',
    isReadOnly: false,
    hash: `hash of ${args}`,
    title: isWrite ? args : line,
    reason: null,
    alternatives: [],
    facts,
    without: () => call,
    renew: async () => call,
    changes: [],
    async run() {
      ran.push(call.title)
      return { isOk: true, text: '', view: isWrite ? { kind: 'text' } : passed }
    },
  }
  return call
}

describe('while the check after a change is read', () => {
  it('a message of the user is heard: the check runs, and the model goes on with the message', async () => {
    const { stage, go, ran, items } = await checking()
    stage.play({ say: ['And that too.'] })
    stage.say('and the other?', 'steer')
    go()
    await stage.idle()
    expect(ran).toEqual(['a.md', line])
    expect(stage.asked).toHaveLength(3)
    expect(stage.asked[2]?.log.at(-1)).toMatchObject({ kind: 'message', text: 'and the other?' })
    const answers = items().flatMap((item) => (item.kind === 'answer' ? [[item.purpose, item.text]] : []))
    expect(answers).toEqual([
      ['work', 'Done.'],
      ['reply', 'And that too.'],
    ])
    expect(stage.logged).toEqual([])
  })

  it('a stop ends it: its card does not wait any more', async () => {
    const { stage, go, ran, items } = await checking()
    stage.runner.stop()
    go()
    await stage.idle()
    expect(ran).toEqual(['a.md'])
    const checks = items().filter((item) => item.kind === 'call' && item.check !== undefined)
    expect(checks).toMatchObject([{ title: line, state: 'refused', outcome: 'stopped' }])
    expect(stage.session.openItems()).toEqual([])
  })
})

/** Waits for the gate and refuses it. */
async function refuse({ session, runner }: Stage, reason: string | null): Promise<void> {
  await expect.poll(() => session.state.gates.length).toBe(1)
  const gateId = session.state.gates[0]?.gateId ?? ''
  const answer = { verdict: 'refuse' as const, answers: [], sincePaintedMs: 1000, remember: null }
  await runner.answerGate({ ...answer, gateId, reason })
}

describe('where the user refuses the check after a change', () => {
  it('with a reason, the model reads it and the turn goes on', async () => {
    const { stage, go, ran } = await checking({ isGated: true })
    stage.play({ say: ['Only those, then.'] })
    go()
    await refuse(stage, 'run the unit tests only')
    await stage.idle()
    expect(ran).toEqual(['a.md'])
    expect(stage.asked).toHaveLength(3)
    const told = { kind: 'note', text: `${line} refused: run the unit tests only` }
    expect(stage.asked[2]?.log.at(-1)).toMatchObject(told)
    expect(stage.session.state.status).toBe('SUCCESS')
    expect(stage.logged).toEqual([])
  })

  it('without a reason, the turn ends', async () => {
    const { stage, go, ran } = await checking({ isGated: true })
    go()
    await refuse(stage, null)
    await stage.idle()
    expect(ran).toEqual(['a.md'])
    expect(stage.asked).toHaveLength(2)
  })
})

describe('where the user refuses to run a command outside of its copy', () => {
  it('the reason stands in its result', async () => {
    const stage = setStage({
      isDirect: true,
      asksOutside: true,
      run: async () => ({ isOk: false, text: 'no network', view: passed, hindrance: 'network' }),
    })
    stage.play({ calls: [{ name: 'run', args: 'npm ci' }] }, { say: ['From the cache, then.'] })
    stage.say('install it')
    await refuse(stage, 'use the cache')
    await stage.idle()
    const result = stage.asked[1]?.log.findLast(({ kind }) => kind === 'result')
    expect(result?.text).toBe('no network\nnot outside: use the cache')
    expect(stage.logged).toEqual([])
  })
})

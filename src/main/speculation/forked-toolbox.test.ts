import { symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { plan } from '../../../tests/fakes/agent/agent-session.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { toolRig } from '../../../tests/fakes/rigs/tool-rig.ts'
import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import { createForkedToolbox } from './forked-toolbox.ts'

const reason = 'as asked'
const edit = (path: string) => ({ path, old: 'a', new: 'b', reason })
const write = (path: string) => ({ path, content: 'x', reason })
const review = (verdict: string) => ({ rating: 'good', problems: [], improvements: [], verdict })

async function forkOf(state: Partial<Pick<AgentState, 'step' | 'mode' | 'plan'>> = {}, stops = false) {
  const rig = await toolRig()
  rig.write('a.txt', 'a\n')
  rig.write('src/b.txt', 'b\n')
  const forked = createForkedToolbox({
    toolbox: rig.toolbox,
    operations: rig.operations,
    state: () => ({ step: 'EXECUTION', mode: 'ask', plan: null, ...state }),
    hasSandbox: async () => false,
    stopsAtFirstWrite: () => stops,
  })
  let count = 0
  /** Returns for each call `-` where it may be made, else why it is not made in a speculation, from which call on. */
  const classed = async (...calls: [name: string, args: unknown][]): Promise<string[]> => {
    const raw = calls.map(([name, args]) => ({ callId: `id ${count++}`, name, args: JSON.stringify(args) }))
    const read = await forked.prepare(raw)
    return read.map((one) => {
      if (one.kind !== 'boundary') return `- ${one.kind}`
      const from = raw.findIndex(({ callId }) => callId === one.boundary.callId)
      return `${one.boundary.kind} c${from}`
    })
  }
  return { rig, forked, classed }
}

describe('the tools of a fork', () => {
  it('let reads, writes and commands that only read be looked at, and errors of the model be its own', async () => {
    const { classed } = await forkOf()
    expect(
      await classed(
        ['read_file', { path: 'a.txt' }],
        ['write_file', write('new.txt')],
        ['edit', edit('gone.txt')],
        ['edit', edit('a.txt')],
        ['run_command', { line: 'ls', reason }],
        ['command_output', { command_id: 'known' }],
      ),
    ).toEqual(['- world', '- world', '- invalid', '- invalid', '- world', '- world'])
  })

  it.each([
    ['run_command', { line: 'npm test', reason }, 'shell'],
    ['run_command', { line: 'ls', background: true, reason }, 'shell'],
    ['run_command', {}, 'shell'],
    ['command_stop', { command_id: 'known' }, 'asks'],
    ['ask_user', { question: 'which?' }, 'asks'],
    ['propose_plan', {}, 'asks'],
    ['submit_review', review('approve'), 'asks'],
    ['todo_write', { todos: [] }, 'asks'],
    ['web_fetch', { url: 'https://example.com' }, 'unknown'],
    ['write_file', write('../out.txt'), 'write'],
    ['write_file', write('out/new.txt'), 'write'],
    ['write_file', write('.'), 'write'],
    ['write_file', write('src'), 'write'],
    ['write_file', write('.gitignore'), 'write'],
    ['write_file', write('src/.ignore'), 'write'],
    ['write_file', write('.RGIGNORE'), 'write'],
    ['move_file', { path: 'a.txt', to: 'src/.gitignore', reason }, 'write'],
    ['delete_file', { path: 'old/.gitignore', reason }, 'write'],
    ['write_file', { content: 'x', reason }, 'write'],
    ['move_file', { path: 'a.txt', to: 'src', reason }, 'write'],
  ])('stop at %s %j: %s', async (name, args, kind) => {
    const { rig, classed } = await forkOf()
    symlinkSync(tempFolder(), `${rig.root}/out`)
    rig.write('old/.gitignore', '*.log\n')
    expect(await classed([name, args])).toEqual([`${kind} c0`])
  })

  it('read in an added folder, and stop at writes there', async () => {
    const { rig, classed } = await forkOf()
    const added = tempFolder()
    rig.added.push(added)
    expect(
      await classed(
        ['list_directory', { path: added }],
        ['write_file', write('new.txt')],
        ['write_file', write(`${added}/new.txt`)],
      ),
    ).toEqual(['- world', '- world', 'write c2'])
  })

  it('let the model change the course of the fork', async () => {
    const { classed } = await forkOf()
    expect(await classed(['update_course', { goal: 'x' }])).toEqual(['- session'])
  })

  it('let a name with two dots be a name', async () => {
    const { classed } = await forkOf()
    expect(await classed(['write_file', write('..foo.txt')])).toEqual(['- world'])
  })

  it('make no call behind the one that they stop at, whatever it is', async () => {
    const { forked, classed } = await forkOf({ plan })
    const found = await classed(
      ['read_file', { path: 'a.txt' }],
      ['run_command', { line: 'npm test', reason }],
      ['read_file', { path: 'src/b.txt' }],
      ['todo_write', { todos: [{ text: 'x', done: true }] }],
    )
    expect(found).toEqual(['- world', 'shell c1', 'shell c1', 'shell c1'])
    const [, stopped] = await forked.prepare([
      { callId: 'd0', name: 'list_directory', args: '{"path":"."}' },
      { callId: 'd1', name: 'web_fetch', args: '{}' },
    ])
    const boundary = { kind: 'unknown', callId: 'd1', title: 'web_fetch' }
    expect(stopped).toMatchObject({ kind: 'boundary', callId: 'd1', boundary })
    expect(stopped).not.toHaveProperty('call')
  })

  it('leave plan, review and list to the forked state in their own step', async () => {
    const todos = { todos: [{ text: 'x', done: true }] }
    expect(await (await forkOf({ plan })).classed(['todo_write', todos])).toEqual(['- session'])
    const reviewing = await forkOf({ step: 'REVIEW' })
    expect(await reviewing.classed(['submit_review', review('approve')])).toEqual(['- session'])
    expect(await reviewing.classed(['submit_review', review('revise')])).toEqual(['review c0'])
    expect(await reviewing.classed(['submit_review', { verdict: 'perhaps' }])).toEqual(['- invalid'])
    const planning = await forkOf({ step: 'PLANNING' })
    expect(await planning.classed(['propose_plan', { title: 1 }])).toEqual(['- invalid'])
  })

  it('stop at writes in mode plan, and in mode ask where that is wanted', async () => {
    const fresh: [string, unknown] = ['write_file', write('new.txt')]
    expect(await (await forkOf({ mode: 'plan' })).classed(fresh)).toEqual(['write c0'])
    expect(await (await forkOf({ mode: 'ask' }, true)).classed(fresh)).toEqual(['write c0'])
    expect(await (await forkOf({ mode: 'auto-edit' }, true)).classed(fresh)).toEqual(['- world'])
  })
})

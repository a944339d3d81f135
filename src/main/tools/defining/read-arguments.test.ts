import { describe, expect, it } from 'vitest'
import { runCall, toolRig } from '../../../../tests/fakes/rigs/tool-rig.ts'

describe('the arguments of a call', () => {
  it.each([
    ['file_path', { file_path: 'a.txt' }],
    ['filePath', { filePath: 'a.txt' }],
    ['two names with one value', { path: 'a.txt', file_path: 'a.txt' }],
    ['absolute_path', { absolute_path: 'a.txt' }],
    ['another spelling of a name', { Path: 'a.txt' }],
    ['a first line and a number of lines', { path: 'a.txt', offset: 0, limit: 2 }],
    ['the numbers of the first and last line', { path: 'a.txt', start_line: 2, end_line: '2' }],
    ['numbers as text', { path: 'a.txt', from: '1', to: '2' }],
    ['a leading ./', { path: './a.txt' }],
  ])('are understood with %s', async (_, args) => {
    const rig = await toolRig()
    rig.write('a.txt', 'one\ntwo\n')
    expect((await rig.run('read_file', args)).text).toContain('2\ttwo')
  })

  it('are understood with the whole path of a file in the folder', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'one\n')
    expect((await rig.run('read_file', { path: `${rig.root}/a.txt` })).text).toContain('1\tone')
  })

  it('are understood with the names that other programs give to an edit, and without a reason', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'one\n')
    await rig.run('read_file', { path: 'a.txt' })
    const [read] = await rig.prepare(['edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }])
    if (read?.kind !== 'world') throw new Error('not prepared')
    expect(read.call).toMatchObject({ reason: '' })
  })

  it('keep the first items of a list that is longer than what is shown of it', async () => {
    const rig = await toolRig()
    const alternatives = ['move it', 'empty it', 'leave it', 'ask']
    const [read] = await rig.prepare(['run_command', { line: 'npm test', reason: 'see it', alternatives }])
    if (read?.kind !== 'world') throw new Error('not prepared')
    expect(read.call).toMatchObject({ alternatives: alternatives.slice(0, 3) })
  })

  it('are understood with the names that other programs give to a command', async () => {
    const rig = await toolRig()
    await rig.run('run_command', { command: 'npm test' })
    expect(rig.commands).toMatchObject([{ line: 'npm test' }])
  })

  it.each([
    [{ timeout: 30_000 }, 30_000],
    [{ timeout: 45 }, 45_000],
    [{ timeout: 9_000_000 }, 600_000],
    [{ timeoutS: 7 }, 7_000],
  ])(
    'are understood with the names that other programs give to limits and words: %j',
    async (args, timeoutMs) => {
      const rig = await toolRig()
      rig.write('sub/a.txt', 'one\n')
      const other = { command: 'npm test', description: 'see it', workdir: 'sub', is_background: false }
      const [read] = await rig.prepare(['run_command', { ...other, ...args }])
      if (read?.kind !== 'world') throw new Error('not prepared')
      expect(read.call).toMatchObject({ reason: 'see it', facts: { folder: 'sub' } })
      await runCall(read.call)
      expect(rig.commands).toMatchObject([{ line: 'npm test', timeoutMs }])
    },
  )

  it('keep the reason that is given, beside other words', async () => {
    const rig = await toolRig()
    const args = { line: 'npm test', reason: 'asked for', description: 'see it', explanation: 'why' }
    const [read] = await rig.prepare(['run_command', args])
    expect(read).toMatchObject({ kind: 'world', call: { reason: 'asked for' } })
    const plan = { title: 'a', purpose: 'b', steps: [{ text: 'c', kind: 'run' }], risk: 'low' }
    const [proposed] = await rig.prepare(['propose_plan', { ...plan, success_criteria: 'it runs' }])
    expect(proposed).toMatchObject({ kind: 'session' })
  })

  it.each([
    ['two names with different values', 'read_file', { path: 'a.txt', file_path: 'b.txt' }, 'file_path'],
    ['a number that is none', 'read_file', { path: 'a.txt', from: '1.5' }, 'from'],
    ['a name that no tool has', 'read_file', { path: 'a.txt', encoding: 'utf8' }, 'encoding'],
    ["another tool's name", 'glob', { pattern: '*', cmd: 'x' }, 'cmd'],
    ['a reason that is no text', 'run_command', { line: 'ls', reason: 5 }, 'reason'],
  ])('are refused with %s', async (_, tool, args, named) => {
    const rig = await toolRig()
    rig.write('a.txt', 'one\n')
    const [read] = await rig.prepare([tool, args])
    expect(read).toMatchObject({ kind: 'invalid', reason: expect.stringContaining(named) })
  })
})

import { describe, expect, it } from 'vitest'
import { exited, runCall, toolRig } from '../../../tests/fakes/rigs/tool-rig.ts'

const reason = 'because'

describe('the tools of a session', () => {
  it('reads, finds, edits, writes and runs in a real folder', async () => {
    const rig = await toolRig()
    rig.write('src/a.ts', 'const a = 1\nconst b = 2\n')
    const read = await rig.run('read_file', { path: 'src/a.ts' })
    expect(read.text).toBe('src/a.ts, lines 1 to 2 of 2, 24 bytes\n1\tconst a = 1\n2\tconst b = 2')
    expect((await rig.run('grep', { pattern: 'const b' })).text).toContain('src/a.ts\n  2: const b = 2')
    expect((await rig.run('glob', { pattern: '*.ts' })).text).toContain('src/a.ts')
    const edited = await rig.run('edit', {
      path: 'src/a.ts',
      old_text: 'a = 1',
      new_text: 'a = 10',
      reason,
    })
    expect(edited).toMatchObject({ isOk: true, view: { kind: 'change', refusedHunks: 0 } })
    expect(rig.text('src/a.ts')).toBe('const a = 10\nconst b = 2\n')
    const made = await rig.run('write_file', { path: 'docs/new.md', content: '# New\n', reason })
    expect(made.isOk).toBe(true)
    expect(rig.text('docs/new.md')).toBe('# New\n')
    rig.outcome = exited('all passed\n')
    const ran = await rig.run('run_command', { line: 'npm test', reason })
    expect(ran.text).toBe('Ended with exit code 0.\nall passed')
    expect(rig.commands).toMatchObject([{ line: 'npm test', folder: rig.root, isReadOnly: false }])
  })

  it('makes each edit of an answer on what the one before it leaves', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'one\ntwo\nthree\n')
    await rig.run('read_file', { path: 'a.txt' })
    const calls = await rig.prepare(
      ['edit', { path: 'a.txt', old_text: 'one', new_text: 'ONE', reason }],
      ['edit', { path: 'a.txt', old_text: 'ONE\ntwo', new_text: 'ONE\nTWO', reason }],
    )
    for (const read of calls) {
      if (read.kind !== 'world') throw new Error('not prepared')
      expect(await read.call.renew()).toBe(read.call)
      expect((await runCall(read.call)).isOk).toBe(true)
    }
    expect(rig.text('a.txt')).toBe('ONE\nTWO\nthree\n')
  })
})

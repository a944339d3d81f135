/** Places that become others between consent and the run, all inside of the folder: nothing else is done. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PreparedCall } from '../../src/main/tools/prepared-call.ts'
import { type ToolBench, toolBench } from '../fakes/tool-bench.ts'

const hooks = { signal: new AbortController().signal, onOutput: () => undefined }
const reason = 'because'

/** `path` is led to `target` as soon as the call has been prepared, and judged by what it was. */
async function swapped(
  bench: ToolBench,
  call: [name: string, args: object],
  path: string,
  target: string,
): Promise<{ call: PreparedCall; text: string; isOk: boolean }> {
  const prepared = await bench.call(...call)
  rmSync(join(bench.root, path), { recursive: true })
  symlinkSync(join(bench.root, target), join(bench.root, path))
  return { call: prepared, ...(await prepared.run(hooks)) }
}

async function folder(): Promise<ToolBench> {
  const bench = await toolBench()
  bench.write('.env', 'KEY=SENTINEL\n')
  bench.write('.git/hooks/post-commit.sample', '#!/bin/sh\n')
  bench.write('plain.txt', 'plain\n')
  bench.write('docs/a.md', 'a\n')
  return bench
}

describe('a place that was swapped inside of the folder after consent', () => {
  it('gives no other file to read', async () => {
    const bench = await folder()
    const result = await swapped(bench, ['read_file', { path: 'plain.txt' }], 'plain.txt', '.env')
    expect(result.isOk).toBe(false)
    expect(result.text).not.toContain('SENTINEL')
    expect(bench.ledger.has('.env')).toBe(false)
  })

  it('lists and searches no other folder', async () => {
    const bench = await folder()
    const listed = await swapped(bench, ['list_directory', { path: 'docs' }], 'docs', '.git/hooks')
    expect(listed.isOk).toBe(false)
    expect(listed.text).not.toContain('post-commit')
    const again = await folder()
    const found = await swapped(again, ['grep', { pattern: 'bin', path: 'docs' }], 'docs', '.git/hooks')
    expect(found.text).not.toContain('/bin/sh')
  })

  it('takes no new file in another folder', async () => {
    const bench = await folder()
    const call: [string, object] = [
      'write_file',
      { path: 'docs/post-commit', content: '#!/bin/sh\n', reason },
    ]
    const result = await swapped(bench, call, 'docs', '.git/hooks')
    expect(result.isOk).toBe(false)
    expect(existsSync(join(bench.root, '.git/hooks/post-commit'))).toBe(false)
  })

  it('moves nothing into another folder', async () => {
    const bench = await folder()
    const call: [string, object] = ['move_file', { path: 'plain.txt', to: 'docs/post-commit', reason }]
    const result = await swapped(bench, call, 'docs', '.git/hooks')
    expect(result.isOk).toBe(false)
    expect(existsSync(join(bench.root, '.git/hooks/post-commit'))).toBe(false)
    expect(bench.text('plain.txt')).toBe('plain\n')
  })

  it('changes no file of the same content elsewhere', async () => {
    const bench = await folder()
    bench.write('other/a.md', 'a\n')
    await bench.run('read_file', { path: 'docs/a.md' })
    const call: [string, object] = ['edit', { path: 'docs/a.md', old_text: 'a', new_text: 'b', reason }]
    const result = await swapped(bench, call, 'docs', 'other')
    expect(result.isOk).toBe(false)
    expect(bench.text('other/a.md')).toBe('a\n')
  })

  it('runs no command in another folder', async () => {
    const bench = await folder()
    const result = await swapped(
      bench,
      ['run_command', { line: 'ls', folder: 'docs', reason }],
      'docs',
      '.git',
    )
    expect(result.isOk).toBe(false)
    expect(bench.commands).toEqual([])
  })

  it('is no other place where the folder only went away', async () => {
    const bench = await folder()
    const prepared = await bench.call('write_file', { path: 'new/deep/x.md', content: 'x\n', reason })
    mkdirSync(join(bench.root, 'new'))
    renameSync(join(bench.root, 'docs'), join(bench.root, 'new', 'deep'))
    expect(await prepared.run(hooks)).toMatchObject({ isOk: true })
    expect(bench.text('new/deep/x.md')).toBe('x\n')
  })
})

/** Places that lead elsewhere when a call is read, or between consent and the run: nothing else is done. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PreparedCall } from '../../../src/main/tools/prepared-call.ts'
import { type PathKind, ToolName } from '../../../src/shared/domain/session/tool-name.ts'
import { type ToolRig, toolRig } from '../../fakes/rigs/tool-rig.ts'
import { callArgs, placesOf } from '../../fakes/sample-calls.ts'

const hooks = { signal: new AbortController().signal, onOutput: () => undefined }
const reason = 'because'

/** Redirects `path` to `target` after the call has been prepared and judged by the original place. */
async function swapped(
  rig: ToolRig,
  call: [name: string, args: object],
  path: string,
  target: string,
): Promise<{ call: PreparedCall; text: string; isOk: boolean }> {
  const prepared = await rig.call(...call)
  rmSync(join(rig.root, path), { recursive: true })
  symlinkSync(join(rig.root, target), join(rig.root, path))
  return { call: prepared, ...(await prepared.run(hooks)) }
}

async function folder(): Promise<ToolRig> {
  const rig = await toolRig()
  rig.write('.env', 'KEY=SENTINEL\n')
  rig.write('.git/hooks/post-commit.sample', '#!/bin/sh\n')
  rig.write('plain.txt', 'plain\n')
  rig.write('docs/a.md', 'a\n')
  return rig
}

describe('a place that was swapped inside of the folder after consent', () => {
  it('gives no other file to read', async () => {
    const rig = await folder()
    const result = await swapped(rig, ['read_file', { path: 'plain.txt' }], 'plain.txt', '.env')
    expect(result.isOk).toBe(false)
    expect(result.text).not.toContain('SENTINEL')
    expect(rig.ledger.has('.env')).toBe(false)
  })

  it('lists and searches no other folder', async () => {
    const rig = await folder()
    const listed = await swapped(rig, ['list_directory', { path: 'docs' }], 'docs', '.git/hooks')
    expect(listed.isOk).toBe(false)
    expect(listed.text).not.toContain('post-commit')
    const again = await folder()
    const found = await swapped(again, ['grep', { pattern: 'bin', path: 'docs' }], 'docs', '.git/hooks')
    expect(found.text).not.toContain('/bin/sh')
  })

  it('takes no new file in another folder', async () => {
    const rig = await folder()
    const call: [string, object] = [
      'write_file',
      { path: 'docs/post-commit', content: '#!/bin/sh\n', reason },
    ]
    const result = await swapped(rig, call, 'docs', '.git/hooks')
    expect(result.isOk).toBe(false)
    expect(existsSync(join(rig.root, '.git/hooks/post-commit'))).toBe(false)
  })

  it('moves nothing into another folder', async () => {
    const rig = await folder()
    const call: [string, object] = ['move_file', { path: 'plain.txt', to: 'docs/post-commit', reason }]
    const result = await swapped(rig, call, 'docs', '.git/hooks')
    expect(result.isOk).toBe(false)
    expect(existsSync(join(rig.root, '.git/hooks/post-commit'))).toBe(false)
    expect(rig.text('plain.txt')).toBe('plain\n')
  })

  it('changes no file of the same content elsewhere', async () => {
    const rig = await folder()
    rig.write('other/a.md', 'a\n')
    await rig.run('read_file', { path: 'docs/a.md' })
    const call: [string, object] = ['edit', { path: 'docs/a.md', old_text: 'a', new_text: 'b', reason }]
    const result = await swapped(rig, call, 'docs', 'other')
    expect(result.isOk).toBe(false)
    expect(rig.text('other/a.md')).toBe('a\n')
  })

  it('runs no command in another folder', async () => {
    const rig = await folder()
    const result = await swapped(rig, ['run_command', { line: 'ls', folder: 'docs', reason }], 'docs', '.git')
    expect(result.isOk).toBe(false)
    expect(rig.commands).toEqual([])
  })

  it('is no other place where the folder only went away', async () => {
    const rig = await folder()
    const prepared = await rig.call('write_file', { path: 'new/deep/x.md', content: 'x\n', reason })
    mkdirSync(join(rig.root, 'new'))
    renameSync(join(rig.root, 'docs'), join(rig.root, 'new', 'deep'))
    expect(await prepared.run(hooks)).toMatchObject({ isOk: true })
    expect(rig.text('new/deep/x.md')).toBe('x\n')
  })
})

/** Every argument of every tool that names one place. */
const places = ToolName.options.flatMap((name) =>
  placesOf(name).flatMap(([place, kind]) => (kind === 'glob' ? [] : [{ name, place, kind }])),
)
const isFolder = (kind: PathKind): boolean => kind === 'folder' || kind === 'any'

async function placesRig(): Promise<ToolRig> {
  const rig = await folder()
  rig.write('mine.txt', 'mine\n')
  rig.write('sub/in.txt', 'mine\n')
  await rig.run('read_file', { path: 'mine.txt' })
  return rig
}

describe('every place that a tool takes', () => {
  it.each(places)('$name does nothing where $place is another one by then', async ({ name, place, kind }) => {
    const rig = await placesRig()
    const given = kind === 'target' ? 'sub/new.txt' : isFolder(kind) ? 'sub' : 'mine.txt'
    const from = kind === 'target' || isFolder(kind) ? 'sub' : 'mine.txt'
    const target = from === 'sub' ? '.git/hooks' : '.env'
    const result = await swapped(rig, [name, callArgs(name, { [place]: given })], from, target)
    expect(result.isOk).toBe(false)
    expect(result.text).not.toMatch(/SENTINEL|post-commit|#!/)
    expect(rig.commands).toEqual([])
    expect(rig.text('.env')).toBe('KEY=SENTINEL\n')
    expect(existsSync(join(rig.root, '.git/hooks/new.txt'))).toBe(false)
  })

  it.each(places)('$name names where $place really is, if it is a link', async ({ name, place, kind }) => {
    const rig = await placesRig()
    const link = isFolder(kind) || kind === 'target' ? 'linked' : 'link.txt'
    const target = link === 'linked' ? '.git/hooks' : '.env'
    symlinkSync(join(rig.root, target), join(rig.root, link))
    await rig.run('read_file', { path: '.env' })
    const given = kind === 'target' ? `${link}/new.txt` : link
    const [read] = await rig.prepare([name, callArgs(name, { [place]: given })])
    // A refusal is correct, too: the user is not asked about a name that hides another.
    if (read?.kind === 'invalid') return
    if (read?.kind !== 'world') throw new Error(`${name} was not prepared`)
    expect(JSON.stringify(read.call.facts)).toContain(target)
  })
})

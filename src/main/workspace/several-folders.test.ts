import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { type ToolRig, toolRig } from '../../../tests/fakes/rigs/tool-rig.ts'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'

const never = new AbortController().signal
const reason = 'because'

async function rig(): Promise<ToolRig & { lib: string }> {
  const tools = await toolRig()
  const lib = tempFolder()
  tools.added.push(lib)
  writeFileSync(join(lib, 'a.txt'), 'one\ntwo\n')
  mkdirSync(join(lib, 'deep'))
  writeFileSync(join(lib, 'deep', 'b.txt'), 'two\n')
  tools.write('mine.txt', 'two\n')
  return Object.assign(tools, { lib })
}

const info = (work: Promise<unknown>): Promise<ErrorInfo | null> =>
  work.then(
    () => null,
    (error: unknown) => {
      if (error instanceof AppError) return error.info
      throw error
    },
  )

describe('the folders of a session', () => {
  it('are reached each by its own paths, and say them', async () => {
    const { operations, lib } = await rig()
    expect(await operations.locate('mine.txt')).toMatchObject({ path: 'mine.txt', kind: 'file' })
    expect(await operations.locate(`${lib}/deep/../deep`).catch(() => 'refused')).toBe('refused')
    const found = await operations.locate(`${lib}/deep/b.txt`)
    expect(found).toMatchObject({ path: `${lib}/deep/b.txt`, kind: 'file', root: lib })
    expect(await operations.locate(lib)).toMatchObject({ path: lib, kind: 'folder' })
    expect((await operations.read(`${lib}/a.txt`, 100)).path).toBe(`${lib}/a.txt`)
    expect((await operations.list(lib)).map(({ name }) => name)).toEqual(['deep', 'a.txt'])
    expect(await info(operations.read(`${lib}/none.txt`, 100))).toEqual({
      code: 'file/not-found',
      path: `${lib}/none.txt`,
    })
  })

  it('are searched by absolute paths; without one the session’s own is', async () => {
    const { operations, lib, root } = await rig()
    expect((await operations.glob('**/*.txt', 10, never)).paths).toEqual(['mine.txt'])
    expect((await operations.glob(`${root}/*.txt`, 10, never)).paths).toEqual(['mine.txt'])
    const { paths } = await operations.glob(`${lib}/**/*.txt`, 10, never)
    expect(paths).toEqual([`${lib}/a.txt`, `${lib}/deep/b.txt`])
    const query = {
      pattern: 'two',
      isLiteral: true,
      ignoreCase: false,
      glob: null,
      contextLines: 0,
      limit: 9,
    }
    const grep = async (path: string, isSearched?: (path: string) => boolean) =>
      (await operations.grep({ ...query, path }, never, isSearched)).matches.map((match) => match.path)
    expect(await grep('.')).toEqual(['mine.txt'])
    expect((await grep(lib)).sort()).toEqual([`${lib}/a.txt`, `${lib}/deep/b.txt`])
    expect(await grep(lib, (path) => path !== `${lib}/a.txt`)).toEqual([`${lib}/deep/b.txt`])
  })

  it('are changed by all tools, each change undone in its own folder', async () => {
    const { run, lib, changeSets, commands } = await rig()
    const file = `${lib}/a.txt`
    const edit = { path: file, old_text: 'one', new_text: 'ONE', reason }
    expect((await run('edit', edit)).text).toContain('read_file')
    expect(await run('read_file', { path: file })).toMatchObject({ isOk: true })
    const edited = await run('edit', edit)
    expect(edited).toMatchObject({ isOk: true, view: { kind: 'change', files: [{ path: file }] } })
    expect(readFileSync(file, 'utf8')).toBe('ONE\ntwo\n')
    await run('write_file', { path: `${lib}/new/c.txt`, content: 'c\n', reason })
    await run('move_file', { path: `${lib}/new/c.txt`, to: `${lib}/d.txt`, reason })
    expect(readFileSync(join(lib, 'd.txt'), 'utf8')).toBe('c\n')
    expect(await run('delete_file', { path: `${lib}/d.txt`, reason })).toMatchObject({ isOk: true })
    await run('run_command', { line: 'make', folder: `${lib}/deep`, reason })
    expect(commands.at(-1)?.folder).toBe(join(lib, 'deep'))
    if (edited.view.kind !== 'change') throw new Error('no change')
    expect(changeSets.get(edited.view.changeSetId)).toMatchObject({ root: lib, files: [{ path: 'a.txt' }] })
    await changeSets.undo(edited.view.changeSetId)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
  })

  it('do not let a file go from one to the other by a move', async () => {
    const { run, lib, text } = await rig()
    const moved = await run('move_file', { path: 'mine.txt', to: `${lib}/mine.txt`, reason })
    expect(moved).toMatchObject({
      isOk: false,
      text: expect.stringContaining('another folder of the session'),
    })
    expect(text('mine.txt')).toBe('two\n')
  })

  it('may lie one in the other: the innermost name counts', async () => {
    const around = tempFolder()
    const root = join(around, 'own')
    mkdirSync(root)
    const { operations, added, write } = await toolRig({ root })
    write('mine.txt', 'two\n')
    writeFileSync(join(around, 'beside.txt'), 'two\n')
    added.push(around)
    const own = await operations.locate(join(root, 'mine.txt'))
    expect(own.path).toBe('mine.txt')
    expect(own.root).toBeUndefined()
    const query = {
      pattern: 'two',
      isLiteral: true,
      ignoreCase: false,
      glob: null,
      contextLines: 0,
      limit: 99,
    }
    const { matches } = await operations.grep({ ...query, path: around }, never)
    expect(matches.map(({ path }) => path).sort()).toEqual([`${around}/beside.txt`, 'mine.txt'])
  })
})

describe('paths that try to leave an added folder', () => {
  it('are refused: links out of it, steps up, home, and what was never added', async () => {
    const { operations, lib, run } = await rig()
    const outside = tempFolder()
    writeFileSync(join(outside, 'secret.txt'), 'SENTINEL\n')
    symlinkSync(outside, join(lib, 'out'))
    symlinkSync(join(outside, 'secret.txt'), join(lib, 'file'))
    for (const path of [
      `${lib}/out/secret.txt`,
      `${lib}/file`,
      `${lib}/../${outside.split('/').at(-1)}/secret.txt`,
      `${outside}/secret.txt`,
      `${lib}x/secret.txt`,
      '~/secret.txt',
    ]) {
      expect(await info(operations.read(path, 100)), path).toMatchObject({ code: 'file/outside' })
      const written = await run('write_file', { path, content: 'taken', reason })
      expect(written.isOk, path).toBe(false)
    }
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('SENTINEL\n')
    const found = await run('grep', { pattern: 'SENTINEL', path: lib })
    expect(found.text).not.toContain('secret.txt')
  })

  it('are taken where a link leads into a folder of the session, by the name of that', async () => {
    const { operations, lib, root } = await rig()
    symlinkSync(join(lib, 'a.txt'), join(root, 'linked.txt'))
    symlinkSync(join(root, 'mine.txt'), join(lib, 'back.txt'))
    expect((await operations.read('linked.txt', 100)).path).toBe(`${lib}/a.txt`)
    expect((await operations.read(`${lib}/back.txt`, 100)).path).toBe('mine.txt')
  })

  it('find a folder that was swapped for a link, or removed, gone: and no other folder suffers', async () => {
    const { operations, lib, run, call } = await rig()
    const outside = tempFolder()
    writeFileSync(join(outside, 'a.txt'), 'one\n')
    await run('read_file', { path: `${lib}/a.txt` })
    const edit = await call('edit', { path: `${lib}/a.txt`, old_text: 'one', new_text: 'ONE', reason })
    renameSync(lib, `${lib}-moved`)
    symlinkSync(outside, lib)
    const gone = { code: 'folder/gone', path: lib }
    expect(await info(operations.read(`${lib}/a.txt`, 100))).toEqual(gone)
    const ran = await edit.run({ signal: never, onOutput: () => undefined })
    expect(ran).toMatchObject({ isOk: false, text: expect.stringContaining('is gone or leads elsewhere') })
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('one\n')
    rmSync(lib)
    expect(await info(operations.list(lib))).toEqual(gone)
    expect((await operations.read('mine.txt', 100)).path).toBe('mine.txt')
    expect(await info(operations.read(`${outside}/a.txt`, 100))).toMatchObject({ code: 'file/outside' })
  })

  it('find a folder that the user took away meanwhile outside', async () => {
    const { added, lib, run, call } = await rig()
    await run('read_file', { path: `${lib}/a.txt` })
    const edit = await call('edit', { path: `${lib}/a.txt`, old_text: 'one', new_text: 'ONE', reason })
    const command = await call('run_command', { line: 'make', folder: lib, reason })
    added.length = 0
    expect(await edit.renew()).toBeNull()
    for (const prepared of [edit, command]) {
      const ran = await prepared.run({ signal: never, onOutput: () => undefined })
      expect(ran).toMatchObject({ isOk: false, text: expect.stringContaining('the user has added') })
    }
    expect(readFileSync(join(lib, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
  })
})

import { execFileSync } from 'node:child_process'
import { symlinkSync, truncateSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCall, toolRig } from '../../../tests/fakes/rigs/tool-rig.ts'
import { contentHash } from '../platform/files/content-hash.ts'

const reason = 'because'

describe('an open document', () => {
  it('is read with what is unsaved, and shows a change as one step', async () => {
    const rig = await toolRig()
    rig.write('open.txt', 'one\ntwo\nthree\n')
    const watched = await rig.documents.watch('open.txt')
    const unsaved = { from: 0, to: 3, insert: 'ONE' }
    await rig.documents.service.edit({ root: rig.root, path: 'open.txt' }, unsaved, 'take')
    const read = await rig.run('read_file', { path: 'open.txt' })
    expect(read.text).toContain('1\tONE')
    expect(rig.text('open.txt')).toBe('ONE\ntwo\nthree\n')

    const from = watched.events.length
    const edit = { path: 'open.txt', old_text: 'ONE\ntwo', new_text: 'ONE and\nTWO', reason }
    expect((await rig.run('edit', edit)).isOk).toBe(true)
    await watched.until('reloaded', from)
    const changed = watched.events.slice(from).filter((event) => event.kind === 'changed')
    expect(changed).toHaveLength(1)
    expect(changed[0]?.kind === 'changed' && changed[0].changes).toHaveLength(1)
    const { text } = await rig.documents.service.read({ root: rig.root, path: 'open.txt' })
    expect(text).toBe('ONE and\nTWO\nthree\n')
    await watched.stop()
  })

  it('has another stamp with what is unsaved', async () => {
    const rig = await toolRig()
    rig.write('open.txt', 'one\n')
    const watched = await rig.documents.watch('open.txt')
    const before = await rig.operations.stamp('open.txt')
    expect(await rig.operations.stamp('open.txt')).toBe(before)
    const typed = { from: 3, insert: ' typed' }
    await rig.documents.service.edit({ root: rig.root, path: 'open.txt' }, typed, 'take')
    expect(await rig.operations.stamp('open.txt')).not.toBe(before)
    await expect(rig.operations.stamp('none.txt')).rejects.toMatchObject({ info: { code: 'file/not-found' } })
    await watched.stop()
  })

  it('voids a prepared change by what is typed meanwhile', async () => {
    const rig = await toolRig()
    rig.write('open.txt', 'one\n')
    const watched = await rig.documents.watch('open.txt')
    await rig.run('read_file', { path: 'open.txt' })
    const call = await rig.call('edit', { path: 'open.txt', old_text: 'one', new_text: 'x', reason })
    const typed = { from: 3, insert: ' typed' }
    await rig.documents.service.edit({ root: rig.root, path: 'open.txt' }, typed, 'take')
    const renewed = await call.renew()
    expect(renewed?.hash).not.toBe(call.hash)
    const result = await runCall(call)
    expect(result).toMatchObject({ isOk: false, text: expect.stringContaining('no longer as') })
    expect(rig.text('open.txt')).toBe('one typed\n')
    if (renewed === null) throw new Error('it still applies')
    expect((await runCall(renewed)).isOk).toBe(true)
    expect(rig.text('open.txt')).toBe('x typed\n')
    await watched.stop()
  })

  it('follows its file, and closes with it', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'a\n')
    rig.write('b.txt', 'b\n')
    const moved = await rig.documents.watch('a.txt')
    const removed = await rig.documents.watch('b.txt')
    expect((await rig.run('move_file', { path: 'a.txt', to: 'sub/c.txt', reason })).isOk).toBe(true)
    expect(await moved.until('moved')).toMatchObject({ path: 'sub/c.txt' })
    expect((await rig.run('delete_file', { path: 'b.txt', reason })).isOk).toBe(true)
    await removed.until('closed')
    expect(() => rig.text('b.txt')).toThrow('ENOENT')
    await moved.stop()
    await removed.stop()
  })

  it('is saved before a command runs', async () => {
    const rig = await toolRig()
    rig.write('open.txt', 'one\n')
    const watched = await rig.documents.watch('open.txt')
    const edit = { from: 0, to: 3, insert: 'ONE' }
    await rig.documents.service.edit({ root: rig.root, path: 'open.txt' }, edit, 'take')
    await rig.run('run_command', { line: 'cat open.txt', reason })
    expect(rig.text('open.txt')).toBe('ONE\n')
    await watched.stop()
  })
})

describe('what is no plain file', () => {
  it('is never opened: pipes, sockets, devices, folders', async () => {
    const rig = await toolRig()
    const { root, operations } = rig
    execFileSync('mkfifo', [join(root, 'pipe')])
    symlinkSync('/dev/zero', join(root, 'zero'))
    const server = createServer()
    await new Promise<void>((done) => void server.listen(join(root, 'socket'), done))
    onTestFinished(() => void server.close())
    for (const path of ['pipe', 'socket']) {
      expect(await operations.locate(path)).toMatchObject({ kind: 'other' })
      await expect(operations.read(path, 100)).rejects.toMatchObject({ info: { code: 'file/failed', path } })
    }
    for (const path of ['pipe', 'socket', 'zero', '.']) {
      for (const name of ['read_file', 'delete_file', 'edit', 'write_file', 'move_file', 'grep']) {
        const args = { path, pattern: 'x', old_text: 'a', new_text: 'b', content: 'c', to: 'd', reason }
        const wanted: Record<string, string[]> = {
          read_file: ['path'],
          delete_file: ['path', 'reason'],
          edit: ['path', 'old_text', 'new_text', 'reason'],
          write_file: ['path', 'content', 'reason'],
          move_file: ['path', 'to', 'reason'],
          grep: ['pattern', 'path'],
        }
        const own = Object.fromEntries(Object.entries(args).filter(([key]) => wanted[name]?.includes(key)))
        const result = await rig.run(name, own)
        if (name !== 'grep' || path !== '.') expect(result.isOk, `${name} ${path}`).toBe(false)
      }
    }
  })

  it('nor is a file above the limit', async () => {
    const rig = await toolRig()
    rig.write('huge.txt', 'x')
    truncateSync(join(rig.root, 'huge.txt'), 200_000_000)
    await expect(rig.operations.read('huge.txt', 1_000)).rejects.toMatchObject({
      info: { code: 'file/too-large', path: 'huge.txt', sizeBytes: 200_000_000, limitBytes: 1_000 },
    })
    const result = await rig.run('read_file', { path: 'huge.txt' })
    expect(result.text).toContain('200000000 bytes')
  })
})

describe('a path', () => {
  it('is found where it really is, and named as it is on disk', async () => {
    const rig = await toolRig()
    const nfd = 'が.txt'.normalize('NFD')
    rig.write(nfd, 'x')
    rig.write('real/a.txt', 'a')
    symlinkSync('real', join(rig.root, 'link'))
    const { operations } = rig
    expect(await operations.locate('が.txt')).toMatchObject({ path: nfd, kind: 'file' })
    expect(await operations.locate('link/a.txt')).toMatchObject({ path: 'real/a.txt', sizeBytes: 1 })
    expect(await operations.locate(join(rig.root, 'real'))).toMatchObject({ path: 'real', kind: 'folder' })
    expect(await operations.locate('link/new/b.txt')).toEqual({
      path: 'real/new/b.txt',
      kind: 'none',
      sizeBytes: null,
      missing: ['new', 'b.txt'],
      isLink: false,
    })
    expect(await operations.locate(rig.root)).toMatchObject({ path: '.', kind: 'folder' })
    expect(await operations.locate('.')).toMatchObject({ path: '.', kind: 'folder', isLink: false })
    expect(await operations.locate('link/')).toMatchObject({ path: 'real', kind: 'folder', isLink: true })
    await expect(operations.locate('~/x')).rejects.toMatchObject({ info: { code: 'file/outside' } })
    const { hash } = await operations.read('link/a.txt', 10)
    expect(hash).toBe(contentHash('a'))
  })
})

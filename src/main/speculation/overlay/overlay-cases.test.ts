/** What a speculation must not do to files, case by case. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { caseBlindDisk } from '../../../../tests/fakes/disks/case-blind-disk.ts'
import { diskWith, systemError } from '../../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import {
  globIn,
  move,
  namesIn,
  overlayRig,
  remove,
  textIn,
  write,
} from '../../../../tests/fakes/rigs/overlay-rig.ts'
import { runCall, toolParts } from '../../../../tests/fakes/rigs/tool-rig.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { createToolbox } from '../../tools/create-toolbox.ts'
import type { ToolOperations } from '../../tools/tool-operations.ts'
import type { Overlay } from './overlay.ts'

function refusal(code: string) {
  return { info: { code } }
}

async function changed(overlay: Overlay): Promise<Record<string, string>> {
  const text = (bytes: Uint8Array | null) => (bytes === null ? 'none' : Buffer.from(bytes).toString())
  const files = await overlay.files()
  return Object.fromEntries(
    files.map((file) => [file.path, `${text(file.baseBytes)} → ${text(file.newBytes)}`]),
  )
}

async function toolboxOver(operations: ToolOperations) {
  const { shellCheck, words } = await toolParts()
  return createToolbox({ operations, shellCheck, words: words.en })
}

describe('the overlay', () => {
  it('file looked at by its stamp: tells what is below as long as nothing was written over it', async () => {
    const rig = overlayRig()
    rig.write('a.txt', 'old')
    const { operations } = await rig.open()
    const below = await operations.stamp('a.txt')
    await write(operations, 'a.txt', 'new')
    const written = await operations.stamp('a.txt')
    expect(written).not.toBe(below)
    rig.write('a.txt', 'edited by the user')
    expect(await operations.stamp('a.txt')).toBe(written)
    await remove(operations, 'a.txt')
    await expect(operations.stamp('a.txt')).rejects.toMatchObject(refusal('file/not-found'))
  })

  it('file changed by the user after the first speculative write: says what it was made on', async () => {
    const rig = overlayRig()
    rig.write('a.txt', 'old')
    const overlay = await rig.open()
    await write(overlay.operations, 'a.txt', 'new')
    rig.write('a.txt', 'edited by the user')
    const [file] = await overlay.files()
    expect(file).toMatchObject({ path: 'a.txt', baseHash: contentHash('old') })
    expect(file?.baseHash).not.toBe(contentHash(rig.text('a.txt')))
    expect(await changed(overlay)).toEqual({ 'a.txt': 'old → new' })
    expect(rig.text('a.txt')).toBe('edited by the user')
  })

  it('edit tool failed after the overlay copy was made: lists no file without a write, nor with its own bytes', async () => {
    const rig = overlayRig()
    rig.write('a.txt', 'old')
    rig.write('b.txt', 'b')
    const overlay = await rig.open()
    const stale = {
      kind: 'write' as const,
      path: 'a.txt',
      baseHash: contentHash('other'),
      bytes: Buffer.from('x'),
    }
    await expect(overlay.operations.apply([stale], '')).rejects.toMatchObject(refusal('file/changed'))
    expect(overlay.hasWrites).toBe(false)
    await write(overlay.operations, 'b.txt', 'changed')
    await write(overlay.operations, 'b.txt', 'b')
    await write(overlay.operations, 'made.txt', 'and gone')
    await remove(overlay.operations, 'made.txt')
    expect(await overlay.files()).toEqual([])
    // The overlay still notes that the file was read.
    expect(overlay.reads()).toEqual(new Map([['b.txt', contentHash('b')]]))
  })

  it('user deleted the real file meanwhile: it is a change of a file that was there', async () => {
    const rig = overlayRig()
    rig.write('a.txt', 'old')
    const overlay = await rig.open()
    await write(overlay.operations, 'a.txt', 'new')
    rmSync(join(rig.root, 'a.txt'))
    expect(await changed(overlay)).toEqual({ 'a.txt': 'old → new' })
    expect(await textIn(overlay.operations, 'a.txt')).toBe('new')
    expect(existsSync(join(rig.root, 'a.txt'))).toBe(false)
  })

  it('file inside cwd is a symlink to a file outside cwd: refuses it', async () => {
    const rig = overlayRig()
    const outside = join(tempFolder(), 'secret.txt')
    writeFileSync(outside, 'secret')
    symlinkSync(outside, join(rig.root, 'link.txt'))
    const overlay = await rig.open()
    const change = {
      kind: 'write' as const,
      path: 'link.txt',
      baseHash: contentHash('secret'),
      bytes: Buffer.from('x'),
    }
    await expect(overlay.operations.apply([change], '')).rejects.toMatchObject(refusal('file/outside'))
    await expect(overlay.operations.read('link.txt', 100)).rejects.toMatchObject(refusal('file/outside'))
    expect(await overlay.files()).toEqual([])
  })

  it('directory inside cwd is a symlink to outside: refuses a new file in it, at any time', async () => {
    const rig = overlayRig()
    const outside = tempFolder()
    symlinkSync(outside, join(rig.root, 'out'))
    const overlay = await rig.open()
    const change = { kind: 'write' as const, path: 'out/x.txt', baseHash: null, bytes: Buffer.from('x') }
    await expect(overlay.operations.apply([change], '')).rejects.toMatchObject(refusal('file/outside'))
    // A folder that the overlay already wrote to is led outside afterwards.
    rig.write('dir/a.txt', 'a')
    await write(overlay.operations, 'dir/x.txt', 'x')
    rmSync(join(rig.root, 'dir'), { recursive: true })
    symlinkSync(outside, join(rig.root, 'dir'))
    await expect(overlay.operations.read('dir/x.txt', 100)).rejects.toMatchObject(refusal('file/outside'))
    expect(readdirSync(outside)).toEqual([])
  })

  it('overlay file removed before accept: is no change then; what is deleted or moved is a tombstone', async () => {
    const rig = overlayRig()
    rig.write('a.txt', 'a')
    rig.write('b.txt', 'b')
    rig.write('dir/only.txt', 'only')
    const overlay = await rig.open()
    await remove(overlay.operations, 'dir/only.txt')
    await move(overlay.operations, 'a.txt', 'new/c.txt')
    expect(await changed(overlay)).toEqual({
      'a.txt': 'a → none',
      'dir/only.txt': 'only → none',
      'new/c.txt': 'none → a',
    })
    expect(await namesIn(overlay.operations, '.')).toEqual(['dir (folder)', 'new (folder)', 'b.txt'])
    expect(await namesIn(overlay.operations, 'dir')).toEqual([])
    await expect(textIn(overlay.operations, 'a.txt')).rejects.toMatchObject(refusal('file/not-found'))
    const host = join(rig.dataDir, 'overlays', rig.hostId)
    for (const name of readdirSync(host)) rmSync(join(host, name), { recursive: true })
    await expect(overlay.files()).rejects.toMatchObject(refusal('speculation/files-gone'))
  })

  it('one of several files cannot be copied: nothing of a change is there', async () => {
    let writes = 0
    const privateDisk = diskWith({
      async writeNew(path, bytes, options) {
        await nodeDisk.writeNew(path, bytes, options)
        if (Buffer.from(bytes).toString() === 'second' && ++writes === 1) throw systemError('ENOSPC')
      },
    })
    const rig = overlayRig({ privateDisk })
    const overlay = await rig.open()
    const changes = ['first', 'second'].map((text) => {
      return { kind: 'write' as const, path: `${text}.txt`, baseHash: null, bytes: Buffer.from(text) }
    })
    const refused = overlay.operations.apply(changes, '')
    await expect(refused).rejects.toMatchObject({ info: { code: 'file/disk-full', path: 'second.txt' } })
    expect(overlay.hasWrites).toBe(false)
    expect(await globIn(overlay.operations, '**')).toEqual([])
    const host = join(rig.dataDir, 'overlays', rig.hostId)
    const [own = ''] = readdirSync(host)
    expect(readdirSync(join(host, own, 'bytes'))).toEqual([])
    await overlay.operations.apply(changes, '')
    expect(await changed(overlay)).toEqual({ 'first.txt': 'none → first', 'second.txt': 'none → second' })
  })

  it('name starting with two dots, e.g. ..foo.txt: is a name', async () => {
    const rig = overlayRig()
    const overlay = await rig.open()
    await write(overlay.operations, '..foo.txt', 'x')
    await write(overlay.operations, '..dir/..foo.txt', 'y')
    expect(await textIn(overlay.operations, '..foo.txt')).toBe('x')
    expect(await globIn(overlay.operations, '..dir/*')).toEqual(await globIn(rig.base, '..dir/*'))
    expect(Object.keys(await changed(overlay))).toEqual(['..dir/..foo.txt', '..foo.txt'])
    await expect(overlay.operations.locate('../x.txt')).rejects.toMatchObject(refusal('file/outside'))
  })

  it.each(['', '.'])('write target is cwd itself (empty relative path): refuses %j', async (path) => {
    const overlay = await overlayRig().open()
    const change = { kind: 'write' as const, path, baseHash: null, bytes: Buffer.from('x') }
    await expect(overlay.operations.apply([change], '')).rejects.toMatchObject(refusal('file/changed'))
    expect(overlay.hasWrites).toBe(false)
  })

  it('write target is an existing directory: refuses it, real or made here', async () => {
    const rig = overlayRig()
    mkdirSync(join(rig.root, 'dir'))
    const overlay = await rig.open()
    await write(overlay.operations, 'made/x.txt', 'x')
    for (const path of ['dir', 'made']) {
      const change = { kind: 'write' as const, path, baseHash: null, bytes: Buffer.from('x') }
      await expect(overlay.operations.apply([change], '')).rejects.toMatchObject(refusal('file/exists'))
    }
  })

  it('relative path given: is one of the folder, as an absolute one is', async () => {
    const rig = overlayRig()
    const overlay = await rig.open()
    await write(overlay.operations, './sub/a.txt', 'a')
    for (const path of ['sub/a.txt', './sub//a.txt', join(rig.root, 'sub/a.txt')]) {
      expect(await overlay.operations.locate(path)).toMatchObject({ path: 'sub/a.txt', kind: 'file' })
    }
  })

  it('path differs only in letter case on a case-insensitive disk: is one file', async () => {
    const rig = overlayRig({ disk: caseBlindDisk() })
    rig.write('Notes/Read.txt', 'old')
    const overlay = await rig.open()
    await write(overlay.operations, 'notes/READ.TXT', 'new')
    await write(overlay.operations, 'Made/New.txt', 'made')
    await write(overlay.operations, 'made/NEW.txt', 'again')
    expect(await changed(overlay)).toEqual({ 'Made/New.txt': 'none → again', 'Notes/Read.txt': 'old → new' })
    await remove(overlay.operations, 'NOTES/read.txt')
    await write(overlay.operations, 'notes/read.TXT', 'anew')
    expect((await changed(overlay))['Notes/Read.txt']).toBe('old → anew')
    const only = move(overlay.operations, 'made/new.txt', 'made/NEW.txt')
    await expect(only).rejects.toMatchObject(refusal('file/exists'))
    // Elsewhere they are two.
    const other = await overlayRig().open()
    await write(other.operations, 'a.txt', 'small')
    await write(other.operations, 'A.txt', 'large')
    expect(Object.keys(await changed(other))).toHaveLength(2)
    await move(other.operations, 'a.txt', 'b.txt')
    await move(other.operations, 'A.txt', 'a.txt')
    expect(await changed(other)).toEqual({ 'a.txt': 'none → large', 'b.txt': 'none → small' })
  })

  it('overlay directory mode: is closed to others, and leaves nothing', async () => {
    const rig = overlayRig()
    const overlay = await rig.open()
    await write(overlay.operations, 'a.txt', 'a')
    await globIn(overlay.operations, '**')
    const top = join(rig.dataDir, 'overlays')
    const below = readdirSync(top, { recursive: true, withFileTypes: true })
    const modes = below.map((entry) => {
      return [
        entry.isDirectory() ? 'folder' : 'file',
        statSync(join(entry.parentPath, entry.name)).mode & 0o777,
      ]
    })
    expect(new Set(modes.map(String))).toEqual(new Set([`folder,${0o700}`, `file,${0o600}`]))
    expect(readdirSync(top)).toEqual([rig.hostId])
    await overlay.discard()
    expect(readdirSync(join(top, rig.hostId))).toEqual([])
  })

  it('edit via argument object: what the model and the window read names the project path', async () => {
    const rig = overlayRig()
    rig.write('src/a.txt', 'one\ntwo\n')
    const overlay = await rig.open()
    const toolbox = await toolboxOver(overlay.operations)
    const results: unknown[] = []
    const run = async (name: string, args: object): Promise<void> => {
      const [call] = await toolbox.prepare([{ callId: 'c', name, args: JSON.stringify(args) }])
      if (call?.kind !== 'world') throw new Error(JSON.stringify(call))
      results.push(call.call.facts, await runCall(call.call))
    }
    await run('read_file', { path: 'src/a.txt' })
    await run('edit', { path: 'src/a.txt', old_text: 'two', new_text: 'zwei', reason: 'r' })
    await run('write_file', { path: 'src/b.txt', content: 'b\n', reason: 'r' })
    await run('grep', { pattern: 'zwei|b' })
    await run('list_directory', { path: 'src' })
    const said = JSON.stringify(results)
    expect(said).not.toContain(rig.dataDir)
    expect(said).not.toContain('overlays')
    expect(results.at(3)).toMatchObject({
      isOk: true,
      view: { changeSetId: '', files: [{ path: 'src/a.txt' }] },
    })
    expect(results.at(7)).toMatchObject({ text: expect.stringContaining('zwei') })
    expect(await changed(overlay)).toEqual({
      'src/a.txt': 'one\ntwo\n → one\nzwei\n',
      'src/b.txt': 'none → b\n',
    })
  })

  it('write tool call without file_path/path/filePath/notebook_path: touches neither folder nor overlay', async () => {
    const rig = overlayRig()
    const overlay = await rig.open()
    const toolbox = await toolboxOver(overlay.operations)
    const args = JSON.stringify({ content: 'x', reason: 'r' })
    const [call] = await toolbox.prepare([{ callId: 'c', name: 'write_file', args }])
    expect(call?.kind).toBe('invalid')
    expect(overlay.hasWrites).toBe(false)
    expect(readdirSync(rig.root)).toEqual([])
  })
})

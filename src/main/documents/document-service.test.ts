import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { diskWith, systemError } from '../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { documentRig, type WatchedDocument } from '../../../tests/fakes/rigs/document-rig.ts'
import type { ChangeOrigin } from '../../shared/domain/work/document.ts'
import { AppError } from '../../shared/errors.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import type { DocumentService } from './document-service.ts'

/** Inserts at the front, as a window would. */
function type(
  service: DocumentService,
  seen: WatchedDocument,
  length: number,
  text: string,
  origin?: ChangeOrigin,
) {
  const { documentId, version } = seen.snapshot
  return service.change({
    documentId,
    clientId: 'window',
    baseVersion: version,
    changes: [length === 0 ? [[0, text]] : [[0, text], length]],
    origin,
  })
}

describe('an open document and its file', () => {
  it('is on disk soon after typing, and says so', async () => {
    const { service, write, watch } = documentRig()
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    expect(type(service, seen, 2, 'あ')).toMatchObject({ kind: 'accepted' })
    const saved = await seen.until('saved')
    expect(readFileSync(path, 'utf8')).toBe('あ本文')
    expect(saved.version).toBe(seen.snapshot.version + 1)
  })

  it('shows two windows each other, in one order', async () => {
    const { root, service, write, watch } = documentRig()
    write('a.txt', '本文')
    const one = await watch('a.txt')
    const two = await watch('a.txt')
    expect(two.snapshot.documentId).toBe(one.snapshot.documentId)
    type(service, one, 2, 'あ')
    const { documentId, version } = two.snapshot
    service.change({ documentId, clientId: 'other', baseVersion: version, changes: [[2, [0, 'い']]] })
    await one.until('saved')
    const changes = (watched: WatchedDocument) => watched.events.filter((event) => event.kind === 'changed')
    expect(changes(one)).toEqual(changes(two))
    expect(changes(one)).toHaveLength(2)
    expect((await service.read({ root, path: 'a.txt' })).text).toBe('あ本文い')
  })

  it('goes on after a lost connection from where the window was', async () => {
    const { service, write, watch } = documentRig()
    write('a.txt', '本文')
    const seen = await watch('a.txt')
    await seen.stop()
    type(service, seen, 2, 'あ')
    const again = await watch('a.txt', seen.snapshot.version)
    expect(again.first).toMatchObject({ kind: 'changed', changes: [{ clientId: 'window' }] })
    const lost = await watch('a.txt', 12)
    expect(lost.first.kind).toBe('snapshot')
  })

  it('takes an edit from outside as one small change where nothing was edited here', async () => {
    const { write, watch } = documentRig()
    write('a.txt', '一\n二\n三')
    const seen = await watch('a.txt')
    write('a.txt', '一\n弐\n三')
    await seen.until('reloaded')
    expect(seen.events.find((event) => event.kind === 'changed')).toMatchObject({
      changes: [{ changes: [2, [1, '弐'], 2], clientId: 'host', origin: 'reload' }],
    })
    expect(seen.events.some((event) => event.kind === 'conflict')).toBe(false)
  })

  it('keeps in the history what another program replaces, once, however often it writes', async () => {
    const { service, write, watch } = documentRig()
    write('a.txt', '本文')
    const seen = await watch('a.txt')
    type(service, seen, 2, '私の')
    await seen.until('saved')
    for (const text of ['他人の', '他人の一', '他人の一二']) {
      const from = seen.events.length
      write('a.txt', text)
      expect(await seen.until('reloaded', from)).toMatchObject({ isForeign: true })
    }
    const { documentId } = seen.snapshot
    const entries = service.history(documentId)
    expect(entries.map(({ id, reason }) => [reason, service.readHistory(documentId, id)])).toEqual([
      ['reload', '私の本文'],
      ['open', '本文'],
    ])
  })

  it('does not take a change by the app itself for one by another program', async () => {
    const { service, write, watch } = documentRig()
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    const end = service.beginChange([path])
    write('a.txt', '新しい本文')
    expect(await seen.until('reloaded')).toMatchObject({ isForeign: false })
    end()
    const from = seen.events.length
    write('a.txt', '他人の本文')
    expect(await seen.until('reloaded', from)).toMatchObject({ isForeign: true })
  })

  it('takes its own writes and a mere touch for no change', async () => {
    const { service, write, watch } = documentRig()
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    type(service, seen, 2, 'あ')
    await seen.until('saved')
    utimesSync(path, 1, 1)
    await new Promise((done) => setTimeout(done, 300))
    expect(seen.events.map((event) => event.kind)).toEqual(['snapshot', 'changed', 'saved'])
  })

  it.each(['reload', 'keep-mine'] as const)(
    'asks when both sides edited, and does as told: %s',
    async (choice) => {
      const { service, write, watch } = documentRig()
      const path = write('a.txt', '本文')
      const seen = await watch('a.txt')
      type(service, seen, 2, '私の')
      write('a.txt', '他人の本文')
      await seen.until('conflict')
      await new Promise((done) => setTimeout(done, 800))
      expect(readFileSync(path, 'utf8')).toBe('他人の本文')
      const { documentId } = seen.snapshot
      await expect(service.save(documentId)).rejects.toThrow('document/conflict')
      expect(await service.conflictTexts(documentId)).toEqual({ disk: '他人の本文', base: '本文' })
      const after = await service.resolveConflict(documentId, choice)
      expect(after.conflict).toBeUndefined()
      const wanted = choice === 'reload' ? '他人の本文' : '私の本文'
      expect(after.text).toBe(wanted)
      expect(readFileSync(path, 'utf8')).toBe(wanted)
      // The discarded text is in the history.
      const texts = service.history(documentId).map((entry) => service.readHistory(documentId, entry.id))
      expect(texts).toContain(choice === 'reload' ? '私の本文' : '他人の本文')
      expect(seen.events.some((event) => event.kind === 'reloaded' && event.isForeign)).toBe(false)
    },
  )

  it('puts both sides together by itself where they changed different lines', async () => {
    const { service, write, watch } = documentRig()
    const path = write('a.txt', '一\n二\n三\n四')
    const seen = await watch('a.txt')
    type(service, seen, 7, 'あ')
    write('a.txt', '一\n二\n三\n四と五')
    await seen.until('merged')
    expect(readFileSync(path, 'utf8')).toBe('あ一\n二\n三\n四と五')
    const { documentId } = seen.snapshot
    const texts = service.history(documentId).map((entry) => service.readHistory(documentId, entry.id))
    expect(texts).toEqual(expect.arrayContaining(['あ一\n二\n三\n四', '一\n二\n三\n四と五']))
    await expect(service.save(documentId)).resolves.toBeDefined()
  })

  it('takes the text that the author put together, unless one side is another one by then', async () => {
    const { service, write, watch } = documentRig()
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    type(service, seen, 2, '私の')
    write('a.txt', '他人の本文')
    await seen.until('conflict')
    const { documentId } = seen.snapshot
    const texts = { mine: '私の本文', disk: '他人の本文', text: '私の本文\n他人の本文' }
    await expect(service.mergeConflict(documentId, { ...texts, disk: '本文' })).rejects.toThrow(
      'file/changed',
    )
    await expect(service.mergeConflict(documentId, { ...texts, mine: '本文' })).rejects.toThrow(
      'file/changed',
    )
    const after = await service.mergeConflict(documentId, texts)
    expect(after.conflict).toBeUndefined()
    expect(readFileSync(path, 'utf8')).toBe(texts.text)
  })

  it('says no longer that it is not saved once the file can be examined again', async () => {
    let isAway = false
    const disk = diskWith({
      canWrite: (path) => (isAway ? Promise.reject(systemError('EIO')) : nodeDisk.canWrite(path)),
    })
    const { service, write, watch } = documentRig({ disk })
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    isAway = true
    await service.fileChanged(path)
    await seen.until('save-failed')
    isAway = false
    await service.fileChanged(path)
    expect(await seen.until('saved')).toMatchObject({ version: seen.snapshot.version })
    expect((await watch('a.txt')).snapshot.saveError).toBeUndefined()
  })

  it('says that it is not saved, and throws nothing, where a changed file cannot be read a second time', async () => {
    let isChanged = false
    let readings = 0
    const disk = diskWith({
      read: (path, limit) =>
        isChanged && ++readings === 2 ? Promise.reject(systemError('EIO')) : nodeDisk.read(path, limit),
    })
    const { service, write, watch } = documentRig({ disk })
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    type(service, seen, 2, '私の')
    isChanged = true
    writeFileSync(path, '他人の')
    await service.saveAll()
    expect(await seen.until('save-failed')).toMatchObject({ error: { code: 'file/failed', reason: 'EIO' } })
    await service.saveAll()
    await seen.until('conflict')
    expect(readFileSync(path, 'utf8')).toBe('他人の')
  })

  it('never writes over an edit that came between reading and saving, watcher or not', async () => {
    const { service, write, watch } = documentRig()
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    type(service, seen, 2, '私の')
    writeFileSync(path, '他人の')
    await expect(service.save(seen.snapshot.documentId)).rejects.toThrow('document/conflict')
    expect(readFileSync(path, 'utf8')).toBe('他人の')
  })

  it('says when the file was removed, and writes it again where wanted', async () => {
    const { service, write, watch } = documentRig()
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    rmSync(path)
    expect(await seen.until('conflict')).toMatchObject({ conflict: { kind: 'removed' } })
    await service.resolveConflict(seen.snapshot.documentId, 'keep-mine')
    expect(readFileSync(path, 'utf8')).toBe('本文')
  })

  it('keeps a text whose file and folder were removed until it can be written again', async () => {
    const { root, service, store, write, watch } = documentRig()
    mkdirSync(join(root, '第一部'))
    const path = write('第一部/a.txt', '本文')
    const seen = await watch('第一部/a.txt')
    rmSync(join(root, '第一部'), { recursive: true })
    await service.fileChanged(path)
    expect(await seen.until('conflict')).toMatchObject({ conflict: { kind: 'removed' } })
    expect(store.unsaved.find(path)?.text).toBe('本文')
    await service.resolveConflict(seen.snapshot.documentId, 'keep-mine')
    await seen.until('save-failed')
    expect([service.hasUnsaved(), store.unsaved.find(path)?.text]).toEqual([true, '本文'])
    mkdirSync(join(root, '第一部'))
    await service.save(seen.snapshot.documentId)
    expect(readFileSync(path, 'utf8')).toBe('本文')
    expect([service.hasUnsaved(), store.unsaved.find(path)]).toEqual([false, undefined])
  })

  it('writes the author’s text where he wants it over what is no text any more', async () => {
    const { service, write, watch } = documentRig()
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    type(service, seen, 2, '私の')
    writeFileSync(path, Uint8Array.of(0xff, 0x00, 0xff, 0x00, 0x01))
    await expect(service.save(seen.snapshot.documentId)).rejects.toThrow('document/conflict')
    await service.resolveConflict(seen.snapshot.documentId, 'keep-mine')
    expect(readFileSync(path, 'utf8')).toBe('私の本文')
  })

  it('opens under its new name a file that was renamed while it was being opened', async () => {
    const reading = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const disk = diskWith({
      async read(path, limit) {
        reading.resolve()
        await go.promise
        return nodeDisk.read(path, limit)
      },
    })
    const { root, service, write, watch } = documentRig({ disk })
    const path = write('a.txt', '本文')
    const opening = watch('a.txt').catch((error: unknown) => error)
    await reading.promise
    renameSync(path, join(root, 'b.txt'))
    service.fileMoved(path, join(root, 'b.txt'), 'b.txt')
    go.resolve()
    expect(await opening).toBeInstanceOf(Error)
    expect((await watch('b.txt')).snapshot).toMatchObject({ path: 'b.txt', text: '本文' })
  })

  it('does not take a file that another program replaces for removed', async () => {
    const { write, watch } = documentRig()
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    rmSync(path)
    await new Promise((done) => setTimeout(done, 100))
    writeFileSync(path, '本文。')
    await seen.until('reloaded')
    expect(seen.events.some((event) => event.kind === 'conflict')).toBe(false)
  })

  it('does not take a file that another program empties before it writes for emptied', async () => {
    const { write, watch } = documentRig()
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    writeFileSync(path, '')
    await new Promise((done) => setTimeout(done, 150))
    writeFileSync(path, '本文。')
    await seen.until('reloaded')
    expect(seen.events.filter((event) => event.kind === 'changed')).toHaveLength(1)
  })

  it('keeps encoding and line ends, and asks before a character is lost', async () => {
    const { service, write, watch } = documentRig()
    const path = write('a.txt', iconv.encode('一行目\r\n二行目', 'cp932'))
    const seen = await watch('a.txt')
    expect(seen.snapshot).toMatchObject({ encoding: 'shift_jis', lineEnd: 'crlf', text: '一行目\n二行目' })
    type(service, seen, 7, '壱')
    await seen.until('saved')
    expect(readFileSync(path).equals(iconv.encode('壱一行目\r\n二行目', 'cp932'))).toBe(true)
    const from = seen.events.length
    await service.edit({ root: join(path, '..'), path: 'a.txt' }, { from: 0, insert: '😀' }, 'agent')
    expect(await seen.until('save-failed', from)).toMatchObject({
      error: { code: 'file/unencodable', encoding: 'shift_jis', sample: '😀' },
    })
    expect(iconv.decode(readFileSync(path), 'cp932')).toBe('壱一行目\r\n二行目')
    await service.saveAsUtf8(seen.snapshot.documentId)
    expect(readFileSync(path, 'utf8')).toBe('😀壱一行目\r\n二行目')
  })

  it('refuses to edit a read-only file, and to open what is no text', async () => {
    const { service, write, watch } = documentRig()
    chmodSync(write('a.txt', '本文'), 0o444)
    write('b.txt', Buffer.from([0, 1, 2, 3]))
    const seen = await watch('a.txt')
    expect(seen.snapshot.isReadOnly).toBe(true)
    expect(() => type(service, seen, 2, 'あ')).toThrow('file/read-only')
    await expect(watch('b.txt')).rejects.toThrow('file/not-text')
    await expect(watch('c.txt')).rejects.toThrow('file/not-found')
    await expect(watch('../c.txt')).rejects.toThrow('file/outside')
  })

  it('follows its file when we rename it', async () => {
    const { root, service, write, watch } = documentRig()
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    renameSync(path, join(root, 'b.txt'))
    service.fileMoved(path, join(root, 'b.txt'), 'b.txt')
    expect(await seen.until('moved')).toMatchObject({ path: 'b.txt' })
    type(service, seen, 2, 'あ')
    await seen.until('saved')
    expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('あ本文')
    expect((await watch('b.txt')).snapshot.documentId).toBe(seen.snapshot.documentId)
    expect(service.history(seen.snapshot.documentId)).toHaveLength(1)
  })
})

describe('a file that is not open', () => {
  it('is read once, and again when it changed', async () => {
    let reads = 0
    const disk = diskWith({
      read: (path, limit) => {
        reads++
        return nodeDisk.read(path, limit)
      },
    })
    const { root, service, write } = documentRig({ disk })
    write('a.txt', '一')
    const read = async () => (await service.read({ root, path: 'a.txt' })).text
    expect([await read(), await read(), reads]).toEqual(['一', '一', 1])
    write('a.txt', '二つ')
    expect([await read(), await read(), reads]).toEqual(['二つ', '二つ', 2])
    await expect(service.read({ root, path: 'b.txt' })).rejects.toThrow('file/not-found')
  })

  it('is read beyond what is kept', async () => {
    const { root, service, write } = documentRig()
    for (const name of ['a', 'b', 'c']) write(`${name}.txt`, name.repeat(2_000_000))
    for (const name of ['a', 'b', 'c', 'a']) {
      expect((await service.read({ root, path: `${name}.txt` })).text.startsWith(name)).toBe(true)
    }
  })
})

describe('text that the file refuses', () => {
  it('is kept through a full disk and saved when there is room', async () => {
    let isFull = true
    const disk = diskWith({
      writeNew: (path, bytes, options) => {
        if (isFull) throw systemError('ENOSPC')
        return nodeDisk.writeNew(path, bytes, options)
      },
    })
    const { service, store, write, watch } = documentRig({ disk })
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    type(service, seen, 2, 'あ')
    expect(await seen.until('save-failed')).toMatchObject({ error: { code: 'file/disk-full' } })
    expect(store.unsaved.find(path)?.text).toBe('あ本文')
    expect(readFileSync(path, 'utf8')).toBe('本文')
    isFull = false
    await service.save(seen.snapshot.documentId)
    expect(readFileSync(path, 'utf8')).toBe('あ本文')
    expect(store.unsaved.find(path)).toBeUndefined()
  })

  it('stays open where the store refuses it too, until the file takes it', async () => {
    let isFull = true
    const disk = diskWith({
      writeNew: (path, bytes, options) => {
        if (isFull) throw systemError('ENOSPC')
        return nodeDisk.writeNew(path, bytes, options)
      },
    })
    const clock = manualClock()
    const { root, service, store, write, watch } = documentRig({ disk, clock })
    store.unsaved.keep = () => {
      throw new AppError({ code: 'file/disk-full', path: root })
    }
    const path = write('a.txt', '本文')
    const seen = await watch('a.txt')
    type(service, seen, 2, 'あ')
    await seen.stop()
    await clock.advance(60_000)
    await expect(service.flush(path)).rejects.toThrow('file/disk-full')
    expect((await service.read({ root, path: 'a.txt' })).text).toBe('あ本文')
    isFull = false
    await service.flush(path)
    expect(readFileSync(path, 'utf8')).toBe('あ本文')
    await clock.advance(60_000)
    await service.flush(path)
    expect((await service.read({ root, path: 'a.txt' })).version).toBeNull()
  })

  it('comes back at the next start, is saved, and says where it comes from', async () => {
    const [root, dataDir] = [tempFolder(), tempFolder()]
    const disk = diskWith({ writeNew: () => Promise.reject(systemError('ENOSPC')) })
    const first = documentRig({ disk, root, dataDir })
    const path = first.write('a.txt', '本文')
    type(first.service, await first.watch('a.txt'), 2, 'あ')
    await first.service.close()
    expect(readFileSync(path, 'utf8')).toBe('本文')

    const second = documentRig({ root, dataDir })
    const seen = await second.watch('a.txt')
    expect(seen.snapshot).toMatchObject({ text: 'あ本文', recovered: { at: expect.any(Number) } })
    await seen.until('saved')
    expect(readFileSync(path, 'utf8')).toBe('あ本文')
  })

  it('comes back as a conflict where the file was changed meanwhile', async () => {
    const { store, write, watch, service } = documentRig()
    const path = write('a.txt', '他人の')
    store.unsaved.keep({ file: path, at: 1, baseHash: 'another', text: '私の' })
    const seen = await watch('a.txt')
    expect(seen.snapshot).toMatchObject({ text: '私の', conflict: { kind: 'changed' } })
    await service.resolveConflict(seen.snapshot.documentId, 'keep-mine')
    expect(readFileSync(path, 'utf8')).toBe('私の')
    expect(store.unsaved.find(path)).toBeUndefined()
  })

  it.each(['changed', 'removed'] as const)(
    'stays a conflict until the author chooses, also at another start: %s',
    async (kind) => {
      const [root, dataDir] = [tempFolder(), tempFolder()]
      const path = join(root, 'a.txt')
      if (kind === 'changed') writeFileSync(path, '他人の')
      const first = documentRig({ root, dataDir })
      first.store.unsaved.keep({ file: path, at: 1, baseHash: 'another', text: '私の' })
      for (const rig of [first, documentRig({ root, dataDir })]) {
        const seen = await rig.watch('a.txt')
        expect(seen.snapshot).toMatchObject({ text: '私の', conflict: { kind } })
        // The watch of the file reports once when it has begun.
        await rig.service.fileChanged(path)
        await expect(rig.service.save(seen.snapshot.documentId)).rejects.toThrow('document/conflict')
        expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(
          kind === 'changed' ? '他人の' : null,
        )
        await rig.service.close()
      }
    },
  )
})

describe('local history', () => {
  it('has the text at the opening, before a take and before a large deletion, and restores as one change', async () => {
    const { root, service, write, watch } = documentRig()
    const long = 'あ'.repeat(1_500)
    write('a.txt', long)
    const seen = await watch('a.txt')
    const { documentId } = seen.snapshot
    type(service, seen, 1_500, '続き', 'take')
    await service.edit({ root, path: 'a.txt' }, { from: 2, to: 1_402 }, 'transfer')
    const reasons = service.history(documentId).map((entry) => entry.reason)
    // The text before the take is the text at the opening: it is kept once.
    expect(reasons).toEqual(['large-deletion', 'open'])
    const [latest, opening] = service.history(documentId)
    expect(service.readHistory(documentId, latest?.id ?? '')).toBe(`続き${long}`)
    service.restoreHistory(documentId, opening?.id ?? '')
    expect((await service.read({ root, path: 'a.txt' })).text).toBe(long)
    expect(seen.events.filter((event) => event.kind === 'changed')).toHaveLength(3)
    expect(service.history(documentId)[0]?.reason).toBe('restore')
    expect(() => service.readHistory(documentId, 'nothing')).toThrow('file/not-found')
  })
})

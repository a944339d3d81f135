import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { diskWith, systemError } from '../../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { eventually } from '../../../../tests/fakes/eventually.ts'
import { manualClock } from '../../../../tests/fakes/manual-clock.ts'
import { workRig } from '../../../../tests/fakes/rigs/work-rig.ts'
import type { Work, WorkEvent } from '../../../shared/domain/work/work.ts'
import { systemClock } from '../../platform/clock.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { createFolder, listFolder } from '../../platform/files/folder-listing.ts'

function folder(files: Record<string, string | Uint8Array>): string {
  const root = tempFolder()
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

const manuscripts = (work: Work): string[] =>
  work.files.filter((file) => file.kind === 'manuscript').map((file) => file.path)

/** Follows a work's events in the background. */
function follow(events: AsyncGenerator<WorkEvent>): WorkEvent[] {
  const seen: WorkEvent[] = []
  void (async () => {
    for await (const event of events) seen.push(event)
  })()
  return seen
}

describe('a folder as a work', () => {
  it('opens in natural order, with materials apart, and nothing is written', async () => {
    const root = folder({
      '10.txt': '十',
      '2.txt': '二',
      '第三部/第十章.md': '',
      '第三部/第二章.md': '',
      '資料/人物.txt': '',
      'cover.png': '',
      '.hidden.txt': '',
      'node_modules/x.txt': '',
    })
    symlinkSync(tempFolder(), join(root, 'outside'))
    const { service } = workRig()
    const work = await service.open(root)
    expect(manuscripts(work)).toEqual(['2.txt', '10.txt', '第三部/第二章.md', '第三部/第十章.md'])
    expect(work.files.slice(4).map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'other cover.png',
      'folder 資料',
      'material 資料/人物.txt',
      'folder 第三部',
    ])
    expect(work).toMatchObject({ root, hasWorkFile: false, lastPath: null })
    expect(existsSync(join(root, 'work.json'))).toBe(false)
  })

  it('counts characters, of legacy encodings too, and again when a file changes', async () => {
    const root = folder({ '1.txt': iconv.encode('吾輩は猫である。\n　名前は\n', 'cp932') })
    const { service } = workRig()
    const { workId } = await service.open(root)
    const seen = follow(service.watch(workId, new AbortController().signal))
    await eventually(() => expect(service.get(workId).files[0]?.characters).toBe(11))
    expect(service.get(workId).files[0]?.language).toBe('ja')
    writeFileSync(join(root, '1.txt'), '短い')
    await eventually(() => expect(service.get(workId).files[0]?.characters).toBe(2))
    writeFileSync(join(root, '0.txt'), '')
    await eventually(() => expect(manuscripts(service.get(workId))).toEqual(['0.txt', '1.txt']))
    expect(seen.some((event) => event.type === 'files')).toBe(true)
  })

  it('shows the first file before it counts any', async () => {
    const root = folder({ '1.txt': '猫である' })
    const clock = manualClock()
    const { service, texts } = workRig(tempFolder(), clock)
    const { workId } = await service.open(root)
    const first = await texts.watch({ root, path: '1.txt' }, new AbortController().signal).next()
    expect(first.value).toMatchObject({ kind: 'snapshot' })
    expect(service.get(workId).files[0]?.characters).toBeUndefined()
    await clock.advance(500)
    await eventually(() => expect(service.get(workId).files[0]?.characters).toBe(4))
  })

  it('counts a long text in parts as it would whole', async () => {
    const root = folder({ '1.txt': `${'吾輩は猫である。\n\n'.repeat(6_000)}終` })
    const { service } = workRig()
    const { workId } = await service.open(root)
    await eventually(() => expect(service.get(workId).files[0]?.characters).toBe(48_001))
  })

  it('marks what ignore files name, and no more once they do not', async () => {
    const root = folder({ '.gitignore': 'build/\n', 'a.ts': '', 'build/a.js': '' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    const ignored = () =>
      service.get(workId).files.flatMap(({ path, isIgnored }) => (isIgnored ? [path] : []))
    await eventually(() => expect(ignored().sort()).toEqual(['build', 'build/a.js']))
    rmSync(join(root, '.gitignore'))
    await eventually(() => expect(ignored()).toEqual([]))
  })

  it('takes what a session made for material, until the author moves it to the manuscripts', async () => {
    const root = folder({ '1.txt': '' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    const made = { kind: 'write', path: 'outline.md', baseHash: null, bytes: Buffer.from('') } as const
    service.noteMade(root, [made, { ...made, path: '1.txt', baseHash: 'there' }])
    writeFileSync(join(root, 'outline.md'), '')
    const kinds = () => service.get(workId).files.map(({ path, kind }) => `${kind} ${path}`)
    await eventually(() => expect(kinds()).toEqual(['manuscript 1.txt', 'material outline.md']))
    await service.setKind(workId, 'outline.md', 'manuscript')
    expect(manuscripts(service.get(workId))).toEqual(['1.txt', 'outline.md'])
    service.noteMade(root, [{ ...made, path: 'list.md' }])
    writeFileSync(join(root, 'list.md'), '')
    await service.renameFile(workId, 'list.md', 'cast.md')
    expect(manuscripts(service.get(workId))).toEqual(['1.txt', 'outline.md'])
    await expect(service.setKind(workId, 'none.md', 'material')).rejects.toThrow('file/not-found')
  })

  it('takes back a text that was written into a file, by the id of its change', async () => {
    const root = folder({ '1.txt': 'before\n' })
    const { service, changeSets } = workRig()
    const { workId } = await service.open(root)
    const bytes = Buffer.from('after\n')
    const baseHash = contentHash(Buffer.from('before\n'))
    const changes = [{ kind: 'write' as const, path: '1.txt', baseHash, bytes }]
    const { id } = await changeSets.apply({ root, changes })
    expect(await service.restoreFile(workId, id)).toEqual({ path: '1.txt' })
    expect(readFileSync(join(root, '1.txt'), 'utf8')).toBe('before\n')
    const other = await service.open(folder({ '1.txt': '' }))
    await expect(service.restoreFile(other.workId, id)).rejects.toThrow('file/not-found')
  })

  it('keeps order, page and caret of a file that a session moved', async () => {
    const root = folder({ '1.txt': '', '2.txt': '', '3.txt': '' })
    const { service, changeSets } = workRig()
    const { workId } = await service.open(root)
    const place = { anchor: 3, head: 5, top: 1, vertical: null }
    await service.reorder(workId, ['3.txt', '2.txt', '1.txt'])
    await service.setPage(workId, '2.txt', 'en')
    service.keepPlace(workId, '2.txt', place)
    service.setLastPath(workId, '2.txt')
    const changes = [
      { kind: 'move' as const, path: '2.txt', to: '4.txt', baseHash: contentHash(Buffer.from('')) },
    ]
    await service.followMoves({ root, changes }, await changeSets.apply({ root, changes }))
    const work = service.get(workId)
    expect(manuscripts(work)).toEqual(['3.txt', '4.txt', '1.txt'])
    expect(work).toMatchObject({ places: { '4.txt': place }, lastPath: '4.txt' })
    expect(work.files.find(({ path }) => path === '4.txt')?.page).toBe('en')
  })

  it('opens by one of its files, and is the same work at the next start', async () => {
    const root = folder({ '1.txt': '', '2.txt': '' })
    const { service } = workRig()
    const work = await service.open(join(root, '2.txt'))
    expect(work).toMatchObject({ root, lastPath: '2.txt' })
    service.setLastPath(work.workId, '1.txt')
    expect(await service.open(root)).toMatchObject({ workId: work.workId, lastPath: '1.txt' })
    const place = { anchor: 3, head: 5, top: 1, vertical: null }
    service.keepPlace(work.workId, '1.txt', place)
    expect((await service.open(root)).places).toEqual({ '1.txt': place })
    await service.renameFile(work.workId, '1.txt', '3.txt')
    expect((await service.open(root)).places).toEqual({ '3.txt': place })
    expect(service.recent()).toMatchObject([{ root }])
    await expect(service.open(join(root, 'none'))).rejects.toThrow('file/not-found')
  })

  it('keeps the page that the author chose for a text, also under its next name, and forgets it', async () => {
    const root = folder({ '1.txt': '', '2.txt': '' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    const pages = () => service.get(workId).files.map(({ path, page }) => `${path} ${page ?? '-'}`)
    await service.setPage(workId, '1.txt', 'en')
    expect(pages()).toEqual(['1.txt en', '2.txt -'])
    await service.renameFile(workId, '1.txt', '0.txt')
    expect(pages()).toEqual(['0.txt en', '2.txt -'])
    expect(JSON.parse(readFileSync(join(root, 'work.json'), 'utf8'))).toMatchObject({
      pages: { '0.txt': 'en' },
    })
    await service.setPage(workId, '0.txt', null)
    expect(pages()).toEqual(['0.txt -', '2.txt -'])
    await expect(service.setPage(workId, 'none.txt', 'ja')).rejects.toThrow('file/not-found')
  })

  it('that is closed while it looks at its folder ends without its store', async () => {
    const root = folder({ '1.txt': '', '2.txt': '' })
    const { service, close } = workRig()
    const { workId } = await service.open(root)
    const ordered = service.reorder(workId, ['2.txt', '1.txt'])
    await close()
    await ordered
    expect(readFileSync(join(root, 'work.json'), 'utf8')).toContain('2.txt')
  })

  it('sweeps what a dead host left in it', async () => {
    const root = folder({ '1.txt': '', '第一部/1.txt': '' })
    const name = `.tsugi-${'b'.repeat(32)}-${'c'.repeat(12)}.tmp`
    const left = [join(root, name), join(root, '第一部', name)]
    for (const path of left) {
      writeFileSync(path, '')
      utimesSync(path, 1, 1)
    }
    await workRig().service.open(root)
    expect(left.filter((path) => existsSync(path))).toEqual([])
  })
})

describe('work.json', () => {
  it('appears with the first thing to keep, and keeps what it does not know', async () => {
    const root = folder({ '1.txt': '', '2.txt': '' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    await service.updateDetails(workId, { title: '猫', keywords: ['日常'] })
    const path = join(root, 'work.json')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ version: 1, title: '猫', keywords: ['日常'] })
    writeFileSync(path, JSON.stringify({ version: 1, title: '犬', theirs: { a: [1] } }))
    await service.updateDetails(workId, { memo: '覚え' })
    await service.reorder(workId, ['2.txt', '1.txt'])
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      version: 1,
      title: '犬',
      theirs: { a: [1] },
      memo: '覚え',
      order: ['2.txt', '1.txt'],
    })
    expect(service.get(workId)).toMatchObject({ name: '犬', hasWorkFile: true, details: { memo: '覚え' } })
    expect(service.manuscripts(workId).map(({ path }) => path)).toEqual(['2.txt', '1.txt'])
  })

  it('keeps every change of those that are asked for at the same time', async () => {
    const root = folder({ '1.txt': '', '2.txt': '', '3.txt': '' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    await service.setPage(workId, '3.txt', 'ja')
    await Promise.all([
      service.setKind(workId, '1.txt', 'material'),
      service.setKind(workId, '2.txt', 'material'),
      service.setPage(workId, '1.txt', 'en'),
      service.setPage(workId, '2.txt', 'en'),
      service.renameFile(workId, '3.txt', '4.txt'),
    ])
    expect(JSON.parse(readFileSync(join(root, 'work.json'), 'utf8'))).toMatchObject({
      kinds: { '1.txt': 'material', '2.txt': 'material' },
      pages: { '1.txt': 'en', '2.txt': 'en', '4.txt': 'ja' },
    })
  })

  it('keeps what another program wrote into it just before a change', async () => {
    const root = folder({ '1.txt': '', '2.txt': '', 'work.json': '{}' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    const theirs = { date: '2026-11-22', characters: 50, words: 0 }
    writeFileSync(join(root, 'work.json'), JSON.stringify({ kinds: { '2.txt': 'material' }, days: [theirs] }))
    await Promise.all([
      service.setKind(workId, '1.txt', 'material'),
      service.addWritten(workId, { ...theirs, characters: 7 }),
    ])
    expect(JSON.parse(readFileSync(join(root, 'work.json'), 'utf8'))).toMatchObject({
      kinds: { '1.txt': 'material', '2.txt': 'material' },
      days: [{ ...theirs, characters: 57 }],
    })
  })

  it('keeps a goal and the days of writing, and is not made by writing alone', async () => {
    const root = folder({ '1.txt': '' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    const path = join(root, 'work.json')
    const written = { date: '2026-11-22', characters: 120, words: 0 }
    await service.addWritten(workId, written)
    expect(existsSync(path)).toBe(false)
    expect(service.get(workId).progress).toEqual({ goal: null, days: [written], isKept: false })

    await service.setGoal(workId, { count: 2_000, unit: 'characters' })
    await service.addWritten(workId, { ...written, characters: -20 })
    await service.addWritten(workId, { ...written, date: '2026-11-23' })
    const days = [
      { ...written, characters: 100 },
      { ...written, date: '2026-11-23' },
    ]
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      version: 1,
      goal: { count: 2_000, unit: 'characters' },
      days,
    })
    const again = workRig().service
    const { progress } = await again.open(root)
    expect(progress).toEqual({ goal: { count: 2_000, unit: 'characters' }, days, isKept: true })
  })

  it('tells the details with a change that is still being written', async () => {
    const { service } = workRig()
    const { workId } = await service.open(folder({ '1.txt': '' }))
    const written = service.updateDetails(workId, { title: '猫' })
    expect(await service.details(workId)).toMatchObject({ title: '猫' })
    await written
  })

  it.each([['{'], ['[]'], ['{"version":2}'], ['{"title":5}']])(
    'that is damaged (%s) is never written over, and closes no folder',
    async (text) => {
      const root = folder({ '1.txt': '', 'work.json': text })
      const { service } = workRig()
      const work = await service.open(root)
      expect(work.workFileProblem).toBe(text.includes('version') ? 'newer' : 'damaged')
      expect(manuscripts(work)).toEqual(['1.txt'])
      const good = folder({ '1.txt': '' })
      const { workId } = await service.open(good)
      writeFileSync(join(good, 'work.json'), text)
      await expect(service.updateDetails(workId, { title: '猫' })).rejects.toThrow('work/bad-file')
      expect(readFileSync(join(good, 'work.json'), 'utf8')).toBe(text)
    },
  )

  it('is put aside by a repair, which keeps what could be read of it', async () => {
    const text = '{"version":1,"title":5,"memo":"覚え","theirs":[1]}'
    const root = folder({ '1.txt': '', 'work.json': text, 'work.broken.json': 'older' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    const seen = follow(service.watch(workId, new AbortController().signal))
    expect(await service.repairFile(workId)).toBe('work.broken-2.json')
    expect(readFileSync(join(root, 'work.broken-2.json'), 'utf8')).toBe(text)
    expect(readFileSync(join(root, 'work.broken.json'), 'utf8')).toBe('older')
    expect(service.get(workId)).toMatchObject({ workFileProblem: null, details: { memo: '覚え' } })
    await service.updateDetails(workId, { title: '猫' })
    expect(JSON.parse(readFileSync(join(root, 'work.json'), 'utf8'))).toEqual({
      version: 1,
      title: '猫',
      memo: '覚え',
      theirs: [1],
    })
    await eventually(() => expect(seen).toContainEqual({ type: 'work-file', problem: null }))
    expect(await service.repairFile(workId)).toBeNull()
  })

  it('that breaks while the work is open leaves the details as they were, and says so', async () => {
    const root = folder({ '1.txt': '', 'work.json': '{"title":"猫"}' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    writeFileSync(join(root, 'work.json'), '{"title":')
    await eventually(() => expect(service.get(workId).workFileProblem).toBe('damaged'))
    expect(service.get(workId).details.title).toBe('猫')
    writeFileSync(join(root, 'work.json'), '{"title":"犬"}')
    await eventually(() =>
      expect(service.get(workId)).toMatchObject({ workFileProblem: null, details: { title: '犬' } }),
    )
  })

  it('is followed as a link inside of the work only, for reading and for writing', async () => {
    const outside = folder({ 'their.json': '{"title":"秘"}' })
    const root = folder({ '1.txt': '', '設定/own.json': '{"title":"猫"}' })
    symlinkSync('設定/own.json', join(root, 'work.json'))
    const { service } = workRig()
    const { workId } = await service.open(root)
    await service.updateDetails(workId, { memo: '覚え' })
    expect(lstatSync(join(root, 'work.json')).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(join(root, '設定/own.json'), 'utf8')).memo).toBe('覚え')

    rmSync(join(root, 'work.json'))
    symlinkSync(join(outside, 'their.json'), join(root, 'work.json'))
    const again = workRig().service
    const work = await again.open(root)
    expect(work).toMatchObject({ workFileProblem: 'outside', details: { title: '' } })
    await expect(again.updateDetails(work.workId, { memo: 'x' })).rejects.toThrow('file/outside')
    await again.repairFile(work.workId)
    await again.updateDetails(work.workId, { memo: 'x' })
    expect(readFileSync(join(outside, 'their.json'), 'utf8')).toBe('{"title":"秘"}')
  })
})

describe('files of a work', () => {
  it('are made, renamed with what belongs to them, removed and brought back', async () => {
    const root = folder({ '1.txt': '一' })
    const { service, texts } = workRig()
    const { workId } = await service.open(root)
    expect(await service.createFile(workId, '第二章')).toEqual({ path: '第二章.txt' })
    await service.createFile(workId, '港町', '', 'material')
    expect(service.get(workId).files.map(({ path, kind }) => [path, kind])).toContainEqual([
      '港町.txt',
      'material',
    ])
    await service.removeFile(workId, '港町.txt')
    await expect(service.createFile(workId, '1.txt')).rejects.toThrow('file/exists')
    await expect(service.createFile(workId, 'a/../../b')).rejects.toThrow('file/outside')
    await expect(service.createFile(workId, 'aux')).rejects.toThrow('file/bad-name')

    await service.reorder(workId, ['第二章.txt', '1.txt'])
    await texts.edit({ root, path: '1.txt' }, { from: 1, insert: '。続き' }, 'agent')
    expect(await service.renameFile(workId, '1.txt', '前/序.txt')).toEqual({ path: '前/序.txt' })
    expect(readFileSync(join(root, '前/序.txt'), 'utf8')).toBe('一。続き')
    expect(manuscripts(service.get(workId))).toEqual(['第二章.txt', '前/序.txt'])

    const { undoId } = await service.removeFile(workId, '前/序.txt')
    expect(existsSync(join(root, '前/序.txt'))).toBe(false)
    await new Promise((done) => setTimeout(done, 800))
    expect(existsSync(join(root, '前/序.txt'))).toBe(false)
    expect(await service.restoreFile(workId, undoId)).toEqual({ path: '前/序.txt' })
    expect(readFileSync(join(root, '前/序.txt'), 'utf8')).toBe('一。続き')
  })

  it('stay open with their unsaved text where they cannot be removed', async () => {
    const root = folder({ '1.txt': '一' })
    let isLocked = false
    const disk = diskWith({
      rename: async (from, ...rest) => {
        if (isLocked && from.endsWith('1.txt')) throw systemError('EBUSY')
        return nodeDisk.rename(from, ...rest)
      },
    })
    const { service, texts, store } = workRig(tempFolder(), systemClock, disk)
    const { workId } = await service.open(root)
    const events = texts.watch({ root, path: '1.txt' }, new AbortController().signal)
    const first = (await events.next()).value
    if (first?.kind !== 'snapshot') throw new Error('no snapshot')
    const { documentId } = first.snapshot
    isLocked = true
    await expect(service.removeFile(workId, '1.txt')).rejects.toThrow('file/')
    expect(store.history.list(join(root, '1.txt')).map(({ reason }) => reason)).not.toContain('delete')
    texts.change({
      documentId,
      clientId: 'w',
      baseVersion: first.snapshot.version,
      changes: [[1, [0, '。続き']]],
    })
    await texts.save(documentId)
    expect(readFileSync(join(root, '1.txt'), 'utf8')).toBe('一。続き')
    isLocked = false
    await service.removeFile(workId, '1.txt')
    expect(existsSync(join(root, '1.txt'))).toBe(false)
    expect(() => texts.history(documentId)).toThrow('document/not-open')
  })

  it('never take the names that the app itself reads, however they are spelled', async () => {
    const root = folder({ '1.txt': '一', 'work.json': '{}' })
    symlinkSync('.', join(root, 'here'))
    const { service } = workRig()
    const { workId } = await service.open(root)
    const own = [
      'work.json',
      'Work.JSON',
      'here/work.json',
      './work.json',
      'work.json/x.txt',
      '.tsugi/rules.json',
    ]
    for (const path of [
      ...own,
      '.git/config',
      '資料/.git/hooks/x.txt',
      `.tsugi-${'a'.repeat(32)}-${'b'.repeat(12)}.tmp`,
    ]) {
      await expect(service.createFile(workId, path), path).rejects.toThrow(/file\/(bad-name|not-found)/)
      await expect(service.renameFile(workId, '1.txt', path), path).rejects.toThrow(
        /file\/(bad-name|not-found)/,
      )
      await expect(service.removeFile(workId, path), path).rejects.toThrow(/file\/(bad-name|not-found)/)
    }
    await expect(service.exportProject(workId, join(root, 'work.json'))).rejects.toThrow('file/bad-name')
    await expect(service.create(root, 'work.json')).rejects.toThrow('file/bad-name')
    expect(readdirSync(root).sort()).toEqual(['1.txt', 'here', 'work.json'])
  })

  it('say what is wrong with a name that is not there, or that no disk holds', async () => {
    const { service } = workRig()
    const { workId } = await service.open(folder({ '1.txt': '' }))
    await expect(service.renameFile(workId, 'no.txt', '2.txt')).rejects.toThrow('file/not-found')
    await expect(service.removeFile(workId, 'no.txt')).rejects.toThrow('file/not-found')
    const long = `${'長'.repeat(300)}.txt`
    for (const path of [long, `${'a/'.repeat(5000)}b.txt`]) {
      await expect(service.createFile(workId, path)).rejects.toThrow('file/bad-name')
      await expect(service.renameFile(workId, '1.txt', path)).rejects.toThrow('file/bad-name')
      await expect(service.removeFile(workId, path)).rejects.toThrow('file/bad-name')
    }
    await expect(service.create(tempFolder(), '長'.repeat(300))).rejects.toThrow('file/bad-name')
  })

  it('are looked for by whole paths alone, never in the folder that the host was started in', async () => {
    const { service } = workRig()
    const { workId } = await service.open(folder({ '1.txt': '' }))
    for (const path of ['.', '', 'src', '../x', '~', 'a\0b']) {
      await expect(service.open(path), path).rejects.toThrow('file/bad-name')
      await expect(service.create(path, '新作'), path).rejects.toThrow('file/bad-name')
      await expect(service.exportProject(workId, path), path).rejects.toThrow('file/bad-name')
      await expect(createFolder(path, '新作'), path).rejects.toThrow('file/bad-name')
      // The picker reads a place as it is typed; `~` is the user's own folder there.
      if (path !== '~') await expect(listFolder(path), path).rejects.toThrow('file/bad-name')
    }
  })

  it('are made in a new work, which must not be there', async () => {
    const parent = tempFolder()
    const { service } = workRig()
    expect(await service.create(parent, '新作')).toMatchObject({ root: join(parent, '新作'), files: [] })
    await expect(service.create(parent, '新作')).rejects.toThrow('file/exists')
    await expect(service.create(parent, 'a/b')).rejects.toThrow('file/bad-name')
  })
})

describe('project files', () => {
  const project = {
    details: {
      title: '吾輩',
      keywords: ['猫', '{A|B}'],
      genres: [],
      synopsis: 'あらすじ',
      setting: '',
      plot: '',
      dialogue_level: 'やや多い',
      rating: 'r18',
      authors_note: '次の展開',
    },
    main_text: '吾輩は猫である。\n名前はまだ無い。',
    memo_text: '覚え',
  }

  it('open as a folder beside them, once, and are saved again as they were', async () => {
    const parent = folder({ '猫.json': JSON.stringify(project, null, 4) })
    const { service } = workRig()
    const work = await service.open(join(parent, '猫.json'))
    expect(work).toMatchObject({
      root: join(parent, '猫'),
      name: '吾輩',
      details: { dialogueLevel: 'rather-many', rating: 'r18', authorsNote: '次の展開', memo: '覚え' },
    })
    expect(readFileSync(join(parent, '猫/猫.txt'), 'utf8')).toBe(project.main_text)
    expect((await service.open(join(parent, '猫.json'))).workId).toBe(work.workId)
    await expect(service.exportProject(work.workId, join(parent, '猫.json'))).rejects.toThrow('file/exists')
    await service.exportProject(work.workId, join(parent, '猫.json'), true)
    expect(JSON.parse(readFileSync(join(parent, '猫.json'), 'utf8'))).toEqual(project)
    expect(readdirSync(parent).sort()).toEqual(['猫', '猫.json'])
  })

  it('join the manuscripts by one blank line, and are not written over other files', async () => {
    const root = folder({ '1.txt': '一\n\n', '2.txt': '二', 'other.json': '{"a":1}' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    await service.exportProject(workId, join(root, 'out.json'))
    expect(JSON.parse(readFileSync(join(root, 'out.json'), 'utf8'))).toMatchObject({ main_text: '一\n\n二' })
    await expect(service.exportProject(workId, join(root, 'other.json'), true)).rejects.toThrow('file/exists')
    await expect(service.open(join(root, 'other.json'))).rejects.toThrow('work/bad-file')
  })
})

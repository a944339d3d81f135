import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import type { MergedFile } from '../../../shared/domain/session/speculation.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { encodeText } from '../../platform/files/encodings.ts'
import { respellText, shownText } from '../../tools/edits/respell-text.ts'
import { createWritableFolder } from '../../workspace/writable-folder.ts'
import { planAcceptance } from './acceptance-plan.ts'

type Bytes = string | Uint8Array
const bytesOf = (content: Bytes | null): Buffer | null =>
  content === null ? null : Buffer.from(content as string)

function stage(content: Record<string, Bytes>) {
  const root = tempFolder()
  const write = (path: string, text: Bytes): void => writeFileSync(join(root, path), text)
  for (const [path, text] of Object.entries(content)) write(path, text)
  const added = tempFolder()
  const folder = createWritableFolder({
    root,
    added: [added],
    disk: nodeDisk,
    changeSets: { apply: () => Promise.reject(new Error('nothing is applied')), get: () => undefined },
    documents: {
      flush: async () => undefined,
      beginChange: () => () => undefined,
      fileChanged: async () => undefined,
      fileRemoved: async () => undefined,
      fileMoved: () => undefined,
    },
  })
  const plan = (
    files: Record<string, [Bytes | null, Bytes | null]>,
    decided: MergedFile[] = [],
    reads: Record<string, string> = {},
    ignoredTop: string | null = null,
  ) => {
    const overlay = Object.entries(files).map(([path, [base, made]]) => ({
      path,
      baseHash: base === null ? null : contentHash(bytesOf(base) ?? ''),
      baseBytes: bytesOf(base),
      newBytes: bytesOf(made),
      mode: null,
      ignoredTop,
    }))
    const texts = { read: shownText, respell: respellText }
    return planAcceptance(
      folder,
      texts,
      {
        files: async () => overlay,
        reads: () => new Map(Object.entries(reads)),
        staleForCommands: async () => ({ paths: [], hasMore: false }),
      },
      decided,
    )
  }
  return { root, added, write, plan, at: (path: string) => join(root, path) }
}

const decide = (
  path: string,
  current: string | null,
  take: MergedFile['take'],
  text: string | null = null,
) => [{ path, currentHash: current === null ? null : contentHash(current), take, text }]

describe('what stands against an acceptance', () => {
  it('is nothing where the files are as they were found', async () => {
    const { plan } = stage({ 'a.txt': 'a\n', 'c.txt': 'c\n' })
    const made = await plan({ 'a.txt': ['a\n', 'A\n'], 'b/n.txt': [null, 'n\n'], 'c.txt': ['c\n', null] })
    expect(made.conflicts).toEqual([])
    expect(made.wanted.map(({ path }) => path)).toEqual(['a.txt', 'b/n.txt', 'c.txt'])
  })

  it.each([
    ['an edit of a file that changed', { 'a.txt': 'theirs\n' }, ['a\n', 'A\n'], 'changed'],
    ['an edit of a file that is gone', {}, ['a\n', 'A\n'], 'removed'],
    ['a deletion of a file that changed', { 'a.txt': 'theirs\n' }, ['a\n', null], 'changed'],
    ['a new file that somebody made too', { 'a.txt': 'theirs\n' }, [null, 'A\n'], 'appeared'],
  ] as const)('is a conflict with all three texts: %s', async (_name, content, [base, made], why) => {
    const { plan } = stage(content)
    const { conflicts, wanted } = await plan({ 'a.txt': [base, made] })
    const currentText = 'a.txt' in content ? content['a.txt'] : null
    expect(conflicts).toMatchObject([
      { path: 'a.txt', why, isText: true, baseText: base, newText: made, currentText },
    ])
    expect(wanted).toEqual([])
  })

  it('is a folder, a closed file, a link that leads elsewhere', async () => {
    const { plan, at } = stage({ 'closed.txt': 'x\n', 'link.txt': 'x\n', 'real.txt': 'x\n' })
    mkdirSync(at('folder.txt'))
    chmodSync(at('closed.txt'), 0o444)
    rmSync(at('link.txt'))
    symlinkSync('real.txt', at('link.txt'))
    const edit = ['x\n', 'X\n'] as [string, string]
    const { conflicts } = await plan({ 'folder.txt': edit, 'closed.txt': edit, 'link.txt': edit })
    expect(conflicts.map(({ path, why }) => [path, why])).toEqual([
      ['folder.txt', 'folder'],
      ['closed.txt', 'closed'],
      ['link.txt', 'elsewhere'],
    ])
    const kept = conflicts.flatMap(({ path }) => decide(path, path === 'closed.txt' ? 'x\n' : null, 'keep'))
    const made = await plan({ 'folder.txt': edit, 'closed.txt': edit, 'link.txt': edit }, kept)
    expect(made).toMatchObject({ conflicts: [], wanted: [], kept: ['folder.txt', 'closed.txt', 'link.txt'] })
  })

  it('is an ignored file that cannot be put into its place: it is named, and not dropped', async () => {
    const { plan, at, write } = stage({})
    mkdirSync(at('build'))
    mkdirSync(at('build/folder'))
    write('build/closed', 'x')
    chmodSync(at('build/closed'), 0o444)
    write('build/other', 'theirs')
    const made = {
      'build/folder': [null, 'f'],
      'build/closed': ['x', 'X'],
      'build/other': ['o', 'O'],
    } as Record<string, [string | null, string]>
    const { conflicts, wanted } = await plan(made, [], {}, 'build')
    expect(conflicts.map(({ path, why }) => [path, why])).toEqual([
      ['build/folder', 'folder'],
      ['build/closed', 'closed'],
    ])
    expect(wanted.map(({ path }) => path)).toEqual(['build/other'])
    const kept = [...decide('build/folder', null, 'keep'), ...decide('build/closed', 'x', 'keep')]
    expect(await plan(made, kept, {}, 'build')).toMatchObject({
      conflicts: [],
      wanted: [{ path: 'build/other' }],
      kept: ['build/folder', 'build/closed'],
    })
  })

  it('is a folder that became a link outwards', async () => {
    const { plan, at } = stage({})
    const outside = tempFolder()
    writeFileSync(join(outside, 'a.txt'), 'a\n')
    mkdirSync(at('sub'))
    renameSync(at('sub'), at('old'))
    symlinkSync(outside, at('sub'))
    const { conflicts } = await plan({ 'sub/a.txt': ['a\n', 'A\n'] })
    expect(conflicts).toMatchObject([{ why: 'elsewhere', currentText: null }])
  })

  it('in a folder that was added to the session: what was read there is held against it, nothing is changed', async () => {
    const { plan, added } = stage({})
    const [same, other, made] = ['same.txt', 'other.txt', 'made.txt'].map((name) => join(added, name))
    if (same === undefined || other === undefined || made === undefined) throw new Error('three paths')
    writeFileSync(same, 'same\n')
    writeFileSync(other, 'now\n')
    const reads = { [same]: contentHash('same\n'), [other]: contentHash('then\n') }
    const { stale, conflicts, wanted } = await plan({ [made]: [null, 'x\n'] }, [], reads)
    expect(stale).toEqual({ paths: [other], hasMore: false })
    expect(conflicts).toMatchObject([{ path: made, why: 'elsewhere' }])
    expect(wanted).toEqual([])
  })

  it('has no texts where one of them is none', async () => {
    const { plan } = stage({ 'a.bin': Buffer.from([0, 1, 2]) })
    const { conflicts } = await plan({ 'a.bin': [Buffer.from([0, 9]), Buffer.from([0, 8])] })
    expect(conflicts).toMatchObject([{ isText: false, baseText: null, currentText: null, newText: null }])
  })
})

describe('a decided conflict', () => {
  it('takes the text, all of what was made, or nothing', async () => {
    const { plan } = stage({ 'a.txt': 'theirs\n' })
    const files = { 'a.txt': ['a\n', 'A\n'] as [string, string] }
    const result = async (take: MergedFile['take'], text: string | null) => {
      const { wanted, merged, kept } = await plan(files, decide('a.txt', 'theirs\n', take, text))
      return [wanted.map(({ newBytes }) => newBytes && Buffer.from(newBytes).toString()), merged, kept]
    }
    expect(await result('text', 'both\n')).toEqual([['both\n'], ['a.txt'], []])
    expect(await result('text', null)).toEqual([[null], ['a.txt'], []])
    expect(await result('speculated', null)).toEqual([['A\n'], [], []])
    expect(await result('keep', null)).toEqual([[], [], ['a.txt']])
  })

  it('counts for the content that it was made on only', async () => {
    const { plan, write } = stage({ 'a.txt': 'theirs\n' })
    const decided = decide('a.txt', 'theirs\n', 'speculated')
    write('a.txt', 'newer\n')
    const { conflicts, wanted } = await plan({ 'a.txt': ['a\n', 'A\n'] }, decided)
    expect(conflicts).toMatchObject([{ currentText: 'newer\n' }])
    expect(wanted).toEqual([])
  })

  it('keeps the spelling of the file that is there: encoding, line ends, no last line end', async () => {
    const current = encodeText('一\r\n二 theirs\r\n三', 'shift_jis')
    const { plan } = stage({ 'a.txt': current })
    const base = encodeText('一\r\n二\r\n三', 'shift_jis')
    const made = encodeText('壱\r\n二\r\n三', 'shift_jis')
    const decided = [
      { path: 'a.txt', currentHash: contentHash(current), take: 'text' as const, text: '壱\n二 theirs\n三' },
    ]
    const { wanted } = await plan({ 'a.txt': [base, made] }, decided)
    const expected = encodeText('壱\r\n二 theirs\r\n三', 'shift_jis')
    expect(wanted.map(({ newBytes }) => newBytes && Buffer.from(newBytes))).toEqual([expected])
  })

  it('that keeps the place of a moved file taken leaves the file where it was', async () => {
    const { plan } = stage({ 'old.txt': 'text\n', 'new.txt': 'theirs\n' })
    const files = { 'old.txt': ['text\n', null], 'new.txt': [null, 'text\n'] } as Record<
      string,
      [string | null, string | null]
    >
    const { wanted, kept } = await plan(files, decide('new.txt', 'theirs\n', 'keep'))
    expect(wanted).toEqual([])
    expect(kept).toEqual(['new.txt', 'old.txt'])
  })
})

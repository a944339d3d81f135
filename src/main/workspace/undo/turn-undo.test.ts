import { readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { undoStage } from '../../../../tests/fakes/rigs/undo-stage.ts'
import { encodeText } from '../../platform/files/encodings.ts'

function stage(files: Record<string, string> = {}) {
  const made = undoStage(files)
  onTestFinished(made.close)
  return made
}

describe('undo keeps what the user wrote', () => {
  it('between two turns', async () => {
    const { assistant, user, undo, texts } = stage({ a: '1\n2\n3\n' })
    const first = await assistant.write('a', 'X\n2\n3\n')
    user.append('a', 'a paragraph of mine\n')
    const second = await assistant.write('a', 'X\n2\nY\na paragraph of mine\n')
    expect(await undo([first, second])).toMatchObject({ files: ['a'], left: [], kept: [] })
    expect(texts()).toEqual({ a: '1\n2\n3\na paragraph of mine\n' })
  })

  it('before, between and after, and takes back one turn of two', async () => {
    const { assistant, user, undo, texts } = stage({ a: '1\n2\n3\n4\n5\n' })
    user.write('a', 'mine 1\n1\n2\n3\n4\n5\n')
    await assistant.write('a', 'mine 1\nX\n2\n3\n4\n5\n')
    user.write('a', 'mine 1\nX\n2\nmine 2\n3\n4\n5\n')
    const second = await assistant.write('a', 'mine 1\nX\n2\nmine 2\n3\n4\nY\n')
    user.append('a', 'mine 3\n')
    await undo([second])
    expect(texts()).toEqual({ a: 'mine 1\nX\n2\nmine 2\n3\n4\n5\nmine 3\n' })
  })

  it('in a file that the assistant created and touched again', async () => {
    const { assistant, user, undo, texts } = stage()
    const first = await assistant.write('a', 'Title\n')
    user.append('a', 'my chapter\nand more\n')
    const second = await assistant.write('a', 'Better title\nmy chapter\nand more\n')
    await undo([first, second])
    expect(texts()).toEqual({ a: 'my chapter\nand more\n' })
  })

  it('and brings back what the assistant removed of it', async () => {
    const { assistant, user, undo, texts } = stage({ a: '1\n' })
    const first = await assistant.write('a', 'X\n')
    user.append('a', 'mine\n')
    const second = await assistant.write('a', 'Y\n')
    await undo([first, second])
    expect(texts()).toEqual({ a: '1\nmine\n' })
  })

  it('in a file that the assistant created and deleted', async () => {
    const { assistant, user, undo, texts } = stage()
    const first = await assistant.write('a', 'Title\n')
    user.append('a', 'my chapter\n')
    const second = await assistant.remove('a')
    await undo([first, second])
    expect(texts()).toEqual({ a: 'my chapter\n' })
  })

  it('in a file that goes back while another one takes its place, also after a redo', async () => {
    const { assistant, user, undo, redo, texts } = stage({ a: 'A\n', b: 'B\n' })
    const ids = [await assistant.remove('a'), await assistant.move('b', 'a')]
    user.append('a', 'mine\n')
    const { changeSetIds } = await undo(ids)
    expect(texts()).toEqual({ a: 'A\n', b: 'B\nmine\n' })
    await redo(changeSetIds)
    expect(texts()).toEqual({ a: 'B\nmine\n' })
  })

  it('in a file that the assistant deleted after it', async () => {
    const { assistant, user, undo, texts } = stage({ a: '1\n2\n' })
    const first = await assistant.write('a', 'X\n2\n')
    user.append('a', 'mine\n')
    const second = await assistant.remove('a')
    await undo([first, second])
    expect(texts()).toEqual({ a: '1\n2\nmine\n' })
  })
})

describe('lines that both changed', () => {
  it('are asked about, one by one, and stay as they are where nothing was decided', async () => {
    const { assistant, user, undo, preview, texts } = stage({ a: '1\n2\n3\n4\n5\n' })
    const id = await assistant.write('a', 'X\n2\n3\n4\nY\n')
    user.write('a', 'X and mine\n2\n3\n4\nY\n')
    expect(await preview([id])).toMatchObject([
      {
        path: 'a',
        to: 'a',
        keepsEdits: true,
        places: [{ line: 1, former: '1\n', written: 'X\n', current: 'X and mine\n' }],
      },
    ])
    expect(await undo([id])).toMatchObject({ files: ['a'], kept: ['a'] })
    expect(texts()).toEqual({ a: 'X and mine\n2\n3\n4\n5\n' })
  })

  it.each([
    ['current', 'X and mine\n2\n'],
    ['former', '1\n2\n'],
    ['both', 'X and mine\n1\n2\n'],
  ] as const)('become what was decided: %s', async (side, wanted) => {
    const { assistant, user, undo, texts } = stage({ a: '1\n2\n' })
    const id = await assistant.write('a', 'X\n2\n')
    user.write('a', 'X and mine\n2\n')
    expect(await undo([id], side)).toMatchObject({ kept: [] })
    expect(texts()).toEqual({ a: wanted })
  })

  it('are the whole of a file that is no text', async () => {
    const { assistant, user, undo, preview, read } = stage({ a: 'one\0' })
    const id = await assistant.write('a', 'two\0')
    user.write('a', 'mine\0')
    expect(await preview([id])).toMatchObject([{ isWhole: true, places: [{ index: 0 }] }])
    expect(await undo([id])).toMatchObject({ kept: ['a'] })
    expect(read('a')).toBe('mine\0')
    await undo([id], 'former')
    expect(read('a')).toBe('one\0')
  })
})

describe('files that were deleted', () => {
  it('come back under another name, when the user made a new one', async () => {
    const { assistant, user, undo, preview, texts } = stage({ 'a.txt': 'original\n' })
    const ids = [await assistant.remove('a.txt')]
    user.write('a.txt', 'mine\n')
    ids.push(await assistant.write('a.txt', 'mine\nX\n'))
    expect(await preview(ids)).toMatchObject([
      { path: 'a.txt', to: 'a (2).txt', isOccupied: true },
      { path: 'a.txt', to: 'a.txt', isOccupied: false },
    ])
    await undo(ids)
    expect(texts()).toEqual({ 'a (2).txt': 'original\n', 'a.txt': 'mine\n' })
  })

  it('come back beside a later one of the same path whose deletion was taken back before', async () => {
    const { assistant, user, undo, texts } = stage({ a: 'first\n' })
    const first = await assistant.remove('a')
    user.write('a', 'second\n')
    await undo([await assistant.remove('a')])
    await undo([first])
    expect(texts()).toEqual({ a: 'second\n', 'a (2)': 'first\n' })
  })

  it('come back beside a later one of the same path that the assistant made and the user wrote in', async () => {
    const { assistant, user, undo, texts } = stage({ a: 'first\n' })
    const first = await assistant.remove('a')
    const second = await assistant.write('a', 'X\n')
    user.append('a', 'mine\n')
    await undo([second])
    await undo([first])
    expect(texts()).toEqual({ a: 'mine\n', 'a (2)': 'first\n' })
  })

  it('are named where the user removed one that the assistant made and the user wrote in', async () => {
    const { assistant, user, preview } = stage()
    const ids = [await assistant.write('a', 'X\n'), await assistant.write('b', 'Y\n')]
    user.append('a', 'mine\n')
    ids.push(await assistant.write('a', 'X2\n'))
    user.remove('a')
    user.remove('b')
    expect(await preview(ids)).toMatchObject([{ path: 'a', isRemoved: true }])
  })

  it('stay removed, when the user removed them', async () => {
    const { assistant, user, undo, preview, texts } = stage({ a: '1\n' })
    const id = await assistant.write('a', 'X\n')
    user.remove('a')
    expect(await preview([id])).toMatchObject([{ path: 'a', isRemoved: true }])
    expect(await undo([id])).toMatchObject({ files: [], left: [] })
    expect(texts()).toEqual({})
  })

  it.each([0o600, 0o755, 0o640, 0o711, 0o666, 0o602, 0o200, 0o4755, 0o2750, 0o1644])(
    'have their permissions again: %o',
    async (mode) => {
      const { assistant, undo, mode: modeOf, setMode } = stage({ a: '1\n', b: '1\n2\n' })
      setMode('a', mode)
      setMode('b', mode)
      const ids = [
        await assistant.write('a', '2\n'),
        await assistant.remove('a'),
        await assistant.remove('b'),
        await assistant.write('b', 'new\n'),
      ]
      await undo(ids)
      expect([modeOf('a'), modeOf('b')]).toEqual([mode, mode])
    },
  )

  it.each([
    [0o644, 0o755],
    [0o755, 0o600],
    [0o600, 0o444],
  ])('have their permissions again where a command changed those alone: %o, %o', async (before, after) => {
    const { assistant, preview, undo, redo, mode, setMode, texts } = stage({ a: '1\n', b: '2\n' })
    setMode('a', before)
    const ids = [await assistant.write('b', '3\n'), await assistant.setMode('a', after)]
    expect(mode('a')).toBe(after)
    expect(await preview(ids)).toMatchObject([
      { path: 'b', mode: null },
      { path: 'a', to: 'a', mode: before, problem: null, keepsEdits: false },
    ])
    const undone = await undo(ids)
    expect(undone).toMatchObject({ files: expect.arrayContaining(['a', 'b']), left: [], kept: [] })
    expect([mode('a'), texts()]).toEqual([before, { a: '1\n', b: '2\n' }])
    expect(await undo(ids)).toMatchObject({ files: [] })
    await redo(undone.changeSetIds)
    expect([mode('a'), texts()]).toEqual([after, { a: '1\n', b: '3\n' }])
  })

  it('keep the permissions that the user gave them since', async () => {
    const { assistant, user, preview, undo, mode, setMode, texts } = stage({ a: '1\n' })
    setMode('a', 0o644)
    const wider = await assistant.setMode('a', 0o755)
    setMode('a', 0o700)
    expect(await preview([wider])).toEqual([])
    await undo([wider])
    expect(mode('a')).toBe(0o700)
    const again = await assistant.setMode('a', 0o711)
    user.append('a', 'mine\n')
    await undo([wider, again])
    expect([mode('a'), texts()]).toEqual([0o700, { a: '1\nmine\n' }])
  })

  it.each([0o600, 0o755, 0o4750])('have their permissions again where they were moved: %o', async (mode) => {
    const { assistant, undo, redo, mode: modeOf, setMode } = stage({ a: '1\n', b: '2\n' })
    setMode('a', mode)
    setMode('b', 0o640)
    const ids = [
      await assistant.move('a', 'c'),
      await assistant.write('c', '1\nx\n'),
      await assistant.move('b', 'a'),
      await assistant.move('c', 'b'),
    ]
    expect([modeOf('a'), modeOf('b')]).toEqual([0o640, mode])
    const { changeSetIds } = await undo(ids)
    expect([modeOf('a'), modeOf('b')]).toEqual([mode, 0o640])
    await redo(changeSetIds)
    expect([modeOf('a'), modeOf('b')]).toEqual([0o640, mode])
  })

  it.each([0o600, 0o640, 0o444])(
    'never get more permissions than the user left them, moved and written again: %o',
    async (mode) => {
      const { assistant, undo, texts, mode: modeOf, setMode } = stage({ a: '1\n' })
      const ids = [await assistant.move('a', 'b'), await assistant.write('b', '2\n')]
      setMode('b', mode)
      await undo(ids).catch(() => undefined)
      expect(Object.keys(texts()).map(modeOf)).toEqual([mode])
    },
  )

  it('never get more permissions than the user left them', async () => {
    const { assistant, undo, mode, setMode } = stage({ a: '1\n' })
    const ids = [await assistant.remove('a'), await assistant.write('a', '2\n')]
    setMode('a', 0o600)
    await undo(ids)
    expect(mode('a')).toBe(0o600)
  })
})

describe('redo', () => {
  it('makes the changes again, and keeps what was written since', async () => {
    const { assistant, user, undo, redo, texts } = stage({ a: '1\n2\n3\n', gone: 'x\n' })
    const ids = [await assistant.write('a', 'X\n2\n3\n'), await assistant.remove('gone')]
    ids.push(await assistant.write('new', 'n\n'))
    const { changeSetIds } = await undo(ids)
    expect(texts()).toEqual({ a: '1\n2\n3\n', gone: 'x\n' })
    user.append('a', 'mine\n')
    await redo(changeSetIds)
    expect(texts()).toEqual({ a: 'X\n2\n3\nmine\n', new: 'n\n' })
  })

  it('of a deletion takes the former lines of a file that the user wrote in, and they come back again', async () => {
    const { assistant, user, undo, redo, texts } = stage({ a: '1\n' })
    const ids = [await assistant.remove('a')]
    const { changeSetIds } = await undo(ids)
    user.append('a', 'mine\n')
    await redo(changeSetIds)
    expect(texts()).toEqual({ a: 'mine\n' })
    await undo(ids)
    expect(texts()).toEqual({ a: '1\nmine\n' })
  })

  it('can be taken back again, also where files were moved', async () => {
    const { assistant, undo, redo, texts } = stage({ a: '1\n' })
    const ids = [await assistant.write('a', 'X\n'), await assistant.move('a', 'b')]
    const { changeSetIds } = await undo(ids)
    expect(texts()).toEqual({ a: '1\n' })
    await redo(changeSetIds)
    expect(texts()).toEqual({ b: 'X\n' })
    await undo(ids)
    expect(texts()).toEqual({ a: '1\n' })
  })
})

describe('a file that cannot be changed', () => {
  it('is left and named, and holds up no other', async () => {
    const { assistant, undo, texts, setMode } = stage({ a: '1\n', b: '1\n' })
    const ids = [await assistant.write('a', 'X\n'), await assistant.write('b', 'Y\n')]
    setMode('a', 0o444)
    expect(await undo(ids)).toMatchObject({ files: ['b'], left: ['a'] })
    expect(texts()).toEqual({ a: 'X\n', b: '1\n' })
  })

  it('is left where its earlier version is not kept any more, and says so', async () => {
    const { assistant, undo, preview, leftOf, texts, forget } = stage({ a: '1\n', b: '1\n' })
    const ids = [await assistant.write('a', 'X\n'), await assistant.write('b', 'Y\n')]
    await forget('1\n', ids[0] ?? '')
    const gone = { code: 'undo/version-gone', path: 'a' }
    expect(await preview(ids)).toMatchObject([{ problem: gone }, { path: 'b' }])
    expect(await undo(ids)).toMatchObject({ left: ['a', 'b'] })
    expect(texts()).toEqual({ a: 'X\n', b: 'Y\n' })
    await expect(leftOf(ids, 'a')).rejects.toMatchObject({ info: gone })
  })

  it('is left where the encoding that the user gave it lacks a character of what comes back', async () => {
    const { assistant, user, undo, preview, at } = stage({ a: '😀\n1\n' })
    const id = await assistant.write('a', '1\n')
    writeFileSync(at('a'), encodeText('1\n雨です\n', 'shift_jis'))
    const problem = { code: 'file/unencodable', path: 'a', encoding: 'shift_jis', sample: '😀' }
    expect(await preview([id])).toMatchObject([{ isWhole: false, places: [], problem }])
    expect(await undo([id])).toMatchObject({ left: ['a'] })
    user.write('a', '1\n雨です\n')
    expect(await undo([id])).toMatchObject({ left: [] })
  })

  it('is compared with what undo would have made of it, what the user wrote since included', async () => {
    const { assistant, user, undo, leftOf, setMode } = stage({ a: '1\n2\n3\n' })
    const ids = [await assistant.write('a', '1\nX\n3\n')]
    user.append('a', 'mine\n')
    setMode('a', 0o444)
    expect(await undo(ids)).toMatchObject({ files: [], left: ['a'] })
    expect(await leftOf(ids, 'a')).toEqual({ current: '1\nX\n3\nmine\n', wanted: '1\n2\n3\nmine\n' })
    await expect(leftOf(ids, 'other')).rejects.toMatchObject({ info: { code: 'file/not-found' } })
  })

  it('is compared with its former lines where the user wrote over those of the assistant', async () => {
    const { assistant, user, undo, leftOf } = stage({ a: '1\n2\n3\n' })
    const ids = [await assistant.write('a', '1\nX\n3\n')]
    user.write('a', '1\nmine\n3\n')
    expect(await undo(ids)).toMatchObject({ files: [], kept: ['a'] })
    expect(await leftOf(ids, 'a')).toEqual({ current: '1\nmine\n3\n', wanted: '1\n2\n3\n' })
  })
})

describe('an undo whose host ends in its middle', () => {
  it.each([0, 1, 2, 3, 4])('is finished by the next one, behind %i change sets', async (sets) => {
    const ends = []
    for (const isCut of [false, true]) {
      const one = stage({ a: 'one\n\ntwo\n', gone: 'three\n', old: 'four\n' })
      const ids = [
        await one.assistant.write('a', 'ONE\n\ntwo\n'),
        await one.assistant.write('made', 'new\n'),
        await one.assistant.remove('gone'),
        await one.assistant.move('old', 'moved'),
      ]
      one.user.append('a', 'typed by the user\n')
      const changed = one.texts()
      const undone = isCut ? await one.undoThroughEnd(ids, sets) : await one.undo(ids)
      const texts = one.texts()
      await one.redo(undone.changeSetIds)
      ends.push({ texts, left: undone.left, files: undone.files.toSorted(), redone: one.texts() })
      expect(one.texts()).toEqual(changed)
    }
    expect(ends[1]).toEqual(ends[0])
    expect(ends[0]?.texts).toEqual({ a: 'one\n\ntwo\ntyped by the user\n', gone: 'three\n', old: 'four\n' })
  })
})

describe('undo of links and folders', () => {
  it('brings a link back where the assistant wrote a file since', async () => {
    const { assistant, undo, at, texts } = stage({ a: 'A\n' })
    symlinkSync('a', at('link'))
    const link = { kind: 'link', target: 'a' } as const
    const ids = [await assistant.setEntry('link', link, null), await assistant.write('link', 'B\n')]
    expect(await undo(ids)).toMatchObject({ files: ['link'], left: [] })
    expect(readlinkSync(at('link'))).toBe('a')
    expect(texts()).toEqual({ a: 'A\n', link: 'A\n' })
  })

  it('brings an empty folder back where the assistant wrote a file since', async () => {
    const { assistant, undo, at } = stage({ a: 'A\n' })
    const folder = { kind: 'folder', mode: 0o755 } as const
    await assistant.setEntry('kept', null, folder)
    const ids = [await assistant.setEntry('kept', folder, null), await assistant.write('kept', 'B\n')]
    expect(await undo(ids)).toMatchObject({ files: ['kept'], left: [] })
    expect(statSync(at('kept')).isDirectory()).toBe(true)
  })

  it('leaves a file there that the user wrote instead', async () => {
    const { assistant, user, undo, at, texts } = stage({ a: 'A\n' })
    symlinkSync('a', at('link'))
    const ids = [await assistant.setEntry('link', { kind: 'link', target: 'a' }, null)]
    user.write('link', 'mine\n')
    expect(await undo(ids)).toMatchObject({ files: [], left: ['link'] })
    expect(texts()).toEqual({ a: 'A\n', link: 'mine\n' })
  })
})

import { describe, expect, it, onTestFinished } from 'vitest'
import { undoStage } from '../../../../tests/fakes/rigs/undo-stage.ts'

function stage(files: Record<string, string> = {}) {
  const made = undoStage(files)
  onTestFinished(made.close)
  return made
}

describe('files that were moved', () => {
  it('a moved file stays where it is, when the user made a new one in its place', async () => {
    const { assistant, user, undo, preview, texts } = stage({ a: 'original\n' })
    const id = await assistant.move('a', 'b')
    user.write('a', 'a new one of mine\n')
    expect(await preview([id])).toMatchObject([{ path: 'b', to: 'b', isOccupied: true }])
    expect(await undo([id])).toMatchObject({ left: [] })
    expect(texts()).toEqual({ a: 'a new one of mine\n', b: 'original\n' })
  })

  it('go back with what the user wrote in them', async () => {
    const { assistant, user, undo, texts } = stage({ a: '1\n2\n' })
    const ids = [await assistant.write('a', 'X\n2\n'), await assistant.move('a', 'sub/b')]
    user.append('sub/b', 'mine\n')
    await undo(ids)
    expect(texts()).toEqual({ a: '1\n2\nmine\n' })
  })

  it('stay where the user moved them', async () => {
    const { assistant, user, undo, texts } = stage({ a: '1\n' })
    const ids = [await assistant.write('a', 'X\n'), await assistant.move('a', 'b')]
    await user.rename('b', 'c')
    await undo(ids)
    expect(texts()).toEqual({ c: '1\n' })
  })

  it.each([
    ['and stay where the user moved them with another program', '1\n2\n', '1\n2\n'],
    ['and go, with what the assistant created', null, undefined],
  ])('are found %s', async (_what, before, wanted) => {
    const { assistant, user, undo, redo, preview, texts } = stage(before === null ? {} : { a: before })
    const ids = [await assistant.write('a', 'X\n2\n')]
    await user.move('a', 'b')
    expect(await preview(ids)).toMatchObject([{ path: 'b', isRemoved: false }])
    const { changeSetIds } = await undo(ids)
    expect(texts()).toEqual(wanted === undefined ? {} : { b: wanted })
    await redo(changeSetIds)
    expect(texts()).toEqual({ b: 'X\n2\n' })
  })

  it('are one file with what the assistant wrote into them at the other place', async () => {
    const { assistant, user, undo, texts } = stage({ a: '1\n2\n3\n' })
    const ids = [await assistant.write('a', 'X\n2\n3\n')]
    await user.move('a', 'b')
    ids.push(await assistant.write('b', 'X\n2\nY\n'))
    user.append('b', 'mine\n')
    await undo(ids)
    expect(texts()).toEqual({ b: '1\n2\n3\nmine\n' })
  })

  it('are left alone where several files could be the moved one, or its place has another file now', async () => {
    const { assistant, user, undo, preview, texts } = stage({ a: '1\n' })
    const ids = [await assistant.write('a', 'X\n')]
    await user.move('a', 'b')
    user.write('c', 'X\n')
    expect(await preview(ids)).toMatchObject([{ path: 'a', isRemoved: true }])
    ids.push(await assistant.write('a', 'new\n'))
    user.append('a', 'mine\n')
    await undo(ids)
    expect(texts()).toEqual({ a: 'mine\n', b: 'X\n', c: 'X\n' })
  })

  it('change places again, with what the user wrote and with their permissions', async () => {
    const { assistant, user, undo, redo, texts, mode, setMode } = stage({ a: 'A\n', b: 'B\n' })
    setMode('a', 0o600)
    const ids = [
      await assistant.move('a', 'tmp'),
      await assistant.move('b', 'a'),
      await assistant.move('tmp', 'b'),
    ]
    user.append('b', 'mine\n')
    const { changeSetIds } = await undo(ids)
    expect(texts()).toEqual({ a: 'A\nmine\n', b: 'B\n' })
    expect([mode('a'), mode('b')]).toEqual([0o600, 0o644])
    await redo(changeSetIds)
    expect(texts()).toEqual({ a: 'B\n', b: 'A\nmine\n' })
    expect([mode('a'), mode('b')]).toEqual([0o644, 0o600])
  })
})

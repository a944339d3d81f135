import { describe, expect, it, onTestFinished } from 'vitest'
import { undoStage } from '../../../../tests/fakes/undo-stage.ts'

function stage(files: Record<string, string> = {}) {
  const made = undoStage(files)
  onTestFinished(made.close)
  return made
}

describe('the files of a turn', () => {
  it('are named once each, from the first text to the last', async () => {
    const { assistant, files } = stage({ a: '1\n2\n', b: 'B\n' })
    const ids = [
      await assistant.write('a', 'X\n2\n'),
      await assistant.write('b', 'Z\n'),
      await assistant.write('a', 'X\nY\n'),
    ]
    expect(await files(ids)).toEqual([
      { path: 'a', from: null, texts: { old: '1\n2\n', new: 'X\nY\n' } },
      { path: 'b', from: null, texts: { old: 'B\n', new: 'Z\n' } },
    ])
  })

  it('tell nothing of what the user wrote between two edits', async () => {
    const { assistant, user, files } = stage({ a: '1\n2\n3\n' })
    const first = await assistant.write('a', 'X\n2\n3\n')
    user.append('a', 'mine\n')
    const second = await assistant.write('a', 'X\n2\nY\nmine\n')
    expect(await files([first, second])).toMatchObject([
      { texts: { old: '1\n2\n3\nmine\n', new: 'X\n2\nY\nmine\n' } },
    ])
  })

  it('stay known after an undo, and a later turn adds nothing', async () => {
    const { assistant, undo, files } = stage({ a: '1\n' })
    const first = await assistant.write('a', '2\n')
    const later = await assistant.write('a', '3\n')
    await undo([first, later])
    expect(await files([first])).toMatchObject([{ path: 'a', texts: { old: '1\n', new: '2\n' } }])
  })

  it('that were made, moved or deleted say so by their texts and paths', async () => {
    const { assistant, files } = stage({ a: 'A\n', gone: 'G\n' })
    const ids = [
      await assistant.write('made', 'M\n'),
      await assistant.move('a', 'b'),
      await assistant.write('b', 'B\n'),
      await assistant.remove('gone'),
    ]
    expect(await files(ids)).toEqual([
      { path: 'made', from: null, texts: { old: null, new: 'M\n' } },
      { path: 'b', from: 'a', texts: { old: 'A\n', new: 'B\n' } },
      { path: 'gone', from: null, texts: { old: 'G\n', new: null } },
    ])
  })

  it('that are no text, or too long to show, have no texts', async () => {
    const { assistant, files } = stage({ long: 'x\n', binary: 'a\0b' })
    const ids = [
      await assistant.write('long', 'x'.repeat(1_000_001)),
      await assistant.write('binary', 'a\0\u0001c'),
    ]
    expect((await files(ids)).map(({ texts }) => texts)).toEqual([null, null])
  })
})

import { describe, expect, it } from 'vitest'
import { summaryRig as rig } from '../../../../tests/fakes/rigs/summary-rig.ts'
import { wholePath } from '../../../shared/domain/lore/summary-source.ts'
import { markSource, writeSummary } from './summary-file.ts'

const whole = '資料/あらすじ/全体.md'
const summaryOf = (name: string) => `資料/あらすじ/${name}.md`

describe('the summary of several chapters', () => {
  const files = (listed: string) => ({
    '1.txt': '　一。\n',
    '3.txt': '　三。\n',
    '4.txt': '　四。\n',
    '9.txt': '　今。\n',
    [whole]: `---\nepisodes: ${listed}\n---\n全部の話。\n`,
    [summaryOf('4')]: '四の話。\n',
  })

  it('still covers the others where one of its chapters is gone or has become a material', async () => {
    const { story, list } = rig(files('[1.txt, 2.txt, 資料/旧.md, 3.txt]'))
    const { whole: together } = await story('9.txt')
    expect(together).toMatchObject({ text: '全部の話。', episodes: ['1.txt', '3.txt'] })
    expect((await list()).whole.episodes).toEqual(['1.txt', '3.txt'])
  })

  it('names the chapters that are there when it is made anew', async () => {
    const { make, accept, texts } = rig(files('[1.txt, 2.txt, 3.txt]'), [{ text: '新しい全部。' }])
    await make({ kind: 'whole', episodes: ['4.txt'] })
    await accept(wholePath, '新しい全部。', '全部の話。')
    expect(texts[whole]).toContain('episodes:\n  - 1.txt\n  - 3.txt\n  - 4.txt\n')
  })

  it('is not told where every chapter that it names is gone, but is where its author names none', async () => {
    expect((await rig(files('[2.txt]')).story('9.txt')).whole).toBeNull()
    expect((await rig(files('[]')).story('9.txt')).whole).toMatchObject({ text: '全部の話。' })
  })
})

describe('the summary of several chapters, once one of them has changed', () => {
  const both = { kind: 'whole' as const, episodes: ['1.txt', '2.txt'] }
  const files = {
    '1.txt': '　一。\n',
    '2.txt': '　二。\n',
    '9.txt': '　今。\n',
    [summaryOf('1')]: '一の話。\n',
    [summaryOf('2')]: '二の話。\n',
  }

  it('is outdated, and made anew of the summaries of its chapters alone', async () => {
    const { make, accept, list, story, texts, asked } = rig({ ...files }, [
      { text: '全部の話。' },
      { text: '新しい全部。' },
    ])
    await make(both)
    await accept(wholePath, '全部の話。', '')
    expect((await list()).whole).toMatchObject({ state: 'current', changed: [] })

    texts['2.txt'] = '　まったく別の夜。\n'
    expect((await list()).whole).toMatchObject({ state: 'outdated', changed: ['2.txt'] })
    const { whole: told } = await story('9.txt')
    expect(['1.txt', '2.txt'].map((path) => told?.isOutdated(path, texts[path] ?? ''))).toEqual([false, true])

    await make(both)
    expect(JSON.stringify(asked.at(-1))).toContain('一の話。\\n\\n二の話。')
    expect(JSON.stringify(asked.at(-1))).not.toContain('全部の話。')
    await accept(wholePath, '新しい全部。', '全部の話。')
    expect((await list()).whole).toMatchObject({ state: 'current', changed: [], text: '新しい全部。' })
  })

  it('is outdated from the beginning where the summary of a chapter was outdated', async () => {
    const old = writeSummary('二の話。', { mark: markSource('　前の夜。\n') })
    const { make, accept, list } = rig({ ...files, [summaryOf('2')]: old })
    await make(both)
    await accept(wholePath, '全部の話。', '')
    expect((await list()).whole).toMatchObject({ state: 'outdated', changed: ['2.txt'] })
  })

  it('is the author’s own, and never outdated, where its file does not say what it was made from', async () => {
    const own = '---\nepisodes: [1.txt]\n---\n私の全部。\n'
    const { list } = rig({ ...files, [whole]: own })
    expect((await list()).whole).toMatchObject({ state: 'own', changed: [] })
  })
})

it('a summary that ended at the limit of tokens is offered as cut, and one that did not is not', async () => {
  const answers = [{ text: '雨が降り', end: 'length' as const }, { text: '風が吹いた。' }]
  const { make, list } = rig({ '1.txt': '　雨。\n', '2.txt': '　風。\n' }, answers)
  await make({ kind: 'episode', path: '1.txt' }, { kind: 'episode', path: '2.txt' })
  const { episodes } = await list()
  expect(episodes.map(({ offer }) => offer)).toMatchObject([
    { text: '雨が降り', isCut: true },
    { text: '風が吹いた。', isCut: false },
  ])
})

it('a chapter that cannot be read or has no text is named, and the others are summarised', async () => {
  const { make, list, unreadable, asked } = rig({ '1.txt': '', '2.txt': '\n', '3.txt': '　風。\n' })
  unreadable.add('1.txt')
  expect((await list()).episodes.map(({ state }) => state)).toEqual(['none', 'none', 'none'])
  const events = await make(
    ...['1.txt', '2.txt', '3.txt'].map((path) => ({ kind: 'episode' as const, path })),
  )
  expect(events.filter(({ type }) => type === 'skipped' || type === 'made')).toEqual([
    { type: 'skipped', target: 0, error: { code: 'file/not-text', path: '1.txt' } },
    { type: 'skipped', target: 1, error: null },
    { type: 'made', target: 2 },
  ])
  expect(asked).toHaveLength(1)
})

describe('a summary whose file cannot be read', () => {
  const files = {
    '1.txt': '　一。\n',
    '2.txt': '　二。\n',
    '9.txt': '　今。\n',
    [summaryOf('1')]: '一の話。\n',
    [whole]: '---\nepisodes: [1.txt]\n---\n全部の話。\n',
  }
  const unread = (path: string) => ({ code: 'file/not-text', path })
  const refused = (path: string) => ({ code: 'lore/unread-summary', path })

  it('is listed as unreadable with the reason, and among what a prompt lacks', async () => {
    const { list, story, unreadable } = rig({ ...files })
    unreadable.add(summaryOf('1')).add(whole)
    const { episodes, whole: together } = await list()
    expect(episodes.map(({ state, error }) => ({ state, error }))).toEqual([
      { state: 'unreadable', error: unread(summaryOf('1')) },
      { state: 'none', error: null },
      { state: 'none', error: null },
    ])
    expect(together).toMatchObject({ state: 'unreadable', error: unread(whole), text: '' })
    expect(await story('9.txt')).toMatchObject({
      episodes: [],
      whole: null,
      unread: [
        { path: '1.txt', file: summaryOf('1'), error: unread(summaryOf('1')) },
        { path: null, file: whole, error: unread(whole) },
      ],
    })
  })

  it('on a disk that does not answer is waited for once, and said', async () => {
    const { list, story, silent } = rig({ ...files, [summaryOf('2')]: '二の話。\n' })
    silent.add(summaryOf('1')).add(whole).add('2.txt')
    const error = (path: string) => ({ code: 'file/failed', path, reason: 'no answer' })
    const { episodes, whole: together } = await list()
    expect(episodes.map(({ state, error: why }) => [state, why])).toEqual([
      ['unreadable', error(summaryOf('1'))],
      ['own', null],
      ['none', null],
    ])
    expect(together).toMatchObject({ state: 'unreadable', error: error(whole) })
    expect((await story('9.txt')).unread.map(({ file }) => file)).toEqual([summaryOf('1'), whole])
  })

  it('is not made anew, and the model is not asked', async () => {
    const { make, unreadable, asked } = rig({ ...files })
    unreadable.add(summaryOf('1')).add(whole)
    const events = await make(
      { kind: 'episode', path: '1.txt' },
      { kind: 'whole', episodes: ['2.txt'] },
      { kind: 'episode', path: '2.txt' },
    )
    expect(events.filter(({ type }) => type === 'skipped' || type === 'made')).toEqual([
      { type: 'skipped', target: 0, error: refused(summaryOf('1')) },
      { type: 'skipped', target: 1, error: refused(whole) },
      { type: 'made', target: 2 },
    ])
    expect(asked).toHaveLength(1)
  })

  it('is not overwritten by an offer that was made before', async () => {
    const { make, accept, list, unreadable, texts } = rig({ ...files }, [{ text: '新しい話。' }])
    await make({ kind: 'episode', path: '1.txt' })
    unreadable.add(summaryOf('1'))
    await expect(accept('1.txt', '新しい話。', '')).rejects.toMatchObject({
      info: refused(summaryOf('1')),
    })
    expect(texts[summaryOf('1')]).toBe('一の話。\n')
    expect((await list()).episodes[0]?.offer).toMatchObject({ text: '新しい話。' })
  })
})

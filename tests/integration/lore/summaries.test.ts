import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SummaryTarget } from '../../../src/shared/domain/lore/chapter-summary.ts'
import { wholePath } from '../../../src/shared/domain/lore/summary-source.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { openLoreApp, openScriptedNovel } from '../../fakes/rigs/lore-app.ts'
import { createFakeLlamaServer } from '../../fakes/servers/fake-llama-server.ts'
import type { AskedRequest } from '../../fakes/servers/llama/answer.ts'

const chapter = (name: string, lines: number) =>
  Array.from({ length: lines }, (_, i) => `　${name}の${i}番目の夜、雨は降り続いていた。\n`).join('')

async function openNovel(files: Record<string, string>, answers: string[] = [], contextTokens = 2048) {
  const asked: string[] = []
  const always = { text: '' }
  const say = ({ prompt }: AskedRequest): string => {
    asked.push(prompt)
    return always.text || (answers[asked.length - 1] ?? '続き。')
  }
  const novel = await openScriptedNovel(files, { say, contextTokens })
  const { api, context, workId } = novel
  const list = () => api['summary.list']({ workId }, context)
  const offered = async (path: string) => {
    const { episodes, whole } = await list()
    const shown = path === wholePath ? whole : episodes.find((one) => one.path === path)
    return shown?.offer?.takeId ?? ''
  }
  const onDisk = (path: string) => readFile(join(novel.root, path), 'utf8')
  return {
    ...novel,
    asked,
    always,
    onDisk,
    list,
    /** Decides about the offer of a chapter, or of several. */
    async accept(path: string, text: string, replaces: string) {
      await api['summary.accept']({ workId, takeId: await offered(path), text, replaces }, context)
      return list()
    },
    async discard(path: string) {
      await api['summary.discard']({ workId, takeId: await offered(path) }, context)
      return list()
    },
    takes: async (path: string) =>
      (await api['take.list']({ workId, path, mode: 'summary', limit: 50 }, context)).takes,
    async make(...targets: SummaryTarget[]) {
      const events = []
      for await (const event of api['summary.make']({ workId, targets }, context)) events.push(event)
      return events
    },
  }
}
const first = { kind: 'episode', path: '000.txt' } as const
const summaryFile = '資料/あらすじ/000.md'
/** Two early chapters, of which a context of 2,048 tokens has no room for the first. */
const longNovel = { '000.txt': chapter('始', 40), '001.txt': chapter('今', 60) }

describe('summaries of chapters', () => {
  it('whose file cannot be read are reported as left out of a prompt, not as missing, and stay as they are', async () => {
    const binary = '\0\x01\x02'.repeat(500)
    const novel = await openNovel({ ...longNovel, [summaryFile]: binary })
    const error = { code: 'file/not-text', path: summaryFile }
    const { story } = await novel.preview()
    expect(story).toMatchObject({
      uses: [],
      missing: [],
      unread: [{ path: '000.txt', file: summaryFile, error }],
    })
    expect((await novel.list()).episodes[0]).toMatchObject({ state: 'unreadable', error, offer: null })
    const refused = { code: 'lore/unread-summary', path: summaryFile }
    expect(await novel.make(first)).toEqual([{ type: 'skipped', target: 0, error: refused }])
    expect(await novel.onDisk(summaryFile)).toBe(binary)
  })

  it('are offered, written when they are accepted, told to the model, and outdated by a change', async () => {
    const novel = await openNovel(longNovel)
    const { api, context, workId } = novel
    const plain = await novel.preview()
    expect(plain.story).toMatchObject({ uses: [], missing: ['000.txt'], usedTokens: 0 })

    novel.always.text = '<think>\nIt rains.\n</think>\n\n　雨が降った。'
    expect((await novel.make(first)).at(-1)).toEqual({ type: 'made', target: 0 })
    const offered = await novel.list()
    expect(offered.episodes[0]).toMatchObject({ state: 'none', text: '', offer: { text: '雨が降った。' } })
    expect((await novel.preview()).parts).toEqual(plain.parts)
    await expect(novel.onDisk(summaryFile)).rejects.toThrow('ENOENT')

    const accept = (text: string, replaces: string) => novel.accept('000.txt', text, replaces)
    const accepted = await accept('雨が、降った。', '')
    expect(accepted.episodes[0]).toMatchObject({ state: 'current', text: '雨が、降った。', offer: null })
    expect(await novel.onDisk(summaryFile)).toMatch(
      /^---\nmade-from: [0-9a-f]{16}\nsample: .+\n---\n雨が、降った。\n$/,
    )
    const told = await novel.preview()
    expect(told.parts.find(({ origin }) => origin === 'story')?.text).toContain(
      '# これまでのあらすじ:\n雨が、降った。',
    )
    expect(told.story).toMatchObject({ uses: [{ path: '000.txt', place: 'standing' }], missing: [] })

    const events = api['document.watch']({ workId, path: '000.txt' }, context)[Symbol.asyncIterator]()
    const { value } = await events.next()
    if (value?.kind !== 'snapshot') throw new Error('the watch began without a snapshot')
    const { documentId, version, text } = value.snapshot
    const change = [[0, ...chapter('別', 30).split('\n')] as [number, ...string[]], text.length]
    await api['document.change'](
      { documentId, clientId: 'test', baseVersion: version, changes: [change] },
      context,
    )
    expect((await novel.list()).episodes[0]?.state).toBe('outdated')
    expect((await novel.preview()).story?.uses[0]?.isOutdated).toBe(true)

    novel.always.text = '雨がやんだ。'
    await novel.make(first)
    await expect(accept('雨がやんだ。', '別の文')).rejects.toThrow('file/changed')
    expect((await accept('雨がやんだ。', '雨が、降った。')).episodes[0]).toMatchObject({
      state: 'current',
      text: '雨がやんだ。',
    })
  })

  it('follow a chapter to its new name, with what is offered and what covers several', async () => {
    const whole = '資料/あらすじ/全体.md'
    const novel = await openNovel(
      {
        '000.txt': '　雨。\n',
        '001.txt': '',
        [summaryFile]: '雨の話。\n',
        [whole]: '---\nepisodes: [000.txt]\n---\n全部。\n',
      },
      ['別の話。'],
    )
    const { api, context, workId } = novel
    await novel.make(first)
    await api['work.renameFile']({ workId, path: '000.txt', newPath: '第一部/序.txt' }, context)
    const { episodes, whole: together } = await novel.list()
    expect(episodes.find(({ path }) => path === '第一部/序.txt')).toMatchObject({
      file: '資料/あらすじ/第一部/序.md',
      text: '雨の話。',
      offer: { text: '別の話。' },
    })
    expect(together).toMatchObject({ text: '全部。', episodes: ['第一部/序.txt'] })
  })

  it('of a chapter that is renamed meanwhile are offered for it', async () => {
    const novel = await openNovel({ '000.txt': '　雨。\n', '001.txt': '' }, ['雨の話。'])
    const { api, context, workId } = novel
    const making = api['summary.make']({ workId, targets: [first] }, context)[Symbol.asyncIterator]()
    await making.next()
    await api['work.renameFile']({ workId, path: '000.txt', newPath: '00.txt' }, context)
    while (!(await making.next()).done);
    expect((await novel.list()).episodes[0]).toMatchObject({ path: '00.txt', offer: { text: '雨の話。' } })
  })

  it('of chapters that differ only in their endings are kept apart, also after a rename', async () => {
    const novel = await openNovel({ '000.md': '　雪。\n', '001.txt': '', '002.txt': '　雨。\n' }, [
      '雪の話。',
      '雨の話。',
    ])
    const { api, context, workId } = novel
    for (const [path, text] of [
      ['000.md', '雪の話。'],
      ['002.txt', '雨の話。'],
    ] as const) {
      const place = { kind: 'episode', path } as const
      await novel.make(place)
      await novel.accept(path, text, '')
    }
    await api['work.renameFile']({ workId, path: '002.txt', newPath: '000.txt' }, context)
    const { episodes } = await novel.list()
    const texts = Object.fromEntries(episodes.map(({ path, text, state }) => [path, `${state} ${text}`]))
    expect(texts).toEqual({ '000.md': 'current 雪の話。', '000.txt': 'current 雨の話。', '001.txt': 'none ' })
  })

  it('leave the prompt as it is where nothing was left behind, and are the author’s own where he wrote them', async () => {
    const files = { '000.txt': '　始まり。\n', '001.txt': chapter('今', 5) }
    const plain = await (await openNovel(files)).preview()
    const novel = await openNovel({ ...files, [summaryFile]: '　私のあらすじ。\n' })
    const told = await novel.preview()
    expect(told.parts).toEqual(plain.parts)
    expect(told.story).toBeNull()
    expect((await novel.list()).episodes[0]).toMatchObject({ state: 'own', text: '私のあらすじ。' })
  })

  it('are made of what the author shows to a model, without comments', async () => {
    const text =
      '　隠した章。\n@startpoint\n　雨が降った。\n@// 犯人は猫\n　夜が明けた。\n@endpoint\n　覚え書き。\n'
    const novel = await openNovel({ '000.txt': text, '001.txt': '' }, ['雨の話。'])
    expect((await novel.make(first)).at(-1)).toEqual({ type: 'made', target: 0 })
    expect(novel.asked[0]).toMatch(/雨が降った。\n\n　夜が明けた。/)
    expect(novel.asked[0]).not.toMatch(/犯人|隠した|覚え|@/)
    await novel.accept('000.txt', '雨の話。', '')
    expect((await novel.list()).episodes[0]?.state).toBe('current')
  })

  it('of a work whose materials lie beside its chapters are no chapters', async () => {
    const novel = await openNovel(
      { '第一部/000.txt': '　雨。\n', '第一部/設定/猫.md': '　黒い。\n', '001.txt': '' },
      ['雨の話。'],
    )
    await novel.make({ kind: 'episode', path: '第一部/000.txt' })
    await novel.accept('第一部/000.txt', '雨の話。', '')
    const { episodes } = await novel.list()
    expect(episodes.map(({ path, state }) => [path, state])).toEqual([
      ['001.txt', 'none'],
      ['第一部/000.txt', 'current'],
    ])
  })

  it('of a long chapter are made piece by piece, each with the summary so far; a discarded one stays among the takes', async () => {
    const novel = await openNovel(
      { '000.txt': chapter('長', 150), '001.txt': '　今。\n' },
      ['一', '二', '三'],
      4096,
    )
    const events = await novel.make(first)
    const pieces = events.filter(({ type }) => type === 'piece').length
    expect(pieces).toBeGreaterThan(1)
    expect(novel.asked).toHaveLength(pieces)
    expect(novel.asked[1]).toContain('【これまでのあらすじ】\n```\n一\n```')
    // The instruction, which all pieces begin with, is read once.
    const [, ...later] = novel.server.counts.generations
    for (const { reusedTokens } of later) expect(reusedTokens).toBeGreaterThan(120)

    const discarded = await novel.discard('000.txt')
    expect(discarded.episodes[0]).toMatchObject({ offer: null, takes: pieces })
    const takes = await novel.takes('000.txt')
    expect(takes.map(({ text, state }) => [text, state])).toEqual(
      ['一', '二', '三']
        .slice(0, pieces)
        .map((text) => [text, 'dismissed'])
        .toReversed(),
    )
    for (const [index, { takeId }] of takes.toReversed().entries()) {
      const { prompt } = await novel.api['take.get']({ takeId }, novel.context)
      expect(prompt.map(({ text }) => text).join('')).toBe(novel.asked[index])
    }
  })

  it('that do not fit give way from the oldest on, and one of them all stands in their place', async () => {
    const old = Object.fromEntries(
      Array.from({ length: 6 }, (_, i) => [`資料/あらすじ/${i}.md`, `　${i}：${'あらすじ。'.repeat(14)}\n`]),
    )
    const early = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`${i}.txt`, chapter(`${i}`, 5)]))
    const novel = await openNovel({ ...early, ...old, '6.txt': '', '001.txt': '' }, ['全部の話。'])
    const { api, context, workId } = novel
    const preview = async () =>
      api['draft.preview']({ workId, path: '6.txt', mode: 'generate', ideaTarget: 'all' }, context)
    await api['settings.update']({ patch: { drafting: { limitBodyToOpenFile: true } } }, context)
    const uses = (await preview()).story?.uses ?? []
    const leftOut = uses.flatMap(({ place, path }) => (place === 'left-out' && path !== null ? [path] : []))
    expect(leftOut.length).toBeGreaterThan(0)
    expect(uses.map(({ path }) => path).slice(0, leftOut.length)).toEqual(leftOut)

    await novel.make({ kind: 'whole', episodes: leftOut })
    await novel.accept(wholePath, '全部の話。', '')
    expect(await novel.onDisk('資料/あらすじ/全体.md')).toContain('全部の話。')
    const after = (await preview()).story
    expect(after?.uses[0]).toMatchObject({ path: null, place: 'standing' })
    expect(after?.uses.some(({ path }) => path !== null && leftOut.includes(path))).toBe(false)
  })

  it('of several chapters cover only those whose summaries they were made of', async () => {
    const novel = await openNovel({ ...longNovel, '002.txt': '', [summaryFile]: '　雨が降った。\n' })
    await novel.make({ kind: 'whole', episodes: ['000.txt', '001.txt'] })
    const { whole } = await novel.accept(wholePath, '全部。', '')
    expect(whole.episodes).toEqual(['000.txt'])
  })

  it('follow a chapter that is renamed: its own, what is offered, and one of several chapters', async () => {
    const whole = '資料/あらすじ/全体.md'
    const novel = await openNovel({
      ...longNovel,
      [summaryFile]: '　雨が降った。\n',
      [whole]: '---\n# 私の\nepisodes:\n  - 000.txt\n---\n　全部の話。\n',
    })
    novel.always.text = '雨がやんだ。'
    const { api, context, workId } = novel
    await novel.make(first)
    await api['work.renameFile']({ workId, path: '000.txt', newPath: '000 始.txt' }, context)
    expect((await novel.list()).episodes[0]).toMatchObject({
      path: '000 始.txt',
      file: '資料/あらすじ/000 始.md',
      text: '雨が降った。',
      offer: { text: '雨がやんだ。' },
    })
    expect(await novel.onDisk(summaryFile).catch(() => null)).toBeNull()
    expect((await novel.list()).whole.episodes).toEqual(['000 始.txt'])
    expect((await novel.preview()).story?.uses).toMatchObject([{ path: null, file: whole }])
  })

  it('of the author’s own stay in the local history when a model’s text replaces them', async () => {
    const own = '　私のあらすじ。\n'
    const novel = await openNovel({ ...longNovel, [summaryFile]: own }, ['雨の話。'])
    const { api, context, workId } = novel
    const events = api['document.watch']({ workId, path: summaryFile }, context)[Symbol.asyncIterator]()
    const { value } = await events.next()
    if (value?.kind !== 'snapshot') throw new Error('the watch began without a snapshot')
    const { documentId, version } = value.snapshot
    const change = [[0, '　今書いた。'] as [number, ...string[]], own.length]
    await api['document.change'](
      { documentId, clientId: 'test', baseVersion: version, changes: [change] },
      context,
    )
    await novel.make(first)
    const { state, text = '' } = (await novel.list()).episodes[0] ?? {}
    expect(state).toBe('own')
    await novel.accept('000.txt', '雨の話。', text)
    const { entries } = await api['history.list']({ documentId }, context)
    const entryId = entries.find(({ reason }) => reason === 'replace')?.id ?? ''
    const kept = await api['history.read']({ documentId, entryId }, context)
    expect(kept.text).toBe(`　今書いた。${own}`)
  })

  it('that are stopped are offered as far as they were written, by the next host, too, with the author’s changes', async () => {
    const home = tempFolder()
    const server = await createFakeLlamaServer({
      answer: () => ({ text: '雨の夜の長い話。'.repeat(20) }),
      contextTokens: 2048,
      slots: 1,
      tokenMs: 5,
    })
    onTestFinished(() => server.close())
    const novel = await openLoreApp(home, server.address, longNovel)
    const { api, workId } = novel
    const stop = new AbortController()
    const making = async () => {
      let text = ''
      for await (const event of api['summary.make']({ workId, targets: [first] }, { signal: stop.signal })) {
        if (event.type === 'text') text += event.text
        if (text.length > 10) stop.abort()
      }
    }
    await making().catch(() => undefined)
    const offered = async ({ api: host, context }: typeof novel) =>
      (await host['summary.list']({ workId }, context)).episodes[0]?.offer
    await expect.poll(() => offered(novel)).toMatchObject({ isPartial: true, isEdited: false })
    const { takeId = '', text = '' } = (await offered(novel)) ?? {}
    expect('雨の夜の長い話。'.repeat(20).startsWith(text) && text.length > 5).toBe(true)
    await api['summary.edit']({ workId, takeId, text: '雨の夜の話。' }, novel.context)
    await novel.close()

    const next = await openLoreApp(home, server.address, longNovel)
    onTestFinished(() => next.close())
    expect(await offered(next)).toMatchObject({
      takeId,
      text: '雨の夜の話。',
      isPartial: true,
      isEdited: true,
    })
    const { takes } = await next.api['take.list'](
      { workId, path: '000.txt', except: ['summary'], limit: 9 },
      next.context,
    )
    expect(takes).toEqual([])
  })

  it('that change while the anchor stays wait until it moves, or until the author wants them at once', async () => {
    const novel = await openNovel(longNovel)
    const { api, context, workId } = novel
    const head = async () => {
      const { parts, story } = await novel.preview()
      return { told: parts.find(({ origin }) => origin === 'story')?.text ?? '', story }
    }
    const accept = async (text: string, replaces: string) => {
      await novel.make(first)
      await novel.accept('000.txt', text, replaces)
    }
    await novel.draft({ isAccepted: true })
    await accept('雨が降った。', '')
    expect(await head()).toMatchObject({ told: '', story: { isHeld: true, uses: [{ place: 'waiting' }] } })
    await novel.draft({ isAccepted: true })
    const { promptTokens, reusedTokens } = await novel.draft({ isAccepted: true })
    expect((reusedTokens ?? 0) / (promptTokens ?? 1)).toBeGreaterThan(0.9)

    await api['draft.tellSummaries']({ workId }, context)
    expect(await head()).toMatchObject({
      told: expect.stringContaining('雨が降った。'),
      story: { isHeld: false },
    })
    await novel.draft({ isAccepted: true })
    await accept('雨がやんだ。', '雨が降った。')
    expect(await head()).toMatchObject({
      told: expect.stringContaining('雨が降った。'),
      story: { isHeld: true },
    })
    await novel.append(chapter('後', 40))
    expect(await head()).toMatchObject({
      told: expect.stringContaining('雨がやんだ。'),
      story: { isHeld: false },
    })
  })

  it('never change the head of a prompt while the anchor stays', async () => {
    const novel = await openNovel({ ...longNovel, [summaryFile]: '　雨が降った。\n' }, [], 4096)
    const heads = new Map<string, string>()
    let read = 0
    for (let page = 0; page < 12; page++) {
      const { parts } = await novel.preview()
      const head = parts
        .filter(({ origin }) => origin === 'story')
        .map(({ text }) => text)
        .join('')
      const body = parts.find(({ origin }) => origin === 'body')?.text.slice(0, 40) ?? ''
      expect(heads.get(body) ?? head).toBe(head)
      heads.set(body, head)
      const { promptTokens, reusedTokens } = await novel.draft({ isAccepted: true })
      if (page > 0 && (promptTokens ?? 0) - (reusedTokens ?? 0) > 1_000) read += 1
      await novel.append(chapter(`頁${page}`, 6))
    }
    expect(read).toBeLessThanOrEqual(heads.size)
  })
})

import { describe, expect, it } from 'vitest'
import { summaryRig } from '../../../../tests/fakes/rigs/summary-rig.ts'
import { wholePath } from '../../../shared/domain/lore/summary-source.ts'
import { markSource } from './summary-file.ts'

const first = { kind: 'episode', path: '1.txt' } as const
const short = { '1.txt': '　雨。\n', '2.txt': '　風。\n' }
/** A chapter of two pieces. */
const long = { '1.txt': `　${'雨'.repeat(250)}。\n`.repeat(2), '2.txt': '' }
const longContext = 700
const fileOf = '資料/あらすじ/1.md'

describe('a summary that a model writes', () => {
  it('is a take with its prompt, sampler, seed, model and figures, and what it was made from', async () => {
    const { make, offerOf, takesOf, store } = summaryRig({ ...short }, [{ text: '雨の話。' }])
    await make(first)
    expect(await offerOf('1.txt')).toMatchObject({ text: '雨の話。', isPartial: false, isCut: false })
    const [take] = takesOf('1.txt')
    expect(take).toMatchObject({
      text: '雨の話。',
      state: 'pending',
      stopReason: 'stop',
      modelName: 'm',
      promptTokens: 9,
      completionTokens: 3,
      tokensPerSecond: 5,
      summary: { piece: 0, pieces: 1, mark: markSource(short['1.txt']) },
    })
    const { prompt, seed, sampler } = store.takes.get(take?.takeId ?? '')
    expect(prompt.map(({ text }) => text)).toEqual(['<', short['1.txt'], '>'])
    expect({ seed, sampler }).toEqual({ seed: 0, sampler: { temperature: 0.5 } })
  })

  it('stays with what was written of it when it is stopped, and so do the pieces before', async () => {
    const rig = summaryRig({ ...long }, [{ text: '一の話。' }, { text: '二の' }], longContext)
    rig.onText = (text) => {
      if (text === '二の') rig.stop.abort()
    }
    await expect(rig.make(first)).rejects.toThrow()
    expect(await rig.offerOf('1.txt')).toMatchObject({ text: '二の', isPartial: true })
    expect(rig.takesOf('1.txt').map(({ text, state, stopReason }) => [text, state, stopReason])).toEqual([
      ['二の', 'pending', 'aborted'],
      ['一の話。', 'dismissed', 'stop'],
    ])
    // Both are takes of one place, the second after the first.
    const [second, one] = rig.takesOf('1.txt')
    expect(second?.placeId).toBe(one?.takeId)
    expect([one?.summary?.piece, second?.summary?.piece]).toEqual([0, 1])
  })

  it('stays with what was written of it after a failure, and is offered as a part that a new one replaces', async () => {
    const { make, offerOf, takesOf } = summaryRig({ ...short }, [
      { text: '雨の', fails: true },
      { text: '雨の話。' },
    ])
    await expect(make(first)).rejects.toThrow('model/unreachable')
    expect(await offerOf('1.txt')).toMatchObject({ text: '雨の', isPartial: true })
    expect((await make(first)).at(-1)).toEqual({ type: 'made', target: 0 })
    expect(await offerOf('1.txt')).toMatchObject({ text: '雨の話。', isPartial: false })
    expect(takesOf('1.txt').map(({ text, state }) => [text, state])).toEqual([
      ['雨の話。', 'pending'],
      ['雨の', 'dismissed'],
    ])
  })

  it('is offered as a part where a failure left only its first pieces', async () => {
    const { make, offerOf } = summaryRig(
      { ...long },
      [{ text: '一の話。' }, { text: '', fails: true }],
      longContext,
    )
    await expect(make(first)).rejects.toThrow('model/unreachable')
    expect(await offerOf('1.txt')).toMatchObject({ text: '一の話。', isPartial: true })
  })

  it('stays where a request of the user stopped it in the background', async () => {
    const { service, workId, offerOf, takesOf, asked } = summaryRig({ ...short }, [
      { text: '雨', end: 'aborted' },
      { text: '雨の話。' },
    ])
    const make = () => service.makeInBackground(workId, '1.txt', new AbortController().signal)
    expect(await make()).toBe('preempted')
    expect(await offerOf('1.txt')).toMatchObject({ text: '雨', isPartial: true })
    expect(await make()).toBe('made')
    expect(await offerOf('1.txt')).toMatchObject({ text: '雨の話。', isPartial: false })
    expect(takesOf('1.txt')).toHaveLength(2)
    expect(asked.map(({ priority }) => priority)).toEqual(['background', 'background'])
  })

  it('is offered by the next host as far as it was written, and not while it is being written', async () => {
    const rig = summaryRig({ ...short }, [{ text: '雨の夜の話。' }])
    const seen: { here: unknown; killed: string | undefined }[] = []
    rig.onText = async () => {
      rig.pass(600)
      const killed = (await rig.restarted().list(rig.workId)).episodes[0]?.offer
      seen.push({ here: await rig.offerOf('1.txt'), killed: killed?.text })
      if (killed) expect(killed.isPartial).toBe(true)
    }
    await rig.make(first)
    expect(seen.map(({ here }) => here)).toEqual(seen.map(() => null))
    expect(seen.map(({ killed }) => killed)).toEqual([
      '雨',
      '雨',
      '雨の夜',
      '雨の夜',
      '雨の夜の話',
      '雨の夜の話',
    ])
  })
})

describe('an offered summary', () => {
  it('is kept when it is put aside, and is offered again with what the author changed', async () => {
    const rig = summaryRig({ ...short }, [{ text: '雨の話。' }, { text: '別の話。' }])
    const { make, offerOf, takesOf, service, workId, restarted } = rig
    await make(first)
    const old = (await offerOf('1.txt'))?.takeId ?? ''
    service.edit(workId, old, '雨の、話。')
    expect((await restarted().list(workId)).episodes[0]?.offer).toMatchObject({
      text: '雨の、話。',
      isEdited: true,
    })
    service.discard(workId, old)
    expect(await offerOf('1.txt')).toBeNull()
    await make(first)
    service.offer(workId, old)
    expect(await offerOf('1.txt')).toMatchObject({ takeId: old, text: '雨の、話。' })
    expect(takesOf('1.txt').map(({ text, edited, state }) => [text, edited, state])).toEqual([
      ['別の話。', undefined, 'dismissed'],
      ['雨の話。', '雨の、話。', 'pending'],
    ])
  })

  it('is a take in the text once it is accepted, with the words of the author, and decided only once', async () => {
    const { make, offerOf, accept, takesOf, service, workId, texts } = summaryRig({ ...short }, [
      { text: '雨の話。' },
    ])
    await make(first)
    const { takeId = '' } = (await offerOf('1.txt')) ?? {}
    await accept('1.txt', '雨の、話。', '')
    expect(texts[fileOf]).toContain('雨の、話。')
    const inserted = { state: 'inserted', text: '雨の話。', edited: '雨の、話。', acceptedLength: 4 }
    expect(takesOf('1.txt')).toMatchObject([inserted])
    await expect(service.accept(workId, takeId, '別の話。', '雨の、話。')).rejects.toThrow('file/changed')
    service.discard(workId, takeId)
    service.edit(workId, takeId, '別の話。')
    expect(takesOf('1.txt')).toMatchObject([inserted])
  })

  it('of another work, or another kind, is not found', async () => {
    const { make, offerOf, service } = summaryRig({ ...short })
    await make(first)
    const { takeId = '' } = (await offerOf('1.txt')) ?? {}
    expect(() => service.discard('other', takeId)).toThrow('take/not-found')
  })

  it('of a file that is gone is not offered for another one that gets its name, and covers renamed chapters', async () => {
    const files = { ...short, [fileOf]: '雨の話。\n' }
    const { make, offerOf, takesOf, service, store, workId, texts } = summaryRig(files, [
      { text: '全部。' },
      { text: '雨。' },
    ])
    await make({ kind: 'whole', episodes: ['1.txt'] }, first)
    expect((await offerOf('1.txt'))?.text).toBe('雨。')
    texts['1.txt'] = texts['2.txt'] ?? ''
    delete texts['2.txt']
    store.takes.movePath(workId, '2.txt', '1.txt')
    await service.renamed(workId, '2.txt', '1.txt')
    expect(await offerOf('1.txt')).toBeNull()
    await service.renamed(workId, '1.txt', '0.txt')
    expect(takesOf(wholePath)).toMatchObject([{ summary: { episodes: ['0.txt'], marks: { '0.txt': {} } } }])
  })
})

describe('offers of an earlier version', () => {
  const offer = (text: string) => ({ text, modelName: 'old', createdAt: 5, mark: markSource(short['1.txt']) })

  it('become takes when they are first read, and one that cannot be read stays where it is', async () => {
    const { store, workId, offerOf, accept, texts } = summaryRig({ ...short })
    const whole = {
      ...offer('全部。'),
      mark: null,
      episodes: ['1.txt'],
      marks: { '1.txt': markSource('　雨。\n') },
    }
    const damaged = { text: 7 }
    store.works.setState(workId, 'summary.offers', { '2.txt': damaged, '1.txt': offer('雨。'), '/': whole })
    expect(await offerOf('1.txt')).toMatchObject({
      text: '雨。',
      modelName: 'old',
      createdAt: 5,
      isPartial: false,
    })
    expect((await offerOf(wholePath))?.text).toBe('全部。')
    expect(store.works.getState(workId, 'summary.offers')).toEqual({ '2.txt': damaged })
    await accept('1.txt', '雨。', '')
    await accept(wholePath, '全部。', '')
    expect(texts[fileOf]).toContain(`made-from: ${markSource('　雨。\n').hash}`)
    expect(texts['資料/あらすじ/全体.md']).toContain('episodes:\n  - 1.txt\n')
    expect(await offerOf('1.txt')).toBeNull()
  })

  it('follow their chapter where it is renamed first', async () => {
    const { store, workId, service, texts, offerOf } = summaryRig({ ...short })
    store.works.setState(workId, 'summary.offers', { '1.txt': offer('雨。') })
    texts['0.txt'] = texts['1.txt'] ?? ''
    delete texts['1.txt']
    store.takes.movePath(workId, '1.txt', '0.txt')
    await service.renamed(workId, '1.txt', '0.txt')
    expect((await offerOf('0.txt'))?.text).toBe('雨。')
  })
})

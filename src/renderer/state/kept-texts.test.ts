import { describe, expect, it } from 'vitest'
import { tabStorage } from '../../../tests/fakes/disks/tab-storage.ts'
import { createKeptTexts, type KeptTexts } from './kept-texts.ts'

const pathsOf = (texts: KeptTexts, root: string) =>
  texts.all().flatMap((one) => (one.root === root ? [one.path] : []))
const kept = { documentId: 'd', base: '雨。', confirmed: 0, log: [] }

describe('kept texts', () => {
  it('are found by the next page of the tab, each under its work and path', () => {
    const tab = tabStorage()
    createKeptTexts(tab).place('/作品', '第一章 "a".txt').write(kept)
    const next = createKeptTexts(tab)
    expect(next.place('/作品', '第一章 "a".txt').read()).toEqual(kept)
    expect([next.place('/作品', 'b.txt').read(), pathsOf(next, '/別')]).toEqual([null, []])
    expect(pathsOf(next, '/作品')).toEqual(['第一章 "a".txt'])
    next.place('/作品', '第一章 "a".txt').write(null)
    expect([pathsOf(next, '/作品'), tab.length]).toEqual([[], 0])
  })

  it.each([
    ['forbids it', null],
    ['is full', tabStorage(3)],
  ])('stay with the page where the browser %s', (_why, tab) => {
    const texts = createKeptTexts(tab)
    texts.place('/a', 'b').write(kept)
    expect([texts.place('/a', 'b').read(), pathsOf(texts, '/a')]).toEqual([kept, ['b']])
    texts.place('/a', 'b').write(null)
    expect([texts.place('/a', 'b').read(), pathsOf(texts, '/a')]).toEqual([null, []])
  })

  it('of several pages of the tab stay apart, and follow a file to its new name', () => {
    const texts = createKeptTexts(tabStorage())
    const [one, other] = [texts.place('/a', 'b', '1'), texts.place('/a', 'b', '2')]
    one.write(kept)
    other.write({ ...kept, base: '風。' })
    expect(texts.all().map(({ changes, isHeld }) => [changes.base, isHeld])).toEqual([
      ['雨。', true],
      ['風。', true],
    ])
    texts.place('/a', 'c', '1').write(kept)
    expect(texts.all().map(({ path }) => path)).toEqual(['b', 'c'])
  })

  it('are taken over by the next document of the file, once nobody holds them', () => {
    const texts = createKeptTexts(tabStorage())
    let left = 0
    texts.onLeft(() => left++)
    const [one, next, third] = ['1', '2', '3'].map((holder) => texts.place('/a', 'b', holder))
    one?.write(kept)
    expect(next?.read()).toBeNull()
    one?.release?.()
    expect(left).toBe(1)
    expect(next?.read()).toEqual(kept)
    expect([third?.read(), texts.all().length]).toEqual([null, 1])
    next?.write(null)
    next?.release?.()
    expect(left).toBe(1)
  })

  it('are nothing where something else lies under the name', () => {
    const tab = tabStorage()
    createKeptTexts(tab).place('/a', 'b').write(kept)
    tab.setItem(tab.key(0) ?? '', '{"older":true}')
    expect(createKeptTexts(tab).place('/a', 'b').read()).toBeNull()
  })

  it('hold the details of works', () => {
    const tab = tabStorage()
    const texts = { '/作品': { memo: { text: 'まだ', known: [''] } } }
    createKeptTexts(tab).details.write(texts)
    expect(createKeptTexts(tab).details.read()).toEqual(texts)
    expect(createKeptTexts(tab).all()).toEqual([])
    createKeptTexts(tab).details.write({})
    expect([createKeptTexts(tab).details.read(), tab.length]).toEqual([{}, 0])
  })

  it('hold messages by work', () => {
    const tab = tabStorage()
    createKeptTexts(tab).messages.write('w', { s: [{ kind: 'text', text: 'まだ' }] })
    expect(createKeptTexts(tab).messages.read('w')).toEqual({ s: [{ kind: 'text', text: 'まだ' }] })
    expect(createKeptTexts(tab).messages.read('x')).toEqual({})
    expect(createKeptTexts(tab).messages.all()).toEqual({ w: { s: [{ kind: 'text', text: 'まだ' }] } })
    createKeptTexts(tab).messages.write('w', {})
    expect(tab.length).toBe(0)
  })
})

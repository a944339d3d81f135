import { describe, expect, it } from 'vitest'
import { createKeptTexts } from './kept-texts.ts'

const kept = { documentId: 'd', base: '雨。', confirmed: 0, log: [] }

/** The browser's storage, as far as it is used; `limit`: of characters. */
function storage(limit = Number.POSITIVE_INFINITY): Storage {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    removeItem: (key: string) => void items.delete(key),
    clear: () => items.clear(),
    setItem(key: string, value: string) {
      if (value.length > limit) throw new DOMException('full', 'QuotaExceededError')
      items.set(key, value)
    },
  }
}

describe('kept texts', () => {
  it('are found by the next page of the tab, each under its work and path', () => {
    const tab = storage()
    createKeptTexts(tab).place('/作品', '第一章 "a".txt').write(kept)
    const next = createKeptTexts(tab)
    expect(next.place('/作品', '第一章 "a".txt').read()).toEqual(kept)
    expect([next.place('/作品', 'b.txt').read(), next.pathsOf('/別')]).toEqual([null, []])
    expect(next.pathsOf('/作品')).toEqual(['第一章 "a".txt'])
    next.place('/作品', '第一章 "a".txt').write(null)
    expect([next.pathsOf('/作品'), tab.length]).toEqual([[], 0])
  })

  it.each([
    ['forbids it', null],
    ['is full', storage(3)],
  ])('stay with the page where the browser %s', (_why, tab) => {
    const texts = createKeptTexts(tab)
    texts.place('/a', 'b').write(kept)
    expect([texts.place('/a', 'b').read(), texts.pathsOf('/a')]).toEqual([kept, ['b']])
    texts.place('/a', 'b').write(null)
    expect([texts.place('/a', 'b').read(), texts.pathsOf('/a')]).toEqual([null, []])
  })

  it('are nothing where something else lies under the name', () => {
    const tab = storage()
    createKeptTexts(tab).place('/a', 'b').write(kept)
    tab.setItem(tab.key(0) ?? '', '{"older":true}')
    expect(createKeptTexts(tab).place('/a', 'b').read()).toBeNull()
  })

  it('hold the details of works', () => {
    const tab = storage()
    const texts = { '/作品': { memo: { text: 'まだ', known: [''] } } }
    createKeptTexts(tab).details.write(texts)
    expect(createKeptTexts(tab).details.read()).toEqual(texts)
    expect(createKeptTexts(tab).pathsOf('/作品')).toEqual([])
    createKeptTexts(tab).details.write({})
    expect([createKeptTexts(tab).details.read(), tab.length]).toEqual([{}, 0])
  })

  it('hold messages by work', () => {
    const tab = storage()
    createKeptTexts(tab).messages.write('w', { s: [{ kind: 'text', text: 'まだ' }] })
    expect(createKeptTexts(tab).messages.read('w')).toEqual({ s: [{ kind: 'text', text: 'まだ' }] })
    expect(createKeptTexts(tab).messages.read('x')).toEqual({})
    createKeptTexts(tab).messages.write('w', {})
    expect(tab.length).toBe(0)
  })
})

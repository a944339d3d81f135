import { expect, it } from 'vitest'
import type { AppStore } from '../../state/app-store.ts'
import { createKeptTexts, type KeptTexts } from '../../state/kept-texts.ts'
import { linkTo } from './document-link.ts'

function window() {
  const asked: unknown[] = []
  const places: [string, unknown][] = []
  const state = {
    work: { current: { workId: 'w', root: '/作品' } as { workId: string; root: string } | null },
    documents: {
      byPath: { '1.txt': { key: 'k', path: '1.txt' } } as Record<string, { key: string; path: string }>,
      placeOf: () => null,
      keepPlace: (path: string, place: unknown) => void places.push([path, place]),
    },
  }
  const keptTexts = createKeptTexts(null)
  const watch = (place: unknown) => void asked.push(place)
  const store = { getState: () => state, keptTexts, client: { 'document.watch': watch } }
  const link = linkTo(store as unknown as AppStore, 'k')
  return { link, state, asked, places, keptTexts }
}
const place = { anchor: 3, head: 3, top: 0, vertical: null }
const pathsOf = (texts: KeptTexts, root: string) =>
  texts.all().flatMap((one) => (one.root === root ? [one.path] : []))
const kept = { documentId: 'd', base: '雨。', confirmed: 0, log: [] }
const options = { signal: new AbortController().signal }

it('keeps place and unsent text of a file that is being closed under its own name and work', () => {
  const { link, state, asked, places, keptTexts } = window()
  state.documents.byPath = {}
  state.work.current = { workId: 'other', root: '/別' }
  link.place?.write(place)
  link.kept?.write(kept)
  void link.watch(options)
  expect(places).toEqual([['1.txt', place]])
  expect([pathsOf(keptTexts, '/作品'), pathsOf(keptTexts, '/別')]).toEqual([['1.txt'], []])
  expect(asked).toEqual([{ workId: 'w', path: '1.txt' }])
})

it('follows a file to its new name', () => {
  const { link, state, asked } = window()
  state.documents.byPath = { '2.txt': { key: 'k', path: '2.txt' } }
  void link.watch(options)
  expect(asked).toEqual([{ workId: 'w', path: '2.txt' }])
})

import { expect, it } from 'vitest'
import { ignoredWords } from './ignored-words.ts'
import { createTranslate } from './translate.ts'

const part = { top: 'dist', files: 2, removed: 0, sizeBytes: 2_000 }

it.each([
  ['en', {}, false, 'dist: 2 files (2 kB) put in place as they are. This cannot be undone.'],
  ['en', { files: 1 }, false, 'dist: 1 file (2 kB) put in place as it is. This cannot be undone.'],
  ['en', { files: 0, removed: 1, sizeBytes: 0 }, false, 'dist: 1 file removed. This cannot be undone.'],
  [
    'en',
    { removed: 3 },
    true,
    'dist: 2 files (2 kB) put in place as they are, 3 removed. This can be undone.',
  ],
  ['ja', { files: 0, removed: 1 }, true, 'dist：1 個を削除します。あとで元に戻せます。'],
] as const)(
  'says in %s what is put, what is removed and whether undo covers it',
  (language, change, isUndone, text) => {
    expect(ignoredWords(createTranslate(language), language, { ...part, ...change }, isUndone)).toBe(text)
  },
)

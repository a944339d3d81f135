import { expect, it } from 'vitest'
import { createTranslate } from '../../../shared/i18n/translate.ts'
import { modeWords } from './file-diff.tsx'

it('names the permissions that a file gets in octal, and whether it can be run then', () => {
  const t = createTranslate('en')
  expect(modeWords(t, { mode: 0o755 })).toEqual(['permissions 755 (executable)'])
  expect(modeWords(t, { mode: 0o40 })).toEqual(['permissions 040'])
  expect(modeWords(createTranslate('ja'), { mode: 0o600 })).toEqual(['権限 600'])
  expect(modeWords(t, {})).toEqual([])
})

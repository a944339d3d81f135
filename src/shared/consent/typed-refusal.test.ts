import { describe, expect, it } from 'vitest'
import { refusalReason } from './typed-refusal.ts'

describe('a typed refusal that goes on', () => {
  it.each([
    'no, just list the folder',
    'No just list the folder',
    "don't run it, read the file",
    'Nope. Use rg.',
    'いや、一覧だけ',
    'やめてください。先に説明して',
    'だめ 一覧だけにして',
  ])('is a refusal with this reason: %j', (text) => {
    expect(refusalReason(text)).toBe(text)
  })

  it.each([
    'no',
    'no.',
    'いいえ',
    'いや。',
    'no problem, go on',
    "don't worry about the tests",
    'いやな予感がする、と書いて',
    'nothing, go on',
    'note the time',
    'what does it do?',
    '',
  ])('is none: %j', (text) => {
    expect(refusalReason(text)).toBeNull()
  })
})

import { expect, it } from 'vitest'
import { StandaloneWindow } from './background-requests.ts'
import { cutEntry } from './prompt/prompt-cut.ts'
import type { PromptEntry } from './prompt/prompt-entry.ts'

const said = (text: string, kind: PromptEntry['kind'] = 'message'): PromptEntry => ({
  turn: 1,
  role: 'user',
  kind,
  text,
})
const texts = (entries: readonly PromptEntry[]) => entries.map(({ text }) => text)
const many = (count: number, from = 0) => Array.from({ length: count }, (_, i) => said(`${from + i}`))

it('begins with the same entry from turn to turn, and never holds more than forty', () => {
  const window = new StandaloneWindow()
  let log = many(60)
  expect(texts(window.entries('s', log, ''))).toEqual(texts(log.slice(20)))
  // Full: it begins anew, and then grows.
  log = [...log, said('60')]
  expect(texts(window.entries('s', log, ''))).toEqual(texts(log.slice(-20)))
  const first = log.at(-20)
  for (let i = 61; i < 81; i++) {
    log = [...log, said(`${i}`)]
    expect(window.entries('s', log, '').at(0)?.text).toBe(first?.text)
  }
  expect(window.entries('s', log, '')).toHaveLength(40)
})

it('begins anew for another log, and for another session', () => {
  const window = new StandaloneWindow()
  window.entries('s', many(50), '')
  const other = many(3, 100)
  expect(texts(window.entries('s', other, ''))).toEqual(['100', '101', '102'])
  expect(texts(window.entries('t', other, ''))).toEqual(['100', '101', '102'])
})

it('has nothing of what the host told the model, and nothing that was cut', () => {
  const log = [
    said('rules', 'instructions'),
    said('hello'),
    said('now decide', 'block'),
    said('long', 'result'),
  ]
  const cut = [...log, cutEntry(1, [{ entries: [3], hasNoQuestions: false, hasShortPlan: false }])]
  expect(texts(new StandaloneWindow().entries('s', log, 'left out'))).toEqual(['hello', 'long'])
  expect(texts(new StandaloneWindow().entries('s', cut, 'left out'))).toEqual(['hello', 'left out'])
})

it('becomes shorter by halves until hardly anything is left', () => {
  const window = new StandaloneWindow()
  const log = many(10)
  const lengths = [window.entries('s', log, '').length]
  while (window.shorten('s', log)) lengths.push(window.entries('s', log, '').length)
  expect(lengths).toEqual([10, 5, 3, 2])
})

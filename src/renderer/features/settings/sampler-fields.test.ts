import { expect, it } from 'vitest'
import { readBias } from './sampler-fields.tsx'

it.each([
  ['the -5', { text: 'the', bias: -5 }],
  [' the 2.5', { text: ' the', bias: 2.5 }],
  // Wide characters and dots of Japanese are other texts than the ASCII that they resemble.
  ['！ -5', { text: '！', bias: -5 }],
  ['… -100', { text: '…', bias: -100 }],
  ['ｶﾞ　−１．５', { text: 'ｶﾞ', bias: -1.5 }],
  ['？　－２', { text: '？', bias: -2 }],
  ['１ ＋３', { text: '１', bias: 3 }],
])('reads %j', (line, wanted) => {
  expect(readBias(line)).toEqual(wanted)
})

it.each(['the', '-5', ' -5', 'the 101', 'the 1.2.3', 'the five'])('refuses %j', (line) => {
  expect(readBias(line)).toBeNull()
})

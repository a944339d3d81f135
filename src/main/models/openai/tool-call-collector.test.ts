import { describe, expect, it } from 'vitest'
import type { CallPiece } from './openai-stream.ts'
import { ToolCallCollector } from './tool-call-collector.ts'

const piece = (changes: Partial<CallPiece>): CallPiece => ({
  index: 0,
  id: null,
  name: null,
  arguments: '',
  ...changes,
})

function collect(pieces: readonly Partial<CallPiece>[], isCut = false) {
  const collector = new ToolCallCollector()
  for (const one of pieces) collector.push(piece(one))
  return collector.finish(isCut)
}

describe('the pieces of tool calls', () => {
  it('make whole calls in the order in which they began', () => {
    const calls = collect([
      { id: 'a', name: 'look', arguments: '{' },
      { arguments: '"at":' },
      { index: 1, id: 'b', name: 'go', arguments: '{"to":1}' },
      { arguments: '"x"}' },
    ])
    expect(calls).toEqual([
      { id: 'a', name: 'look', arguments: '{"at":"x"}' },
      { id: 'b', name: 'go', arguments: '{"to":1}' },
    ])
  })

  it('are other calls where another id comes under the same index', () => {
    const calls = collect([
      { id: 'a', name: 'look', arguments: '{}' },
      { id: 'b', name: 'look', arguments: '{}' },
    ])
    expect(calls.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('may say nothing for nothing, and get an id where they have none', () => {
    expect(collect([{ name: 'look' }])).toEqual([{ id: 'call-1', name: 'look', arguments: '{}' }])
  })

  it.each([
    ['in its arguments', { index: 1, id: 'b', name: 'go', arguments: '{"to":' }],
    ['before its arguments', { index: 1, id: 'b', name: 'go' }],
    ['in its name', { index: 1, id: 'b', arguments: '' }],
  ])('end with the last whole one where the length cuts the next %s', (_, half) => {
    expect(collect([half], true)).toEqual([])
    const whole = { id: 'a', name: 'look', arguments: '{}' }
    expect(collect([whole, half], true)).toEqual([whole])
    expect(collect([whole], true)).toEqual([whole])
  })

  it.each([
    ['without a name', { name: '', arguments: '{}' }],
    ['that says a list', { name: 'look', arguments: '[1]' }],
    ['that is not JSON', { name: 'look', arguments: '{"at": x"}' }],
  ])('keep their neighbours where one is %s, and show it as it is', (_, broken) => {
    const whole = { id: 'b', name: 'go', arguments: '{}' }
    expect(
      collect([
        { id: 'a', ...broken },
        { index: 1, ...whole },
      ]),
    ).toEqual([{ id: 'a', ...broken }, whole])
    expect(collect([whole, { index: 1, id: 'a', ...broken }])).toEqual([whole, { id: 'a', ...broken }])
  })
})

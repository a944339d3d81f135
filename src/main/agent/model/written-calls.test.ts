import { describe, expect, it } from 'vitest'
import { repairArguments } from './written-calls.ts'

describe('the repair of a call', () => {
  it.each([
    [
      'a line break in a string',
      '{"path":"a.py","content":"one\ntwo\n"}',
      { path: 'a.py', content: 'one\ntwo\n' },
    ],
    ['an escape that JSON lacks', String.raw`{"pattern":"\d+"}`, { pattern: String.raw`\d+` }],
    ['quotes that are not escaped', '{"line":"echo "hi" now"}', { line: 'echo "hi" now' }],
    ['single quotes', "{'path': 'a.txt'}", { path: 'a.txt' }],
    ['a comma too many', '{"path": "a.txt",}', { path: 'a.txt' }],
  ])('mends %s', (_, args, wanted) => {
    expect(JSON.parse(repairArguments(args))).toEqual(wanted)
  })

  it.each([
    ['whole', '{"path":"a"}'],
    ['empty', ''],
    ['cut in a string', '{"path":"a","content":"half of it'],
    ['cut in a string behind a bracket', '{"path":"a","content":"function() {}'],
    ['cut behind a string', '{"path":"a","content":"all of it"'],
    ['a list', '["a"]'],
    ['no JSON at all', 'I would read a.txt'],
    ['two objects', '{"path":"a"}{"path":"b"}'],
  ])('leaves alone what is %s', (_, args) => {
    expect(repairArguments(args)).toBe(args)
  })
})

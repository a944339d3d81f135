import { describe, expect, it } from 'vitest'
import { parsePrompt, renderPrompt } from './prompt-template.ts'

const source = (inputs: string, text: string) => `---\npurpose: a test\ninputs: ${inputs}\n---\n${text}\n`

describe('a prompt file', () => {
  it('has a purpose, inputs and a text', () => {
    expect(parsePrompt('x', source('a, b', 'A {{a}}\nand {{b}}, {{a}}'))).toEqual({
      id: 'x',
      purpose: 'a test',
      inputs: ['a', 'b'],
      text: 'A {{a}}\nand {{b}}, {{a}}',
    })
    expect(parsePrompt('x', source('', 'nothing to fill')).inputs).toEqual([])
    expect(parsePrompt('x', source('a', 'A {{a}}').replaceAll('\n', '\r\n')).text).toBe('A {{a}}')
  })

  it.each([
    ['no front matter', 'A text'],
    ['an input that the text does not use', source('a, b', 'A {{a}}')],
    ['a place without an input', source('a', 'A {{a}} {{b}}')],
    ['an input twice', source('a, a', 'A {{a}}')],
  ])('is refused with %s', (_, text) => {
    expect(() => parsePrompt('x', text)).toThrow('prompt x')
  })
})

describe('rendering', () => {
  const template = parsePrompt('x', source('a, b', '{{a}} then {{b}}'))

  it('never looks again at what it has put in', () => {
    expect(renderPrompt(template, { a: '{{b}}', b: '$& {{a}} $1' })).toBe('{{b}} then $& {{a}} $1')
  })

  it('takes exactly the inputs', () => {
    expect(() => renderPrompt(template, { a: '1' })).toThrow('input b is missing')
    expect(() => renderPrompt(template, { a: '1', b: '2', c: '3' })).toThrow('no input c')
    expect(() => renderPrompt(template, { a: '1', toString: '2' } as Record<string, string>)).toThrow()
  })
})

import { describe, expect, it } from 'vitest'
import { AnswerText, type BegunLine } from './answer-text.ts'

function read(
  pieces: readonly string[],
  begun: BegunLine | null,
  { stops = [], isEarly = false }: { stops?: readonly string[]; isEarly?: boolean } = {},
) {
  const answer = new AnswerText({ stops, begun })
  const parts = [...pieces.flatMap((piece) => answer.push(piece)), ...answer.flush(isEarly)]
  const of = (kind: 'text' | 'reasoning') =>
    parts.flatMap(({ type, text }) => (type === kind ? text : [])).join('')
  return { text: of('text'), reasoning: of('reasoning'), isCut: answer.isCut }
}

/** Returns the text in pieces of each size, from one character to the whole. */
function cuts(whole: string): string[][] {
  return Array.from(
    { length: whole.length },
    (_, size) => whole.match(new RegExp(`[\\s\\S]{1,${size + 1}}`, 'g')) ?? [],
  )
}

describe.each([
  ['quoted in an instruction', true],
  ['sent as a begun answer', false],
])('a line that is %s', (_, isQuoted) => {
  it.each([
    [['It', ' was', ' no longer'], ' no longer'],
    [['\n\nIt was', ' no longer'], ' no longer'],
    [['It is', ' late'], 'It is late'],
  ])('is removed where it is repeated: %j', (pieces, wanted) => {
    expect(read(pieces, { text: 'It was', isQuoted }).text).toBe(wanted)
  })

  it.each([
    [['　彼', 'は', '笑った。'], '笑った。'],
    [['　彼', 'は笑った。'], '笑った。'],
    [['　彼は笑った。'], '笑った。'],
    [['\n\n　彼は笑った。'], '笑った。'],
    [['彼', 'は笑った。'], '笑った。'],
    [['　彼', '女は笑った。'], '　彼女は笑った。'],
  ])('is removed with its indent: %j', (pieces, wanted) => {
    expect(read(pieces, { text: '　彼は', isQuoted }).text).toBe(wanted)
  })

  it('is removed behind thinking too, however the answer is cut', () => {
    const begun = { text: '　彼は', isQuoted }
    for (const pieces of cuts('<think>\nWho? 　彼は。\n</think>\n\n　彼は笑った。')) {
      expect(read(pieces, begun), JSON.stringify(pieces)).toMatchObject({
        text: '笑った。',
        reasoning: '\nWho? 　彼は。\n',
      })
    }
  })

  it('is no text where the answer was ended while it was being repeated', () => {
    const begun = { text: 'It was', isQuoted }
    expect(read(['It'], begun, { isEarly: true }).text).toBe('')
    expect(read(['<think>Hm</think>', '\n\nIt w'], begun, { isEarly: true }).text).toBe('')
  })

  it('does not hide thinking that never ended', () => {
    expect(read(['<think>It'], { text: 'It was', isQuoted }, { isEarly: true })).toMatchObject({
      text: '',
      reasoning: 'It',
    })
  })

  it('is not cut by a stop that stands in it or in the thinking', () => {
    const seen = read(
      ['<think>a\n\nb</think>', 'He said:\n\nNo', ' more.\n\nEnd'],
      {
        text: 'He said:\n\nNo',
        isQuoted,
      },
      { stops: ['\n\n'] },
    )
    expect(seen).toEqual({ text: ' more.', reasoning: 'a\n\nb', isCut: true })
  })
})

describe('an answer that is shorter than the line, at its own end', () => {
  it('is a piece of the line where an instruction quotes the line', () => {
    expect(read(['It'], { text: 'It was', isQuoted: true }).text).toBe('')
    expect(read(['It was late.'], { text: 'It was late. He', isQuoted: true }).text).toBe('')
  })

  it('is text where the line was sent as a begun answer', () => {
    expect(read(['It'], { text: 'It was', isQuoted: false }).text).toBe('It')
    expect(read(['　'], { text: '　彼は', isQuoted: false }).text).toBe('　')
  })
})

describe('an answer that is text as it comes', () => {
  it('keeps its tags, and is cut at a stop', () => {
    expect(read(['<think>x</th', 'ink> y\n', '\nz'], null, { stops: ['\n\n'] })).toEqual({
      text: '<think>x</think> y',
      reasoning: '',
      isCut: true,
    })
  })
})

import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { type MessageSegment, segmentsText } from '../../domain/session/message-segment.ts'
import { typedReferences } from './file-references.ts'

const read = (text: string) =>
  typedReferences(text).map(({ path, range, isSure }) => {
    const lines = range === null ? '' : `#${range.from}-${range.to}`
    return `${path}${lines}${isSure ? '' : '?'}`
  })

describe('a typed reference', () => {
  it.each([
    ['@a.md', ['a.md']],
    ['see @src/main and @b.md.', ['src/main', 'b.md']],
    ['@"a b.md"を', ['a b.md']],
    ['、@小説/第一章.mdを推敲して。', ['小説/第一章.md']],
    ['「@小説/第一章.md」と@notes.md', ['小説/第一章.md']],
    ['@src/a.ts#L5-10', ['src/a.ts#5-10']],
    ['@src/a.ts#L5', ['src/a.ts#5-5']],
    ['@"a b.md"#L5-L10を', ['a b.md#5-10']],
    ['@index.test.ts, @x.d.ts: @y.jsonl)', ['index.test.ts', 'x.d.ts', 'y.jsonl']],
    ['@.env', ['.env']],
    ['@src/', ['src/']],
    ['@C#/a.md', ['C#/a.md']],
    ['行末。@資料/年表', ['資料/年表']],
  ])('is read in %s', (text, wanted) => {
    expect(read(text)).toEqual(wanted)
  })

  it.each([
    '@param {string} name',
    'write to ada@example.com or ada.b@mail.example.co.jp',
    'x@y.md',
    '見て@a.md',
    '@Component({})',
    '@ a.md',
    '@',
    '@@a.md',
    '@https://example.com/a.md',
    '@media (width > 1px)',
    '@2x and @ 3',
  ])('is not read in %s', (text) => {
    expect(read(text)).toEqual([])
  })

  it.each([
    ['@app.route("/")', ['app.route?']],
    ['@functools.cache', ['functools.cache?']],
    ['s = [NSString x:@"hello"]', ['hello?']],
    ['@Makefile#L3', ['Makefile#3-3?']],
  ])('of %s is one only where there is such a file', (text, wanted) => {
    expect(read(text)).toEqual(wanted)
  })

  it('takes its place from what stands before the text', () => {
    expect(typedReferences('@a.md', '。')).toHaveLength(1)
    expect(typedReferences('@a.md', 'x')).toHaveLength(0)
  })
})

describe('segments as text', () => {
  it.each([
    [['a.md', null], '@a.md'],
    [['src/a b.ts', { from: 1, to: 3 }], '@"src/a b.ts"#L1-3'],
    [['Makefile', null], '@"Makefile"'],
    [['小説/第一章.md', { from: 5, to: 5 }], '@小説/第一章.md#L5'],
  ] as const)('write %j', ([path, range], wanted) => {
    expect(segmentsText([{ kind: 'file-ref', path, range }])).toBe(wanted)
  })

  it('quote a reference only where it could not be told from what follows', () => {
    const ref: MessageSegment = { kind: 'file-ref', path: '小説/塔', range: null }
    const text = (after: string): MessageSegment => ({ kind: 'text', text: after })
    expect(segmentsText([ref, text('を推敲して。')])).toBe('@"小説/塔"を推敲して。')
    expect(segmentsText([ref, text('。')])).toBe('@小説/塔。')
    expect(segmentsText([{ ...ref, path: 'a.md' }, text('を推敲して。')])).toBe('@a.mdを推敲して。')
    expect(segmentsText([{ ...ref, path: 'a.md' }, text('x')])).toBe('@"a.md"x')
  })

  it('read back as the same segments', () => {
    const random = seededRandom(11)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
    const part = (): string => pick(names) + (random() < 0.3 ? pick(names) : '')
    for (let round = 0; round < 2_000; round++) {
      const segments: MessageSegment[] = []
      for (let count = 1 + Math.floor(random() * 5); count > 0; count--) {
        if (random() < 0.5) {
          // A text alone does not show where a piece came from: pasted words come back as words.
          segments.push({ kind: pick(['text', 'text', 'paste']), text: pick(texts) + pick(texts) })
          continue
        }
        const path = [part(), ...(random() < 0.5 ? [part()] : [])].join('/')
        const from = 1 + Math.floor(random() * 30)
        const range = random() < 0.4 ? { from, to: from + Math.floor(random() * 3) } : null
        segments.push({ kind: 'file-ref', path, range })
      }
      const text = segmentsText(segments)
      expect(textSegments(text), text).toEqual(asWords(segments))
      expect(segmentsText(textSegments(text))).toBe(text)
    }
  })
})

/** Returns a text as segments, with the references that the text alone reveals as segments of their own. */
function textSegments(text: string): MessageSegment[] {
  const segments: MessageSegment[] = []
  let at = 0
  const addText = (to: number): void => {
    if (to > at) segments.push({ kind: 'text', text: text.slice(at, to) })
  }
  for (const { from, to, path, range, isSure, run } of typedReferences(text)) {
    if (!isSure && run !== null) continue
    addText(from)
    segments.push({ kind: 'file-ref', path, range })
    at = to
  }
  addText(text.length)
  return segments
}

/** Joins adjacent words into one text. */
function asWords(segments: readonly MessageSegment[]): MessageSegment[] {
  const words: MessageSegment[] = []
  for (const segment of segments) {
    const last = words.at(-1)
    if (segment.kind === 'file-ref' || segment.kind === 'image') words.push(segment)
    else if (last?.kind === 'text') words[words.length - 1] = { kind: 'text', text: last.text + segment.text }
    else words.push({ kind: 'text', text: segment.text })
  }
  return words
}

const names = [
  ...['a.md', 'b', '第一章', '第一章.md', 'が.txt', 'か\u3099.txt', 'a b', '"', '\\', '\\"', '#L5', 'x#L5-7'],
  ...[
    '.env',
    'C#',
    '、',
    '。md',
    'a,b',
    '(c)',
    "d'",
    'tab\t',
    'line\nline',
    '@types',
    '😀',
    '𠮷',
    '第一 章。',
    'cr\r\nlf',
    '1',
    'L',
    '-',
    '.',
  ],
]
const texts = [
  ...[' ', 'を', 'を推敲して。', '\n', '。', '、', 'x', '.md', '/y', '#L5', '-7', '9', '"', '\\', '"x', '.'],
  ...[' me@example.com ', ' @param x ', '（', '😀', '#', ':', '\u3099', '- ', ',a', '@ '],
  ...['\r\n', '。\r\n', '』', '!?', '\t', '𠮷野家', 'が', '\u{E0001}', '  '],
]

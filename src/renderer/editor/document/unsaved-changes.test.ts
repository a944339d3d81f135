import { ChangeSet, Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { rebaseUnsaved, type Unsaved } from './unsaved-changes.ts'

const seeds = Array.from({ length: process.env.TSUGI_SOAK ? 2_000 : 60 }, (_, index) => index + 1)

describe('what a newly read text lacks', () => {
  it('is everything after the change at which the file was written', () => {
    const unsaved = typed('雨。', [
      [2, 2, '風'],
      [3, 3, 'が'],
      [4, 4, '。'],
    ])
    expect(rebased(unsaved, '雨。風')).toBe('雨。風が。')
    expect(rebased(unsaved, '雨。')).toBe('雨。風が。')
    expect(rebased(unsaved, '雨。風が。')).toBe('雨。風が。')
  })

  it('goes into a text that somebody else edited, too', () => {
    const unsaved = typed('雨が降る。', [
      [5, 5, '風も'],
      [7, 7, '吹く。'],
    ])
    expect(rebased(unsaved, '夜、雨が降る。')).toBe('夜、雨が降る。風も吹く。')
    expect(rebased(unsaved, '夜、雨が降る。風も')).toBe('夜、雨が降る。風も吹く。')
  })

  it('holds nothing of other windows, which say it themselves', () => {
    const unsaved = typed('', [
      [0, 0, '我'],
      [1, 1, '彼', false],
      [2, 2, '我'],
    ])
    expect(rebased(unsaved, '')).toBe('我我')
    expect(rebased(unsaved, '我彼')).toBe('我彼我')
  })

  it('is not what the same opening had confirmed and another window deleted since', () => {
    const unsaved = typed('雨。', [
      [2, 2, '風。'],
      [4, 4, '雪。'],
    ])
    expect(rebased(unsaved, '雨。', 1)).toBe('雨。雪。')
  })

  it.each(seeds)('is found at any change of any typing (seed %i)', (seed) => {
    const random = seededRandom(seed)
    const unsaved = randomTyping(random, () => true)
    const texts = textsOf(unsaved)
    const last = texts.at(-1)?.toString() ?? ''
    for (const text of texts) expect(rebased(unsaved, text.toString())).toBe(last)
  })

  it.each(seeds)(
    'loses no character that is still there at the end, whoever edited beside (seed %i)',
    (seed) => {
      const random = seededRandom(seed)
      const unsaved = randomTyping(random, () => random() < 0.7)
      const texts = textsOf(unsaved)
      const at = texts[Math.floor(random() * texts.length)]?.toString() ?? ''
      const edited = random() < 0.5 ? `序。${at}` : `${at}\n結び。`
      const result = rebased(unsaved, edited)
      for (const unit of ownUnits(unsaved)) expect([unit, result.includes(unit)]).toEqual([unit, true])
    },
  )
})

type Step = [from: number, to: number, insert: string, isOwn?: boolean]

function typed(base: string, steps: readonly Step[]): Unsaved {
  let doc = Text.of(base.split('\n'))
  const log = steps.map(([from, to, insert, isOwn = true]) => {
    const changes = ChangeSet.of({ from, to, insert }, doc.length)
    doc = changes.apply(doc)
    return { changes, origin: undefined, isOwn }
  })
  return { base: Text.of(base.split('\n')), log }
}

/** Each insertion is of characters that occur nowhere else. */
function randomTyping(random: () => number, isOwn: () => boolean): Unsaved {
  let length = 40
  const steps = Array.from({ length: 1 + Math.floor(random() * 40) }, (_, step): Step => {
    const from = Math.floor(random() * (length + 1))
    const to = random() < 0.3 ? Math.min(length, from + Math.floor(random() * 5)) : from
    const insert = String.fromCharCode(0x5000 + 2 * step, 0x5001 + 2 * step)
    length += insert.length - (to - from)
    return [from, to, insert, isOwn()]
  })
  return typed('山路を登りながら、こう考えた。'.repeat(3).slice(0, 40), steps)
}

function textsOf({ base, log }: Unsaved): Text[] {
  const texts = [base]
  for (const { changes } of log) texts.push(changes.apply(texts.at(-1) ?? base))
  return texts
}

/** The units that this window typed and that are still there after the whole log. */
function ownUnits(unsaved: Unsaved): string[] {
  const last = textsOf(unsaved).at(-1)?.toString() ?? ''
  const units: string[] = []
  for (const { changes, isOwn } of unsaved.log) {
    if (isOwn) changes.iterChanges((_a, _b, _c, _d, inserted) => units.push(...inserted.toString()))
  }
  return units.filter((unit) => last.includes(unit))
}

/** The text with the rest made on it; what leads there from the window's own text must lead to the same. */
function rebased(unsaved: Unsaved, text: string, atLeast = 0): string {
  const { rest, changes } = rebaseUnsaved(unsaved, Text.of(text.split('\n')), atLeast)
  const result = rest.reduce((doc, local) => local.changes.apply(doc), Text.of(text.split('\n'))).toString()
  const shown = textsOf(unsaved).at(-1)
  expect(shown && changes.apply(shown).toString()).toBe(result)
  return result
}

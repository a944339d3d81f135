import { describe, expect, it } from 'vitest'
import type { SpeculationConflict } from '../../../shared/domain/session/speculation.ts'
import type { Side } from '../../../shared/text/difference/three-way.ts'
import { chunksOf, conflictPlaces, mergedFile, noChoice, openPlaces } from './conflict-merge.ts'

const file: SpeculationConflict = {
  path: 'a.txt',
  why: 'changed',
  isText: true,
  currentHash: 'now',
  baseText: 'one\ntwo\nthree\n',
  currentText: 'one\nmine\nthree\n',
  newText: 'one\ntheirs\nthree\n',
}
const said = (side: Side) => ({ ...noChoice, sides: new Map([[0, side]]) })
const of = { path: 'a.txt', currentHash: 'now' }

describe('a file in conflict', () => {
  it.each<[Side, string]>([
    ['current', 'one\nmine\nthree\n'],
    ['speculated', 'one\ntheirs\nthree\n'],
    ['both', 'one\nmine\ntheirs\nthree\n'],
  ])('takes at a place what was chosen: %s', (side, text) => {
    expect([openPlaces(file, noChoice), mergedFile(file, noChoice)]).toEqual([1, null])
    expect([openPlaces(file, said(side)), mergedFile(file, said(side))]).toEqual([
      0,
      { ...of, take: 'text', text },
    ])
  })

  it('shows each place with the lines around it, numbered as in each text', () => {
    const chunks = chunksOf({
      ...file,
      baseText: '1\n2\n3\n4\nfive\n6\n',
      currentText: 'new\n1\n2\n3\n4\nmine\n6\n',
      newText: '1\n2\n3\n4\ntheirs\nmore\n6\n',
    })
    expect(conflictPlaces(chunks ?? [])).toEqual([
      {
        index: 1,
        before: { from: 3, lines: ['2\n', '3\n', '4\n'] },
        base: { from: 5, lines: ['five\n'] },
        current: { from: 6, lines: ['mine\n'] },
        speculated: { from: 5, lines: ['theirs\n', 'more\n'] },
        after: { from: 7, lines: ['6\n'] },
      },
    ])
  })

  it('that both changed elsewhere needs no word', () => {
    const apart = {
      ...file,
      baseText: '1\n2\n3\n4\n5\n',
      currentText: 'a\n2\n3\n4\n5\n',
      newText: '1\n2\n3\n4\nb\n',
    }
    expect([openPlaces(apart, noChoice), mergedFile(apart, noChoice)?.text]).toEqual([0, 'a\n2\n3\n4\nb\n'])
  })

  it('that both made is compared with nothing', () => {
    const made = { ...file, why: 'appeared' as const, baseText: null }
    expect(openPlaces(made, noChoice)).toBe(1)
    expect(mergedFile(made, said('speculated'))?.text).toBe(file.newText)
  })

  it.each<[string, Partial<SpeculationConflict>]>([
    ['is no text', { isText: false }],
    ['is gone from the disk', { why: 'removed', currentText: null, currentHash: null }],
    ['was removed by the speculation', { newText: null }],
  ])('that %s is taken or left as a whole', (_, is) => {
    const whole = { ...file, ...is }
    expect([chunksOf(whole), openPlaces(whole, noChoice), mergedFile(whole, noChoice)]).toEqual([
      null,
      1,
      null,
    ])
    for (const take of ['keep', 'speculated'] as const) {
      const merged = mergedFile(whole, { ...noChoice, whole: take })
      expect(merged).toEqual({ path: 'a.txt', currentHash: whole.currentHash, take, text: null })
    }
  })

  it.each(['folder', 'closed', 'elsewhere'] as const)('where nothing can be written stays: %s', (why) => {
    const shut = { ...file, why }
    expect([openPlaces(shut, noChoice), mergedFile(shut, noChoice)]).toEqual([
      0,
      { ...of, take: 'keep', text: null },
    ])
  })
})

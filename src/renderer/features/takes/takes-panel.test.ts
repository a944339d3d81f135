import { describe, expect, it } from 'vitest'
import { Take } from '../../../shared/domain/drafting/take.ts'
import { takeTree } from './takes-panel.tsx'

const take = (takeId: string, text: string, placeId = 'p') =>
  Take.parse({
    takeId,
    workId: 'w',
    path: '001.txt',
    mode: 'generate',
    ideaTarget: 'all',
    placeId,
    task: '',
    text,
    lead: '',
    position: 0,
    state: 'dismissed',
    acceptedLength: 0,
    stopReason: 'stop',
    modelName: '',
    isDemo: false,
    promptTokens: 0,
    completionTokens: 0,
    tokensPerSecond: null,
    elapsedMs: 0,
    createdAt: 0,
  })
const shown = (takes: ReturnType<typeof take>[], language: 'ja' | 'en' = 'ja') =>
  takeTree(takes, language).map(({ takes: placed }) =>
    placed.map(({ take: { takeId }, word, depth }) => [takeId, word, depth]),
  )

describe('the takes of a place', () => {
  it('are named by the word where they part, those that begin alike together', () => {
    const takes = [
      take('d', '彼は歩いた。雨が降る。'),
      take('c', '猫が鳴いた。'),
      take('b', '彼は走った。'),
      take('a', '彼は歩いた。風が吹く。'),
    ]
    expect(shown(takes)).toEqual([
      [
        ['d', '雨', 2],
        ['a', '風', 2],
        ['b', '走', 1],
        ['c', '猫', 0],
      ],
    ])
  })

  it('say which one ends where another goes on, and of equal ones that they end there', () => {
    expect(shown([take('b', 'He ran home.'), take('a', 'He ran')], 'en')).toEqual([
      [
        ['b', 'home', 0],
        ['a', '', 0],
      ],
    ])
    expect(shown([take('b', '同じ。'), take('a', '同じ。')])).toEqual([
      [
        ['b', '', 0],
        ['a', '', 0],
      ],
    ])
  })

  it('stand by their place, the newest place first; a single one, and one of an earlier version, has no word', () => {
    expect(shown([take('c', '三', 'q'), take('b', '二', ''), take('a', '一', 'p')])).toEqual([
      [['c', null, 0]],
      [['b', null, 0]],
      [['a', null, 0]],
    ])
  })
})

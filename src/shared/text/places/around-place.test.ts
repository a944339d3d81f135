import { expect, it } from 'vitest'
import { aroundPlace, aroundPlaces } from './around-place.ts'

const around = (text: string, match: string, limit: number) => {
  const from = text.indexOf(match)
  return Object.values(aroundPlace(text, { from, to: from + match.length }, limit))
}

it('shows a line whole where it is short, and nothing of its neighbours', () => {
  expect(around('晴れ\n雨の朝\n雪', '雨', 10)).toEqual(['', '雨', 'の朝'])
  expect(around('晴れ\n朝の雨\n雪', '雨', 10)).toEqual(['朝の', '雨', ''])
  expect(around('雨', '雨', 10)).toEqual(['', '雨', ''])
})

it('says where the line goes on', () => {
  expect(around('一二三四雨五六七八', '雨', 2)).toEqual(['…三四', '雨', '五六…'])
  expect(around('三四雨五六', '雨', 2)).toEqual(['三四', '雨', '五六'])
})

it('cuts no character in two', () => {
  expect(around('一😀二雨三😀四', '雨', 2)).toEqual(['…二', '雨', '三…'])
  expect(around('一😀二雨三😀四', '雨', 3)).toEqual(['…😀二', '雨', '三😀…'])
})

it('goes on behind a match of several lines in its last one', () => {
  expect(around('朝の\n雨\n夜', 'の\n雨', 5)).toEqual(['朝', 'の\n雨', ''])
})

it('tells the line of each place', () => {
  const text = '雨\n\n朝の雨と雨\n雪\n雨'
  const places = [...text.matchAll(/雨/g)].map(({ index }) => ({ from: index, to: index + 1 }))
  expect(aroundPlaces(text, places, 2)).toMatchObject([
    { line: 1, before: '', after: '' },
    { line: 3, before: '朝の', after: 'と雨' },
    { line: 3, before: '…雨と', after: '' },
    { line: 5, from: 11, to: 12, match: '雨' },
  ])
})

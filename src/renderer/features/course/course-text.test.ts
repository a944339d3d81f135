import { describe, expect, it } from 'vitest'
import { emptyCourse } from '../../../shared/domain/session/agent-course.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import { checkedText, editedText, editedValue, hasEntry, limitOf, proposalFor } from './course-text.ts'

describe('an edited item', () => {
  it('is one line, whatever was pasted', () => {
    expect(checkedText('goal', ' 閏年を\n  直す ')).toEqual({
      value: '閏年を 直す',
      problem: null,
      characters: 6,
    })
  })

  it('is a list by lines; empty ones do not count', () => {
    expect(checkedText('planBrief', 'a\n\n b \n')).toEqual({
      value: ['a', 'b'],
      problem: null,
      characters: 1,
    })
    expect(checkedText('constraints', 'a\nb\nc').problem).toBe('too-many')
    expect(checkedText('openQuestions', '').value).toEqual([])
  })

  it('counts what a reader sees, and cuts nothing', () => {
    const family = '👩‍👩‍👧‍👦'
    expect(checkedText('goal', family.repeat(200))).toMatchObject({ problem: null, characters: 200 })
    const long = checkedText('goal', family.repeat(201))
    expect(long).toMatchObject({ problem: 'too-long', value: family.repeat(201) })
    expect(checkedText('constraints', 'x'.repeat(101)).problem).toBe('too-long')
  })

  it('comes back as it was written', () => {
    expect(editedText(checkedText('planBrief', 'a\nb').value)).toBe('a\nb')
    expect(limitOf('goal')).toEqual({ characters: 200, items: null })
    expect(limitOf('planBrief')).toEqual({ characters: 100, items: 3 })
  })

  it('that the user has only looked at leaves what the model has written meanwhile', () => {
    expect(editedValue('古い', '古い', '新しい')).toBeNull()
    expect(editedValue(['a'], ['a'], ['a', 'b'])).toBeNull()
    expect(editedValue('新しい', '古い', '新しい')).toBeNull()
    expect(editedValue('私の', '古い', '新しい')).toBe('私の')
    expect(editedValue('', '古い', '古い')).toBe('')
  })
})

describe('the brief', () => {
  it('shows an item where there is a value, a step or a proposal, and nothing else', () => {
    const state = { course: { ...emptyCourse, goal: 'a' }, pinned: [], todos: [] }
    expect(hasEntry([], state, 'goal')).toBe(true)
    expect(hasEntry([], state, 'constraints')).toBe(false)
    expect(hasEntry([], { ...state, todos: [{ text: 'a', isDone: false }] }, 'planBrief')).toBe(true)
    expect(hasEntry([], { ...state, pinned: ['whyNow'] }, 'whyNow')).toBe(false)
  })
})

describe('a proposal', () => {
  const proposed = (itemId: string, value: string | string[]): SessionItem => ({
    kind: 'notice',
    itemId,
    seq: 1,
    turn: 1,
    at: 0,
    notice: { kind: 'course-proposed', item: 'goal', value },
  })
  const items = [proposed('a', '古い'), proposed('b', '新しい')]

  it('is the last one, and only for what is pinned', () => {
    expect(proposalFor(items, emptyCourse, ['goal'], 'goal')).toEqual({ itemId: 'b', value: '新しい' })
    expect(proposalFor(items, emptyCourse, [], 'goal')).toBeNull()
    expect(proposalFor(items, emptyCourse, ['goal', 'whyNow'], 'whyNow')).toBeNull()
  })

  it('is gone once the item says so, and never of another kind', () => {
    expect(proposalFor(items, { ...emptyCourse, goal: '新しい' }, ['goal'], 'goal')).toBeNull()
    expect(proposalFor([proposed('c', ['x'])], emptyCourse, ['goal'], 'goal')).toBeNull()
  })
})

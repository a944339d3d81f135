import { describe, expect, it } from 'vitest'
import { composeBody } from './draft-body.ts'

describe('the body of a work', () => {
  it('joins the files by one blank line, whatever their ends', () => {
    expect(composeBody(['一。', '二。\n\n\n', ''], '三')).toEqual({ text: '一。\n\n二。\n\n三', position: 1 })
  })

  it('ends at the endpoint of the open file, where the continuation goes', () => {
    expect(composeBody([], '前。@endpoint 後。')).toEqual({ text: '前。', position: 2 })
    expect(composeBody([], '捨。@endpoint\n@break前。@endpoint後')).toMatchObject({
      text: '前。',
      position: 20,
    })
  })

  it('ends at the caret when the author continues from there', () => {
    expect(composeBody(['一。'], '前。後。', 2)).toEqual({ text: '一。\n\n前。', position: 2 })
    expect(composeBody([], '前。@endpoint後。', 2)).toEqual({ text: '前。', position: 2 })
  })

  it('starts at the last start command, wherever it stands', () => {
    expect(composeBody(['一。', '二@break。\n残り'], '三').text).toBe('。\n残り\n\n三')
    expect(composeBody(['一。'], '二@startpoint三').text).toBe('三')
  })

  it('leaves out comments, and an earlier endpoint ends only its own file', () => {
    expect(composeBody(['一。@endpoint 後'], '二@// メモ\n三').text).toBe('一。\n\n二\n三')
  })
})

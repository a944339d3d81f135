import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSuggestionFilter, type FilterReason } from './suggestion-filter.ts'
import { loadSuggestionWords } from './suggestion-words.ts'

const resourcesDir = resolve(import.meta.dirname, '../../../resources')
const filterReason = createSuggestionFilter(await loadSuggestionWords(resourcesDir))

const cases: [text: string, reason: FilterReason | null][] = [
  // What follows a reason in the order wins only where nothing before it does.
  ['', 'too_few_words'],
  ['done', 'done'],
  ['完了しました。', 'done'],
  ['run\u202ethe tests', 'control_chars'],
  ['می‌خواهم ادامه بده', null],
  ['/review', null],
  [`/${'a'.repeat(99)}`, 'too_long'],
  ['silence issues in the log', null],
  ['特に問題ありません', 'meta_text'],
  ['([x])', 'meta_wrapped'],
  ['(a) and (b)', null],
  ['prompt is too long', 'error_message'],
  ['提案：続けて', 'prefixed_label'],
  ['時刻：12時に変更', null],
  ['https://example.org を見て', null],
  ['雨', 'too_few_words'],
  ['漢'.repeat(30), null],
  ['漢'.repeat(31), 'too_many_words'],
  [`refactor ${'x'.repeat(90)}`, null],
  [`refactor ${'x'.repeat(91)}`, 'too_long'],
  ['move it to the U.S. server', null],
  ['go to no. 5', null],
  ['No. Use option 2', 'multiple_sentences'],
  ['待って！もう一度', 'multiple_sentences'],
  ['「待って！」と叫ばせて', null],
  ['1. do it', 'has_formatting'],
  ['・続きを書いて', 'has_formatting'],
  ['search src/**/*.ts and lib/**', null],
  ['delete *.log and *.tmp', null],
  ['thanks, that looks great', 'evaluative'],
  ['great, thanks, now commit', null],
  ['nice and now', 'evaluative'],
  ['はい、完璧です', 'evaluative'],
  ['完璧に揃えて', null],
  ['ありがとう、次の章へ', null],
  ["I'll do it", 'ai_voice'],
  ['this island next please', null],
  ['よろしくお願いいたします', null],
  ['お願いを修正します', 'ai_voice'],
]

describe('the filter', () => {
  it.each(cases)('%j: %s', (text, reason) => {
    expect(filterReason(text)).toBe(reason)
  })

  it('takes compatibility forms, case and apostrophes as the same', () => {
    for (const text of ['ＤＯＮＥ', 'Done', 'done…', 'done。']) expect(filterReason(text)).toBe('done')
    expect(filterReason('I’m on it')).toBe('ai_voice')
  })

  it('ends for long runs of what its patterns look for', () => {
    const from = performance.now()
    for (const run of ['.', '*', '**', '~', '(', '! ', 'it ', 'that ', '提案', ' ', 'a. '])
      expect(filterReason(`x ${run.repeat(20_000)}`)).not.toBeNull()
    // No figure of a machine: what went back over itself would take minutes.
    expect(performance.now() - from).toBeLessThan(30_000)
  })
})

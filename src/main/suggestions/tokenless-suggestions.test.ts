import { describe, expect, it } from 'vitest'
import cues from '../../../resources/words/suggestion-cues.json' with { type: 'json' }
import type { SessionItem } from '../../shared/domain/session-item.ts'
import { createTokenlessSuggestions, SuggestionCues } from './tokenless-suggestions.ts'

const find = createTokenlessSuggestions(SuggestionCues.parse(cues))
const nothing = { items: [], todos: [], language: 'en' as const }

function run(line: string, exitCode: number): SessionItem {
  return {
    itemId: line,
    seq: 1,
    turn: 1,
    at: 0,
    kind: 'call',
    callId: line,
    tool: 'run_command',
    name: 'run_command',
    title: line,
    args: '{}',
    state: 'done',
    outcome: null,
    text: '',
    view: {
      kind: 'command',
      line,
      commandId: 'c',
      end: 'exited',
      exitCode,
      signal: null,
      durationMs: 1,
      isCut: false,
    },
  }
}

describe('what is suggested without the model', () => {
  it.each([
    ['All done.\nTip: type post comments to publish findings', 'post comments'],
    ['You can type /review to start.', '/review'],
    ['Type "run it again" when you are ready.', 'run it again'],
    ['直しました。\n「感想をまとめる」と入力すると一覧になります。', '感想をまとめる'],
    ['/review と入力してください', '/review'],
  ])('takes the tip of %j', (reply, text) => {
    expect(find({ ...nothing, reply })).toEqual([{ text, source: 'tip' }])
  })

  it('does not take prose about types for a tip, nor a tip far above the end', () => {
    const far = `Type "x y" to go on.\n${'More prose here.\n'.repeat(8)}`
    expect(find({ ...nothing, reply: 'The type system has to know the type of this to work.' })).toEqual([])
    expect(find({ ...nothing, reply: far })).toEqual([])
  })

  it('takes the first of the options that a question offers', () => {
    const reply = 'Which one?\n1. **Keep** the old name\n2. Rename it everywhere'
    expect(find({ ...nothing, reply })).toEqual([{ text: 'Keep the old name', source: 'option' }])
    expect(find({ ...nothing, reply: reply.replace('?', '.') })).toEqual([])
    expect(find({ ...nothing, reply: 'どちらにしますか？\n・雨を降らせる' })).toEqual([])
  })

  it('offers to mend what the last run of the tests showed', () => {
    const failed = { ...nothing, reply: 'ok', items: [run('npm test', 0), run('npm test -- x', 1)] }
    expect(find(failed)).toEqual([{ text: 'fix the failing tests', source: 'failed_test' }])
    expect(find({ ...failed, language: 'ja' })[0]?.text).toBe('失敗したテストを直して')
    expect(find({ ...failed, items: [run('npm test', 1), run('npm test', 0)] })).toEqual([])
    expect(find({ ...failed, items: [run('cat contest.txt', 1)] })).toEqual([])
  })

  it('offers the next todo last', () => {
    const todos = [
      { text: 'write it', isDone: true },
      { text: 'check the names', isDone: false },
    ]
    const found = find({ ...nothing, todos, reply: 'Type `go on` to continue' })
    expect(found).toEqual([
      { text: 'go on', source: 'tip' },
      { text: 'check the names', source: 'todo' },
    ])
  })
})

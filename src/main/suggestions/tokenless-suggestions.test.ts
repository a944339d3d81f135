import { describe, expect, it } from 'vitest'
import cues from '../../../resources/words/suggestion-cues.json' with { type: 'json' }
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import type { ToolResultView } from '../../shared/domain/session/tool-result.ts'
import { createTokenlessSuggestions, SuggestionCues } from './tokenless-suggestions.ts'

const find = createTokenlessSuggestions(SuggestionCues.parse(cues))
const nothing = { items: [], turn: 1, todos: [], language: 'en' as const }

function run(line: string, exitCode: number, text = '2 failed, 3 passed'): SessionItem {
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
    text,
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

function call(tool: 'todo_write' | 'edit' | 'grep', view: ToolResultView): SessionItem {
  const item = run(tool, 0)
  return { ...item, tool, name: tool, view } as SessionItem
}

describe('what is suggested without the model', () => {
  it.each([
    ['All done.\nTip: type `post comments` to publish findings', 'post comments'],
    ['To go on, type "go".', 'go'],
    ['次は「続けて」と入力してください。', '続けて'],
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

  it.each([
    '彼女は「さよなら」と入力し、送信ボタンを押した。',
    '「はい」と入力すると、画面が消えた。',
    '利用者が「はい」と入力できます。',
    'The user can type `help` here, and the form answers.',
    'Tip: type anything to search.',
    'He had to type "bye" and left.',
    '```\nType "run" to go on.\n```',
  ])('takes no tip from %j, which tells the reader nothing', (reply) => {
    expect(find({ ...nothing, reply })).toEqual([])
  })

  it.each([
    'Done:\n- Renamed the port constant\n- Updated the tests\n\nWhat would you like to do next?',
    'Done:\n- Renamed the port constant\n- Updated the tests\n\nWhich file should I read next?',
    '- 誤字を3か所修正した\n- 句読点を統一した\n\nどれか気になりますか？',
    'I saw:\n- a.ts\n- b.ts\n\nWould you like me to fix which one fails?',
    'どれも同じです。\n- 一つ目\n- 二つ目\nこれでどれもよいですか？',
  ])('takes no step that is done, and no answer to yes or no, for an option: %j', (reply) => {
    expect(find({ ...nothing, reply })).toEqual([])
  })

  it('takes an option from a long list, and one that goes on below its first line', () => {
    const many = Array.from({ length: 9 }, (_, at) => `${at + 1}. way ${at + 1}`).join('\n')
    expect(find({ ...nothing, reply: `Pick one:\n${many}` })[0]?.text).toBe('way 1')
    expect(
      find({ ...nothing, reply: 'Which?\n- keep it\n  as it stands\n- drop it\n  for good' })[0]?.text,
    ).toBe('keep it')
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
    expect(find({ ...failed, items: [run('npm test | grep nothing', 1, '')] })).toEqual([])
    expect(find({ ...failed, items: [run('grep -rn "npm test" docs', 1, '')] })).toEqual([])
    expect(find({ ...failed, turn: 2 })).toEqual([])
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

  it('offers no todo that may have been carried out without saying so', () => {
    const todos = [
      { text: 'fix the port in src/app.ts', isDone: false },
      { text: 'say it in README.md', isDone: false },
    ]
    const wrote = call('todo_write', { kind: 'text' })
    const edited = call('edit', {
      kind: 'change',
      files: [{ path: 'src/app.ts', to: null, action: 'edit', addedLines: 1, removedLines: 1 }],
      changeSetId: 's',
      refusedHunks: 0,
    })
    const of = (items: SessionItem[], open = todos) => find({ ...nothing, todos: open, items, reply: 'ok' })
    expect(of([edited, wrote])[0]?.text).toBe('fix the port in src/app.ts')
    expect(of([wrote, edited])).toEqual([])
    expect(of([wrote, edited], todos.slice(1))[0]?.text).toBe('say it in README.md')
    expect(of([wrote, edited], [{ text: 'check the names', isDone: false }])).toEqual([])
    expect(of([wrote, run('npm test', 0)], [{ text: 'run the tests', isDone: false }])).toEqual([])
    expect(of([wrote, call('grep', { kind: 'matches', count: 1, files: 1, isCut: false })])).toHaveLength(1)
  })
})

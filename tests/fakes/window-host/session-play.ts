import type { Work } from '../../../src/shared/domain/work/work.ts'
import { emptyDraftDetails } from '../empty-draft-details.ts'
import type { FakeHost } from './fake-host.ts'
import { fixtureGate, type ItemMaker } from './session-fixtures.ts'

/** A folder of code. */
export const fixtureProject: Work = {
  workId: 'work-1',
  root: '/home/author/parser',
  name: 'parser',
  files: ['src/date.ts', 'test/date.test.ts'].map((path, order) => ({ path, kind: 'other', order })),
  details: emptyDraftDetails,
  hasWorkFile: false,
  isProject: false,
  workFileProblem: null,
  progress: { goal: null, days: [], isKept: false },
  lastPath: null,
  places: {},
}

const before = `export function isLeap(year: number): boolean {
  return year % 4 === 0
}
`
const after = `export function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}
`

/** Plays the session of the window's mock: a question, the files read, an answer, a waiting gate. */
export function playMock(host: FakeHost, make: ItemMaker): void {
  const { sessions } = host
  sessions.add({ title: 'README の英訳' })
  sessions.add({ title: 'テストを増やす' })
  const session = sessions.add({ title: '日付の誤りを直す', isWaiting: true })
  const { sessionId } = session.listed
  sessions.diffs = [{ path: 'src/date.ts', oldText: before, newText: after }]
  session.items = [
    make.user(1, '', {
      segments: [
        { kind: 'file-ref', path: 'src/date.ts', range: null },
        { kind: 'text', text: ' の閏年の判定が 1900 年で誤るので直してください。' },
      ],
    }),
    make.decision(1, '判定を読んでから、テストを足して直す'),
    make.answer(
      1,
      '1900 年は 100 で割り切れ 400 では割り切れないので平年です。判定が 4 だけを見ています。テストを足してから直します。',
      { purpose: 'work', reasoning: '閏年の規則は三つある。\n百年の例外が抜けている。' },
    ),
    make.call(1, 'read_file', 'src/date.ts', {
      args: '{"path":"src/date.ts"}',
      text: before,
      view: { kind: 'file', path: 'src/date.ts', from: 1, to: 48, totalLines: 48, isCut: false },
    }),
    make.call(1, 'grep', 'isLeap', {
      args: '{"pattern":"isLeap"}',
      text: 'src/date.ts:12\ntest/date.test.ts:3',
      view: { kind: 'matches', count: 3, files: 2, isCut: false },
    }),
    make.gate(1, fixtureGate()),
  ]
  sessions.change(sessionId, {
    position: { step: 'EXECUTION', status: 'REQUIRES_USER_INPUT', waiting: 'gate' },
    openGates: ['gate-1'],
    course: {
      goal: '閏年の判定を直す',
      whyNow: '1900 年の表が誤っている',
      constraints: ['公開関数の形を変えない'],
      planBrief: ['テストを足す', '判定を直す', 'テストを走らせる'],
      openQuestions: [],
    },
    todos: [
      { text: 'テストを足す', isDone: true },
      { text: '判定を直す', isDone: false },
      { text: 'テストを走らせる', isDone: false },
    ],
    context: {
      usedTokens: 3412,
      limitTokens: 8192,
      isEstimate: false,
      reusedTokens: 3390,
      layers: [
        { layer: 'base', usedTokens: 260, budgetTokens: 500, leftOut: [] },
        { layer: 'main', usedTokens: 790, budgetTokens: 800, leftOut: [{ item: 'contextRefs', count: 3 }] },
        { layer: 'specialised', usedTokens: 420, budgetTokens: 1_200, leftOut: [] },
      ],
      parts: [
        { kind: 'base', tokens: 260 },
        { kind: 'tools', tokens: 890 },
        { kind: 'messages', tokens: 1262 },
        { kind: 'files', tokens: 1000 },
      ],
    },
  })
}

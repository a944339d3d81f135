import type { AuditEntry } from '../../../../src/shared/domain/session/consent-rule.ts'
import type { UndoFile } from '../../../../src/shared/domain/session/undo.ts'
import type { FakeHost } from '../../../fakes/window-host/fake-host.ts'
import { fixtureNow } from '../../../fakes/window-host/fixtures.ts'
import type { ItemMaker } from '../../../fakes/window-host/session-fixtures.ts'

/** Fills the panes beside a conversation: its course, what was sent, what was decided. */
export function panels(host: FakeHost, sessionId: string, make: ItemMaker): void {
  const { sessions } = host
  sessions.change(sessionId, {
    position: { step: 'AWAITING_APPROVAL', status: 'REQUIRES_USER_INPUT', waiting: 'gate' },
    course: {
      goal: '閏年の判定を直す',
      whyNow: '1900 年の表が誤っている',
      constraints: ['公開関数の形を変えない'],
      planBrief: ['判定を直す', 'テストを走らせる'],
      openQuestions: [],
    },
    pinned: ['goal'],
    planTitle: '閏年の判定',
    todos: [
      { text: 'テストを足す', isDone: true },
      { text: '判定を直す', isDone: false },
      { text: 'テストを走らせる', isDone: false },
    ],
    decisionLog: ['テストから始める', '公開関数は変えない'],
    proposedPatterns: ['タブを使う', '冗談を書かない'],
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
        { kind: 'tools', tokens: 980 },
        { kind: 'messages', tokens: 1210 },
        { kind: 'files', tokens: 740 },
        { kind: 'blocks', tokens: 222 },
      ],
    },
  })
  sessions.put(sessionId, make.notice(1, { kind: 'course-proposed', item: 'goal', value: '暦の計算を直す' }))
  sessions.context = [
    { role: 'system', kind: 'base', text: 'あなたは次に何をするかを…\u202e', tokens: 260 },
    { role: 'user', kind: 'message', text: '@src/date.ts の閏年の判定を直してください。', tokens: 18 },
    { role: 'tool', kind: 'read_file', text: 'export function isLeap', tokens: 740 },
  ]
  sessions.audit = [
    entry(3, {
      verdict: 'denied',
      subject: 'npm install left-pad',
      risk: 'medium',
      reason: '規則：npm install *',
    }),
    entry(2, {
      tool: 'edit',
      subject: 'src/date.ts',
      record: { callId: 'c2', by: 'user', name: null, hash: 'a'.repeat(64) },
    }),
    entry(1, {
      subject: 'npm test',
      verdict: 'granted',
      record: { callId: 'c1', by: 'rule', name: 'npm test *', hash: 'b'.repeat(64) },
    }),
  ]
  sessions.sandbox = { kind: 'none', part: 'program', detail: 'bwrap' }
  sessions.sandboxFolders.add('/home/user/other-project')
  sessions.rules = [
    { ruleId: 'r1', effect: 'allow', tool: 'run_command', pattern: 'npm test *', scope: 'session' },
    { ruleId: 'r2', effect: 'deny', tool: 'run_command', pattern: 'rm *', scope: 'folder' },
    { ruleId: 'r3', effect: 'ask', tool: null, pattern: 'db/**', scope: 'project' },
  ]
  sessions.preview = {
    turn: 1,
    messages: 6,
    files: [
      undoFile('src/date.ts', 'src/date.ts'),
      undoFile('test/date.test.ts', null),
      {
        ...undoFile('README.md', 'README.md'),
        keepsEdits: true,
        places: [
          { index: 1, line: 12, former: '古い行\n', written: '新しい行\n', current: '新しい行。追記\n' },
        ],
      },
    ],
    commands: ['git push'],
  }
}

function undoFile(path: string, to: string | null): UndoFile {
  const bare = { isOccupied: false, keepsEdits: false, isWhole: false, isRemoved: false, mode: null }
  return { path, to, ...bare, hash: 'h', places: [], problem: null }
}

function entry(seq: number, change: Partial<AuditEntry>): AuditEntry {
  return {
    seq,
    at: fixtureNow + seq * 60_000,
    sessionId: 'session-1',
    tool: 'run_command',
    subject: '',
    risk: 'low',
    verdict: 'approved',
    record: null,
    reason: null,
    ...change,
  }
}

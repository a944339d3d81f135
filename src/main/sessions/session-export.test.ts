import { describe, expect, it } from 'vitest'
import type { Session } from '../../shared/domain/session/session.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import { exportSession } from './session-export.ts'

const session: Session = {
  sessionId: 's',
  workId: 'w',
  title: '日付の誤りを直す / 2',
  createdAt: 0,
  updatedAt: 0,
  messages: 1,
  branchedFrom: null,
}
let seq = 0
const place = () => ({ itemId: `i${++seq}`, seq, turn: 1, at: 0 })

describe('an exported session', () => {
  it('reads as it was said, with what was called and what was refused', () => {
    const items: SessionItem[] = [
      {
        ...place(),
        kind: 'user',
        how: 'send',
        segments: [
          { kind: 'file-ref', path: 'src/a b.ts', range: { from: 1, to: 3 } },
          { kind: 'text', text: ' を直して' },
        ],
      },
      {
        ...place(),
        kind: 'call',
        callId: 'c',
        tool: 'read_file',
        name: 'read_file',
        title: 'a`b.md',
        args: '{}',
        state: 'done',
        outcome: null,
        text: 'has a fence\n````\ncode\n````',
        view: null,
      },
      { ...place(), kind: 'undo', undoneTurn: 1, files: ['a.ts'] },
      { ...place(), kind: 'error', failure: 'model-failed', error: { code: 'model/none' }, isRetried: false },
    ]
    const { markdown, fileName } = exportSession(session, items, 'ja')
    expect(fileName).toBe('日付の誤りを直す   2.md')
    expect(markdown).toContain('# 日付の誤りを直す / 2\n\n## 利用者\n\n@"src/a b.ts"#L1-3 を直して')
    expect(markdown).toContain('### read_file `a´b.md`\n\n`````\nhas a fence\n````\ncode\n````\n`````')
    expect(markdown).toContain('> 元に戻したファイル：a.ts')
    expect(markdown).toMatch(/> .*モデル/)
  })

  it('without a name is called so, in the language of the window', () => {
    const untitled = { ...session, title: '' }
    expect(exportSession(untitled, [], 'en').markdown).toMatch(/^# \S/)
    expect(exportSession({ ...session, title: '...' }, [], 'en').fileName).toBe('session.md')
  })
})

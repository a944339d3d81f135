import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../../shared/domain/session/consent-rule.ts'
import { createTranslate } from '../../../shared/i18n/translate.ts'
import { byText, foundEntries, subjectText } from './audit-entries.ts'

const t = createTranslate('ja')

function entryOf(seq: number, change: Partial<AuditEntry>): AuditEntry {
  return {
    seq,
    at: 0,
    sessionId: 'session-1',
    tool: 'run_command',
    subject: 'npm test',
    risk: 'low',
    verdict: 'approved',
    record: null,
    reason: null,
    ...change,
  }
}

const entries = [
  entryOf(3, { subject: 'npm install left-pad', verdict: 'denied', reason: '規則' }),
  entryOf(2, { tool: 'edit', subject: 'src/Date.ts' }),
  entryOf(1, {}),
]
const found = (text: string, verdict: Parameters<typeof foundEntries>[2] = 'all') =>
  foundEntries(entries, text, verdict, t).map((entry) => entry.seq)

describe('the filter of the audit log', () => {
  it('finds every word, in any order, whatever its case and width', () => {
    expect(found('')).toEqual([3, 2, 1])
    expect(found('ＤＡＴＥ')).toEqual([2])
    expect(found('install npm')).toEqual([3])
    expect(found('規則')).toEqual([3])
    expect(found('rm')).toEqual([])
  })

  it('looks through the words that are shown, not the names behind them', () => {
    expect(found('編集')).toEqual([2])
    expect(found('run_command')).toEqual([])
    const inCopy = entryOf(1, { record: { callId: 'c', hash: 'h', by: 'grant', name: 'sandbox' } })
    for (const [language, word] of [
      ['ja', '写し'],
      ['en', 'copy'],
    ] as const) {
      expect(foundEntries([inCopy], word, 'all', createTranslate(language))).toEqual([inCopy])
      expect(foundEntries([inCopy], 'sandbox', 'all', createTranslate(language))).toEqual([])
    }
  })

  it('keeps to a verdict', () => {
    expect(found('', 'approved')).toEqual([2, 1])
    expect(found('npm', 'approved')).toEqual([1])
  })
})

describe('the words of the audit log', () => {
  const record = (by: 'user' | 'grant' | 'rule' | 'mode', name: string | null) =>
    byText(t, { callId: 'c', hash: 'h', by, name })

  it('name who let a call pass without a name of the code', () => {
    expect(record('user', null)).toBe('あなた')
    expect(record('rule', 'scope')).toBe('フォルダーの中を読むだけ')
    expect(record('grant', 'read-only')).toBe('読むだけのコマンド')
    expect(record('grant', 'overlay')).toBe('先回りの写しの中（取り込むときに承認）')
    expect(record('grant', 'sandbox')).toBe('写しの中での実行（変更はあとで判断）')
    expect(record('mode', 'auto-edit')).toBe('モード：自動編集')
    expect(record('rule', 'npm test *')).toBe('規則：npm test *')
  })

  it('name the folder itself', () => {
    expect(subjectText(t, entryOf(1, { subject: '.' }))).toBe('フォルダー全体')
    expect(subjectText(t, entryOf(1, { subject: 'src' }))).toBe('src')
  })
})

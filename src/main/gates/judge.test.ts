import { describe, expect, it } from 'vitest'
import type { RiskLevel } from '../../shared/domain/session/agent-plan.ts'
import { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { ConsentRule } from '../../shared/domain/session/consent-rule.ts'
import type { RiskReason } from '../../shared/domain/session/gate.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import { type ConsentBasis, judge, type Verdict } from './judge.ts'
import type { CallAssessment } from './risk/call-assessment.ts'

type Kind = 'read' | 'edit' | 'read-only command' | 'command'

const call: PreparedCall = {
  callId: 'c1',
  tool: 'edit',
  access: 'write',
  isReadOnly: false,
  hash: 'h',
  title: 't',
  reason: null,
  alternatives: [],
  facts: { kind: 'change', files: [] },
  changes: [],
  without: () => call,
  renew: async () => call,
  run: async () => ({ isOk: true, text: '', view: { kind: 'text' } }),
}

function looked(kind: Kind, ...codes: RiskReason['code'][]): CallAssessment {
  const bare = { call, readsDeep: false, files: [], reads: [], parts: [], patterns: [] }
  const reasons = codes.map((code) => ({ code, detail: 'x' }))
  if (kind === 'read' || kind === 'edit') {
    const tool = kind === 'read' ? 'read_file' : 'edit'
    return {
      ...bare,
      subject: { kind: 'files', tool, paths: ['src/a.ts'] },
      isReadOnly: kind === 'read',
      reasons,
    }
  }
  const isReadOnly = kind === 'read-only command'
  const words = isReadOnly ? ['cat', 'src/a.ts'] : ['npm', 'test']
  return {
    ...bare,
    subject: {
      kind: 'command',
      commands: [words],
      toAllow: isReadOnly ? [] : [[words]],
      paths: isReadOnly ? ['src/a.ts'] : [],
      isReadOnly,
    },
    isReadOnly,
    reasons,
  }
}

function rule(effect: ConsentRule['effect'], pattern: string, tool: ConsentRule['tool'] = null): ConsentRule {
  return { ruleId: `${effect} ${pattern}`, effect, tool, pattern, scope: 'folder' }
}

const trusted: ConsentBasis = { rules: [], mode: 'ask', isTrusted: true }

function said(verdict: Verdict): string {
  if (verdict.kind === 'deny') return `deny ${verdict.denial.kind}`
  return verdict.kind === 'grant' ? `${verdict.by} ${verdict.name}` : 'ask'
}

/** What each mode says, in the order plan, ask, auto-edit, full. */
const modeTable: [Kind, RiskLevel, boolean, [string, string, string, string]][] = [
  ['read', 'low', true, ['rule scope', 'rule scope', 'rule scope', 'rule scope']],
  ['read', 'low', false, ['rule scope', 'rule scope', 'rule scope', 'rule scope']],
  ['edit', 'low', true, ['deny plan-mode', 'ask', 'mode auto-edit', 'mode full']],
  ['edit', 'medium', true, ['deny plan-mode', 'ask', 'mode auto-edit', 'mode full']],
  ['edit', 'high', true, ['deny plan-mode', 'ask', 'ask', 'ask']],
  ['edit', 'low', false, ['deny plan-mode', 'ask', 'ask', 'ask']],
  ['edit', 'high', false, ['deny plan-mode', 'ask', 'ask', 'ask']],
  [
    'read-only command',
    'low',
    true,
    ['grant read-only', 'grant read-only', 'grant read-only', 'grant read-only'],
  ],
  [
    'read-only command',
    'low',
    false,
    ['deny untrusted', 'deny untrusted', 'deny untrusted', 'deny untrusted'],
  ],
  ['command', 'medium', true, ['deny plan-mode', 'ask', 'ask', 'mode full']],
  ['command', 'high', true, ['deny plan-mode', 'ask', 'ask', 'ask']],
  ['command', 'medium', false, ['deny untrusted', 'deny untrusted', 'deny untrusted', 'deny untrusted']],
]

it('records the end of a command of the session’s own as that, not as reading', () => {
  const stop = { ...looked('read'), call: { ...call, tool: 'command_stop' } as const }
  expect(said(judge(stop, 'low', trusted))).toBe('rule own-command')
})

describe('a mode', () => {
  it.each(modeTable)('on a %s of %s risk, trusted: %s', (kind, risk, isTrusted, wanted) => {
    const found = AgentMode.options.map((mode) =>
      said(judge(looked(kind), risk, { rules: [], mode, isTrusted })),
    )
    expect(found).toEqual(wanted)
  })
})

describe('what must always be asked about', () => {
  const always = ['secret', 'protected', 'ci', 'outside', 'opaque', 'unparsed'] as const
  const kinds: Kind[] = ['read', 'edit', 'read-only command', 'command']

  it.each(always)('is asked about in every mode, whatever is allowed: %s', (code) => {
    for (const mode of ['ask', 'auto-edit', 'full'] as const) {
      for (const kind of kinds) {
        const basis = { rules: [rule('allow', '**'), rule('allow', '*')], mode, isTrusted: true }
        expect(said(judge(looked(kind, code), 'high', basis))).toBe('ask')
      }
    }
  })

  it('an executable is never written', () => {
    const basis: ConsentBasis = { ...trusted, mode: 'full', rules: [rule('allow', '**')] }
    expect(judge(looked('edit', 'executable'), 'high', basis)).toEqual({
      kind: 'deny',
      denial: { kind: 'executable', path: 'x' },
    })
  })

  it('an executable that a command has built is taken over after a question, in every mode', () => {
    const built: CallAssessment = { ...looked('edit', 'executable'), isStaged: true }
    for (const mode of ['ask', 'auto-edit', 'full'] as const) {
      const basis: ConsentBasis = { ...trusted, mode, rules: [rule('allow', '**')] }
      expect(said(judge(built, 'high', basis))).toBe('ask')
    }
  })
})

describe('rules', () => {
  const rulesOf: Record<Kind, Record<ConsentRule['effect'], ConsentRule>> = {
    read: {
      allow: rule('allow', 'src/**', 'read_file'),
      ask: rule('ask', 'src/**', 'read_file'),
      deny: rule('deny', 'src/**', 'read_file'),
    },
    edit: {
      allow: rule('allow', 'src/**', 'edit'),
      ask: rule('ask', 'src/**', 'edit'),
      deny: rule('deny', 'src/**', 'edit'),
    },
    'read-only command': {
      allow: rule('allow', 'cat *', 'run_command'),
      ask: rule('ask', 'cat *', 'run_command'),
      deny: rule('deny', 'cat *', 'run_command'),
    },
    command: {
      allow: rule('allow', 'npm test', 'run_command'),
      ask: rule('ask', 'npm test', 'run_command'),
      deny: rule('deny', 'npm test', 'run_command'),
    },
  }

  it.each(Object.entries(rulesOf) as [Kind, (typeof rulesOf)[Kind]][])(
    'deny before ask before allow, in every order and mode: %s',
    (kind, { allow, ask, deny }) => {
      for (const mode of ['ask', 'auto-edit', 'full'] as const) {
        const verdict = (...rules: ConsentRule[]) =>
          said(judge(looked(kind), 'medium', { rules, mode, isTrusted: true }))
        for (const rules of [
          [allow, ask, deny],
          [deny, ask, allow],
          [ask, deny],
          [deny, allow],
        ])
          expect(verdict(...rules)).toBe('deny rule')
        expect(verdict(allow, ask)).toBe('ask')
        expect(verdict(ask, allow)).toBe('ask')
        if (kind === 'edit' || kind === 'command') expect(verdict(allow)).toBe(`rule ${allow.pattern}`)
      }
    },
  )

  it('allow nothing in plan mode and in a folder without trust', () => {
    for (const kind of ['edit', 'command'] as const) {
      const rules = [rulesOf[kind].allow]
      expect(said(judge(looked(kind), 'low', { rules, mode: 'plan', isTrusted: true }))).toBe(
        'deny plan-mode',
      )
      const untrusted = said(judge(looked(kind), 'low', { rules, mode: 'full', isTrusted: false }))
      expect(untrusted).toBe(kind === 'edit' ? 'ask' : 'deny untrusted')
    }
  })

  it('allow a line only where each of its commands is allowed', () => {
    const words = [
      ['npm', 'test'],
      ['npm', 'run', 'lint'],
    ]
    const line: CallAssessment = {
      ...looked('command'),
      subject: {
        kind: 'command',
        commands: words,
        toAllow: words.map((each) => [each] as const),
        paths: [],
        isReadOnly: false,
      },
    }
    const test = rule('allow', 'npm test')
    const lint = rule('allow', 'npm run *')
    expect(said(judge(line, 'medium', { ...trusted, rules: [test] }))).toBe('ask')
    expect(said(judge(line, 'medium', { ...trusted, rules: [test, lint] }))).toBe('rule npm test, npm run *')
    const unsure: CallAssessment = {
      ...line,
      subject: { kind: 'command', paths: [], commands: words, toAllow: null, isReadOnly: false },
    }
    expect(said(judge(unsure, 'medium', { ...trusted, rules: [test, lint] }))).toBe('ask')
  })

  it('about files hold for commands that name them', () => {
    const basis = { ...trusted, rules: [rule('deny', 'src/**', 'read_file')] }
    expect(said(judge(looked('read-only command'), 'low', basis))).toBe('deny rule')
    const edits = { ...trusted, rules: [rule('deny', 'src/**', 'edit')] }
    expect(said(judge(looked('read-only command'), 'low', edits))).toBe('grant read-only')
  })

  it('about a file ask before a whole folder is read', () => {
    const deep: CallAssessment = { ...looked('read-only command'), readsDeep: true }
    const basis = { ...trusted, rules: [rule('deny', 'private/**', 'read_file')] }
    expect(said(judge(deep, 'low', basis))).toBe('ask')
    expect(said(judge(deep, 'low', { ...trusted, rules: [rule('deny', 'git push', 'run_command')] }))).toBe(
      'grant read-only',
    )
  })

  it('about a site hold for that site alone, in no mode without them and in no untrusted folder', () => {
    const site: CallAssessment = {
      ...looked('read'),
      subject: { kind: 'outside', tool: 'web_fetch', place: 'docs.example.com' },
      reasons: [{ code: 'site', detail: 'docs.example.com' }],
    }
    const judged = (rules: ConsentBasis['rules'], basis: Partial<ConsentBasis> = {}) =>
      said(judge(site, 'medium', { ...trusted, mode: 'full', rules, ...basis }))
    expect(judged([])).toBe('ask')
    expect(judged([], { mode: 'plan' })).toBe('ask')
    const allow = rule('allow', '*.example.com', 'web_fetch')
    expect(judged([allow])).toBe('rule *.example.com')
    expect(judged([allow], { isTrusted: false })).toBe('ask')
    expect(judged([rule('allow', 'example.com', 'web_fetch')])).toBe('ask')
    expect(judged([rule('allow', 'docs.example.com', 'read_file')])).toBe('ask')
    expect(judged([allow, rule('ask', 'docs.*', 'web_fetch')])).toBe('ask')
    expect(judged([allow, rule('deny', 'docs.example.com', 'web_fetch')])).toBe('deny rule')
    expect(judged([rule('deny', 'docs.example.com', 'read_file')])).toBe('ask')
  })

  it('for one tool say nothing about another', () => {
    const basis: ConsentBasis = { ...trusted, rules: [rule('allow', 'src/**', 'write_file')] }
    expect(said(judge(looked('edit'), 'low', basis))).toBe('ask')
  })
})

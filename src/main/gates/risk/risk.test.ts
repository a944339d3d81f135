import { describe, expect, it } from 'vitest'
import { gateData } from '../../../../tests/fakes/rigs/gate-rig.ts'
import type { GateFile, RiskReason } from '../../../shared/domain/session/gate.ts'
import type { FilePreview } from '../../tools/prepared-call.ts'
import { fileReasons, joinedRisk, riskReport, sizeReasons } from './risk.ts'

const { kinds } = await gateData()

function preview(path: string, change: Partial<FilePreview> = {}): FilePreview {
  return { path, to: null, action: 'edit', oldText: 'a\n', newText: 'b\n', sizeBytes: 2, ...change }
}

const changed = (path: string, lines: number): GateFile => ({
  path,
  to: null,
  action: 'edit',
  addedLines: lines,
  removedLines: 0,
  hunks: 1,
  sizeBytes: 1,
})

describe('the risk of a change', () => {
  it.each<[string, FilePreview, string[], string]>([
    ['an edit', preview('src/a.ts'), [], 'low'],
    ['a script', preview('run.sh'), ['script'], 'medium'],
    ['a lock file', preview('package-lock.json'), ['lock-file'], 'medium'],
    ['a workflow', preview('.github/workflows/x.yml'), ['ci'], 'medium'],
    ['a rule file', preview('AGENTS.md'), ['protected'], 'medium'],
    ['a secret', preview('.env'), ['secret'], 'high'],
    ['a deletion', preview('src/a.ts', { action: 'delete', newText: null }), ['deletion'], 'high'],
    ['an executable', preview('a.exe', { action: 'create', oldText: null }), ['executable'], 'high'],
    ['the end of an executable', preview('a.exe', { action: 'delete', newText: null }), ['deletion'], 'high'],
    [
      'a move onto a secret',
      preview('a.txt', { action: 'move', to: '.env', newText: 'a\n' }),
      ['secret'],
      'high',
    ],
    [
      'a move into a hook',
      preview('a', { action: 'move', to: '.git/hooks/x', newText: 'a\n' }),
      ['protected'],
      'medium',
    ],
    [
      'scripts that are moved in',
      preview('x.json', {
        action: 'move',
        to: 'package.json',
        oldText: '{"scripts":{}}',
        newText: '{"scripts":{}}',
      }),
      ['protected'],
      'medium',
    ],
  ])('%s', (_what, file, codes, level) => {
    const reasons = fileReasons([file], kinds)
    expect(reasons.map(({ code }) => code)).toEqual(codes)
    expect(riskReport(reasons).level).toBe(level)
  })

  it('is high for more than five files or two hundred lines', () => {
    const files = (count: number) => Array.from({ length: count }, (_, index) => changed(`${index}.txt`, 1))
    expect(sizeReasons(files(5))).toEqual([])
    expect(sizeReasons(files(6))).toEqual([{ code: 'many-files', detail: '6' }])
    expect(sizeReasons([...files(5), ...files(5)])).toEqual([])
    expect(sizeReasons([changed('a', 200)])).toEqual([])
    expect(sizeReasons([changed('a', 150), changed('b', 51)])).toEqual([
      { code: 'many-lines', detail: '201' },
    ])
  })
})

describe('a report', () => {
  it('names each reason once, the worst first, on one line', () => {
    const reasons: RiskReason[] = [
      { code: 'script', detail: 'a.sh' },
      { code: 'secret', detail: 'line\nbreak' },
      { code: 'script', detail: 'a.sh' },
    ]
    expect(riskReport(reasons)).toEqual({
      level: 'high',
      reasons: [
        { code: 'secret', detail: 'line break' },
        { code: 'script', detail: 'a.sh' },
      ],
    })
  })

  it('stays readable, and as high as all of its reasons', () => {
    const many = Array.from({ length: 50 }, (_, index) => ({ code: 'script', detail: `${index}` }) as const)
    const report = riskReport([...many, { code: 'network', detail: 'x'.repeat(5_000) }])
    expect(report.level).toBe('high')
    expect(report.reasons).toHaveLength(20)
    expect(report.reasons[0]?.detail).toHaveLength(200)
    const cut = { level: 'high' as const, reasons: [] }
    expect(joinedRisk([cut, { level: 'low', reasons: [] }]).level).toBe('high')
  })
})

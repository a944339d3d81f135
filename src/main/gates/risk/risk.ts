import type { RiskLevel } from '../../../shared/domain/session/agent-plan.ts'
import type { GateFile, RiskReason, RiskReport } from '../../../shared/domain/session/gate.ts'
import { clipLine } from '../../../shared/text/clip-line.ts'
import type { FilePreview } from '../../tools/prepared-call.ts'
import type { FileKinds } from './file-kinds.ts'

/** Source: `docs/decisions/sessions.md`, Consent. */
const riskLimits = { files: 5, lines: 200 } as const

const order: readonly RiskLevel[] = ['low', 'medium', 'high']

const levels: Record<RiskReason['code'], RiskLevel> = {
  deletion: 'high',
  secret: 'high',
  'many-files': 'high',
  'many-lines': 'high',
  unparsed: 'high',
  destructive: 'high',
  network: 'high',
  privileged: 'high',
  outside: 'high',
  opaque: 'high',
  executable: 'high',
  script: 'medium',
  'lock-file': 'medium',
  ci: 'medium',
  protected: 'medium',
  command: 'medium',
  site: 'medium',
  service: 'medium',
  'tool-changed': 'medium',
  'tool-unbound': 'medium',
  // The plan states its own risk, which is the least level of the report.
  plan: 'low',
  'ignored-folder': 'low',
  'link-outside': 'high',
}

/** These are asked about in every mode, whatever a rule allows. */
const alwaysAsked: ReadonlySet<RiskReason['code']> = new Set<RiskReason['code']>([
  'secret',
  'unparsed',
  'opaque',
  'outside',
  'ci',
  'protected',
  'executable',
  'link-outside',
])

const shownReasons = 20
const shownCharacters = 200

export function isAlwaysAsked({ code }: RiskReason): boolean {
  return alwaysAsked.has(code)
}

/** Makes a report of reasons, the worst first, each once. Shape: `least` is the lowest level of the report. */
export function riskReport(reasons: readonly RiskReason[], least: RiskLevel = 'low'): RiskReport {
  const seen = new Map(reasons.map((reason) => [`${reason.code} ${reason.detail}`, reason]))
  const sorted = [...seen.values()].sort(
    (a, b) => order.indexOf(levels[b.code]) - order.indexOf(levels[a.code]),
  )
  const level = sorted.map(({ code }) => levels[code]).reduce(higher, least)
  const shown = sorted.slice(0, shownReasons)
  return {
    level,
    reasons: shown.map(({ code, detail }) => ({ code, detail: clipLine(detail, shownCharacters) })),
  }
}

/** Joins several reports into one. */
export function joinedRisk(reports: readonly RiskReport[]): RiskReport {
  const least = reports.map(({ level }) => level).reduce(higher, 'low')
  return riskReport(
    reports.flatMap(({ reasons }) => reasons),
    least,
  )
}

/** Returns what makes the change of each of these files risky. */
export function fileReasons(files: readonly FilePreview[], kinds: FileKinds): RiskReason[] {
  return files.flatMap((file) => {
    const reasons: RiskReason[] = []
    const add = (code: RiskReason['code'], detail: string): void => void reasons.push({ code, detail })
    if (file.action === 'delete') add('deletion', file.path)
    if (file.entry?.leadsOut === true) add('link-outside', file.path)
    for (const path of pathsOf(file)) {
      if (kinds.isSecret(path)) add('secret', path)
      if (kinds.isProtected(path)) add('protected', path)
      if (kinds.isCi(path)) add('ci', path)
      if (kinds.isScript(path)) add('script', path)
      if (kinds.isLock(path)) add('lock-file', path)
      if (kinds.isExecutable(path) && file.action !== 'delete') add('executable', path)
    }
    const key = changedKey(file, kinds)
    if (key !== null) add('protected', `${file.path}: ${key}`)
    return reasons
  })
}

/** Returns reasons for too many files or lines, counted over everything that is asked together. */
export function sizeReasons(files: readonly GateFile[]): RiskReason[] {
  const paths = new Set(files.flatMap(pathsOf))
  const lines = files.reduce((sum, { addedLines, removedLines }) => sum + addedLines + removedLines, 0)
  const reasons: RiskReason[] = []
  if (paths.size > riskLimits.files) reasons.push({ code: 'many-files', detail: String(paths.size) })
  if (lines > riskLimits.lines) reasons.push({ code: 'many-lines', detail: String(lines) })
  return reasons
}

/** Returns a file's path and, for a move, its new path. */
export function pathsOf({ path, to }: { path: string; to: string | null }): string[] {
  return to === null ? [path] : [path, to]
}

function changedKey({ path, to, oldText, newText }: FilePreview, kinds: FileKinds): string | null {
  if (to === null) return kinds.changedKey(path, oldText, newText)
  return kinds.changedKey(path, oldText, null) ?? kinds.changedKey(to, null, newText)
}

function higher(a: RiskLevel, b: RiskLevel): RiskLevel {
  return order.indexOf(a) >= order.indexOf(b) ? a : b
}

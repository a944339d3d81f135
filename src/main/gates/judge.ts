import type { StandingConsent } from '../../shared/domain/session/agent-consent.ts'
import type { RiskLevel } from '../../shared/domain/session/agent-plan.ts'
import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { RiskReport } from '../../shared/domain/session/gate.ts'
import type { DenialKind } from '../../shared/errors.ts'
import { clipLine } from '../../shared/text/clip-line.ts'
import type { CallAssessment } from './risk/call-assessment.ts'
import { isAlwaysAsked } from './risk/risk.ts'
import { allowingRules, type HeldRule, hasReadRules, refusingRule } from './rules/rules.ts'

/** Why a call is refused without a question. */
export type Denial =
  | { kind: 'rule'; pattern: string }
  | { kind: 'executable'; path: string }
  | { kind: 'untrusted' }
  | { kind: 'plan-mode' }

export type Verdict =
  | { kind: 'grant'; by: StandingConsent['by']; name: string }
  | { kind: 'deny'; denial: Denial }
  | { kind: 'ask' }

/** A call with its assessment and its verdict. Shape: `risk` includes the size of what is asked together. */
export type WeighedCall = { assessment: CallAssessment; risk: RiskReport; verdict: Verdict }

/** The rules, mode and trust of the folder that a call is about. */
export type ConsentBasis = { rules: readonly HeldRule[]; mode: AgentMode; isTrusted: boolean }

const ask: Verdict = { kind: 'ask' }

/** Risks that a mode lets through without a question, for changes and for commands. */
const modeGrants: Record<AgentMode, { change: readonly RiskLevel[]; command: readonly RiskLevel[] }> = {
  plan: { change: [], command: [] },
  ask: { change: [], command: [] },
  'auto-edit': { change: ['low', 'medium'], command: [] },
  full: { change: ['low', 'medium'], command: ['low', 'medium'] },
}

/**
 * Decides on one call: deny > ask > allow > grant > mode. `risk` is that of everything asked together.
 *
 * What must always be asked about (secrets, protected files, places outside, lines that cannot be parsed) ranks with
 * the ask rules: nothing allows it for good.
 * Source: `docs/decisions/sessions.md`, Consent.
 */
export function judge(assessment: CallAssessment, risk: RiskLevel, basis: ConsentBasis): Verdict {
  const { rules, mode, isTrusted } = basis
  const denial = denialOf(assessment, basis)
  if (denial !== null) return { kind: 'deny', denial }
  if (assessment.reasons.some(isAlwaysAsked)) return ask
  if (refusingRule('ask', assessment.subject, rules) !== undefined) return ask
  // A rule may exclude something beneath the folder that would be read as a whole.
  if (assessment.readsDeep && hasReadRules(rules)) return ask
  const isOutside = assessment.subject.kind === 'outside'
  const needsLeave = isOutside || !assessment.isReadOnly
  const allowing = isTrusted && needsLeave ? allowingRules(assessment.subject, rules) : null
  if (allowing !== null) {
    const patterns = new Set(allowing.map(({ pattern }) => pattern))
    return { kind: 'grant', by: 'rule', name: [...patterns].join(', ') }
  }
  // A site or a server receives what the call sends: no mode allows that.
  if (isOutside) return ask
  const isCommand = assessment.subject.kind === 'command'
  if (assessment.isReadOnly) {
    if (isCommand) return { kind: 'grant', by: 'grant', name: 'read-only' }
    // `command_stop` ends only what this session has started.
    return {
      kind: 'grant',
      by: 'rule',
      name: assessment.call.tool === 'command_stop' ? 'own-command' : 'scope',
    }
  }
  const granted = modeGrants[isTrusted ? mode : 'ask'][isCommand ? 'command' : 'change']
  return granted.includes(risk) ? { kind: 'grant', by: 'mode', name: mode } : ask
}

/** Returns why a call is denied, whatever else allows it; null where nothing forbids it. */
export function denialOf(
  assessment: CallAssessment,
  { rules, mode, isTrusted }: ConsentBasis,
): Denial | null {
  const rule = refusingRule('deny', assessment.subject, rules)
  if (rule !== undefined) return { kind: 'rule', pattern: rule.pattern }
  // A tool writes none as text. A command may have built one: taking it over is always asked about.
  const executable = assessment.isStaged
    ? undefined
    : assessment.reasons.find(({ code }) => code === 'executable')
  if (executable !== undefined) return { kind: 'executable', path: executable.detail }
  const runs =
    assessment.subject.kind === 'command' || (assessment.subject.kind === 'outside' && !assessment.isReadOnly)
  if (runs && !isTrusted) return { kind: 'untrusted' }
  return mode === 'plan' && !assessment.isReadOnly ? { kind: 'plan-mode' } : null
}

/** The standing grant's name in decision records. */
export const sandboxGrant = 'sandbox'

/** The part of the command sandbox that the gates use. */
export type GateSandbox = {
  /** The user switched it on for this folder. */
  isOn(root: string): boolean
  /** True where the sandbox has passed its trial on this machine, and this folder may have a copy. */
  isReady(root: string): Promise<boolean>
  /** Returns the same as far as it is known by now; begins the trial where it is not. */
  isKnownReady(root: string): boolean
  /** Names the sandbox whose trial passed, for the records of what runs in it; null where none has. */
  profile(): string | null
  turnOn(root: string): void
}

/** The basis of a call with its folder: `home` is the added folder that it is about; null: the session's own. */
export type FolderBasis = ConsentBasis & { home: string | null }

/**
 * True for a command that may run in a copy of the folder without a question.
 *
 * Lines of high risk, in the background, in added folders, those that a rule asks about, and those that use Git, whose
 * folder is read-only there, are asked about as without a sandbox.
 */
export function isSandboxable(assessment: CallAssessment, risk: RiskLevel, basis: FolderBasis): boolean {
  return !assessment.isReadOnly && mayRunInCopy(assessment, risk, basis)
}

/** As `isSandboxable`, but also true for commands that only read; only these may use Git. */
export function mayRunInCopy(
  assessment: CallAssessment,
  risk: RiskLevel,
  { rules, mode, isTrusted, home }: FolderBasis,
): boolean {
  const { call, subject } = assessment
  if (subject.kind !== 'command' || call.facts.kind !== 'command') return false
  if (!isTrusted || mode === 'plan' || home !== null || risk === 'high' || call.facts.isBackground)
    return false
  if (assessment.reasons.some(isAlwaysAsked) || refusingRule('ask', subject, rules) !== undefined)
    return false
  if (assessment.isReadOnly) return true
  return subject.commands.every(
    (words) => !words.some((word) => word === 'git' || word?.endsWith('/git') === true),
  )
}

const shownCharacters = 200

/** Returns a denial for the user. Shape: `detail` is the rule or the file, on one line; empty for the other kinds. */
export function deniedBy(by: Denial): { denial: DenialKind; detail: string } {
  const detail = by.kind === 'rule' ? by.pattern : by.kind === 'executable' ? by.path : ''
  return { denial: by.kind, detail: clipLine(detail, shownCharacters) }
}

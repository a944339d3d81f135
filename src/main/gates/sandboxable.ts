import type { RiskLevel } from '../../shared/domain/session/agent-plan.ts'
import type { ConsentBasis } from './judge.ts'
import type { CallAssessment } from './risk/call-assessment.ts'
import { isAlwaysAsked } from './risk/risk.ts'
import { refusingRule } from './rules/rules.ts'

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

/** The same, also for a command that only reads. Only a command that only reads may use Git. */
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

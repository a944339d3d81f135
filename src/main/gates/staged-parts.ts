import type { RiskLevel } from '../../shared/domain/session/agent-plan.ts'
import type { ToolName } from '../../shared/domain/session/tool-name.ts'
import type { FilePreview } from '../tools/prepared-call.ts'
import { type ConsentBasis, denialOf, judge, type Verdict } from './judge.ts'
import type { CallAssessment } from './risk/call-assessment.ts'
import { isAlwaysAsked, pathsOf } from './risk/risk.ts'
import { refusingRule } from './rules/rules.ts'

const toolOf: Readonly<Record<FilePreview['action'], ToolName>> = {
  create: 'write_file',
  edit: 'edit',
  delete: 'delete_file',
  move: 'move_file',
}

/**
 * Returns staged changes file by file, each as a change by the tool that makes such changes, in its own folder: rules
 * are about these. A moved file also counts as one deleted and one created, since that is what is left in the end.
 */
export function partsOf(assessment: CallAssessment): CallAssessment[] {
  const { call } = assessment
  const files = call.facts.kind === 'change' ? call.facts.files : []
  return files.flatMap((file) => {
    const own = { ...assessment, call: { ...call, facts: { kind: 'change' as const, files: [file] } } }
    const whole = partOf(own, toolOf[file.action], pathsOf(file))
    if (file.action !== 'move' || file.to === null) return [whole]
    return [whole, partOf(own, 'delete_file', [file.path]), partOf(own, 'write_file', [file.to])]
  })
}

function partOf(assessment: CallAssessment, tool: ToolName, paths: readonly string[]): CallAssessment {
  return { ...assessment, isStaged: true, subject: { kind: 'files', tool, paths } }
}

/**
 * The changes of a command in one ignored folder. Shape: `folder` is judged for permission; `files` are the files that it
 * wrote there, and those that it deleted.
 */
type IgnoredPart = { top: string; folder: CallAssessment; files: CallAssessment[] }

/** Returns the changes of a command in ignored folders, folder by folder. */
export function ignoredParts(assessment: CallAssessment): IgnoredPart[] {
  const { facts } = assessment.call
  const ignored = facts.kind === 'change' ? (facts.effects?.ignored ?? []) : []
  return ignored.map(({ top, written, removed }) => ({
    top,
    folder: partOf(assessment, 'write_file', [`${top}/file`]),
    files: [partOf(assessment, 'write_file', written), partOf(assessment, 'delete_file', removed)],
  }))
}

/**
 * Judges the changes in one ignored folder: a rule may refuse each file; what allows them is a rule on the folder, or an
 * earlier consent to changes of commands there (`hasFolderConsent`). No mode does: the first change is always asked about.
 */
export function ignoredVerdict(
  { top, folder, files }: IgnoredPart,
  risk: RiskLevel,
  basis: ConsentBasis & { hasFolderConsent: boolean },
): Verdict {
  const { rules, isTrusted, hasFolderConsent } = basis
  for (const part of files) {
    const denial = denialOf(part, basis)
    if (denial !== null) return { kind: 'deny', denial }
  }
  const isAsked = ({ subject }: CallAssessment): boolean => refusingRule('ask', subject, rules) !== undefined
  if (files.some(isAsked)) return { kind: 'ask' }
  const verdict = judge(folder, risk, basis)
  if (verdict.kind === 'deny' || (verdict.kind === 'grant' && verdict.by === 'rule')) return verdict
  const mayPass = hasFolderConsent && isTrusted && !isAsked(folder) && !folder.reasons.some(isAlwaysAsked)
  return mayPass ? { kind: 'grant', by: 'rule', name: top } : { kind: 'ask' }
}

/** Returns all parts that a rule may deny. */
export function deniableParts(assessment: CallAssessment): CallAssessment[] {
  return [...partsOf(assessment), ...ignoredParts(assessment).flatMap(({ files }) => files)]
}

/** Returns the verdict on all parts together: denied or asked about where any part is. */
export function wholeVerdict(parts: readonly Verdict[]): Verdict {
  const names = new Set<string>()
  let by: Extract<Verdict, { kind: 'grant' }>['by'] = 'rule'
  for (const part of parts) {
    if (part.kind !== 'grant') continue
    names.add(part.name)
    if (part.by !== 'rule') by = part.by
  }
  const refused = parts.find(({ kind }) => kind === 'deny') ?? parts.find(({ kind }) => kind === 'ask')
  return refused ?? { kind: 'grant', by, name: [...names].join(', ') }
}

import type { AgentPlan } from '../../shared/domain/session/agent-plan.ts'
import type {
  GateCall,
  GateEffects,
  GateView,
  RiskReason,
  RiskReport,
} from '../../shared/domain/session/gate.ts'
import { toolTraits } from '../../shared/domain/session/tool-name.ts'
import { clipLine } from '../../shared/text/clip-line.ts'
import type { EffectFacts, PreparedCall } from '../tools/prepared-call.ts'
import type { CallAssessment } from './risk/call-assessment.ts'
import type { FileKinds } from './risk/file-kinds.ts'
import { isAlwaysAsked, joinedRisk, pathsOf, riskReport, sizeReasons } from './risk/risk.ts'

const subjectCharacters = 500
/** Longest pattern that a rule accepts. Units: characters. */
const limitPattern = 1000

/** Adds the risk of each call; the size of the changes of all calls together counts for each. */
export function withRisks(
  assessments: readonly CallAssessment[],
): { assessment: CallAssessment; risk: RiskReport }[] {
  const together = sizeReasons(assessments.flatMap(({ files }) => files))
  return assessments.map((assessment) => {
    const { reasons, files } = assessment
    return { assessment, risk: riskReport([...reasons, ...(files.length > 0 ? together : [])]) }
  })
}

/** Returns the risk of a plan: the one that it states, and those of its steps. */
export function planRisk(plan: AgentPlan, kinds: FileKinds): RiskReport {
  const reasons: RiskReason[] = plan.steps.flatMap(({ kind, path, text }) => {
    const found: RiskReason[] = []
    if (kind === 'delete') found.push({ code: 'deletion', detail: path ?? text })
    if (path !== null && kinds.isSecret(path)) found.push({ code: 'secret', detail: path })
    if (path !== null && kind !== 'read' && kinds.isProtected(path))
      found.push({ code: 'protected', detail: path })
    return found
  })
  if (plan.risk !== 'low') reasons.push({ code: 'plan', detail: plan.title })
  return riskReport(reasons, plan.risk)
}

/** Returns what a gate shows of a call: `rationale` where it gives no reason, its title where no task is known. */
export function gateCall(
  assessment: CallAssessment,
  risk: RiskReport,
  words: { task: string; rationale: string; isTrusted: boolean; sandbox?: GateCall['sandbox'] },
): GateCall {
  const { task, rationale, isTrusted, sandbox } = words
  const { call, files, reads, parts } = assessment
  const { facts } = call
  const reason = call.reason?.trim() ?? ''
  const mayRemember = isTrusted && risk.level !== 'high' && !assessment.reasons.some(isAlwaysAsked)
  return {
    callId: call.callId,
    tool: call.tool,
    hash: call.hash,
    intent: task === '' ? call.title : task,
    reason: reason === '' ? rationale : reason,
    isReasonFromDecision: reason === '',
    alternatives: call.alternatives,
    risk,
    patterns:
      mayRemember && assessment.patterns.every(({ length }) => length <= limitPattern)
        ? [...assessment.patterns]
        : [],
    files: [...files],
    command:
      facts.kind === 'command'
        ? { line: facts.line, folder: facts.folder, parts: [...parts], isBackground: facts.isBackground }
        : null,
    reads: [...reads],
    ...(facts.kind === 'outside' ? { outside: { place: facts.place, line: facts.line } } : {}),
    plan: null,
    ...(facts.kind === 'change' && facts.effects && { effects: effectsOf(facts.effects) }),
    ...(sandbox !== undefined && { sandbox }),
  }
}

function effectsOf({ ignored, conflicts, left }: EffectFacts): GateEffects {
  const folders = ignored.map(({ top, written, removed, sizeBytes, leadsOut }) => {
    return { top, files: written.length, removed: removed.length, sizeBytes, leadsOut }
  })
  return { ignored: folders, conflicts, left }
}

export function planCall(plan: AgentPlan, risk: RiskReport): GateCall {
  return {
    callId: plan.callId,
    tool: 'propose_plan',
    hash: plan.hash,
    intent: plan.title,
    reason: plan.purpose,
    isReasonFromDecision: false,
    alternatives: [],
    risk,
    patterns: [],
    files: [],
    command: null,
    reads: [],
    plan: {
      purpose: plan.purpose,
      steps: plan.steps.map(({ text }) => text),
      successCriteria: plan.successCriteria,
    },
  }
}

export function gateView(gateId: string, kind: GateView['kind'], calls: readonly GateCall[]): GateView {
  return { gateId, kind, calls: [...calls], risk: joinedRisk(calls.map(({ risk }) => risk)) }
}

/** Returns what a decision was about, as one line of the audit log; for a search also what was looked for. */
export function subjectOf(call: PreparedCall): string {
  return clipLine(subjectText(call) || call.title, subjectCharacters)
}

function subjectText({ facts, title, tool }: PreparedCall): string {
  switch (facts.kind) {
    case 'command':
    case 'outside':
      return facts.line
    case 'change':
      return facts.files.map((file) => pathsOf(file).join(' → ')).join(', ')
    case 'read':
      return toolTraits[tool].shows === 'search'
        ? [title, ...facts.paths.filter((path) => path !== '.')].join(' · ')
        : facts.paths.join(', ')
  }
}

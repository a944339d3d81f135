import type { LayerTokens } from '../../../../shared/domain/app/app-settings.ts'
import type { AgentState } from '../../../../shared/domain/session/agent-state.ts'
import type { ContextMeter } from '../../../../shared/domain/session/session.ts'
import type { AgentPrompts } from '../../../prompts/agent-prompts.ts'
import { estimateTextTokens } from '../../../tokens/token-estimate.ts'
import type { Wanted } from './prompt-block.ts'
import { type LeftOut, type Situation, sentDecisions } from './situation.ts'

/** Context window that the figures of the budgets are meant for. Units: tokens. */
const usualWindowTokens = 8_192
/** Lines of the situation that belong to the first layer: what is known for longer than a session. */
const baseLines = ['learnedPatterns', 'session', 'memory']

const nothing: LeftOut = { contextRefs: 0, decisionLog: 0, openQuestions: 0, planBrief: 0 }

/** Returns the budgets for a context window; an unknown window gets the figures as they are. Units: tokens. */
export function layerBudgets(figures: LayerTokens, contextTokens: number | null): LayerTokens {
  const scale = (contextTokens ?? usualWindowTokens) / usualWindowTokens
  const scaled = (tokens: number) => Math.max(1, Math.floor(tokens * scale))
  return { base: scaled(figures.base), main: scaled(figures.main), specialised: scaled(figures.specialised) }
}

/**
 * Returns the situation within the budget of its layer. Cuts references first, then decisions (both oldest first),
 * then the last open questions, then the plan but for its next step. The lists say how much is missing.
 *
 * Never cut: goal, why now, constraints. Counted by estimate, so that the same state always gives the same lines.
 * Source: *Duckflow prompt system* 11.1; `docs/decisions/sessions.md`, point 21.
 */
export function fittedSituation(
  make: (left: LeftOut) => Situation,
  state: AgentState,
  budgetTokens: number,
): { situation: Situation; left: LeftOut } {
  const { course, contextRefs, decisionLog } = state
  const most: LeftOut = {
    contextRefs: contextRefs.length,
    decisionLog: Math.min(sentDecisions, decisionLog.length),
    openQuestions: course.openQuestions.length,
    planBrief: Math.max(0, course.planBrief.length - 1),
  }
  let left = nothing
  let situation = make(left)
  for (const item of ['contextRefs', 'decisionLog', 'openQuestions', 'planBrief'] as const)
    while (left[item] < most[item] && estimateTextTokens(mainText(situation)) > budgetTokens) {
      left = { ...left, [item]: left[item] + 1 }
      situation = make(left)
    }
  return { situation, left }
}

/**
 * Returns how much of its budget each layer uses, by estimate: the base text with what is known for longer than a
 * session, the situation as it would be told whole now, and the procedures with the form of the answer.
 */
export function layersOf(
  prompts: AgentPrompts,
  { situation, left }: { situation: Situation; left: LeftOut },
  wanted: readonly Wanted[],
  isDirect: boolean,
  budgets: LayerTokens,
): ContextMeter['layers'] {
  const known = linesOf(situation).flatMap(([key, line]) => (baseLines.includes(key) ? line : []))
  const procedures = [prompts.render('policy', {}), ...wanted.map(({ full }) => full)]
  if (isDirect) procedures.push(prompts.render('direct', {}))
  const texts = {
    base: [prompts.render('base', {}), ...known].join('\n'),
    main: mainText(situation),
    specialised: procedures.join('\n'),
  }
  const missing = (['contextRefs', 'decisionLog', 'openQuestions', 'planBrief'] as const).flatMap((item) =>
    left[item] === 0 ? [] : [{ item, count: left[item] }],
  )
  return (['base', 'main', 'specialised'] as const).map((layer) => ({
    layer,
    usedTokens: estimateTextTokens(texts[layer]),
    budgetTokens: budgets[layer],
    leftOut: layer === 'main' ? missing : [],
  }))
}

function linesOf({ lines, once }: Situation): [string, string][] {
  return Object.entries({ ...lines, ...once })
}

function mainText(situation: Situation): string {
  return linesOf(situation)
    .flatMap(([key, line]) => (baseLines.includes(key) ? [] : line))
    .join('\n')
}

import type { AgentStep } from '../../../shared/domain/session/agent-step.ts'
import { ToolName, toolTraits } from '../../../shared/domain/session/tool-name.ts'

/**
 * The tools that a step may use: what a grammar offers there. The list in the prompt is always the same; what
 * a step may not do the host refuses as well.
 */
export function toolsOf(step: AgentStep): ToolName[] {
  return ToolName.options.filter((name) => toolTraits[name].steps?.includes(step) ?? true)
}

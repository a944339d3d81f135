import type { AgentStep } from '../../../shared/domain/agent-step.ts'
import { ToolName } from '../../../shared/domain/tool-name.ts'

const writing: readonly ToolName[] = ['edit', 'write_file', 'delete_file', 'move_file']
const leftOut: Record<AgentStep, readonly ToolName[]> = {
  PLANNING: [...writing, 'submit_review', 'todo_write', 'command_stop'],
  EXECUTION: ['propose_plan', 'submit_review'],
  REVIEW: [...writing, 'propose_plan', 'todo_write'],
  AWAITING_APPROVAL: ['propose_plan', 'submit_review'],
}

/**
 * The tools that a step may use: what a grammar offers there. The list in the prompt is always the same; what
 * a step may not do the host refuses as well.
 */
export function toolsOf(step: AgentStep): ToolName[] {
  return ToolName.options.filter((name) => !leftOut[step].includes(name))
}

import { type ToolName, toolTraits } from '../../shared/domain/session/tool-name.ts'
import type { ToolContext } from './defining/tool.ts'

/** The tools that a model may call now: those of every session, and what the user has switched on. */
export function offeredTools({ web }: Pick<ToolContext, 'web'>): ToolName[] {
  const names = Object.keys(toolTraits) as ToolName[]
  return names.filter((name) => toolTraits[name].access !== 'web' || web() !== null)
}

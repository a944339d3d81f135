import { ToolName, toolTraits } from '../../shared/domain/session/tool-name.ts'
import type { ToolDeclaration } from '../models/client/model-client.ts'
import type { ToolContext } from './defining/tool.ts'

/** Tools of ours that change files or run commands. */
export const changingTools = ToolName.options.filter((name) =>
  ['write', 'run'].includes(toolTraits[name].access),
)

/** The tools of ours that a model may call now: those of every session, and what the user has switched on. */
export function offeredTools({ web }: Pick<ToolContext, 'web'>): ToolName[] {
  const names = Object.keys(toolTraits) as ToolName[]
  return names.filter(
    (name) => toolTraits[name].isOptional !== true || (toolTraits[name].access === 'web' && web() !== null),
  )
}

/** The tools of added servers, as they are declared to models. */
export function serverDeclarations({ servers }: Pick<ToolContext, 'servers'>): ToolDeclaration[] {
  const offered = servers()?.offered() ?? []
  return offered.map(({ callName, description, inputSchema }) => ({
    name: callName,
    description,
    parameters: inputSchema,
  }))
}

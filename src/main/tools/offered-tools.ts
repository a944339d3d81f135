import { ToolName, type ToolTraits, toolTraits } from '../../shared/domain/session/tool-name.ts'
import type { ToolDeclaration } from '../models/client/model-client.ts'
import type { ToolContext } from './defining/tool.ts'

/** Tools of ours that change files or run commands. */
export const changingTools = ToolName.options.filter((name) =>
  ['write', 'run'].includes(toolTraits[name].access),
)

/** Returns our tools that a model may call now: those of every session, and those that the user has switched on. */
export function offeredTools({ web, explorer }: Pick<ToolContext, 'web' | 'explorer'>): ToolName[] {
  const names = Object.keys(toolTraits) as ToolName[]
  const isOn = ({ access, asksModel }: ToolTraits): boolean =>
    (access === 'web' && web() !== null) || (asksModel === true && explorer() !== null)
  return names.filter((name) => toolTraits[name].isOptional !== true || isOn(toolTraits[name]))
}

/** Tools for commands that have been started: a model on the direct path gets them once a result has named them. */
const laterTools: readonly ToolName[] = ['command_output', 'command_stop']

/** Returns our tools that a model on the direct path may call now. */
export function directTools(
  context: Pick<ToolContext, 'web' | 'explorer'>,
  hasCommands: boolean,
): ToolName[] {
  const isDeclared = (name: ToolName): boolean =>
    toolTraits[name].isDirect === true || hasCommands || !laterTools.includes(name)
  const direct = (Object.keys(toolTraits) as ToolName[]).filter((name) => toolTraits[name].isDirect === true)
  return [...offeredTools(context), ...direct].filter(isDeclared)
}

/** True where a result has named these tools: a command runs in the background, or its output was cut. */
export function namesCommandTools(results: readonly { role: string; text: string }[]): boolean {
  return results.some(({ role, text }) => role === 'tool' && namedCommand.test(text))
}

/** Matches a command's id as the results in both languages write it. The tool's name alone could stand in any file. */
const namedCommand = /command_id ?["「]cmd-/

/** The tools of added servers, as they are declared to models. */
export function serverDeclarations({ servers }: Pick<ToolContext, 'servers'>): ToolDeclaration[] {
  const offered = servers()?.offered() ?? []
  return offered.map(({ callName, description, inputSchema }) => ({
    name: callName,
    description,
    parameters: inputSchema,
  }))
}

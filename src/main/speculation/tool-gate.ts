import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import { ToolName, type ToolTraits, toolTraits } from '../../shared/domain/session/tool-name.ts'

/**
 * What kind of call it is, whatever its arguments. `asks`: it is about the user, the session or what runs beside it;
 * `unknown`: no tool of ours, or one whose effects lie beyond this machine.
 */
export type CallKind = 'read' | 'write' | 'shell' | 'asks' | 'unknown'

/** `redirect`: a write, to the overlay; `boundary`: not before the user has accepted what there is. */
export type CallClass = { action: 'allow' | 'redirect' | 'boundary'; kind: CallKind }

/** Shape: `isReadOnly` is the finding of the read-only check; false for anything but a command. */
export type ClassifiedCall = {
  tool: string
  args: Readonly<Record<string, unknown>>
  isReadOnly: boolean
}

/** Under which a run ahead plays. `stopsAtFirstWrite`: where the mode asks, no write is done ahead. */
export type ClassificationContext = { mode: AgentMode; stopsAtFirstWrite: boolean }

const kinds: Readonly<Record<ToolTraits['access'], CallKind>> = {
  read: 'read',
  write: 'write',
  run: 'shell',
  session: 'asks',
  // As a tool that is not ours: nobody can take back what a site or a server has heard.
  web: 'unknown',
  service: 'unknown',
}

/**
 * What a run ahead does with a call, by its tool alone; rules, scope and secrets are looked at afterwards.
 *
 * Shape: `todo_write`, `propose_plan` and `submit_review` come here where they are out of their step: in it they act on
 * the forked state and touch nothing, as `update_course` always does.
 * Source: `docs/decisions/speculation.md`, Gate for tools.
 */
export function classifyCall(call: ClassifiedCall, ground: ClassificationContext): CallClass {
  const kind = kindOf(call.tool)
  if (kind === 'read') return { action: 'allow', kind }
  if (kind === 'write') return { action: mayRedirect(call, ground) ? 'redirect' : 'boundary', kind }
  return { action: kind === 'shell' && onlyReads(call) ? 'allow' : 'boundary', kind }
}

function kindOf(tool: string): CallKind {
  const known = ToolName.safeParse(tool)
  if (!known.success) return 'unknown'
  const { access, asksModel } = toolTraits[known.data]
  return asksModel ? 'asks' : kinds[access]
}

/** A write that names no place has nowhere to be redirected to. */
function mayRedirect(
  { tool, args }: ClassifiedCall,
  { mode, stopsAtFirstWrite }: ClassificationContext,
): boolean {
  const names = Object.keys(toolTraits[ToolName.parse(tool)].paths).map((key) => args[key])
  const isPlaced = names.length > 0 && names.every((name) => typeof name === 'string' && name !== '')
  return isPlaced && mode !== 'plan' && !(mode === 'ask' && stopsAtFirstWrite)
}

function onlyReads({ args, isReadOnly }: ClassifiedCall): boolean {
  return isReadOnly && args.background !== true
}

import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import { ToolName, type ToolTraits, toolTraits } from '../../shared/domain/session/tool-name.ts'

/**
 * Kind of a call, whatever its arguments. `asks`: a call about the user, the session or what runs beside it;
 * `unknown`: no tool of ours, or one with effects outside of this machine.
 */
export type CallKind = 'read' | 'write' | 'shell' | 'asks' | 'unknown'

/** `redirect`: a write goes to the overlay; `boundary`: the call waits until the user has accepted the speculation. */
export type CallClass = { action: 'allow' | 'redirect' | 'boundary'; kind: CallKind }

/** Shape: `isReadOnly` is the finding of the read-only check; false for anything but a command. */
export type ClassifiedCall = {
  tool: string
  args: Readonly<Record<string, unknown>>
  isReadOnly: boolean
}

/** Settings of a speculation. `stopsAtFirstWrite`: where the mode asks, the speculation makes no write. */
export type ClassificationContext = { mode: AgentMode; stopsAtFirstWrite: boolean }

const kinds: Readonly<Record<ToolTraits['access'], CallKind>> = {
  read: 'read',
  write: 'write',
  run: 'shell',
  session: 'asks',
  // Like a tool that is not ours: what was sent to a site or a server cannot be taken back.
  web: 'unknown',
  service: 'unknown',
}

/**
 * Returns what a speculation does with a call, by its tool alone; rules, scope and secrets are checked afterwards.
 *
 * Shape: `todo_write`, `propose_plan` and `submit_review` come here only outside of their step: in it they change
 * only the forked state, as `update_course` always does.
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

/** True for a write that names its path, where the mode allows writes to the overlay. */
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

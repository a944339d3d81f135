import type { AgentState } from '../../shared/domain/session/agent-state.ts'
import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import type { SpeculationBoundary } from '../../shared/domain/session/speculation.ts'
import { ToolName, type ToolTraits, toolTraits } from '../../shared/domain/session/tool-name.ts'
import { isAppError } from '../../shared/errors.ts'
import { parseJson } from '../../shared/text/json.ts'
import type { Toolbox } from '../tools/create-toolbox.ts'
import { isAbsolutePath } from '../tools/defining/root-path.ts'
import type { RawCall, ReadCall } from '../tools/prepared-call.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'
import { isIgnoreFile } from './overlay/overlay-search.ts'

type ForkedToolboxDeps = {
  /** The tools over the overlay. */
  toolbox: Toolbox
  operations: Pick<ToolOperations, 'locate'>
  state(): Pick<AgentState, 'step' | 'mode' | 'plan'>
  stopsAtFirstWrite(): boolean
  /** True where commands can run in a copy of the folder on this machine. */
  hasSandbox(): Promise<boolean>
}

/**
 * Returns the tools of a fork, which classify every call before consent is asked. The call that a speculation stops at,
 * and those behind it in the answer, become boundaries.
 *
 * Source: `docs/decisions/speculation.md`, Gate for tools: classification.
 */
export function createForkedToolbox(deps: ForkedToolboxDeps): Toolbox {
  return {
    ...deps.toolbox,
    async prepare(calls) {
      const read = await deps.toolbox.prepare(calls)
      const met = await firstBoundary(deps, calls, read)
      if (met === null) return read
      return read.map((one, index) => {
        const raw = calls[index]
        if (index < met.index || raw === undefined) return one
        return { kind: 'boundary', callId: raw.callId, title: titleOf(one), boundary: met.boundary }
      })
    },
  }
}

async function firstBoundary(
  deps: ForkedToolboxDeps,
  calls: readonly RawCall[],
  read: readonly ReadCall[],
): Promise<{ index: number; boundary: SpeculationBoundary } | null> {
  for (const [index, raw] of calls.entries()) {
    const one = read[index]
    const kind = one === undefined ? 'unknown' : await boundaryKind(deps, raw, one)
    if (kind === null) continue
    const title = one === undefined ? '' : titleOf(one)
    const boundary = { kind, callId: raw.callId, title: title === '' ? raw.name : title }
    const isCommand = kind === 'shell' && raw.name === 'run_command' && !(await deps.hasSandbox())
    return { index, boundary: isCommand ? { ...boundary, copy: 'missing' } : boundary }
  }
  return null
}

async function boundaryKind(
  deps: ForkedToolboxDeps,
  raw: RawCall,
  read: ReadCall,
): Promise<SpeculationBoundary['kind'] | null> {
  const state = deps.state()
  if (isStateChange(raw.name, state)) return isRefusingReview(read) ? 'review' : null
  const args = argumentsOf(raw)
  const isReadOnly = read.kind === 'world' && read.call.isReadOnly
  const settings = { mode: state.mode, stopsAtFirstWrite: deps.stopsAtFirstWrite() }
  const { action, kind } = classifyCall({ tool: raw.name, args, isReadOnly }, settings)
  // Whether this one may run in a copy is a matter of consent.
  if (kind === 'shell' && args.background !== true && (await deps.hasSandbox())) return null
  if (action === 'boundary') return kind === 'read' ? 'rule' : kind
  if (action === 'redirect' && isUnsuitable(read)) return 'write'
  const isLost = action === 'redirect' && read.kind === 'invalid'
  return isLost && !(await arePlaces(deps.operations, [args.path, args.to])) ? 'write' : null
}

/**
 * True for a change that a speculation stops before: of files in added folders (absolute paths), as an acceptance changes
 * only the session's own folder, and of files that decide what searches leave out.
 */
function isUnsuitable(read: ReadCall): boolean {
  if (read.kind !== 'world' || read.call.facts.kind !== 'change') return false
  return read.call.facts.files.some(({ path, to }) =>
    [path, to ?? ''].some((one) => isAbsolutePath(one) || isIgnoreFile(one)),
  )
}

/** True where a call changes only the state of the fork, which is not adopted yet. */
function isStateChange(tool: string, { step, plan }: Pick<AgentState, 'step' | 'plan'>): boolean {
  const known = ToolName.safeParse(tool)
  if (!known.success) return false
  const { ownState, steps } = toolTraits[known.data]
  if (ownState === 'with-plan') return plan !== null
  return ownState === 'in-step' && (steps?.includes(step) ?? true)
}

function isRefusingReview(read: ReadCall): boolean {
  return read.kind === 'session' && read.call.kind === 'review' && read.call.report.verdict !== 'approve'
}

/** False where a path is outside, or where no file can be: nothing was redirected. */
async function arePlaces(
  operations: Pick<ToolOperations, 'locate'>,
  paths: readonly unknown[],
): Promise<boolean> {
  for (const path of paths) {
    if (typeof path !== 'string') continue
    try {
      const { kind } = await operations.locate(path)
      if (kind === 'folder' || kind === 'other') return false
    } catch (error) {
      if (!isAppError(error)) throw error
      return false
    }
  }
  return true
}

function argumentsOf({ args }: RawCall): Record<string, unknown> {
  const read = parseJson(args)
  return typeof read === 'object' && read !== null ? { ...read } : {}
}

function titleOf(read: ReadCall): string {
  return read.kind === 'world' ? read.call.title : read.title
}

/**
 * Kind of a call, whatever its arguments. `asks`: a call about the user, the session or what runs beside it;
 * `unknown`: no tool of ours, or one with effects outside of this machine.
 */
type CallKind = 'read' | 'write' | 'shell' | 'asks' | 'unknown'

/** `stopsAtFirstWrite`: where the mode asks, the speculation makes no write. */
type Settings = { mode: AgentMode; stopsAtFirstWrite: boolean }

/** `redirect`: a write goes to the overlay; `boundary`: the call waits until the user has accepted the speculation. */
type CallClass = { action: 'allow' | 'redirect' | 'boundary'; kind: CallKind }

/** Shape: `isReadOnly` is the finding of the read-only check; false for anything but a command. */
type ClassifiedCall = {
  tool: string
  args: Readonly<Record<string, unknown>>
  isReadOnly: boolean
}

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
 * Shape: a call of a tool with `ownState` comes here only where it changes more than the forked state.
 * Source: `docs/decisions/speculation.md`, Gate for tools.
 */
export function classifyCall(call: ClassifiedCall, settings: Settings): CallClass {
  const kind = kindOf(call.tool)
  if (kind === 'read') return { action: 'allow', kind }
  if (kind === 'write') return { action: mayRedirect(call, settings) ? 'redirect' : 'boundary', kind }
  return { action: kind === 'shell' && onlyReads(call) ? 'allow' : 'boundary', kind }
}

function kindOf(tool: string): CallKind {
  const known = ToolName.safeParse(tool)
  if (!known.success) return 'unknown'
  const { access, asksModel } = toolTraits[known.data]
  return asksModel ? 'asks' : kinds[access]
}

/** True for a write that names its path, where the mode allows writes to the overlay. */
function mayRedirect({ tool, args }: ClassifiedCall, { mode, stopsAtFirstWrite }: Settings): boolean {
  const names = Object.keys(toolTraits[ToolName.parse(tool)].paths).map((key) => args[key])
  const isPlaced = names.length > 0 && names.every((name) => typeof name === 'string' && name !== '')
  return isPlaced && mode !== 'plan' && !(mode === 'ask' && stopsAtFirstWrite)
}

function onlyReads({ args, isReadOnly }: ClassifiedCall): boolean {
  return isReadOnly && args.background !== true
}

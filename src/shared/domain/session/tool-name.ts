import { z } from 'zod'
import type { AgentStep } from './agent-step.ts'

/** Places in arguments: `file` exists, `known` was also read, `target` may be new, `any`: file or folder. */
export type PathKind = 'file' | 'known' | 'target' | 'folder' | 'any' | 'glob'

type Access =
  /** `session`: changes only the session's own state, or ends what the session itself has started. */
  | { access: 'read' | 'run' | 'session' }
  /** `web`: reads from a site of the Internet. `service`: calls an added server, whose effects are not known. */
  | { access: 'web' | 'service' }
  /** `text`: writes the content of a file. `place`: moves or deletes a file. Rules for one `text` tool hold for all. */
  | { access: 'write'; changes: 'text' | 'place' }

export type ToolTraits = Access & {
  /** Every argument that names a place. Consent rules, the speculation's gate and tests of path attacks read this. */
  paths: Readonly<Record<string, PathKind>>
  /** The argument that the title of a call shows. */
  shows: 'file' | 'folder' | 'search' | 'command' | 'words' | 'address'
  /** True where the result puts a file's text in front of the model, so that the file counts as read. */
  notesRead?: true
  /** True where repeating the same call is not a loop. */
  polls?: true
  /** The steps of a session in which a model may call it; absent: all. */
  steps?: readonly AgentStep[]
  /**
   * True where the tool is declared only while the user has it switched on. `offeredTools` knows the switches: of the Web
   * for `access: 'web'`, of Explore for `asksModel`.
   */
  isOptional?: true
  /** True where only models on the direct path have it: their tool calls are their decisions. */
  isDirect?: true
  /** True where models on the direct path have it only once a result has named a command by its id. */
  isLater?: true
  /** True where the tool asks another model, which a speculation must not do. */
  asksModel?: true
  /** When a call changes nothing but the session's state, so that a speculation makes it in its fork; absent: never. */
  ownState?: 'in-step' | 'with-plan'
}

const working: readonly AgentStep[] = ['EXECUTION', 'AWAITING_APPROVAL']

const rows = {
  read_file: { access: 'read', paths: { path: 'file' }, shows: 'file', notesRead: true },
  list_directory: { access: 'read', paths: { path: 'folder' }, shows: 'folder' },
  glob: { access: 'read', paths: { pattern: 'glob' }, shows: 'search' },
  grep: { access: 'read', paths: { path: 'any', glob: 'glob' }, shows: 'search' },
  edit: { access: 'write', changes: 'text', paths: { path: 'known' }, shows: 'file', steps: working },
  write_file: { access: 'write', changes: 'text', paths: { path: 'target' }, shows: 'file', steps: working },
  delete_file: { access: 'write', changes: 'place', paths: { path: 'file' }, shows: 'file', steps: working },
  move_file: {
    access: 'write',
    changes: 'place',
    paths: { path: 'file', to: 'target' },
    shows: 'file',
    steps: working,
  },
  run_command: { access: 'run', paths: { folder: 'folder' }, shows: 'command' },
  command_output: { access: 'read', paths: {}, shows: 'command', polls: true, isLater: true },
  command_stop: {
    access: 'session',
    paths: {},
    shows: 'command',
    steps: ['EXECUTION', 'REVIEW', 'AWAITING_APPROVAL'],
    isLater: true,
  },
  todo_write: { access: 'session', paths: {}, shows: 'words', steps: working, ownState: 'with-plan' },
  propose_plan: { access: 'session', paths: {}, shows: 'words', steps: ['PLANNING'], ownState: 'in-step' },
  submit_review: { access: 'session', paths: {}, shows: 'words', steps: ['REVIEW'], ownState: 'in-step' },
  ask_user: { access: 'session', paths: {}, shows: 'words' },
  update_course: {
    access: 'session',
    paths: {},
    shows: 'words',
    isOptional: true,
    isDirect: true,
    ownState: 'in-step',
  },
  explore: { access: 'read', paths: {}, shows: 'words', isOptional: true, asksModel: true },
  web_fetch: { access: 'web', paths: {}, shows: 'address', isOptional: true },
  mcp: { access: 'service', paths: {}, shows: 'words', isOptional: true },
} as const satisfies Record<string, ToolTraits>

export type ToolRows = typeof rows

/**
 * One row for each tool of a session: what it may touch and where it may be called.
 * Rules, consent, call schemas, the gate of a speculation and the fault tests are derived from it.
 *
 * Source: `docs/decisions/sessions.md`, Tools.
 */
export const toolTraits: { readonly [Name in keyof ToolRows]: ToolTraits } = rows

const names = Object.keys(toolTraits) as (keyof ToolRows)[]

export const ToolName = z.enum(names)
export type ToolName = z.infer<typeof ToolName>

/** Tools whose calls name a file, a command or a site: the others touch nothing that a rule could be about. */
export const ruledTools: readonly ToolName[] = names.filter((name) => takesPaths(name) || isOutside(name))

export const coreTools: readonly ToolName[] = names.filter((name) => toolTraits[name].isOptional !== true)

/** Tools that write the text of files. A rule for one of them that forbids or asks holds for all. */
export const textTools: readonly ToolName[] = names.filter((name) => writesText(name))

export function takesPaths(name: ToolName): boolean {
  return Object.keys(toolTraits[name].paths).length > 0
}

export function writesText(name: ToolName): boolean {
  const traits = toolTraits[name]
  return traits.access === 'write' && traits.changes === 'text'
}

/** True for tools that reach beyond this machine. */
export function isOutside(name: ToolName): boolean {
  return ['web', 'service'].includes(toolTraits[name].access)
}

export const serverToolPrefix = 'mcp__'

/** Returns the tool that a model's name for it means; undefined where there is none. */
export function toolCalled(name: string): ToolName | undefined {
  return name.startsWith(serverToolPrefix) ? 'mcp' : ToolName.safeParse(name).data
}

import { z } from 'zod'
import type { AgentStep } from './agent-step.ts'

/**
 * How an argument names a place: `file` exists, `known` exists and the model has read it, `target` may be new, `any`
 * is a file or a folder, `glob` is a pattern.
 */
export type PathKind = 'file' | 'known' | 'target' | 'folder' | 'any' | 'glob'

type Access =
  /** `session`: changes only the session's own state, or ends what the session itself has started. */
  | { access: 'read' | 'run' | 'session' }
  /** `text`: writes the content of a file. `place`: moves or deletes a file. Rules for one `text` tool hold for all. */
  | { access: 'write'; changes: 'text' | 'place' }

export type ToolTraits = Access & {
  /** Every argument that names a place. Consent rules, the fork's gate and the path attacks of the tests read this. */
  paths: Readonly<Record<string, PathKind>>
  /** What the title of a call is. */
  shows: 'file' | 'folder' | 'search' | 'command' | 'words'
  /** True where the result puts a file's text in front of the model, so that the file counts as read. */
  notesRead?: true
  /** True where the same call again and again is no loop. */
  polls?: true
  /** The steps of a session in which a model may call it; absent: all. */
  steps?: readonly AgentStep[]
  /** The window's words: in rules and approvals, and on the card of a call. */
  ja: readonly [name: string, act: string]
  en: readonly [name: string, act: string]
}

const working: readonly AgentStep[] = ['EXECUTION', 'AWAITING_APPROVAL']

const rows = {
  read_file: {
    access: 'read',
    paths: { path: 'file' },
    shows: 'file',
    notesRead: true,
    ja: ['ファイルを読む', '読む'],
    en: ['Read a file', 'Read'],
  },
  list_directory: {
    access: 'read',
    paths: { path: 'folder' },
    shows: 'folder',
    ja: ['一覧を見る', '一覧'],
    en: ['List a folder', 'List'],
  },
  glob: {
    access: 'read',
    paths: { pattern: 'glob' },
    shows: 'search',
    ja: ['名前で探す', '名前で探す'],
    en: ['Find by name', 'Find files'],
  },
  grep: {
    access: 'read',
    paths: { path: 'any', glob: 'glob' },
    shows: 'search',
    ja: ['中身を探す', '探す'],
    en: ['Search contents', 'Search'],
  },
  edit: {
    access: 'write',
    changes: 'text',
    paths: { path: 'known' },
    shows: 'file',
    steps: working,
    ja: ['書き換える', '変える'],
    en: ['Edit', 'Edit'],
  },
  write_file: {
    access: 'write',
    changes: 'text',
    paths: { path: 'target' },
    shows: 'file',
    steps: working,
    ja: ['ファイルを書く', '書く'],
    en: ['Write a file', 'Write'],
  },
  delete_file: {
    access: 'write',
    changes: 'place',
    paths: { path: 'file' },
    shows: 'file',
    steps: working,
    ja: ['ファイルを消す', '消す'],
    en: ['Delete a file', 'Delete'],
  },
  move_file: {
    access: 'write',
    changes: 'place',
    paths: { path: 'file', to: 'target' },
    shows: 'file',
    steps: working,
    ja: ['ファイルを移す', '移す'],
    en: ['Move a file', 'Move'],
  },
  run_command: {
    access: 'run',
    paths: { folder: 'folder' },
    shows: 'command',
    ja: ['コマンドを実行する', '実行'],
    en: ['Run a command', 'Run'],
  },
  command_output: {
    access: 'read',
    paths: {},
    shows: 'command',
    polls: true,
    ja: ['出力を見る', '出力'],
    en: ['Read output', 'Output'],
  },
  command_stop: {
    access: 'session',
    paths: {},
    shows: 'command',
    steps: ['EXECUTION', 'REVIEW', 'AWAITING_APPROVAL'],
    ja: ['コマンドを止める', '止める'],
    en: ['Stop a command', 'Stop'],
  },
  todo_write: {
    access: 'session',
    paths: {},
    shows: 'words',
    steps: working,
    ja: ['手順を書く', '手順'],
    en: ['Write to-dos', 'Steps'],
  },
  propose_plan: {
    access: 'session',
    paths: {},
    shows: 'words',
    steps: ['PLANNING'],
    ja: ['計画を出す', '計画'],
    en: ['Propose a plan', 'Plan'],
  },
  submit_review: {
    access: 'session',
    paths: {},
    shows: 'words',
    steps: ['REVIEW'],
    ja: ['見直しを出す', '見直し'],
    en: ['Submit a review', 'Review'],
  },
  ask_user: {
    access: 'session',
    paths: {},
    shows: 'words',
    ja: ['質問する', '質問'],
    en: ['Ask the user', 'Ask'],
  },
} as const satisfies Record<string, ToolTraits>

export type ToolRows = typeof rows

/**
 * One row for each tool of a session: what it may touch, where it may be called, what it is called in the window.
 * Rules, consent, call schemas, the gate of a speculation and the fault tests are derived from it.
 *
 * Source: `docs/decisions/sessions.md`, Tools.
 */
export const toolTraits: { readonly [Name in keyof ToolRows]: ToolTraits } = rows

const names = Object.keys(toolTraits) as (keyof ToolRows)[]

export const ToolName = z.enum(names)
export type ToolName = z.infer<typeof ToolName>

/** Tools whose calls name places: the others touch nothing that a rule could be about. */
export const ruledTools: readonly ToolName[] = names.filter((name) => takesPaths(name))

/** Tools that write the text of files. A rule for one of them that forbids or asks holds for all. */
export const textTools: readonly ToolName[] = names.filter((name) => writesText(name))

export function takesPaths(name: ToolName): boolean {
  return Object.keys(toolTraits[name].paths).length > 0
}

export function writesText(name: ToolName): boolean {
  const traits = toolTraits[name]
  return traits.access === 'write' && traits.changes === 'text'
}

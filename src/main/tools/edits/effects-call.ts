import { goneHash } from '../../../shared/domain/session/file-reference.ts'
import type { SandboxedView } from '../../../shared/domain/session/tool-result.ts'
import { applyHunks, diffHunks } from '../../../shared/text/difference/hunks.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { foldersAbove } from '../../platform/files/real-path.ts'
import type {
  CommandChanges,
  CommandChangesPlan,
  EffectEntry,
  EffectFile,
} from '../../sandbox/changes/command-changes.ts'
import type { EntryState } from '../../store/works/change-set-repository.ts'
import type { CommitHooks } from '../../workspace/apply-change-set.ts'
import { limited } from '../defining/result-text.ts'
import { refusalOf, say, settled, type ToolContext } from '../defining/tool.ts'
import type { CallResult, EffectFacts, FilePreview, PreparedCall } from '../prepared-call.ts'
import type { CopiedChanges } from '../tool-operations.ts'
import { changedFile, namedMode, opaqueMark } from './changed-file.ts'
import { respellText, shownText } from './respell-text.ts'

/** A command that has run in a copy. Shape: `result` is what the model reads of the command itself. */
export type RanCommand = { command: { line: string; folder: string }; result: CallResult }

/** A command that has run, and what it left behind. */
type EffectsSpec = RanCommand & { callId: string; context: ToolContext; commandChanges: CommandChanges }

/** The changes of a command that has run in a copy, as a separate call: running it takes them over into the folder. */
export type EffectsCall = PreparedCall & {
  /** The result where the changes are not applied. `isByUser`: the user said no; else something else did. */
  declined(reason: string | null, isByUser: boolean): CallResult
  /** Stores that the user is asked about the changes, so that a later host can ask again. */
  keep(): void
  /** Removes what the command left. */
  drop(): Promise<void>
}

export async function effectsCall(spec: EffectsSpec): Promise<EffectsCall> {
  return prepare(spec, await spec.commandChanges.plan(), 0)
}

function prepare(spec: EffectsSpec, plan: CommandChangesPlan, refusedHunks: number): EffectsCall {
  const filePreviews = plan.files.map(previewOf)
  const previews = [...filePreviews, ...shownEntries(plan)]
  const call: EffectsCall = {
    callId: spec.callId,
    tool: 'write_file',
    access: 'write',
    isReadOnly: false,
    hash: hashOf(plan),
    title: spec.command.line,
    reason: null,
    alternatives: [],
    facts: { kind: 'change', files: previews, effects: effectsOf(spec, plan) },
    changes: [],
    without: (refused) => {
      const { files, hunks } = withoutHunks(plan.files, filePreviews, refused)
      const isRefused = ({ path }: EffectEntry): boolean =>
        refused.some((one) => one.path === path && one.hunks.length > 0)
      const entries = plan.entries.filter((entry) => !isRefused(entry))
      const count = refusedHunks + hunks + plan.entries.length - entries.length
      return prepare(spec, { ...plan, files, entries }, count)
    },
    async renew() {
      const now = await spec.commandChanges.plan()
      return hashOf(now) === call.hash ? call : prepare(spec, now, 0)
    },
    run: (hooks) =>
      settled(spec, hooks, async () => {
        try {
          return await carryOut(spec, plan, previews, refusedHunks, hooks.also)
        } catch (error) {
          const { text } = refusalOf(error, spec.context)
          return { ...call.declined(text, false), isOk: false }
        }
      }),
    keep: () => spec.commandChanges.keep(spec),
    drop: () => spec.commandChanges.drop(),
    declined(reason, isByUser) {
      const text = say(spec.context, isByUser ? 'effects.declined' : 'effects.not-applied')
      return withWords(spec.context, spec.result, [reason === null ? text : `${text} ${reason}`], {
        ...nothingApplied,
        isDeclined: true,
      })
    },
  }
  return call
}

function effectsOf({ command }: EffectsSpec, plan: CommandChangesPlan): EffectFacts {
  return {
    ...command,
    ignored: plan.ignored.map(({ top, changes, sizeBytes, leadsOut }) => {
      const written = changes.flatMap(({ kind, path }) => (kind === 'gone' ? [] : path))
      const removed = changes.flatMap(({ kind, path }) => (kind === 'gone' ? path : []))
      return { top, written, removed, sizeBytes, leadsOut }
    }),
    conflicts: plan.conflicts,
    left: plan.left,
  }
}

async function carryOut(
  spec: EffectsSpec,
  plan: CommandChangesPlan,
  previews: readonly FilePreview[],
  refusedHunks: number,
  also: CommitHooks | undefined,
): Promise<CallResult> {
  const { context, result, command } = spec
  const applied = await spec.commandChanges.apply(plan, `run_command ${command.line}`, also)
  noteReplaced(context, plan.files)
  const files = previews
    .filter(({ path }) => !applied.left.includes(path))
    .map((preview) => changedFile(preview))
  const notMoved = new Set([...applied.left, ...applied.failed])
  const ignored = plan.ignored.flatMap(({ top, changes }) => {
    const moved = changes.filter(({ path }) => !notMoved.has(path))
    const sizeBytes = moved.reduce((sum, one) => sum + (one.kind === 'file' ? one.sizeBytes : 0), 0)
    return moved.length === 0 ? [] : { top, files: moved.length, sizeBytes }
  })
  const left = [...plan.conflicts, ...applied.left]
  const never = [...plan.left, ...applied.failed.map((path) => ({ path }))]
  const lines = changeWords(context, 'effects.applied', { files, ignored, left, never })
  if (refusedHunks > 0) lines.push(say(context, 'effects.refused', { count: refusedHunks }))
  return withWords(context, result, lines, {
    files,
    ignored,
    left: [...left, ...applied.failed],
    changeSetId: applied.changeSetId,
    isDeclined: false,
  })
}

/** Returns the result of a command in a speculation, whose changes are in the overlay. */
export function keptResult(context: ToolContext, result: CallResult, kept: CopiedChanges): CallResult {
  noteReplaced(context, kept.files)
  const files = kept.files.map((file) => changedFile(previewOf(file)))
  const { ignored, left } = kept
  const lines = changeWords(context, 'effects.kept', { files, ignored, left: [], never: left })
  // The acceptance applies ignored files with all others, so that undo covers them.
  return withWords(context, result, lines, { ...nothingApplied, files })
}

function noteReplaced(
  { ledger }: ToolContext,
  files: readonly { path: string; newBytes: Uint8Array | null }[],
): void {
  for (const { path, newBytes } of files)
    ledger.replaced(path, newBytes === null ? goneHash : contentHash(newBytes))
}

/** Returns lines that tell the model about a command's changes. Shape: `never`: entries that are never applied. */
function changeWords(
  context: ToolContext,
  changed: 'effects.applied' | 'effects.kept',
  changes: Pick<SandboxedView, 'files' | 'ignored' | 'left'> & { never: readonly { path: string }[] },
): string[] {
  const { files, ignored, left, never } = changes
  const lines: string[] = []
  if (files.length > 0) lines.push(say(context, changed, { paths: listed(files.map(({ path }) => path)) }))
  if (ignored.length > 0)
    lines.push(say(context, 'effects.ignored', { folders: listed(ignored.map(({ top }) => top)) }))
  if (left.length > 0) lines.push(say(context, 'effects.conflicts', { paths: listed(left) }))
  if (never.length > 0)
    lines.push(say(context, 'effects.left', { paths: listed(never.map(({ path }) => path)) }))
  return lines
}

export const nothingApplied: SandboxedView = {
  files: [],
  ignored: [],
  left: [],
  changeSetId: '',
  isDeclined: false,
}

function withWords(
  context: ToolContext,
  result: CallResult,
  lines: readonly string[],
  sandboxed: SandboxedView,
): CallResult {
  const view = result.view.kind === 'command' ? { ...result.view, sandboxed } : result.view
  // The lines about files come first, since a long output may be cut at its end.
  const below = (text: string): string => limited([...lines, text].join('\n'), context.resultBytes())
  const shown = result.shownText === undefined ? {} : { shownText: below(result.shownText) }
  return { ...result, text: below(result.text), ...shown, view }
}

const limitListed = 20

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, limitListed).join(', ')
  return paths.length > limitListed ? `${shown}, … (${paths.length})` : shown
}

function previewOf({ path, oldBytes, newBytes, mode }: EffectFile): FilePreview {
  const action = oldBytes === null ? 'create' : newBytes === null ? 'delete' : 'edit'
  const texts = { oldText: shownText(oldBytes, path), newText: shownText(newBytes, path) }
  return {
    path,
    to: null,
    action,
    ...texts,
    sizeBytes: (newBytes ?? oldBytes)?.length ?? 0,
    ...namedMode(action, mode),
    ...opaqueMark([oldBytes, newBytes], texts),
  }
}

/** Returns previews of links, and of folders in which nothing else changes: others are clear from their files. */
function shownEntries({ files, entries }: CommandChangesPlan): FilePreview[] {
  const filled = new Set([...files, ...entries].flatMap(({ path }) => foldersAbove(path)))
  return entries.flatMap(({ path, before, after, leadsOut }): FilePreview[] => {
    const kind = (after ?? before)?.kind ?? 'folder'
    if (kind === 'folder' && filled.has(path)) return []
    const action = before === null ? 'create' : after === null ? 'delete' : 'edit'
    const entry = { kind, leadsOut }
    return [
      { path, to: null, action, oldText: targetOf(before), newText: targetOf(after), sizeBytes: 0, entry },
    ]
  })
}

function targetOf(state: EntryState | null): string | null {
  return state?.kind === 'link' ? state.target : null
}

function withoutHunks(
  files: readonly EffectFile[],
  previews: readonly FilePreview[],
  refused: Parameters<PreparedCall['without']>[0],
): { files: EffectFile[]; hunks: number } {
  let hunks = 0
  const kept = files.flatMap((file, at) => {
    const numbers = new Set(refused.flatMap(({ path, hunks: some }) => (path === file.path ? some : [])))
    const preview = previews[at]
    if (numbers.size === 0 || preview === undefined) return file
    const { oldText, newText, action } = preview
    const all = diffHunks(oldText ?? '', newText ?? '').map(({ index }) => index)
    hunks += all.filter((index) => numbers.has(index)).length
    if (action !== 'edit' || newText === null || all.every((index) => numbers.has(index))) return []
    const text = applyHunks(oldText ?? '', newText, numbers)
    return { ...file, newBytes: respellText(file.oldBytes, text, file.path) }
  })
  return { files: kept, hunks }
}

/** Returns a hash of exactly what would be done: files with contents and modes, links, folders, each ignored path. */
function hashOf({ files, entries, ignored }: CommandChangesPlan): string {
  const hash = (bytes: Uint8Array | null): string | null => (bytes === null ? null : contentHash(bytes))
  return contentHash(
    JSON.stringify([
      files.map((file) => [file.path, hash(file.oldBytes), hash(file.newBytes), file.mode]),
      entries.map(({ path, before, after }) => [path, before, after]),
      ignored.map(({ top, changes }) => [top, changes]),
    ]),
  )
}

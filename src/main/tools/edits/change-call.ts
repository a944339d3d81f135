import { goneHash } from '../../../shared/domain/session/file-reference.ts'
import { toolTraits } from '../../../shared/domain/session/tool-name.ts'
import { applyHunks, diffHunks, type Hunk } from '../../../shared/text/difference/hunks.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import type { CommitHooks } from '../../workspace/apply-change-set.ts'
import type { FileChange } from '../../workspace/change-plan.ts'
import type { FileOutcome, See, SeenFile } from '../answer-files.ts'
import { failedResult, orElse, say, settled, ToolRefusal, type ToolSite } from '../defining/tool.ts'
import type { CallResult, ChangedBase, FilePreview, PreparedCall, ReadCall } from '../prepared-call.ts'
import { needEditable } from './known-file.ts'
import { respellText } from './respell-text.ts'

/** A computed change to one file. Shape: `oldBytes` null: no such file. */
export type FilePlan = { change: FileChange; preview: FilePreview; oldBytes: Uint8Array | null }

/** Plans a write of a file's text, in its own spelling. Errors: `file/too-large`, and those of `respellText`. */
export function writePlan(
  { path, bytes: oldBytes, hash: baseHash }: Pick<SeenFile, 'path' | 'bytes' | 'hash'>,
  oldText: string | null,
  newText: string,
): FilePlan {
  const bytes = respellText(oldBytes, newText, path)
  needEditable(bytes, path)
  const action = oldBytes === null ? 'create' : 'edit'
  return {
    oldBytes,
    change: { kind: 'write', path, baseHash, bytes },
    preview: { path, to: null, action, oldText, newText, sizeBytes: bytes.length },
  }
}

type ChangeSpec = {
  reason: string
  alternatives: string[]
  /**
   * Computes the change on the present files. `isRenewal`: the file may differ from what the model has read, since
   * the user sees the result. Errors: `ToolRefusal`, and AppErrors of files.
   */
  plan(see: See, isRenewal: boolean): Promise<FilePlan>
  /** Returns the result that the model reads; `hunks` are those that were written. */
  done(plan: FilePlan, hunks: readonly Hunk[]): string
}

/**
 * Computes a change and adds it to the answer. Errors: as `plan`; throws where the tool's row does not have the access
 * `write`.
 */
export async function changeCall(site: ToolSite, spec: ChangeSpec): Promise<ReadCall> {
  if (toolTraits[site.tool].access !== 'write') throw new Error(`${site.tool}: its row does not say write`)
  const index = site.files.next
  const plan = await spec.plan(site.files.before(index), false)
  site.files.add(outcomeOf(plan), async () => outcomeOf(await planAgain(site, spec, index)))
  return { kind: 'world', call: prepare({ site, spec, index, plan, refused: null, refusedLines: [] }) }
}

/** Returns the files that a change leaves, by their paths; null: it does not apply. */
function outcomeOf(plan: FilePlan | null): FileOutcome {
  if (plan === null) return new Map()
  const { change, oldBytes } = plan
  if (change.kind === 'write') return new Map([[change.path, change.bytes]])
  const gone: [string, null] = [change.path, null]
  return new Map(change.kind === 'move' ? [gone, [change.to, oldBytes]] : [gone])
}

/** Computes the change again; null where it no longer applies. */
function planAgain(site: ToolSite, spec: ChangeSpec, index: number): Promise<FilePlan | null> {
  return orElse(() => spec.plan(site.files.before(index), true), null)
}

/**
 * A change that is to be made. `refused`: the hunks that the user took out of the whole call. `refusedLines`: the lines
 * of hunks that were taken out before the call was made on another text.
 */
type Work = {
  site: ToolSite
  spec: ChangeSpec
  index: number
  plan: FilePlan
  refused: ReadonlySet<number> | null
  refusedLines: readonly number[]
}

function prepare(work: Work): PreparedCall {
  const { site, spec, index, plan, refused } = work
  const { change, preview } = plan
  const hunks = diffHunks(preview.oldText ?? '', preview.newText ?? '')
  const isEmpty = refused !== null && hunks.every((hunk) => refused.has(hunk.index))
  const made = refused === null || isEmpty ? plan : withoutHunks(plan, refused)
  const call: PreparedCall = {
    callId: site.callId,
    tool: site.tool,
    access: 'write',
    isReadOnly: false,
    hash: hashOf(isEmpty ? null : made.change),
    title: site.title,
    reason: spec.reason,
    alternatives: spec.alternatives,
    facts: { kind: 'change', files: isEmpty ? [] : [made.preview] },
    changes: isEmpty ? [] : [made.change],
    without(removed) {
      const numbers = removed.flatMap(({ path, hunks }) => (path === preview.path ? hunks : []))
      const known = numbers.filter((number) => hunks.some((hunk) => hunk.index === number))
      if (change.kind !== 'write' || known.length === 0) return call
      return prepare({ ...work, refused: new Set([...known, ...(refused ?? [])]) })
    },
    ...(change.kind === 'write' && {
      madeOn: plan.oldBytes,
      onto({ bytes: oldBytes, oldText, newText, refusedLines }: ChangedBase) {
        const baseHash = oldBytes && contentHash(oldBytes)
        const based = { oldBytes, change: { ...change, baseHash }, preview: { ...preview, oldText } }
        return prepare({ ...work, plan: withText(based, newText), refused: null, refusedLines })
      },
    }),
    async renew() {
      await site.files.refresh(index)
      const now = await planAgain(site, spec, index)
      if (now !== null && hashOf(now.change) === hashOf(change)) return call
      site.files.setOutcome(index, outcomeOf(now))
      return now === null ? null : prepare({ ...work, plan: now, refused: null, refusedLines: [] })
    },
    run: (hooks) =>
      settled(site, hooks, () => carryOut({ ...work, plan: made }, call.changes, hunks, hooks.also ?? {})),
  }
  return call
}

type WritePlan = FilePlan & { change: Extract<FileChange, { kind: 'write' }> }

/** Returns the same write with another text. */
function withText({ oldBytes, change, preview }: WritePlan, newText: string): FilePlan {
  const bytes = respellText(oldBytes, newText, preview.path)
  return { oldBytes, change: { ...change, bytes }, preview: { ...preview, newText, sizeBytes: bytes.length } }
}

function withoutHunks(plan: FilePlan, refused: ReadonlySet<number>): FilePlan {
  const { change, preview } = plan
  if (change.kind !== 'write' || preview.newText === null) return plan
  return withText({ ...plan, change }, applyHunks(preview.oldText ?? '', preview.newText, refused))
}

/** Shape: `changes` are those to write, none where the user refused all; `hunks` are those of the whole call. */
async function carryOut(
  { site, spec, index, plan, refused, refusedLines }: Work,
  changes: readonly FileChange[],
  hunks: readonly Hunk[],
  also: CommitHooks,
): Promise<CallResult> {
  const { context, files } = site
  const { path, to, action } = plan.preview
  if (changes.length === 0) throw new ToolRefusal('change.all-refused', { path })
  const { changeSetId, conflicts } = await context.operations.apply(
    changes,
    `${site.tool} ${site.title}`,
    [],
    also,
  )
  if (conflicts.length > 0) {
    also.alsoTakeBack?.(changeSetId)
    return failedResult(say(context, 'change.left-alone', { paths: conflicts.join(', ') }))
  }
  files.done(index)
  noteContent(site, plan)
  const written = hunks.filter((hunk) => !refused?.has(hunk.index))
  const lines = [spec.done(plan, written)]
  const refusedHere = hunks.filter((hunk) => refused?.has(hunk.index)).map(({ oldFrom }) => oldFrom)
  const places = [...refusedHere, ...refusedLines]
  const refusedHunks = places.length
  if (refusedHunks > 0) {
    const total = hunks.length + refusedLines.length
    const values = { refused: refusedHunks, total, lines: places.join(', ') }
    lines.push(say(context, 'change.refused-places', values))
  }
  const addedLines = written.reduce((sum, hunk) => sum + hunk.newLines.length, 0)
  const removedLines = written.reduce((sum, hunk) => sum + hunk.oldLines.length, 0)
  return {
    isOk: true,
    text: lines.join('\n'),
    view: {
      kind: 'change',
      files: [{ path, to, action, addedLines, removedLines }],
      changeSetId,
      refusedHunks,
    },
  }
}

/** Notes in the ledger what the session wrote itself. */
function noteContent({ context: { ledger }, tool }: ToolSite, { change, preview }: FilePlan): void {
  if (change.kind === 'delete') ledger.replaced(change.path, goneHash)
  else if (change.kind === 'move') ledger.moved(change.path, change.to)
  else {
    const { oldText, newText } = preview
    const hash = contentHash(change.bytes)
    // A file that is overwritten as a whole was read as a whole before, so all its lines are known.
    if (tool === 'edit' && change.baseHash !== null)
      ledger.changed(change.path, change.baseHash, hash, diffHunks(oldText ?? '', newText ?? ''))
    else ledger.note(change.path, hash, { from: 1, to: (newText ?? '').split('\n').length })
  }
}

/** Returns a hash of exactly what would be done: the path, the content that is replaced, the bytes. */
function hashOf(change: FileChange | null): string {
  if (change === null) return contentHash('nothing')
  const { kind, path, baseHash } = change
  const what = kind === 'write' ? contentHash(change.bytes) : kind === 'move' ? change.to : null
  return contentHash(JSON.stringify([kind, path, baseHash, what]))
}

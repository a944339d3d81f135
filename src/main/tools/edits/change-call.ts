import { goneHash } from '../../../shared/domain/session/file-reference.ts'
import { toolTraits } from '../../../shared/domain/session/tool-name.ts'
import { applyHunks, diffHunks, type Hunk } from '../../../shared/text/difference/hunks.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import type { CommitHooks } from '../../workspace/apply-change-set.ts'
import type { FileChange } from '../../workspace/change-plan.ts'
import type { FileOutcome, See } from '../answer-files.ts'
import { failedResult, refusalOf, say, type ToolSite } from '../defining/tool.ts'
import { ToolRefusal } from '../defining/tool-refusal.ts'
import { settled } from '../defining/world-call.ts'
import type { CallResult, ChangedBase, FilePreview, PreparedCall, ReadCall } from '../prepared-call.ts'
import { respellText } from './respell-text.ts'

/** A computed change to one file. Shape: `oldBytes` null: no such file. */
export type FilePlan = {
  change: FileChange
  preview: FilePreview
  oldBytes: Uint8Array | null
  outcome: FileOutcome
}

type ChangeSpec = {
  reason: string
  alternatives: string[]
  /**
   * Computes the change on the present files. `isRenewal`: the file may differ from what the model has read, since
   * the user sees the result. Errors: `ToolRefusal`, and AppErrors of files.
   */
  plan(see: See, isRenewal: boolean): Promise<FilePlan>
  /** What the model reads when it is done; `hunks` are those that were written. */
  done(plan: FilePlan, hunks: readonly Hunk[]): string
}

const nothing: FileOutcome = new Map()

/**
 * Computes a change and adds it to the answer. Errors: as `plan`; throws where the tool's row does not have the access
 * `write`.
 */
export async function changeCall(site: ToolSite, spec: ChangeSpec): Promise<ReadCall> {
  if (toolTraits[site.tool].access !== 'write') throw new Error(`${site.tool}: its row does not say write`)
  const index = site.files.next
  const plan = await spec.plan(site.files.before(index), false)
  site.files.add(plan.outcome, async () => (await planAgain(site, spec, index))?.outcome ?? nothing)
  return { kind: 'world', call: prepare(site, spec, index, plan, null) }
}

/** Computes the change again; null where it no longer applies. */
async function planAgain(site: ToolSite, spec: ChangeSpec, index: number): Promise<FilePlan | null> {
  try {
    return await spec.plan(site.files.before(index), true)
  } catch (error) {
    // Throws other errors again: only those that a tool can meet mean that the change no longer applies.
    refusalOf(error, site.context)
    return null
  }
}

/**
 * Builds the call. `refused`: the hunks that the user took out of the whole call. `refusedLines`: the lines of hunks
 * that were taken out before the call was made on another text.
 */
function prepare(
  site: ToolSite,
  spec: ChangeSpec,
  index: number,
  plan: FilePlan,
  refused: ReadonlySet<number> | null,
  refusedLines: readonly number[] = [],
): PreparedCall {
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
      return prepare(site, spec, index, plan, new Set([...known, ...(refused ?? [])]), refusedLines)
    },
    ...(change.kind === 'write' && {
      madeOn: plan.oldBytes,
      onto: (base: ChangedBase) =>
        prepare(site, spec, index, planOnto({ ...plan, change }, base), null, base.refusedLines),
    }),
    async renew() {
      await site.files.refresh(index)
      const now = await planAgain(site, spec, index)
      if (now !== null && hashOf(now.change) === hashOf(change)) return call
      site.files.setOutcome(index, now?.outcome ?? nothing)
      return now === null ? null : prepare(site, spec, index, now, null)
    },
    run: (hooks) =>
      settled(site, hooks, () =>
        carryOut({
          site,
          spec,
          index,
          plan: made,
          call,
          hunks,
          refused,
          refusedLines,
          also: hooks.also ?? {},
        }),
      ),
  }
  return call
}

function planOnto(
  plan: FilePlan & { change: Extract<FileChange, { kind: 'write' }> },
  { bytes: oldBytes, oldText, newText }: ChangedBase,
): FilePlan {
  const { change, preview } = plan
  const bytes = respellText(oldBytes, newText, preview.path)
  return {
    oldBytes,
    change: { ...change, baseHash: oldBytes && contentHash(oldBytes), bytes },
    preview: { ...preview, oldText, newText, sizeBytes: bytes.length },
    outcome: new Map([[change.path, bytes]]),
  }
}

function withoutHunks(plan: FilePlan, refused: ReadonlySet<number>): FilePlan {
  const { change, preview, oldBytes } = plan
  if (change.kind !== 'write' || preview.newText === null) return plan
  const newText = applyHunks(preview.oldText ?? '', preview.newText, refused)
  const bytes = respellText(oldBytes, newText, preview.path)
  return {
    oldBytes,
    change: { ...change, bytes },
    preview: { ...preview, newText, sizeBytes: bytes.length },
    outcome: new Map([[change.path, bytes]]),
  }
}

async function carryOut(work: {
  site: ToolSite
  spec: ChangeSpec
  index: number
  plan: FilePlan
  call: PreparedCall
  hunks: readonly Hunk[]
  refused: ReadonlySet<number> | null
  refusedLines: readonly number[]
  also: CommitHooks
}): Promise<CallResult> {
  const { site, spec, plan, hunks, refused, refusedLines, also } = work
  const { context, files } = site
  if (work.call.changes.length === 0) throw new ToolRefusal('change.all-refused', { path: plan.preview.path })
  const note = `${site.tool} ${site.title}`
  const { changeSetId, conflicts } = await context.operations.apply(work.call.changes, note, [], also)
  if (conflicts.length > 0) {
    also.alsoTakeBack?.(changeSetId)
    return failedResult(say(context, 'change.left-alone', { paths: conflicts.join(', ') }))
  }
  files.done(work.index)
  const written = hunks.filter((hunk) => !refused?.has(hunk.index))
  noteContent(site, plan)
  const places = [
    ...hunks.filter((hunk) => refused?.has(hunk.index)).map((hunk) => hunk.oldFrom),
    ...refusedLines,
  ]
  const refusedHunks = places.length
  const lines = [spec.done(plan, written)]
  if (refusedHunks > 0) {
    const values = {
      refused: refusedHunks,
      total: hunks.length + refusedLines.length,
      lines: places.join(', '),
    }
    lines.push(say(context, 'change.refused-places', values))
  }
  const { path, to, action } = plan.preview
  const addedLines = written.reduce((sum, hunk) => sum + hunk.newLines.length, 0)
  const removedLines = written.reduce((sum, hunk) => sum + hunk.oldLines.length, 0)
  const isMove = action === 'move'
  const changed = {
    path,
    to,
    action,
    addedLines: isMove ? 0 : addedLines,
    removedLines: isMove ? 0 : removedLines,
  }
  return {
    isOk: true,
    text: lines.join('\n'),
    view: { kind: 'change', files: [changed], changeSetId, refusedHunks },
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

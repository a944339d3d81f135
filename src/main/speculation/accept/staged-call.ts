import type { ChangedFile } from '../../../shared/domain/session/tool-result.ts'
import { applyHunks, diffHunks } from '../../../shared/text/difference/hunks.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { changedFile, namedMode, opaqueMark } from '../../tools/edits/changed-file.ts'
import type { EffectFacts, FilePreview, PreparedCall } from '../../tools/prepared-call.ts'
import type { OverlayFile } from '../overlay/overlay.ts'
import { changeOf, type FileTexts, type WantedFile, withoutLost } from './acceptance-plan.ts'

/** The parts of a change that the user refused. Shape: `files` in which places were refused. */
export type Refusal = { files: string[]; hunks: number }

/** All changes of an acceptance as one call, for the gate that asks about them. */
export type StagedCall = PreparedCall & { wanted: readonly WantedFile[]; refusal: Refusal }

type StagedCallSpec = {
  callId: string
  title: string
  files: readonly OverlayFile[]
  texts: FileTexts
  /** Returns what would be done now; null where files have come into conflict. */
  replan(): Promise<readonly WantedFile[] | null>
}

export const noRefusal: Refusal = { files: [], hunks: 0 }

/** Makes the call. It is never run: the acceptance applies what is approved. */
export function stagedCall(
  spec: StagedCallSpec,
  wanted: readonly WantedFile[],
  refusal: Refusal = noRefusal,
): StagedCall {
  const shown = wanted.filter(({ ignoredTop }) => ignoredTop === undefined)
  const previews = shown.map((file) => previewOf(spec.texts, file))
  const ignored = ignoredOf(wanted)
  const changes = wanted.map(changeOf)
  const call: StagedCall = {
    callId: spec.callId,
    tool: 'write_file',
    access: 'write',
    isReadOnly: false,
    hash: hashOf(wanted),
    title: spec.title,
    reason: null,
    alternatives: [],
    facts: {
      kind: 'change',
      files: previews,
      ...(ignored.length > 0 && { effects: { line: '', folder: '.', ignored, conflicts: [], left: [] } }),
    },
    changes,
    wanted,
    refusal,
    without: (refused) => withoutHunks(spec, call, previews, refused),
    async renew() {
      const now = await spec.replan()
      if (now === null) return null
      return hashOf(now) === call.hash ? call : stagedCall(spec, now)
    },
    run: () => Promise.reject(new Error('staged changes are applied by their acceptance')),
  }
  return call
}

/** Returns changed files as a card shows them. */
export function changedFiles(texts: FileTexts, wanted: readonly WantedFile[]): ChangedFile[] {
  const shown = wanted.filter(({ ignoredTop }) => ignoredTop === undefined)
  return shown.map((file) => changedFile(previewOf(texts, file)))
}

function previewOf(
  texts: FileTexts,
  { path, oldBytes, newBytes, mode }: Pick<WantedFile, 'path' | 'oldBytes' | 'newBytes' | 'mode'>,
): FilePreview {
  const action = oldBytes === null ? 'create' : newBytes === null ? 'delete' : 'edit'
  const text = (bytes: Uint8Array | null): string | null => (bytes === null ? null : texts.read(bytes, path))
  const sizeBytes = (newBytes ?? oldBytes)?.length ?? 0
  const shown = { oldText: text(oldBytes), newText: text(newBytes) }
  return {
    path,
    to: null,
    action,
    ...shown,
    sizeBytes,
    ...namedMode(action, mode),
    ...opaqueMark([oldBytes, newBytes], shown),
  }
}

function withoutHunks(
  spec: StagedCallSpec,
  call: StagedCall,
  previews: readonly FilePreview[],
  refused: Parameters<PreparedCall['without']>[0],
): StagedCall {
  const left: string[] = []
  const refusal: Refusal = { files: [...call.refusal.files], hunks: call.refusal.hunks }
  const kept = call.wanted.flatMap((file) => {
    const numbers = new Set(refused.flatMap(({ path, hunks }) => (path === file.path ? hunks : [])))
    const preview = previews.find(({ path }) => path === file.path)
    if (numbers.size === 0 || preview === undefined) return file
    const { oldText, newText, action } = preview
    const all = diffHunks(oldText ?? '', newText ?? '').map(({ index }) => index)
    refusal.files.push(file.path)
    refusal.hunks += all.filter((index) => numbers.has(index)).length
    if (action !== 'edit' || newText === null || all.every((index) => numbers.has(index))) {
      left.push(file.path)
      return []
    }
    const text = applyHunks(oldText ?? '', newText, numbers)
    return { ...file, newBytes: spec.texts.respell(file.oldBytes, text, file.path) }
  })
  return stagedCall(spec, withoutLost(kept, spec.files, left), refusal)
}

/** Returns the files that commands put into ignored folders or removed there. */
function ignoredOf(
  wanted: readonly Pick<WantedFile, 'path' | 'ignoredTop' | 'newBytes'>[],
): EffectFacts['ignored'] {
  const found = new Map<string, EffectFacts['ignored'][number]>()
  for (const { path, ignoredTop: top, newBytes } of wanted) {
    if (top === undefined) continue
    const part = found.get(top) ?? { top, written: [], removed: [], sizeBytes: 0, leadsOut: false }
    found.set(top, part)
    if (newBytes === null) part.removed.push(path)
    else part.written.push(path)
    part.sizeBytes += newBytes?.length ?? 0
  }
  return [...found.values()]
}

/** Returns the hash of exactly what would be done: the paths, the content they are made on, the bytes. */
function hashOf(wanted: readonly WantedFile[]): string {
  const hash = (bytes: Uint8Array | null): string | null => (bytes === null ? null : contentHash(bytes))
  return contentHash(
    JSON.stringify(wanted.map((file) => [file.path, hash(file.oldBytes), hash(file.newBytes), file.mode])),
  )
}

/** A changed file with both texts. Null: no such file, or none that can be shown. */
type PreviewedFile = ChangedFile & { oldText: string | null; newText: string | null }

/** Returns the changes of a speculation as a card shows them, without the files that Git ignores. */
export function shownChanges(texts: FileTexts, files: readonly OverlayFile[]): ChangedFile[] {
  return changedFiles(texts, shownFiles(files))
}

/** Returns a speculation's changes for the preview. Shape: `ignored` counts files by their topmost ignored folder. */
export function previewOfFiles(
  texts: FileTexts,
  files: readonly OverlayFile[],
): { files: PreviewedFile[]; ignored: { top: string; files: number; removed: number; sizeBytes: number }[] } {
  const ignored = files.flatMap(({ path, ignoredTop, newBytes }) =>
    ignoredTop === null ? [] : { path, ignoredTop, newBytes },
  )
  return {
    files: shownFiles(files).flatMap((file) => {
      const { oldText, newText } = previewOf(texts, file)
      return changedFiles(texts, [file]).map((changed) => ({ ...changed, oldText, newText }))
    }),
    ignored: ignoredOf(ignored).map(({ top, written, removed, sizeBytes }) => {
      return { top, files: written.length, removed: removed.length, sizeBytes }
    }),
  }
}

function shownFiles(files: readonly OverlayFile[]): WantedFile[] {
  return files
    .filter(({ ignoredTop }) => ignoredTop === null)
    .map(({ path, baseBytes: oldBytes, newBytes, mode }) => ({ path, oldBytes, newBytes, mode }))
}

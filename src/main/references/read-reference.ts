import { z } from 'zod'
import type { AttachedImage } from '../../shared/domain/image/attached-image.ts'
import type {
  KnownFile,
  ReferenceFailure,
  ReferenceTrouble,
} from '../../shared/domain/session/file-reference.ts'
import type { LineRange } from '../../shared/domain/session/message-segment.ts'
import { TextEncoding } from '../../shared/domain/work/text-encoding.ts'
import { isAppError } from '../../shared/errors.ts'
import { readImageHeader } from '../images/image-header.ts'
import { bomBytes, tryDecode } from '../platform/files/encodings.ts'
import type { SharedLookups } from '../platform/node/shared-lookups.ts'
import type { SessionRepository } from '../store/sessions/session-repository.ts'
import type { WorkRepository } from '../store/works/work-repository.ts'
import { limitListed, sizeOf } from '../tools/defining/result-text.ts'
import type { FileContent, ToolOperations } from '../tools/tool-operations.ts'
import { rangeText } from './message-mentions.ts'
import type { ReferenceBudget } from './reference-budget.ts'
import type { ResolveInput } from './resolve-references.ts'

/** Larger files are not read, not even for their first lines. Units: bytes. */
export const limitReadBytes = 64_000_000
const limitEntries = 100

/** Shape: `firstLine` is the number of the body's first; `source` null where no file has this text. */
type ReadText = {
  head: string
  body: string
  note: string
  sizeBytes: number | null
  isUnsaved: boolean
  firstLine: number
  source: { path: string; hash: string } | null
}

export type Reading =
  | ReadText
  | { image: AttachedImage; known: KnownFile }
  | { failure: ReferenceFailure; trouble: ReferenceTrouble | null; encodings?: TextEncoding[] }

/** Reads a file's text, or the wanted lines of it. Errors: as `ToolOperations.read`. */
export async function readReference(
  { path, range, realPath }: { path: string; range: LineRange | null; realPath: string },
  {
    operations,
    openText,
    encodings,
    encoding,
    images,
    lookups,
  }: Pick<ResolveInput, 'openText' | 'encodings' | 'images'> & {
    operations: Pick<ToolOperations, 'read'>
    encoding: TextEncoding | undefined
    lookups: SharedLookups
  },
): Promise<Reading> {
  const before = await openText(realPath)
  const content = await contentOf(realPath, { operations, lookups }, before !== undefined)
  // The path leads elsewhere than when the user was asked about it.
  if (content !== null && content.path !== realPath) return { failure: 'not-found', trouble: null }
  // Reading has saved the file, with the text that was typed meanwhile.
  const open = before === undefined ? undefined : ((await openText(realPath)) ?? before)
  if (content !== null && open === undefined && readImageHeader(content.bytes) !== null) {
    const kept = await images()
    if (kept === null) return { failure: 'no-images', trouble: null }
    const known = { path: content.path, hash: content.hash, from: 0, to: 0 }
    return { image: await kept.keep(content.bytes, path), known }
  }
  const decoded: DecodedReference =
    open === undefined ? decodedAs(content, encoding, encodings) : { kind: 'text', text: open.text }
  if (decoded.kind === 'encoding') return { failure: 'encoding', trouble: null, encodings: decoded.encodings }
  if (decoded.kind === 'binary') return { failure: 'binary', trouble: null }
  if (content !== null && decoded.chosen !== undefined) encodings.note(content, decoded.chosen)
  const lines = range === null ? null : linesWithin(decoded.text, range)
  if (lines === undefined) return { failure: 'out-of-range', trouble: null }
  const sizeBytes = content?.bytes.length ?? sizeOf(decoded.text)
  return {
    head: `[File: ${path}${lines === null ? '' : rangeText(lines)}]`,
    body: lines === null ? decoded.text : lines.text,
    note: `[...truncated, ${sizeBytes} bytes total — use read_file for the rest]`,
    sizeBytes,
    isUnsaved: before?.isUnsaved ?? false,
    firstLine: lines?.from ?? 1,
    source: content === null ? null : { path: content.path, hash: content.hash },
  }
}

/** Decodes a file; looks up the user's earlier answer only where the bytes fit two encodings. */
function decodedAs(
  content: FileContent | null,
  encoding: TextEncoding | undefined,
  encodings: ResolveInput['encodings'],
): DecodedReference {
  const bytes = content?.bytes ?? new Uint8Array()
  const decoded = decodeReference(bytes, encoding)
  if (decoded.kind !== 'encoding' || encoding !== undefined || content === null) return decoded
  const chosen = encodings.of(content)
  return chosen === undefined ? decoded : decodeReference(bytes, chosen)
}

/** Reads a folder's entries, one level deep. Errors: as `ToolOperations.list`. */
export async function readFolder(
  path: string,
  range: LineRange | null,
  { operations, lookups }: { operations: Pick<ToolOperations, 'list'>; lookups: SharedLookups },
): Promise<Reading> {
  if (range !== null) return { failure: 'out-of-range', trouble: null }
  const entries = await operations.list(path, { isNamesOnly: true, lookups })
  const shown = entries.slice(0, limitEntries)
  const names = shown.map(({ name, kind }) => (kind === 'folder' ? `${name}/` : name))
  const isAll = shown.length === entries.length
  const total = entries.length < limitListed ? entries.length : `${entries.length}+`
  const rest = `[...${shown.length} of ${total} entries — use list_directory for the rest]`
  return {
    head: `[Dir: ${path}]`,
    body: [...names, ...(isAll ? [] : [rest])].join('\n'),
    note: `[...truncated, ${total} entries total — use list_directory for the rest]`,
    sizeBytes: null,
    isUnsaved: false,
    firstLine: 1,
    source: null,
  }
}

/** Returns the text for the model, cut to the available room, and the lines that the model then knows. */
export async function attachedText(
  { head, body, note, firstLine, source }: ReadText,
  budget: ReferenceBudget,
): Promise<{ text: string; isCut: boolean; known: KnownFile | null }> {
  const { text, shown, isCut } = await budget.fit(head, body, note)
  if (source === null) return { text, isCut, known: null }
  const lines = shown === '' ? 0 : linesOf(shown).length - (isCut && !shown.endsWith('\n') ? 1 : 0)
  const known = lines > 0 ? { from: firstLine, to: firstLine + lines - 1 } : { from: 0, to: 0 }
  return { text, isCut, known: { ...source, ...known } }
}

/** Saves unsaved text and reads the file; null where that fails and the open text must be used instead. */
async function contentOf(
  path: string,
  { operations, lookups }: { operations: Pick<ToolOperations, 'read'>; lookups: SharedLookups },
  isOpen: boolean,
): Promise<FileContent | null> {
  try {
    return await operations.read(path, limitReadBytes, lookups)
  } catch (error) {
    if (isOpen && isAppError(error)) return null
    throw error
  }
}

function linesWithin(text: string, { from, to }: LineRange): (LineRange & { text: string }) | undefined {
  const lines = linesOf(text)
  const first = Math.min(from, to)
  const last = Math.min(Math.max(from, to), lines.length)
  if (first > last) return undefined
  return { from: first, to: last, text: lines.slice(first - 1, last).join('\n') }
}

/** Splits a text into lines; a line end at the end of the text does not begin another line. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/**
 * A file's bytes as text with LF line ends, or why they are not text. `encoding`: they fit each of `encodings`;
 * `chosen` is present where only the user's choice decided.
 */
type DecodedReference =
  | { kind: 'text'; text: string; chosen?: TextEncoding }
  | { kind: 'binary' }
  | { kind: 'encoding'; encodings: TextEncoding[] }

const marked = ['utf-8', 'utf-16le', 'utf-16be'] as const
const japanese = ['shift_jis', 'euc-jp'] as const

/**
 * Decodes strictly, without guessing: by a byte order mark, as UTF-8, then as Shift_JIS or EUC-JP where only one of
 * them fits. `chosen` is the user's choice where both fit.
 *
 * Source: `docs/decisions/references.md`.
 */
function decodeReference(bytes: Uint8Array, chosen?: TextEncoding): DecodedReference {
  for (const encoding of marked) {
    const mark = bomBytes(encoding)
    if (mark.every((byte, index) => bytes[index] === byte))
      return textOrBinary(tryDecode(bytes.subarray(mark.length), encoding))
  }
  if (bytes.includes(0)) return { kind: 'binary' }
  const plain = tryDecode(bytes, 'utf-8')
  if (plain !== undefined) return textOrBinary(plain)
  const fitting = japanese.filter((encoding) => tryDecode(bytes, encoding) !== undefined)
  const [only] = fitting
  if (only === undefined) return { kind: 'binary' }
  if (fitting.length === 1) return textOrBinary(tryDecode(bytes, only))
  const wanted = fitting.find((encoding) => encoding === chosen)
  if (wanted === undefined) return { kind: 'encoding', encodings: fitting }
  const decoded = textOrBinary(tryDecode(bytes, wanted))
  return decoded.kind === 'text' ? { ...decoded, chosen: wanted } : decoded
}

function textOrBinary(text: string | undefined): DecodedReference {
  return text === undefined ? { kind: 'binary' } : { kind: 'text', text: text.replace(/\r\n?/g, '\n') }
}

type Bytes = { path: string; hash: string }

/** The user's choices of encoding for files that fit two encodings. A choice is valid while the file is unchanged. */
export type ChosenEncodings = ReturnType<typeof chosenEncodings>

const Choices = z.array(z.object({ path: z.string(), hash: z.string(), encoding: TextEncoding }))

/** Maximum number of choices per folder; the oldest are forgotten. */
const limitChoices = 500

/** Creates the choices that are stored in `memory`; unreadable stored values count as empty. */
export function chosenEncodings(memory: { get(): unknown; set(value: unknown): void }) {
  const all = () => Choices.safeParse(memory.get()).data ?? []
  const of = ({ path, hash }: Bytes) => all().find((one) => one.path === path && one.hash === hash)?.encoding
  return {
    of,
    note({ path, hash }: Bytes, encoding: TextEncoding): void {
      if (of({ path, hash }) === encoding) return
      const others = all().filter((one) => one.path !== path)
      memory.set([...others, { path, hash, encoding }].slice(-limitChoices))
    },
  }
}

/** Returns the choices for the folder that a session works in. */
export function chosenEncodingsOf(
  store: { sessions: Pick<SessionRepository, 'get'>; works: Pick<WorkRepository, 'getState' | 'setState'> },
  sessionId: string,
): ChosenEncodings {
  const { workId } = store.sessions.get(sessionId).session
  return chosenEncodings({
    get: () => store.works.getState(workId, 'reference-encodings'),
    set: (choices) => store.works.setState(workId, 'reference-encodings', choices),
  })
}

import type { TurnFile, UndoPlace } from '../../../shared/domain/session/undo.ts'
import type { TextEncoding } from '../../../shared/domain/work/text-encoding.ts'
import { AppError, onAppError } from '../../../shared/errors.ts'
import {
  type Chunk,
  lineEndOf,
  mergedText,
  openChanges,
  type Side,
} from '../../../shared/text/difference/three-way.ts'
import { bomBytes, detectEncoding, encodeText, UnencodableError } from '../../platform/files/encodings.ts'
import type { ChangeSetRecord } from '../../store/works/change-set-repository.ts'
import { type FileHistory, fileHistories } from './file-history.ts'
import { type Author, withoutAssistant } from './line-authors.ts'

/** The content of a file after an undo, by the decisions; open places keep the current lines. */
type UndoneText = { text: string; format: TextFormat; places: UndoPlace[] }

type TextFormat = { encoding: TextEncoding; hasBom: boolean }
type Version = { bytes: Uint8Array; author: Author }

/**
 * Takes the assistant's changes out of a text, by the line authors of all its versions.
 *
 * Shape: `versions` after `first`, the last one is the current content. Undefined where one of them is no text.
 */
export function undoneText(
  first: Uint8Array,
  versions: readonly Version[],
  sides: ReadonlyMap<number, Side>,
): UndoneText | undefined {
  const start = decoded(first)
  if (versions.length === 0 || start === undefined) return undefined
  const texts: { text: string; author: Author }[] = []
  for (const { bytes, author } of versions) {
    const text = decoded(bytes)
    if (text === undefined) return undefined
    texts.push({ text, author })
  }
  const chunks = withoutAssistant(start, texts)
  const open = openChanges(chunks, new Map())
  const decided = new Map(open.map((index) => [index, sides.get(index) ?? 'current'] as const))
  const text = mergedText(chunks, decided, lineEndOf([start, ...texts.map((version) => version.text)])) ?? ''
  return { text, format: formatOf(first, versions), places: placesOf(chunks, new Set(open)) }
}

/** Spells the text of an undo. Errors: `file/unencodable` where its encoding, which the user chose, lacks a character. */
export function undoneBytes({ text, format }: UndoneText, path: string): Buffer {
  try {
    const mark = format.hasBom ? bomBytes(format.encoding) : new Uint8Array()
    return Buffer.concat([mark, encodeText(text, format.encoding)])
  } catch (error) {
    if (!(error instanceof UnencodableError)) throw error
    throw new AppError({ code: 'file/unencodable', path, encoding: format.encoding, sample: error.sample })
  }
}

/** Returns the encoding that the file had before the assistant, or that the user gave it since. */
function formatOf(first: Uint8Array, versions: readonly Version[]): TextFormat {
  let before: TextFormat | null = null
  let kept: TextFormat | null = null
  for (const { bytes, author } of [{ bytes: first, author: 'user' as const }, ...versions]) {
    const now = formatIn(bytes, before)
    if (kept === null || (author === 'user' && !isSame(now, before))) kept = now
    before = now
  }
  return kept ?? { encoding: 'utf-8', hasBom: false }
}

function isSame(one: TextFormat | null, other: TextFormat | null): boolean {
  return one?.encoding === other?.encoding && one?.hasBom === other?.hasBom
}

/** Returns a file's format. An empty file, or one of ASCII that was Japanese, keeps its former encoding. */
function formatIn(bytes: Uint8Array, before: TextFormat | null): TextFormat | null {
  const found = detectEncoding(bytes)
  if (found === undefined || bytes.length === 0) return before
  const isJapanese = before?.encoding === 'shift_jis' || before?.encoding === 'euc-jp'
  if (isJapanese && bytes.every((byte) => byte < 0x80)) return before
  return { encoding: found.encoding, hasBom: found.hasBom }
}

export function decoded(bytes: Uint8Array): string | undefined {
  return detectEncoding(bytes)?.text
}

function placesOf(chunks: readonly Chunk[], open: ReadonlySet<number>): UndoPlace[] {
  const places: UndoPlace[] = []
  let line = 1
  for (const chunk of chunks) {
    if (chunk.kind === 'change' && open.has(chunk.index)) {
      const { index, base, speculated, current } = chunk
      places.push({
        index,
        line,
        former: speculated.join(''),
        written: base.join(''),
        current: current.join(''),
      })
    }
    line += chunk.kind === 'same' ? chunk.lines.length : chunk.current.length
  }
  return places
}

/** Longer texts are not sent to a window. Units: bytes. */
const limitBytes = 1_000_000

type ReadBytes = (hash: string) => Promise<Uint8Array>

/**
 * Returns each file that the records changed once, with its text without and with their changes. What the user wrote
 * between two of them is in both texts.
 */
export async function turnFiles(records: readonly ChangeSetRecord[], readBytes: ReadBytes) {
  const files: TurnFile[] = []
  for (const history of fileHistories(records, () => true)) {
    const before = history.first?.path ?? null
    const path = history.path ?? history.places.at(-1)?.path ?? before ?? ''
    const from = before === path ? null : before
    const texts = await textsOf(history, readBytes).catch(onAppError(null, 'file/not-found'))
    files.push({ path, from, texts })
  }
  return files
}

async function textsOf({ first, versions, path }: FileHistory, readBytes: ReadBytes) {
  const start = first === null ? null : await readBytes(first.hash)
  const contents: { bytes: Uint8Array; author: (typeof versions)[number]['author'] }[] = []
  for (const { hash, author } of versions) contents.push({ bytes: await readBytes(hash), author })
  const end = contents.at(-1)?.bytes ?? start
  if ([start, end].some((bytes) => (bytes?.length ?? 0) > limitBytes)) return null
  const isShared = contents.some(({ author }) => author === 'user')
  const alone = start === null ? null : decoded(start)
  const old = isShared ? undoneText(start ?? new Uint8Array(), contents, new Map())?.text : alone
  const now = path === null || end === null ? null : decoded(end)
  return old === undefined || now === undefined ? null : { old, new: now }
}

import type { TurnFile } from '../../../shared/domain/session/undo.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { ChangeSetRecord } from '../../store/change-set-repository.ts'
import { type FileHistory, fileHistories } from './file-history.ts'
import { decoded, undoneText } from './undo-text.ts'

/** Longer texts are not sent to a window. Units: bytes. */
const limitBytes = 1_000_000

type ReadBytes = (hash: string) => Promise<Uint8Array>

/**
 * Returns each file that the records changed once, with its text without and with their changes. What the user wrote
 * between two of them is in both texts.
 */
export async function turnFiles(
  records: readonly ChangeSetRecord[],
  readBytes: ReadBytes,
): Promise<TurnFile[]> {
  const files: TurnFile[] = []
  for (const history of fileHistories(records, () => true)) {
    const before = history.first?.path ?? null
    const path = history.path ?? history.places.at(-1)?.path ?? before ?? ''
    const from = before === path ? null : before
    files.push({ path, from, texts: await textsOf(history, readBytes) })
  }
  return files
}

async function textsOf(
  { first, versions, path }: FileHistory,
  readBytes: ReadBytes,
): Promise<TurnFile['texts']> {
  try {
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
  } catch (error) {
    if (isAppError(error) && error.info.code === 'file/not-found') return null
    throw error
  }
}

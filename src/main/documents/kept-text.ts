import { isAppError } from '../../shared/errors.ts'
import type { Clock, Log } from '../deps.ts'
import type { UnsavedRepository, UnsavedText } from '../store/works/unsaved-repository.ts'
import type { DiskCopy } from './disk-copy.ts'

/**
 * The entries of an open document in the store: that it is open, and text that could not be written to its file yet.
 *
 * A store that cannot write (a full disk) does not stop the document: the text is still written to its file.
 */
export function createKeptText(
  { clock, log, unsaved }: { clock: Clock; log: Log; unsaved: UnsavedRepository },
  copy: DiskCopy,
) {
  let isKept = false

  function note(write: () => void): boolean {
    try {
      write()
      return true
    } catch (error) {
      if (isAppError(error, 'file/disk-full')) log.write('warn', 'document.not-noted')
      else log.bug(error, 'document.note')
      return false
    }
  }

  return {
    find(): UnsavedText | undefined {
      const found = unsaved.find(copy.path)
      isKept = found !== undefined
      return found
    },
    /** Keeps a text in the store; where that fails, too, the text stays in memory. */
    keep(text: string): void {
      const { path: file, hash: baseHash } = copy
      if (note(() => unsaved.keep({ file, baseHash, at: clock.now(), text }))) isKept = true
    },
    /** Removes the kept text; where that fails, the next saving tries again. */
    forget(): void {
      if (isKept && note(() => unsaved.discard(copy.path))) isKept = false
    },
    opened: () => note(() => unsaved.opened(copy.path, clock.now())),
    saved: (at: number) => note(() => unsaved.saved(copy.path, at)),
    closed: () => note(() => unsaved.closed(copy.path)),
  }
}

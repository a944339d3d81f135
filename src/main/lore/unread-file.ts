import type { UnreadLore } from '../../shared/domain/lore/lore.ts'
import { isAppError } from '../../shared/errors.ts'
import { errorCode } from '../platform/files/disk.ts'
import { toFileError } from '../platform/files/file-error.ts'

/** Waits for a file of a work; where it cannot be read, returns why, with its path in the work. */
export async function orFailure<T>(path: string, reading: Promise<T>): Promise<T | UnreadLore> {
  try {
    return await reading
  } catch (error) {
    if (errorCode(error) === undefined && !isAppError(error)) throw error
    const { info } = toFileError(error, path)
    return { path, error: 'path' in info ? { ...info, path } : info }
  }
}

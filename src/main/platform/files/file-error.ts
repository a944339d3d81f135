import { AppError, type ErrorInfo } from '../../../shared/errors.ts'
import { errorCode } from './disk.ts'

/** Turns an error code of the file system into an `AppError`. An `AppError` is returned as it is. */
export function toFileError(error: unknown, path: string): AppError {
  if (error instanceof AppError) return error
  return new AppError(fileErrorInfo(errorCode(error), path), { cause: error })
}

/** Returns a handler for `catch` that throws an error of the file system as `toFileError` makes it. */
export function failWith(path: string): (error: unknown) => never {
  return (error) => {
    throw toFileError(error, path)
  }
}

function fileErrorInfo(code: string | undefined, path: string): ErrorInfo {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { code: 'file/not-found', path }
    case 'EACCES':
    case 'EPERM':
      return { code: 'file/denied', path }
    case 'EROFS':
      return { code: 'file/read-only', path }
    case 'ENOSPC':
    case 'EDQUOT':
    case 'SQLITE_FULL':
      return { code: 'file/disk-full', path }
    case 'EEXIST':
    case 'ENOTEMPTY':
      return { code: 'file/exists', path }
    case 'ENAMETOOLONG':
    case 'EILSEQ':
      return { code: 'file/bad-name', name: path }
    default:
      return { code: 'file/failed', path, reason: code ?? 'unknown' }
  }
}

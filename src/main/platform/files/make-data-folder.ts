import { access, chmod, constants, mkdir } from 'node:fs/promises'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { type DataFolder, dataFolderAt } from './data-folder.ts'
import { errorCode } from './disk.ts'

/** Makes the data folder and closes it to other users. Errors: `host/bad-data-folder`. */
export async function makeDataFolder(root: string): Promise<DataFolder> {
  const folder = dataFolderAt(root)
  await inDataFolder(root, async () => {
    await mkdir(root, { recursive: true, mode: 0o700 })
    if (process.platform !== 'win32') await chmod(root, 0o700)
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK)
  })
  for (const path of [folder.checkpoints, folder.images, folder.logs]) {
    await inDataFolder(path, () => mkdir(path, { recursive: true, mode: 0o700 }))
  }
  return folder
}

/** Runs work on the data folder. Errors: `host/bad-data-folder`, with a reason, for every failure of the system. */
export async function inDataFolder<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const reason = isAppError(cause, 'file/failed') ? cause.info.reason : errorCode(cause)
    if (reason === undefined || (cause instanceof AppError && !isAppError(cause, 'file/failed'))) throw cause
    throw new AppError({ code: 'host/bad-data-folder', path, reason }, { cause })
  }
}

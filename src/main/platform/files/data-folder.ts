import { access, chmod, constants, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { errorCode } from './disk.ts'

/** The places of the app's own files. Shape: absolute paths. */
export type DataFolder = ReturnType<typeof dataFolderAt>

type Surroundings = { platform: string; env: Record<string, string | undefined>; home: string }

/**
 * Returns the user's data folder: `TSUGI_DATA_DIR`, else the system's usual place for data of programs.
 *
 * Source: XDG Base Directory Specification; Apple's File System Programming Guide; Windows known folders.
 */
export function dataFolderPath({ platform, env, home }: Surroundings): string {
  if (env.TSUGI_DATA_DIR) return resolve(env.TSUGI_DATA_DIR)
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Tsugi')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Tsugi')
  // The specification says that a relative value is to be ignored.
  const base = env.XDG_DATA_HOME?.startsWith('/') ? env.XDG_DATA_HOME : join(home, '.local', 'share')
  return join(base, 'tsugi')
}

export function dataFolderAt(root: string) {
  return {
    root,
    /** The SQLite database. */
    database: join(root, 'tsugi.db'),
    /** Old and new bytes of changed files, by content. */
    checkpoints: join(root, 'checkpoints'),
    /** Images of messages and results, by content. */
    images: join(root, 'images'),
    /** Copies of the database. */
    backups: join(root, 'backups'),
    logs: join(root, 'logs'),
  }
}

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

import { join, resolve } from 'node:path'

/** The places of the app's own files. Shape: absolute paths. */
export type DataFolder = {
  root: string
  /** The SQLite database. */
  database: string
  /** Old and new bytes of changed files, by content. */
  checkpoints: string
  /** Images of messages and results, by content. */
  images: string
  /** Copies of the database. */
  backups: string
  logs: string
}

export type Surroundings = { platform: string; env: Record<string, string | undefined>; home: string }

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

export function dataFolderAt(root: string): DataFolder {
  return {
    root,
    database: join(root, 'tsugi.db'),
    checkpoints: join(root, 'checkpoints'),
    images: join(root, 'images'),
    backups: join(root, 'backups'),
    logs: join(root, 'logs'),
  }
}

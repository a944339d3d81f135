import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { ProcessEnv } from './clean-environment.ts'

/**
 * Finds a program in the folders of `PATH`; null where there is none.
 *
 * Shape: relative folders are skipped, since they would be inside the working folder; on Windows also those of the
 * system, whose `bash` starts another Linux with other paths.
 */
export async function findProgram(
  program: string,
  environment: ProcessEnv,
  platform: string = process.platform,
): Promise<string | null> {
  const name = platform === 'win32' ? `${program}.exe` : program
  const key = Object.keys(environment).find((variable) => variable.toUpperCase() === 'PATH')
  const places = key === undefined ? [] : (environment[key] ?? '').split(delimiter)
  for (const place of places) {
    if (!isAbsolute(place) || isForeign(place, platform)) continue
    const path = join(place, name)
    if (await isProgram(path)) return path
  }
  return null
}

function isForeign(place: string, platform: string): boolean {
  return platform === 'win32' && /[\\/](?:system32|windowsapps)[\\/]?$/i.test(place)
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    // A file that cannot be examined cannot be run either.
    return false
  }
}

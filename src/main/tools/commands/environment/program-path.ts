import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { isInside } from '../../../platform/files/real-path.ts'
import type { ProcessEnv } from './clean-environment.ts'

/** Returns the variable with the folders of programs, which Windows calls `Path`; null where there is none. */
function pathOf(environment: ProcessEnv): { name: string; list: string } | null {
  const name = Object.keys(environment).find((variable) => variable.toUpperCase() === 'PATH')
  const list = name === undefined ? undefined : environment[name]
  return name === undefined || list === undefined ? null : { name, list }
}

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
  for (const place of pathOf(environment)?.list.split(delimiter) ?? []) {
    const isForeign = platform === 'win32' && /[\\/](?:system32|windowsapps)[\\/]?$/i.test(place)
    if (!isAbsolute(place) || isForeign) continue
    const path = join(place, name)
    // A file that cannot be examined cannot be run either.
    const stats = await access(path, constants.X_OK)
      .then(() => stat(path))
      .catch(() => null)
    if (stats?.isFile()) return path
  }
  return null
}

/**
 * Returns the environment with a `PATH` without places inside of the folders, links followed.
 *
 * For commands that run without consent: a program in such a folder could have the name of any other program.
 */
export async function programsOutside<Env extends ProcessEnv>(
  environment: Env,
  folders: readonly string[],
): Promise<Env> {
  const path = pathOf(environment)
  if (path === null) return environment
  // A place where nothing exists yet is taken as it is written: it may be created later.
  const realOf = (place: string): Promise<string> => realpath(place).catch(() => place)
  const homes = [...folders, ...(await Promise.all(folders.map(realOf)))]
  const places = await Promise.all(
    path.list.split(delimiter).map(async (place) => {
      if (!isAbsolute(place)) return [place]
      const real = await realOf(place)
      return homes.some((home) => isInside(home, real) || isInside(home, place)) ? [] : [place]
    }),
  )
  return { ...environment, [path.name]: places.flat().join(delimiter) }
}

import { realpath } from 'node:fs/promises'
import { delimiter, isAbsolute } from 'node:path'
import { isInside } from '../../../platform/files/real-path.ts'
import type { ProcessEnv } from './clean-environment.ts'

/**
 * Returns the environment with a `PATH` without places inside of the folders, links followed.
 *
 * For commands that run without consent: a program in such a folder could have the name of any other program.
 */
export async function programsOutside<Env extends ProcessEnv>(
  environment: Env,
  folders: readonly string[],
): Promise<Env> {
  const key = Object.keys(environment).find((name) => name.toUpperCase() === 'PATH')
  const list = key === undefined ? undefined : environment[key]
  if (key === undefined || list === undefined) return environment
  const homes = [...folders, ...(await Promise.all(folders.map(realOf)))]
  const places = await Promise.all(
    list.split(delimiter).map(async (place) => {
      if (!isAbsolute(place)) return [place]
      const real = await realOf(place)
      return homes.some((home) => isInside(home, real) || isInside(home, place)) ? [] : [place]
    }),
  )
  return { ...environment, [key]: places.flat().join(delimiter) }
}

/** Returns the real path, or the path as written where nothing exists yet: it may be created later. */
async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    return path
  }
}

import { execFile } from 'node:child_process'
import { access, constants, realpath } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { isInside } from '../platform/files/real-path.ts'
import type { WallPrograms } from './wall.ts'

export type FoundPrograms = { programs: WallPrograms; version: string }

const run = promisify(execFile)
const timeoutMs = 5_000
/** Folders in which these programs are looked for before the search path. */
const usual = ['/usr/bin', '/bin', '/usr/local/bin']

/** Finds the programs that build the sandbox; `missing` names the first one that was not found. */
export async function findPrograms(path: string): Promise<FoundPrograms | { missing: string }> {
  const places = placesOf(path)
  const [bwrap, unshare, shell] = await Promise.all(
    ['bwrap', 'unshare', 'sh'].map((name) => find(places, name)),
  )
  if (bwrap == null) return { missing: 'bubblewrap' }
  if (unshare == null || shell == null) return { missing: 'util-linux' }
  const { stdout } = await run(bwrap, ['--version'], { timeout: timeoutMs })
  return { programs: { bwrap, unshare, shell }, version: stdout.trim().replace(/^bubblewrap /, '') }
}

/** Returns the search path of the wall's own scripts: without folders that lie in the project, links followed. */
export async function searchPathOf(path: string, project: string): Promise<string> {
  const places = placesOf(path)
  const real = await Promise.all(places.map((place) => realpath(place).catch(() => null)))
  return places
    .filter((_, index) => {
      const at = real[index] ?? null
      return at !== null && !isInside(project, at)
    })
    .join(delimiter)
}

function placesOf(path: string): string[] {
  return [...usual, ...path.split(delimiter).filter((place) => isAbsolute(place))]
}

async function find(places: readonly string[], name: string): Promise<string | null> {
  for (const place of places) {
    const path = join(place, name)
    const mayRun = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (mayRun) return path
  }
  return null
}

/** Overlays in user namespaces need 5.11. Shape: null where the kernel is new enough. */
export function kernelProblem(release: string): string | null {
  return isKernelFrom(release, 5, 11) ? null : release
}

/** True from Linux 6.14 on: there a process namespace has its own process limit. Older kernels have one for the machine. */
export function hasLimitOfSpace(release: string): boolean {
  return isKernelFrom(release, 6, 14)
}

function isKernelFrom(release: string, firstMajor: number, firstMinor: number): boolean {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(release) ?? []
  return Number(major) > firstMajor || (Number(major) === firstMajor && Number(minor) >= firstMinor)
}

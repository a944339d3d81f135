import type { Word } from '../parsing/shell-word.ts'
import type { Refusal } from './read-options.ts'

/** Why a path cannot be checked before the shell runs. `place`: a `cd` leads somewhere unknown. */
export type PathObstacle = 'variable' | 'glob' | 'home' | 'brace' | 'place'

/**
 * A path that a command reads.
 *
 * Shape: `paths` are all places that it may mean, relative to the folder in which the line is run, not
 * normalised (symbolic links decide what `..` is); several after a `cd`, which may fail. Empty where an
 * `obstacle` stands in the way.
 */
export type PathOperand = {
  command: string
  raw: string
  paths: readonly string[]
  obstacle: PathObstacle | null
  reads: 'names' | 'contents'
  /** Everything beneath the path is read. */
  isDeep: boolean
  /** Symbolic links beneath the path are followed. */
  followsLinks: boolean
  /** Of a deep one: links beneath it are read as the files that they lead to. */
  readsLinks: boolean
  /** Of ripgrep: the patterns of files that it reads though they are hidden; null for all of them. */
  hidden: readonly string[] | null
  /** What ignore files leave out is read too. */
  readsIgnored: boolean
  /** Of a deep one: only files whose name matches one of these patterns are read; null for all of them. */
  named: readonly string[] | null
  /** Of a deep one: of a file that is no text nothing is printed that stands in it. */
  skipsBinary: boolean
}

const limitBases = 8

/** The folders in which a line may be at some point. Shape: '' is where it started, null anywhere. */
export class Places {
  private bases: readonly string[] | null = ['']

  /** Where the line may be; null for anywhere. */
  get all(): readonly string[] | null {
    return this.bases
  }

  /** A `cd` to `path`, null where that is unknown. What stands after it may be in the old or in the new place. */
  move(path: string | null): void {
    if (this.bases === null) return
    const reached = path === null ? null : this.resolve(path)
    // The shell undoes `name/..` by text, the system by links: nobody knows which is meant.
    if (reached === null || reached.some(climbsAfterName)) this.bases = null
    else {
      const all = new Set([...this.bases, ...reached])
      this.bases = all.size > limitBases ? null : [...all]
    }
  }

  resolve(path: string): readonly string[] | null {
    if (path.startsWith('/')) return [path]
    return this.bases?.map((base) => (base === '' ? path : `${base}/${path}`)) ?? null
  }
}

function climbsAfterName(path: string): boolean {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  const firstName = parts.findIndex((part) => part !== '..')
  return firstName >= 0 && parts.slice(firstName).includes('..')
}

/** What kinds of expansion a word has, as an obstacle. */
export function obstacleOf({ hazards }: Word): PathObstacle | null {
  for (const hazard of ['glob', 'home', 'brace'] as const) {
    if (hazards.includes(hazard)) return hazard
  }
  return hazards.length > 0 ? 'variable' : null
}

/** Where awk finds the network instead of files. */
const networks = new Set(['inet', 'inet4', 'inet6'])

/** Devices never end, or do something when they are read; so does what is read of their folder as a whole. */
export function deviceRefusal(operand: PathOperand): Refusal | null {
  const isDevice = operand.paths.some((path) => {
    const parts: string[] = []
    for (const part of path.split('/')) {
      if (part === '..') parts.pop()
      else if (part !== '' && part !== '.') parts.push(part)
    }
    if (!path.startsWith('/')) return false
    if (operand.command === 'awk' && networks.has(parts[0] ?? '')) return true
    const isFolder = parts.length === 1 && (operand.reads === 'names' || !operand.isDeep)
    return parts[0] === 'dev' && !isFolder && parts.join('/') !== 'dev/null'
  })
  return isDevice ? { reason: 'device', about: operand.raw } : null
}

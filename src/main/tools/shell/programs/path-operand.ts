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
  /** For a deep path: links beneath it are read as the files that they lead to. */
  readsLinks: boolean
  /** For ripgrep: the patterns of files that it reads though they are hidden; null for all of them. */
  hidden: readonly string[] | null
  /** Files that an ignore file excludes are read too. */
  readsIgnored: boolean
  /** For a deep path: only files whose name matches one of these patterns are read; null for all of them. */
  named: readonly string[] | null
  /** For a deep path: content of files that are not text is not printed. */
  skipsBinary: boolean
}

const limitBases = 8

/** The folders that may be the current one somewhere in a line. Shape: '' is where the line starts, null anywhere. */
export class Places {
  all: readonly string[] | null = ['']

  /** Notes a `cd` to `path`, null where that is unknown. Later commands may run in the old or in the new folder. */
  move(path: string | null): void {
    if (this.all === null) return
    const reached = path === null ? null : this.resolve(path)
    // The shell resolves `name/..` by text, the system by links: it is not known which applies.
    if (reached === null || reached.some(climbsAfterName)) this.all = null
    else {
      const all = new Set([...this.all, ...reached])
      this.all = all.size > limitBases ? null : [...all]
    }
  }

  resolve(path: string): readonly string[] | null {
    if (path.startsWith('/')) return [path]
    return this.all?.map((base) => (base === '' ? path : `${base}/${path}`)) ?? null
  }
}

function climbsAfterName(path: string): boolean {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  const firstName = parts.findIndex((part) => part !== '..')
  return firstName >= 0 && parts.slice(firstName).includes('..')
}

/** Returns a word's kind of expansion as an obstacle; null where it has none. */
export function obstacleOf({ hazards }: Word): PathObstacle | null {
  for (const hazard of ['glob', 'home', 'brace'] as const) {
    if (hazards.includes(hazard)) return hazard
  }
  return hazards.length > 0 ? 'variable' : null
}

/** First folders of paths that awk opens as network connections instead of files. */
const networks = new Set(['inet', 'inet4', 'inet6'])

/** Refuses devices, which never end or have effects when they are read, and deep reads of the folder that has them. */
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

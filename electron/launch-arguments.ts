import { basename, dirname, extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The paths that a start was asked to open. Shape: `paths` are absolute; they need not exist. */
export type LaunchRequest = {
  paths: string[]
  dataDir: string | null
  language: 'ja' | 'en' | null
  /** Whether to fetch or offer a small model where the machine has none. */
  starter: { isWanted: boolean; starterId: string | null; canInstallPip: boolean }
  isVerbose: boolean
}

/** A work (a folder, or one of its files) or a model file that is to be opened. */
export type OpenTarget = { kind: 'work' | 'model'; path: string }

/**
 * Reads the arguments after the executable (and, unpackaged, after the app's folder).
 *
 * Shape: names of files and folders, and the web host's options as `--name` or `--name=value`; all other
 * words that begin with `-` are Chromium's and are left alone. After `--` a name may begin with `-` too.
 */
export function readLaunchArguments(args: readonly string[], workingDirectory: string): LaunchRequest {
  const end = args.indexOf('--')
  const words = end < 0 ? args : args.slice(0, end)
  const has = (name: string) => words.includes(`--${name}`)
  const optionOf = (name: string) => {
    const word = words.find((candidate) => candidate.startsWith(`--${name}=`))
    return word?.slice(name.length + 3) || null
  }
  const names = words.filter((word) => word !== '' && !word.startsWith('-'))
  const afterEnd = end < 0 ? [] : args.slice(end + 1)
  const dataDir = optionOf('data')
  const language = optionOf('lang')
  return {
    paths: [...names, ...afterEnd].map((name) => toPath(name, workingDirectory)),
    dataDir: dataDir === null ? null : resolve(workingDirectory, dataDir),
    language: language === 'ja' || language === 'en' ? language : null,
    starter: {
      isWanted: has('fetch-starter') && !has('no-model'),
      starterId: optionOf('model'),
      canInstallPip: has('install-pip'),
    },
    isVerbose: has('verbose'),
  }
}

/** Returns what a double-clicked or dropped path opens. `work.json` stands for the folder that it lies in. */
export function openTargetOf(path: string): OpenTarget {
  if (extname(path).toLowerCase() === '.gguf') return { kind: 'model', path }
  if (basename(path).toLowerCase() === 'work.json') return { kind: 'work', path: dirname(path) }
  return { kind: 'work', path }
}

/** Resolves a path, or a `file://` address as file managers on Linux may hand over. */
function toPath(name: string, workingDirectory: string): string {
  if (!name.startsWith('file://')) return resolve(workingDirectory, name)
  try {
    return fileURLToPath(name)
  } catch {
    // An address on another host, or none at all: the window says that there is no such file.
    return resolve(workingDirectory, name)
  }
}

import { basename, dirname, extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a start was asked to do. Shape: `paths` are absolute; they need not exist. */
export type LaunchRequest = { paths: string[]; dataDir: string | null; isVerbose: boolean }

/** What is to be opened: a work (a folder, or one of its files), or a model file. */
export type OpenTarget = { kind: 'work' | 'model'; path: string }

/**
 * Reads the arguments after the executable (and, unpackaged, after the app's folder).
 *
 * Shape: names of files and folders, `--data DIR`, `--verbose`; everything else that begins with `-` is
 * Chromium's and is left alone. `--` ends the options, so that a name may begin with `-`.
 */
export function readLaunchArguments(args: readonly string[], workingDirectory: string): LaunchRequest {
  const request: LaunchRequest = { paths: [], dataDir: null, isVerbose: false }
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? ''
    if (arg === '--') {
      for (const path of args.slice(index + 1)) request.paths.push(toPath(path, workingDirectory))
      break
    }
    if (arg === '--data') {
      const dataDir = args[index + 1]
      if (dataDir !== undefined) request.dataDir = resolve(workingDirectory, dataDir)
      index += 1
    } else if (arg.startsWith('--data=')) {
      request.dataDir = resolve(workingDirectory, arg.slice('--data='.length))
    } else if (arg === '--verbose') request.isVerbose = true
    else if (arg !== '' && !arg.startsWith('-')) request.paths.push(toPath(arg, workingDirectory))
  }
  return request
}

/** What a double-clicked or dropped path means. `work.json` stands for the folder that it lies in. */
export function openTargetOf(path: string): OpenTarget {
  if (extname(path).toLowerCase() === '.gguf') return { kind: 'model', path }
  if (basename(path).toLowerCase() === 'work.json') return { kind: 'work', path: dirname(path) }
  return { kind: 'work', path }
}

/** File managers on Linux hand over `file://` addresses where the desktop file says `%U`. */
function toPath(arg: string, workingDirectory: string): string {
  return arg.startsWith('file://') ? fileURLToPath(arg) : resolve(workingDirectory, arg)
}

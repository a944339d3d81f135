/**
 * Electron's file system does not show files that end in `.asar` as files: an archive looks like a folder, any other
 * file is refused. The stand-in reads no archives and refuses both. A folder of that name is a folder.
 *
 * Source: https://www.electronjs.org/docs/latest/tutorial/asar-archives, "Limitations of the Node API" and
 * "Treating an ASAR archive as a normal file".
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { sep } from 'node:path'

const promised = ['access', 'copyFile', 'lstat', 'open', 'readFile', 'readdir', 'realpath', 'stat'] as const
const direct = [
  'accessSync',
  'copyFileSync',
  'lstatSync',
  'openSync',
  'readFileSync',
  'readdirSync',
  'realpathSync',
  'statSync',
] as const

/** Patches Node's file system; keeps the original one for `original-fs`. */
export function showArchivesAsFolders(): void {
  const original = { ...fs, promises: { ...fs.promises } }
  Object.assign(globalThis, { [Symbol.for('electron-standin.original-fs')]: original })

  /** Returns Electron's error for a path that is, or is inside, such a file; null for other paths. */
  const refusal = (path: unknown): Error | null => {
    if (typeof path !== 'string' || !path.includes('.asar')) return null
    const parts = path.split(sep)
    for (let end = 1; end <= parts.length; end += 1) {
      if (!parts[end - 1]?.endsWith('.asar')) continue
      const file = parts.slice(0, end).join(sep)
      const isFile = original.statSync(file, { throwIfNoEntry: false })?.isFile() === true
      if (isFile) return Object.assign(new Error(`Invalid package ${file}`), { code: 'INVALID_PACKAGE' })
    }
    return null
  }

  const patched = fs as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const name of direct) {
    const before = patched[name]
    if (before === undefined) continue
    patched[name] = Object.assign((...args: unknown[]) => {
      const error = refusal(args[0])
      if (error !== null) throw error
      return before(...args)
    }, before)
  }
  const patchedPromises = fs.promises as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  for (const name of promised) {
    const before = patchedPromises[name]
    if (before === undefined) continue
    patchedPromises[name] = async (...args) => {
      const error = refusal(args[0])
      if (error !== null) throw error
      return before(...args)
    }
  }
  syncBuiltinESMExports()
}

/** All modules open files for reading through `readRegularFile`, which never blocks and has limits. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** Modules that may import functions that open files, and why they cannot be led to a special file. */
const allowed: Record<string, string[]> = {
  // The reader itself.
  'src/main/platform/files/read-regular-file.ts': ['*'],
  // Makes new files (`wx`) and opens folders (`O_DIRECTORY`).
  'src/main/platform/files/disk.ts': ['*'],
  // Make new files under random names in the data folder.
  'src/main/starter/fetch-starter.ts': ['open'],
  'src/main/web-host/file-secrets.ts': ['open'],
  // Its own names in the data folder, in the engine's process.
  'src/main/engine/state-files.ts': ['open'],
  // Appends to the log in the data folder.
  'src/main/platform/log.ts': ['openSync'],
  // A script for the trial's own process, which reads files that the trial created.
  'src/main/sandbox/probe-script.ts': ['*'],
  // Copies files of an overlay, which lie under its own names in the data folder.
  'src/main/sandbox/layer-copy.ts': ['copyFile'],
  // The kernel's files of a process.
  'src/main/tools/commands/processes/leftover-commands.ts': ['readFileSync'],
  // The window's place on the screen, in the data folder.
  'electron/window.ts': ['readFileSync'],
  // Its own backups in the data folder: the first bytes of one, and a copy into its place.
  'src/main/store/database/backups.ts': ['openSync', 'copyFileSync'],
  // Copies the sample that ships with the app.
  'src/main/api/work-api.ts': ['cp'],
}

const opening = new Set([
  '*',
  'readFile',
  'readFileSync',
  'open',
  'openSync',
  'openAsBlob',
  'createReadStream',
  'copyFile',
  'copyFileSync',
  'cp',
  'cpSync',
  'read',
  'readv',
  'promises',
])

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Returns the imports from Node's file system that can open a file for reading. */
function openersOf(text: string): string[] {
  const found: string[] = []
  const imports = /import\s+(type\s+)?([^'"]*?)\s+from\s+['"](?:node:)?fs(?:\/promises)?['"]/g
  for (const [, isType, names = ''] of text.matchAll(imports)) {
    if (isType !== undefined) continue
    const list = /\{([^}]*)\}/.exec(names)?.[1]
    if (list === undefined || /^\w/.test(names.trim())) found.push('*')
    for (const one of (list ?? '').split(',')) {
      const name = one.trim().split(/\s+as\s+/)[0] ?? ''
      if (!name.startsWith('type ') && opening.has(name)) found.push(name)
    }
  }
  if (/(?:require|import)\(\s*['"](?:node:)?fs/.test(text)) found.push('*')
  return found
}

describe('files that the host opens', () => {
  it('go through the one reader', () => {
    const others = [...sources('src/main'), ...sources('electron')].flatMap((file) => {
      const path = file.slice(root.length + 1).replaceAll('\\', '/')
      const mine = allowed[path] ?? []
      return openersOf(readFileSync(file, 'utf8'))
        .filter((name) => !mine.includes(name))
        .map((name) => `${path} imports ${name}: use src/main/platform/files/read-regular-file.ts`)
    })
    expect(others).toEqual([])
  })

  it.each([
    ["import { readFile } from 'node:fs/promises'", ['readFile']],
    ["import { stat, open as begin } from 'fs/promises'", ['open']],
    ["import * as fs from 'node:fs'", ['*']],
    ["import fs, { constants } from 'node:fs'", ['*']],
    ["import {\n  readFileSync,\n  statSync,\n} from 'node:fs'", ['readFileSync']],
    ["const fs = await import('node:fs')", ['*']],
    ["import { type FileHandle, stat } from 'node:fs/promises'", []],
    ["import type { Stats } from 'node:fs'", []],
  ])('are found in any import: %s', (text, names) => {
    expect(openersOf(text)).toEqual(names)
  })
})

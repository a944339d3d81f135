import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** Returns the modules that are loaded before a module runs: static imports and re-exports, without types. */
function needsOf(file: string): string[] {
  const { module } = parseSync(file, readFileSync(file, 'utf8'), { lang: 'ts' })
  const imports = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value)
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? [moduleRequest.value] : [])),
  )
  return [...imports, ...exports]
}

function loadedFrom(entries: readonly string[]): { own: Set<string>; packages: Set<string> } {
  const own = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: string): void => {
    if (own.has(file)) return
    own.add(file)
    for (const name of needsOf(file)) {
      if (name.startsWith('.')) {
        const path = join(dirname(file), name)
        if (path.endsWith('.ts')) visit(path)
      } else packages.add(name)
    }
  }
  for (const entry of entries) visit(resolve(root, entry))
  return { own, packages }
}

const { own, packages } = loadedFrom(['src/main/web-host/start.ts', 'src/main/web-host/main.ts'])

// Every module here is read and compiled before the first line of the host: what only some work needs is
// imported with that work (`await import`). A package joins this list, and the number grows, on purpose only.
it('loads no other package before the host’s first line', () => {
  expect([...packages].filter((name) => !name.startsWith('node:')).toSorted()).toEqual([
    '@codemirror/collab',
    '@codemirror/state',
    'better-sqlite3',
    'diff',
    'iconv-lite',
    'pino',
    'zod',
  ])
})

// Node's own cost time too: `node:tls` 22 ms of processor time, what an import of `node:http` or `node:util`
// loads with it 60 and 9 ms. `platform/node/late-node.ts` and `platform/node/node-http.ts` load those.
it('loads no other module of Node’s', () => {
  expect([...packages].filter((name) => name.startsWith('node:')).toSorted()).toEqual([
    'node:crypto',
    'node:fs',
    'node:fs/promises',
    'node:module',
    'node:net',
    'node:os',
    'node:path',
    'node:timers/promises',
    'node:worker_threads',
  ])
})

it('loads no more modules of its own before the host’s first line', () => {
  expect(own.size).toBeGreaterThan(100)
  expect(own.size).toBeLessThanOrEqual(170)
})

// Comments are not in the built files.
it('reads no more of its own source before the host’s first line', () => {
  const chars = [...own].reduce((sum, file) => sum + codeChars(file), 0)
  expect(chars).toBeLessThanOrEqual(560_000)
})

/** Counts a file's characters outside of comments. Units: UTF-16. */
function codeChars(file: string): number {
  const text = readFileSync(file, 'utf8')
  const { comments } = parseSync(file, text, { lang: 'ts' })
  return comments.reduce((left, { start, end }) => left - (end - start), text.length)
}

// Compiling a function for each schema took 60 of the start's 400 ms.
it.each(['src/main/web-host/start.ts', 'electron/main.ts'])('%s has schemas interpreted', (entry) => {
  const modules = needsOf(resolve(root, entry)).filter((name) => !name.endsWith('/guard-node.ts'))
  expect(modules[0]).toMatch(/\/platform\/node\/interpret-schemas\.ts$/)
  const line =
    "await import('./src/main/platform/node/interpret-schemas.ts'); process.stdout.write(String((await import('zod')).config().jitless))"
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', line], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(stdout).toBe('true')
})

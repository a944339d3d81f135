import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'

const root = resolve(import.meta.dirname, '../../..')
/** At the same depth as the rooms of `tests/fakes`, so that paths relative to the program's own place stay valid. */
const folder = join(root, '.cache/child-programs/bundles')

/**
 * Bundles a program of `tests/fakes` into one file, for tests that start it many times: a start from the sources
 * costs twice as much of the processor's time.
 *
 * Shape: the absolute path of the bundle, made of the sources as they are now. A bundle of an earlier run is taken where
 * every file that went into it has the same content: seven bundles cost six seconds of the processor's time.
 */
export async function childProgram(name: string): Promise<string> {
  const file = join(folder, `${name}.mjs`)
  const record = `${file}.json`
  if (existsSync(record)) {
    const { sources, digest } = JSON.parse(readFileSync(record, 'utf8')) as {
      sources: string[]
      digest: string
    }
    if (digestOf([...sources, file]) === digest) return file
  }
  const fresh = `${name}.${process.pid}.mjs`
  const began = Date.now()
  const sources = new Set(
    ['package-lock.json', 'tests/fakes/victims/child-program.ts'].map((path) => join(root, path)),
  )
  // Modules of which nothing is left in the bundle count too: they may export more one day.
  const noting = {
    name: 'noting',
    moduleParsed: ({ id }: { id: string }) => void sources.add(id.replace(/\?.*$/, '')),
  }
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [noting],
    // Native packages find their own files.
    ssr: { noExternal: true, external: ['better-sqlite3', 'node-llama-cpp', '@vscode/ripgrep'] },
    build: {
      ssr: join(import.meta.dirname, `${name}.ts`),
      outDir: folder,
      emptyOutDir: false,
      target: 'node22',
      rolldownOptions: { output: { entryFileNames: fresh, codeSplitting: false } },
    },
  })
  renameSync(join(folder, fresh), file)
  const found = [...sources].filter((path) => existsSync(path))
  // What was written meanwhile may be in the bundle or not.
  if (found.some((path) => statSync(path).mtimeMs >= began)) return file
  const freshRecord = `${file}.${process.pid}.json`
  writeFileSync(freshRecord, JSON.stringify({ sources: found, digest: digestOf([...found, file]) }))
  renameSync(freshRecord, record)
  return file
}

/** A digest of the contents of files; of one that is missing, of its absence. */
function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha1')
  for (const path of paths) hash.update(existsSync(path) ? readFileSync(path) : 'missing').update('\0')
  return hash.digest('hex')
}

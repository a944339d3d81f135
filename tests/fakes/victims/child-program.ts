import { renameSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'

const root = resolve(import.meta.dirname, '../../..')
/** At the same depth as the rooms of `tests/fakes`, so that paths relative to the program's own place stay valid. */
const folder = join(root, '.cache/child-programs/bundles')

/**
 * Bundles a program of `tests/fakes` into one file, for tests that start it many times: a start from the sources
 * costs twice as much of the processor's time.
 *
 * Shape: the absolute path of the bundle, made of the sources as they are now.
 */
export async function childProgram(name: string): Promise<string> {
  const fresh = `${name}.${process.pid}.mjs`
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
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
  const file = join(folder, `${name}.mjs`)
  renameSync(join(folder, fresh), file)
  return file
}

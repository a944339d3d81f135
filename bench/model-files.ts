import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { writeTinyGguf } from '../tests/fakes/tiny-gguf.ts'

/** A model file to count or write with; `name` is for the report. */
export type ModelFile = { name: string; file: string }

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const shared = resolve(import.meta.dirname, '../../shared/models')

/** Small models with the vocabularies of real ones; where they are absent, one that is written on the spot. */
export function tinyModels(): ModelFile[] {
  const real = [
    { name: 'SentencePiece (Mistral v3)', file: join(shared, 'tiny-llama.gguf') },
    { name: 'Tekken (Mistral Nemo)', file: join(shared, 'tiny-tekken.gguf') },
  ].filter(({ file }) => existsSync(file))
  return real.length > 0 ? real : [ownTinyModel()]
}

function ownTinyModel(): ModelFile {
  const folder = temporaryFolder()
  const file = join(folder, 'tiny.gguf')
  writeTinyGguf(file, { seed: 1, contextTokens: 32_768 })
  return { name: 'a tiny vocabulary of our own', file }
}

/** Creates a folder that is removed when this process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tsugi-bench-'))
  folders.push(folder)
  return folder
}

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'

const asar: { extractAll(archive: string, folder: string): void } = createRequire(import.meta.url)(
  '@electron/asar',
)

const loading = `
import Database from 'better-sqlite3'
import { getLlama } from 'node-llama-cpp'
new Database(':memory:').exec('SELECT 1')
const llama = await getLlama({ build: 'never', gpu: false, skipDownload: true })
console.log(llama.gpu === false ? 'loaded' : 'a GPU was used')
process.exit(0)
`

/** Loads the packed app's native parts, from the packed files alone. Shape: the error, or undefined. */
export function loadPackedNative(archive: string): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'tsugi-unpacked-'))
  try {
    asar.extractAll(archive, folder)
    writeFileSync(path.join(folder, 'load.mjs'), loading)
    const { stdout, stderr } = spawnSync(process.execPath, ['load.mjs'], { cwd: folder, encoding: 'utf8' })
    return stdout.includes('loaded') ? undefined : `${stdout}${stderr}`.slice(-2000)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { sandboxedProject, sandboxHere } from '../../../../tests/fakes/rigs/real-sandbox.ts'
import type { CopyLayer } from '../layer-copy.ts'
import type { SandboxRun } from '../sandbox.ts'
import { readCopy } from './read-copy.ts'

const here = await sandboxHere()
const noLayer: CopyLayer = { files: [], folders: [], gone: [] }

/** Reads what a command left in a copy. */
async function effectsOf(run: SandboxRun, dataDir: string, layer = noLayer) {
  const environment = { PATH: process.env.PATH ?? '' }
  return readCopy(run, layer, { dataDir, environment, isAsked: () => false })
}

describe('folders that a command made in a copy', () => {
  it('are named where nothing comes with them, unless they are ignored or of the layer', async () => {
    const [folder, project, dataDir] = [tempFolder(), tempFolder(), tempFolder()]
    for (const path of ['new/empty', 'new/full', 'build/cache', 'laid'])
      mkdirSync(join(folder, 'upper', path), { recursive: true })
    writeFileSync(join(folder, 'upper/new/full/x'), 'x')
    writeFileSync(join(project, '.gitignore'), 'build/\n')
    const wall = { program: 'false', args: [] }
    const ids = { runId: '0', folder, project, beganAtNs: BigInt(Date.now() + 60_000) * 1_000_000n }
    const run: SandboxRun = { ...ids, wall, merged: wall, environment: {}, privateHome: '' }
    const { oddFolders, files } = await effectsOf(run, dataDir, { ...noLayer, folders: ['laid'] })
    expect(files.map(({ path }) => path)).toEqual(['new/full/x'])
    expect(oddFolders).toEqual(['new/empty'])
  })
})

describe.skipIf(here.kind === 'none')('folders that a command removed in a copy', () => {
  it('are named, unless they are ignored', async () => {
    const files = { '.gitignore': 'build/\n', 'a/f': 'f', 'old/deep/f': 'f', 'build/gone/o': 'o' }
    const { dataDir, run } = await sandboxedProject(files)
    const ran = await run('rm -r old/deep build/gone; rm a/f')
    const { oddFolders, gone } = await effectsOf(ran.run, dataDir)
    expect(oddFolders).toEqual(['old/deep'])
    expect(gone.sort()).toEqual(['a/f', 'build/gone/o', 'old/deep/f'])
  })
})

describe.skipIf(here.kind === 'none')('folders that a command made in a copy, with something in them', () => {
  it('are named where they have permissions that an acceptance would not give them', async () => {
    const { dataDir, run } = await sandboxedProject({ '.gitignore': 'build/\n' })
    const ran = await run(
      'mkdir usual; mkdir -m 700 own; mkdir -p build; mkdir -m 700 build/own; touch usual/f own/f build/own/f',
    )
    const { oddFolders } = await effectsOf(ran.run, dataDir)
    expect(oddFolders.sort()).toEqual(['build/own', 'own'])
  })
})

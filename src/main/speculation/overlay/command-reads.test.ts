import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { countingDisk } from '../../../../tests/fakes/disks/counting-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { createWorkspaceSearch } from '../../workspace/search/workspace-search.ts'
import { createCommandReads } from './command-reads.ts'
import { Layer } from './layer.ts'

/** A folder in which a command has run, after these files were written. */
async function ranIn(paths: readonly string[], contents: Record<string, string> = {}) {
  const root = tempFolder()
  const counting = countingDisk()
  const { disk } = counting
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const path of paths) write(path, contents[path] ?? 'old')
  const search = createWorkspaceSearch({
    root,
    disk,
    timeoutMs: 60_000,
    showsHidden: true,
  })
  const reads = createCommandReads({ root, disk, search, layer: new Layer() })
  await reads.before(new AbortController().signal)
  // Times of files advance in steps of the system's clock.
  await sleep(30)
  const marker = join(tempFolder(), 'began')
  writeFileSync(marker, '')
  reads.ran(lstatSync(marker).ctimeMs)
  counting.reset()
  return { root, reads, write, counting }
}

describe('files that changed since a command ran', () => {
  it('are those changed, made or deleted, hidden ones included and ignored ones left out', async () => {
    const paths = ['.gitignore', '.toolrc', 'same.ts', 'sub/changed.ts', 'sub/gone.ts', 'out.log']
    const { root, reads, write } = await ranIn(paths, { '.gitignore': '*.log\n' })
    expect(await reads.changed()).toEqual({ paths: [], hasMore: false })
    for (const path of ['.toolrc', 'sub/changed.ts', 'sub/new.ts', 'out.log']) write(path, 'new')
    rmSync(join(root, 'sub/gone.ts'))
    expect(await reads.changed()).toEqual({
      paths: ['.toolrc', 'sub/changed.ts', 'sub/gone.ts', 'sub/new.ts'],
      hasMore: false,
    })
  })

  it('are told up to twenty, the first by their paths', async () => {
    const { reads, write } = await ranIn(['1.ts'])
    const paths = Array.from({ length: 300 }, (_, index) => `${index}.ts`)
    const first = { paths: paths.slice(0, 20).sort(), hasMore: false }
    for (const path of first.paths) write(path, 'new')
    expect(await reads.changed()).toEqual(first)
    for (const path of paths) write(path, 'new')
    expect(await reads.changed()).toEqual({ ...first, hasMore: true })
  })

  it('are found without a request to the thread pool for each file', async () => {
    const paths = Array.from({ length: 1_000 }, (_, index) => `${index % 10}/${index}.ts`)
    const { reads, write, counting } = await ranIn(paths)
    write('7/997.ts', 'new')
    expect(await reads.changed()).toEqual({ paths: ['7/997.ts'], hasMore: false })
    expect(counting.counts.lstat ?? 0).toBeLessThan(20)
    expect(counting.counts.lstatAll).toBeLessThan(20)
  })
})

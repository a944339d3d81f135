/** How long a folder of many files and a session of many turns take to open. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { justAnswer } from '../tests/fakes/sessions/scripted-mind.ts'
import { openSessionHost } from '../tests/fakes/sessions/session-host.ts'
import { temporaryFolder } from './model-files.ts'
import { type BenchOptions, comparisonTable, type Report } from './report.ts'
import { timed } from './timing.ts'

const signal = new AbortController().signal

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  const files = isQuick ? 20_000 : 200_000
  const turns = isQuick ? 10 : 50
  const [one, many] = [await openSession(1), await openSession(turns)]
  const folder = await openFolder(files)
  return {
    title: 'Opening a long session and a large folder',
    about: [
      `A session of ${turns} turns beside one of a single turn, each in a new host over its data, to its first snapshot; a folder of ${files.toLocaleString('en')} files beside its names as Node lists them.`,
    ],
    tables: [
      comparisonTable('Session', 'one turn', [
        { measure: 'to its snapshot', unit: 'ms', value: many, baseline: one },
      ]),
      comparisonTable('Folder', 'readdir', [
        { measure: 'until it is open', unit: 'ms', value: folder.openMs, baseline: folder.listMs },
      ]),
    ],
  }
}

async function openSession(turns: number): Promise<number> {
  const host = await openSessionHost({
    root: temporaryFolder(),
    dataDir: temporaryFolder(),
    files: { 'a.txt': 'one\n' },
    thoughts: Array.from({ length: turns }, () => justAnswer('The bell rang thirteen times.')).flat(),
  })
  for (let turn = 0; turn < turns; turn += 1) {
    await host.say('How often does the bell ring?')
    await host.rest()
  }
  const later = await host.restart()
  const { ms } = await timed(() => later.items())
  await later.close()
  return ms
}

async function openFolder(files: number): Promise<{ openMs: number; listMs: number }> {
  const root = temporaryFolder()
  for (let at = 0; at < files; at += 500) {
    await Promise.all(
      Array.from({ length: Math.min(500, files - at) }, (_, each) =>
        writeFile(join(root, `${at + each}.dat`), ''),
      ),
    )
  }
  const { ms: listMs } = await timed(() => readdir(root, { withFileTypes: true }))
  const host = await openSessionHost({ root: temporaryFolder(), dataDir: temporaryFolder() })
  const { ms: openMs } = await timed(() => host.app.api['work.open']({ path: root }, { signal }))
  await host.close()
  return { openMs, listMs }
}

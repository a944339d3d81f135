/**
 * A work of a hundred chapters in the built host: replacing ten thousand places, and an hour of writing, there and in
 * the editor.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureBuild } from '../scripts/setup/build.mjs'
import { readWords } from '../scripts/setup/words.mjs'
import type { Client } from '../src/shared/contract/index.ts'
import type { ChangeSetJson } from '../src/shared/domain/work/document.ts'
import type {} from '../tests/e2e/editor/harness/harness.ts'
import { serveHarness } from '../tests/e2e/support/harness-server.ts'
import { connectTo, startHost, stopProcess } from './host-process.ts'
import { launchChromium } from './launch-chromium.ts'
import { temporaryFolder } from './model-files.ts'
import { type BenchOptions, type Comparison, comparisonTable, type Report } from './report.ts'
import { residentMb, timed } from './timing.ts'

const chapters = 100
const hitsOfChapter = 100
const line = '雨が降り始めた。彼は傘を持たずに坂の上の家を出て、古い駅の待合室へ向かった。\n'
const query = { text: '雨', isRegex: false, isCaseSensitive: true, foldsWidth: false, foldsKana: false }
/** One batch of changes a second for an hour, two characters each: somebody who writes fast and never stops. */
const batchesOfHour = 3_600

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  await ensureBuild(readWords(), process.execPath)
  const root = temporaryFolder()
  const pathOf = (index: number) => `${String(index).padStart(3, '0')}.txt`
  for (let index = 0; index < chapters; index += 1)
    await writeFile(join(root, pathOf(index)), line.repeat(hitsOfChapter))
  const host = await startHost()
  const { client, close } = await connectTo(host)
  const memory = () => residentMb(host.child.pid ?? 0)
  const { workId } = await client['work.open']({ path: root })
  const replacing = await measureReplacing(client, workId)
  const batches = isQuick ? batchesOfHour / 10 : batchesOfHour
  const before = await memory()
  await write(client, workId, pathOf(0), batches)
  const writing: Comparison[] = [
    { measure: 'memory of the host after it', unit: 'MB', value: await memory(), baseline: before },
  ]
  close()
  await stopProcess(host)
  writing.push(await measureEditor(batches))
  return {
    title: 'A work of a hundred chapters',
    about: [
      `${chapters} chapters with ${hitsOfChapter} places each, through the built host and a WebSocket. Writing: ${batches.toLocaleString('en')} batches of two characters, one after the other without the seconds between them; in the editor with what was typed saved after every fifty.`,
    ],
    tables: [
      comparisonTable('Ten thousand places', 'none', replacing),
      comparisonTable('Writing', 'before it', writing),
    ],
  }
}

async function measureReplacing(client: Client, workId: string): Promise<Comparison[]> {
  const found = await timed(() => client['work.find']({ workId, query, replacement: '大雪' }))
  const chosen = found.result.chapters.map(({ path, hash, hits }) => ({
    path,
    hash,
    edits: hits.map(({ from, to, insert }) => ({ from, to, insert })),
  }))
  const replaced = await timed(() => client['work.replace']({ workId, chosen }))
  if (replaced.result.count !== chapters * hitsOfChapter) throw new Error('not all places were replaced')
  const { replaceId } = replaced.result
  const undone = await timed(() => client['work.undoReplace']({ workId, replaceId }))
  return [
    { measure: 'find them', unit: 'ms', value: found.ms },
    { measure: 'replace all', unit: 'ms', value: replaced.ms },
    { measure: 'take it back', unit: 'ms', value: undone.ms },
  ]
}

async function write(client: Client, workId: string, path: string, batches: number): Promise<void> {
  for await (const event of client['document.watch']({ workId, path })) {
    if (event.kind !== 'snapshot') continue
    const { documentId, text } = event.snapshot
    let { version } = event.snapshot
    let { length } = text
    for (let batch = 0; batch < batches; batch += 1) {
      const changes: ChangeSetJson[] = [[length, [0, '春だ']]]
      const result = await client['document.change']({
        documentId,
        clientId: 'bench',
        baseVersion: version,
        changes,
      })
      if (result.kind !== 'accepted') throw new Error('the change was not taken in')
      version = result.version
      length += 2
    }
    return
  }
}

/** The heap of the editor's page in real Chromium; its half of the exchange alone, since main's is dropped. */
async function measureEditor(batches: number): Promise<Comparison> {
  const server = await serveHarness(new URL('../tests/e2e/editor/harness', import.meta.url))
  const browser = await launchChromium()
  const page = await browser.newPage()
  await page.goto(server.url)
  await page.evaluate((text) => window.editorHarness.open(text), line.repeat(hitsOfChapter))
  const devtools = await page.context().newCDPSession(page)
  const heapMb = async () => {
    await devtools.send('HeapProfiler.collectGarbage')
    const { usedSize } = await devtools.send('Runtime.getHeapUsage')
    return usedSize / 1_000_000
  }
  const baseline = await heapMb()
  await page.evaluate(async (batches) => {
    const { editor, view, authority } = window.editorHarness.pane()
    for (let batch = 1; batch <= batches; batch++) {
      const { length } = view().state.doc
      view().dispatch({ changes: { from: length, insert: '春だ' }, userEvent: 'input.type' })
      if (batch % 50 !== 0) continue
      await editor.flush('001.txt')
      authority.save()
      authority.forget()
    }
  }, batches)
  const value = await heapMb()
  await browser.close()
  await server.close()
  return { measure: 'heap of the editor after it', unit: 'MB', value, baseline }
}

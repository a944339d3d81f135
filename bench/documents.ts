/** A work of a million characters: opening it, saving it, typing in it. */
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChangeSet, Text } from '@codemirror/state'
import { ensureBuild } from '../scripts/setup/build.mjs'
import { readWords } from '../scripts/setup/words.mjs'
import { createDocumentService } from '../src/main/documents/document-service.ts'
import { createLocalHistory } from '../src/main/documents/local-history.ts'
import { systemClock as clock } from '../src/main/platform/clock.ts'
import { type Disk, nodeDisk } from '../src/main/platform/files/disk.ts'
import { createFileWatcher } from '../src/main/platform/files/file-watcher.ts'
import { systemRandom as random } from '../src/main/platform/random.ts'
import { openStore } from '../src/main/store/store.ts'
import type { ChangeSetJson } from '../src/shared/domain/work/document.ts'
import { silentLog as log } from '../tests/fakes/silent-log.ts'
import { connectTo, linkOf, startHost, stopProcess } from './host-process.ts'
import { temporaryFolder } from './model-files.ts'
import { proseOf, readProse } from './prose.ts'
import { type BenchOptions, type Comparison, comparisonTable, type Report } from './report.ts'
import { median, quantile, residentMb, threadWork, timed } from './timing.ts'

const workChars = 1_000_000
const path = '001.txt'
const otherPath = '002.txt'
/** Less than the time in which a page loads. Units: milliseconds. */
const pageMs = 500
/** Within it, a host writes what it keeps of the text that it opened. Units: milliseconds. */
const settlingMs = 1_000

export async function measure({ isQuick }: BenchOptions): Promise<Report> {
  await ensureBuild(readWords(), process.execPath)
  const prose = await readProse()
  const root = temporaryFolder()
  const file = join(root, path)
  for (const name of [path, otherPath]) await writeFile(join(root, name), proseOf(prose, workChars))
  const times = isQuick ? 3 : 9
  const opening = await measureOpening(root, file, times)
  const { saving, typing } = await measureEditing(root, file, times, isQuick ? 200 : 1_000)
  return {
    title: 'A work of a million characters',
    about: [
      `One file of ${workChars.toLocaleString('en')} characters; text: ${prose.source}. Opening goes through the built host and a WebSocket, as a window does it; saving and typing through the document service, the store and the disk in this process, whose thread is watched. Work of the thread leaves out what it waits for. The middle of ${times}.`,
    ],
    tables: [
      comparisonTable('Opening', 'readFile, decoded', opening.withReading),
      comparisonTable('The first opening', 'another text as long', opening.first),
      comparisonTable('Autosave', 'writeFile and fsync', saving),
      comparisonTable('Typing, one batch of changes', 'CodeMirror alone', typing),
    ],
  }
}

async function measureOpening(
  root: string,
  file: string,
  times: number,
): Promise<{ withReading: Comparison[]; first: Comparison[] }> {
  const snapshotMs: number[] = []
  const otherMs: number[] = []
  const againMs: number[] = []
  const readMs: number[] = []
  const memoryMb: number[] = []
  for (let i = 0; i < times; i++) {
    readMs.push((await timed(() => readFile(file, 'utf8'))).ms)
    const host = await startHost()
    await fetch(linkOf(host))
    await sleep(pageMs)
    const { client, close } = await connectTo(host)
    // A window asks these before it opens a work.
    await client['host.info']({})
    await Promise.all([client['sampler.list']({}), client['template.list']({}), client['work.recent']({})])
    const snapshotOf = (name: string) =>
      timed(async () => {
        const { workId } = await client['work.open']({ path: root })
        // A window asks for the sessions at the same time.
        const rest = new AbortController()
        const lists = client['session.watchList']({ workId }, { signal: rest.signal })[Symbol.asyncIterator]()
        const listed = lists.next()
        for await (const event of client['document.watch']({ workId, path: name })) {
          void listed.then(() => rest.abort())
          return event
        }
        throw new Error('no snapshot')
      })
    snapshotMs.push((await snapshotOf(path)).ms)
    await sleep(settlingMs)
    otherMs.push((await snapshotOf(otherPath)).ms)
    await sleep(settlingMs)
    againMs.push((await snapshotOf(path)).ms)
    memoryMb.push(await residentMb(host.child.pid ?? 0))
    close()
    await stopProcess(host)
  }
  const baseline = median(readMs)
  const first = { measure: 'open to snapshot, first', unit: 'ms', value: median(snapshotMs) } as const
  return {
    withReading: [
      { ...first, baseline },
      { measure: 'open to snapshot, another', unit: 'ms', value: median(otherMs), baseline },
      { measure: 'open to snapshot, again', unit: 'ms', value: median(againMs), baseline },
      { measure: 'memory of the host after it', unit: 'MB', value: median(memoryMb) },
    ],
    first: [{ ...first, baseline: median(otherMs), goal: { mostTimes: 2 } }],
  }
}

/** A disk that counts the bytes that are written. */
function countingDisk(): { disk: Disk; written(): number } {
  let written = 0
  const writeNew: Disk['writeNew'] = (target, bytes, options) => {
    written += bytes.byteLength
    return nodeDisk.writeNew(target, bytes, options)
  }
  return { disk: { ...nodeDisk, writeNew }, written: () => written }
}

async function measureEditing(root: string, file: string, times: number, batches: number) {
  const { disk, written } = countingDisk()
  const store = openStore(join(temporaryFolder(), 'tsugi.db'), { clock, random })
  const watcher = createFileWatcher({ clock, disk, log })
  const history = createLocalHistory({ clock, repository: store.history })
  const hostId = random.id()
  const { unsaved } = store
  const service = createDocumentService({ clock, random, log, disk, hostId, watcher, history, unsaved })
  const stop = new AbortController()
  const stream = service.watch({ root, path }, stop.signal)
  const { value: first } = await stream.next()
  if (first?.kind !== 'snapshot') throw new Error('the watch began without a snapshot')
  const { documentId, text } = first.snapshot
  let { version } = first.snapshot
  let { length } = text
  const reading = (async () => {
    for await (const event of stream) if (event.kind === 'changed') version = event.version
  })()

  /** One character in the middle, as a window sends it. */
  const key = (): ChangeSetJson => {
    const at = Math.floor(length / 2)
    return [at, [0, '春'], length - at]
  }
  const type = () => {
    const result = service.change({ documentId, clientId: 'bench', baseVersion: version, changes: [key()] })
    if (result.kind !== 'accepted') throw new Error('the change was not taken in')
    version = result.version
    length += 1
  }

  const saves: { ms: number; workMs: number; bytes: number }[] = []
  const plain: { ms: number; workMs: number }[] = []
  for (let i = 0; i < times; i++) {
    type()
    const before = written()
    const { ms, workMs } = await watched(() => service.save(documentId))
    saves.push({ ms, workMs, bytes: written() - before })
    const content = await readFile(file, 'utf8')
    plain.push(await watched(() => writeAndSync(`${file}.plain`, content)))
  }

  const takenMs: number[] = []
  const allWork = threadWork()
  for (let i = 0; i < batches; i++) {
    takenMs.push((await timed(type)).ms)
    // As often as a window sends.
    await sleep(10)
  }
  const typedMs = allWork()
  await service.save(documentId)

  let doc = Text.of(text.split('\n'))
  ;({ length } = text)
  const aloneMs: number[] = []
  const aloneWork = threadWork()
  for (let i = 0; i < batches; i++) {
    const { ms } = await timed(() => {
      doc = ChangeSet.fromJSON(key()).apply(doc)
      length += 1
    })
    aloneMs.push(ms)
    await sleep(10)
  }
  const aloneTotalMs = aloneWork()
  stop.abort()
  await reading
  await service.close()
  watcher.close()
  store.close()

  const of = <K extends string>(all: Record<K, number>[], name: K) => median(all.map((one) => one[name]))
  const saving: Comparison[] = [
    {
      measure: 'work of the thread a save',
      unit: 'ms',
      value: of(saves, 'workMs'),
      baseline: of(plain, 'workMs'),
    },
    { measure: 'until it is on the disk', unit: 'ms', value: of(saves, 'ms'), baseline: of(plain, 'ms') },
    {
      measure: 'written a save',
      unit: 'MB',
      value: of(saves, 'bytes') / 2 ** 20,
      baseline: Buffer.byteLength(text) / 2 ** 20,
    },
  ]
  const typing: Comparison[] = [
    { measure: 'taken in, middle', unit: 'ms', value: median(takenMs), baseline: median(aloneMs) },
    {
      measure: 'taken in, 95 of 100',
      unit: 'ms',
      value: quantile(takenMs, 0.95),
      baseline: quantile(aloneMs, 0.95),
    },
    {
      measure: 'work of the thread, autosaves included',
      unit: 'ms',
      value: typedMs / batches,
      baseline: aloneTotalMs / batches,
    },
  ]
  return { saving, typing }
}

async function watched(work: () => Promise<unknown>): Promise<{ ms: number; workMs: number }> {
  const workMs = threadWork()
  const { ms } = await timed(work)
  // One more turn, so that the loop has counted the last piece of work.
  await sleep(1)
  return { ms, workMs: workMs() }
}

async function writeAndSync(target: string, text: string): Promise<void> {
  const handle = await open(target, 'w')
  await handle.writeFile(text)
  await handle.sync()
  await handle.close()
}

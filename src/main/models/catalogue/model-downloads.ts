import { rename, rm, stat, statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type CatalogueModel,
  type CatalogueStatus,
  isDownloading,
  type ModelDownload,
} from '../../../shared/domain/model/model-catalogue.ts'
import { AppError, type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import { connect } from '../../../shared/rpc/connect.ts'
import type { ClientPort } from '../../../shared/wire.ts'
import type { Deps } from '../../deps.ts'
import { createBroadcast } from '../../platform/broadcast.ts'
import { errorCode } from '../../platform/files/disk.ts'
import { failWith, toFileError } from '../../platform/files/file-error.ts'
import type { ModelService } from '../model-service.ts'
import { fileOf } from './catalogue-list.ts'
import { downloadContract, hostOf } from './download-contract.ts'
import { keptParts, type PartNote } from './kept-part.ts'
import { addressOf, askRemote, hubOf, type RemoteFile } from './remote-file.ts'

export type ModelDownloadsSetting = {
  deps: Pick<Deps, 'clock' | 'log' | 'fetch' | 'spawnWorker' | 'modelHub'>
  /** The folder with the models of this data folder. */
  modelsDir: string
  catalogue: { models: readonly CatalogueModel[]; problem: string | null }
  models: Pick<ModelService, 'profiles' | 'removeProfile'>
  /** Units: bytes. */
  memoryBytes?: number
  freeBytes?: (folder: string) => Promise<number>
  /** How long a first answer may take, and how long nothing may arrive. */
  askMs?: number
  stallMs?: number
}

export type ModelDownloads = Awaited<ReturnType<typeof createModelDownloads>>

/** Greatest relative difference from the catalogue's size; a file that differs by more is another file. */
const sizeTolerance = 0.1
/** Room that stays free besides the file itself. Units: bytes. */
const spareBytes = 64 * 1024 * 1024
const noteEveryMs = 5_000
const watchEveryMs = 1_000
/** Additional time for the first message of a process, which loads its packages. */
const startMs = 60_000

type Running = { modelId: string; controller: AbortController; ended: Promise<void> }
type StopReason = 'pause' | 'cancel'

/**
 * Downloads models of the catalogue, one at a time. Only `start` goes online, after the user has asked for it. Checks
 * first which models, or parts of models, are here, and tracks them from then on.
 */
export async function createModelDownloads(setting: ModelDownloadsSetting) {
  const { deps, modelsDir } = setting
  const { models, problem } = setting.catalogue
  const hub = hubOf(deps.modelHub)
  const parts = keptParts(modelsDir)
  const broadcast = createBroadcast<CatalogueStatus>()
  const askMs = setting.askMs ?? 20_000
  const stallMs = setting.stallMs ?? 30_000
  let running: Running | undefined
  let status: CatalogueStatus = {
    models: [...models],
    downloads: await Promise.all(models.map(found)),
    memoryBytes: setting.memoryBytes ?? totalmem(),
    freeDiskBytes: await freeBytes(),
    hub,
    ownListProblem: problem,
  }

  function target(model: CatalogueModel): string {
    return join(modelsDir, fileOf(model))
  }

  /** Returns the state of a model at the start: the whole file, a part, or nothing. */
  async function found(model: CatalogueModel): Promise<ModelDownload> {
    const whole = await stat(target(model)).catch(() => undefined)
    if (whole?.isFile())
      return { ...absent(model), state: 'ready', file: target(model), totalBytes: whole.size }
    const note = await parts.read(fileOf(model))
    if (note === null) return absent(model)
    const { receivedBytes, totalBytes, canResume } = note
    return { ...absent(model), state: 'paused', receivedBytes, totalBytes, canResume }
  }

  /** Null where the system does not tell the free space. */
  function freeBytes(): Promise<number | null> {
    return (setting.freeBytes ?? freeBytesOf)(modelsDir).catch(() => null)
  }

  function tell(modelId: string, patch: Partial<ModelDownload>): void {
    const downloads = status.downloads.map((one) => (one.modelId === modelId ? { ...one, ...patch } : one))
    status = { ...status, downloads }
    broadcast.send(status)
  }

  /** Finds models whose file was removed, or put there, by other programs since. */
  async function lookAgain(): Promise<void> {
    for (const model of models) {
      const before = need(model.modelId).download
      const now = await found(model)
      const { download } = need(model.modelId)
      // The state of a running download is reported by the download itself.
      if (running?.modelId === model.modelId || download !== before) continue
      if ((now.state === 'ready') !== (download.state === 'ready')) tell(model.modelId, now)
    }
  }

  async function tellRoom(): Promise<void> {
    status = { ...status, freeDiskBytes: await freeBytes() }
    broadcast.send(status)
  }

  function need(modelId: string): { model: CatalogueModel; download: ModelDownload } {
    const model = models.find((one) => one.modelId === modelId)
    const download = status.downloads.find((one) => one.modelId === modelId)
    if (model === undefined || download === undefined)
      throw new AppError({ code: 'file/not-found', path: modelId })
    return { model, download }
  }

  async function run(model: CatalogueModel, signal: AbortSignal): Promise<void> {
    const { modelId } = model
    const file = fileOf(model)
    tell(modelId, { state: 'preparing', error: null, bytesPerSecond: null })
    try {
      const address = addressOf(model.hf, hub)
      const remote = await askRemote(deps.fetch, address, askMs, signal)
      checkRemote(model, file, remote)
      await parts.make()
      const note = await takeUp(file, remote)
      const free = await freeBytes()
      if (free !== null && free < note.totalBytes - note.receivedBytes + spareBytes)
        throw new AppError({ code: 'file/disk-full', path: modelsDir })
      await parts.note(file, note)
      const { receivedBytes, totalBytes, canResume } = note
      tell(modelId, { state: 'fetching', receivedBytes, totalBytes, canResume })
      const whole = await fetchWhole(model, note, signal)
      await keepWhole(model, whole, remote)
      tell(modelId, {
        state: 'ready',
        file: target(model),
        receivedBytes: 0,
        totalBytes: whole.sizeBytes,
        bytesPerSecond: null,
      })
    } catch (error) {
      await endBadly(model, error, signal)
    }
    await tellRoom()
  }

  /** Returns the part that an earlier run left of the same file; removes the part of another file. */
  async function takeUp(file: string, remote: RemoteFile): Promise<PartNote> {
    const { totalBytes, tag, canResume } = remote
    const kept = await parts.read(file)
    const isSame = kept !== null && kept.totalBytes === totalBytes && kept.tag === tag && canResume
    if (!isSame) await parts.remove(file)
    return { totalBytes, tag, canResume, receivedBytes: isSame ? kept.receivedBytes : 0 }
  }

  /** Runs the process of the download to its end. An abort, or a silence that is too long, kills it. */
  async function fetchWhole(
    model: CatalogueModel,
    note: PartNote,
    signal: AbortSignal,
  ): Promise<{ sizeBytes: number; sha256: string }> {
    signal.throwIfAborted()
    const file = fileOf(model)
    const worker = deps.spawnWorker('download', {})
    const silence = new AbortController()
    const stop = () => worker.kill()
    signal.addEventListener('abort', stop, { once: true })
    const began = deps.clock.now()
    let arrived = { bytes: -1, at: began + startMs }
    let noted = began
    let kept = note
    const watchSilence = (): { cancel(): void } =>
      deps.clock.setTimeout(() => {
        if (deps.clock.now() - arrived.at >= stallMs) {
          silence.abort()
          worker.kill()
        } else timer = watchSilence()
      }, watchEveryMs)
    let timer = watchSilence()
    try {
      const client = connect(worker.port as ClientPort, downloadContract)
      const order = { uri: model.hf, hub, folder: parts.folder, file }
      for await (const step of client['download.run'](order)) {
        signal.throwIfAborted()
        if (step.kind === 'whole') return step
        const now = deps.clock.now()
        if (step.receivedBytes !== arrived.bytes) arrived = { bytes: step.receivedBytes, at: now }
        if (step.kind === 'checking') {
          tell(model.modelId, { state: 'checking', receivedBytes: step.receivedBytes, bytesPerSecond: null })
          continue
        }
        // A process that begins does not count the kept part until its first answer.
        const receivedBytes = Math.max(step.receivedBytes, 0)
        kept = { ...kept, receivedBytes }
        const [bytes, elapsedMs] = [receivedBytes - note.receivedBytes, now - began]
        // The first moments do not tell the speed.
        const isKnown = elapsedMs >= 1_000 && bytes > 0
        tell(model.modelId, {
          receivedBytes,
          bytesPerSecond: isKnown ? Math.round((bytes * 1000) / elapsedMs) : null,
        })
        if (now - noted < noteEveryMs) continue
        noted = now
        await parts.note(file, kept)
      }
      throw new AppError({ code: 'download/failed', reason: 'the process ended early' })
    } catch (error) {
      if (silence.signal.aborted) {
        const seconds = Math.round(stallMs / 1000)
        throw new AppError({ code: 'download/stalled', host: hostOf(hub), seconds }, { cause: error })
      }
      if (signal.aborted || !isAppError(error, 'rpc/closed')) throw error
      const died = await worker.exited
      const reason = `the process ended with ${died.signal ?? died.code}`
      throw new AppError({ code: 'download/failed', reason })
    } finally {
      timer.cancel()
      signal.removeEventListener('abort', stop)
      worker.kill()
      // Until it has exited it may go on writing, also into files that are removed next.
      await worker.exited
      await parts.note(file, kept).catch(() => undefined)
    }
  }

  /** Moves the file to its final name, after its size and hash match those of the server or the catalogue. */
  async function keepWhole(
    model: CatalogueModel,
    whole: { sizeBytes: number; sha256: string },
    remote: RemoteFile,
  ): Promise<void> {
    const file = fileOf(model)
    const { sizeBytes } = whole
    const expected = model.sha256 ?? remote.sha256
    if (remote.totalBytes > 0 && sizeBytes !== remote.totalBytes) {
      await parts.remove(file)
      const expectedBytes = remote.totalBytes
      throw new AppError({ code: 'download/bad-size', file, sizeBytes, expectedBytes })
    }
    if (expected !== null && whole.sha256 !== expected) {
      await parts.remove(file)
      throw new AppError({ code: 'download/bad-hash', file })
    }
    await rename(parts.whole(file), target(model))
    await parts.removeNote(file)
  }

  async function endBadly(model: CatalogueModel, error: unknown, signal: AbortSignal): Promise<void> {
    const { modelId } = model
    if (signal.aborted && (signal.reason as StopReason) === 'cancel') {
      await parts.remove(fileOf(model))
      return tell(modelId, absent(model))
    }
    const now = await found(model)
    if (signal.aborted) return tell(modelId, now)
    tell(modelId, { ...now, state: 'failed', error: infoOf(error) })
  }

  function infoOf(error: unknown): ErrorInfo {
    if (isAppError(error)) return error.info
    if (errorCode(error) !== undefined) return toFileError(error, modelsDir).info
    return { code: 'internal/bug', logId: deps.log.bug(error, 'download') }
  }

  async function stop(modelId: string, reason: StopReason): Promise<void> {
    if (running?.modelId !== modelId) return
    running.controller.abort(reason)
    await running.ended
  }

  return {
    status: () => status,
    /**
     * Yields the status now, and each later one; looks at the files again. Ends when `signal` aborts or the service is
     * disposed.
     */
    async *watch(signal: AbortSignal): AsyncGenerator<CatalogueStatus, void, void> {
      const later = broadcast.subscribe(signal)
      yield status
      void tellRoom()
      void lookAgain()
      yield* later
    },
    /** Errors: `download/busy`, `download/terms`, `file/not-found` for an unknown id. */
    start(modelId: string, areTermsAccepted: boolean): void {
      const { model, download } = need(modelId)
      if (running?.modelId === modelId || download.state === 'ready') return
      if (running !== undefined) throw new AppError({ code: 'download/busy' })
      if (model.termsId !== null && !areTermsAccepted) throw new AppError({ code: 'download/terms' })
      const controller = new AbortController()
      const ended = run(model, controller.signal).finally(() => {
        running = undefined
      })
      running = { modelId, controller, ended }
    },
    async pause(modelId: string): Promise<void> {
      need(modelId)
      await stop(modelId, 'pause')
    },
    async cancel(modelId: string): Promise<void> {
      const { model } = need(modelId)
      await stop(modelId, 'cancel')
      const { download } = need(modelId)
      if (download.state === 'ready' || isDownloading(download)) return
      await parts.remove(fileOf(model))
      tell(modelId, absent(model))
    },
    async remove(modelId: string): Promise<void> {
      const { model, download } = need(modelId)
      if (download.state !== 'ready') return
      const file = target(model)
      const uses = setting.models.profiles().filter((one) => one.backend === 'embedded' && one.file === file)
      for (const { id } of uses) await setting.models.removeProfile(id)
      await rm(target(model), { force: true }).catch(failWith(target(model)))
      tell(modelId, absent(model))
      await tellRoom()
    },
    /** Resolves when the running download has ended, in whatever way. */
    settled: async () => running?.ended,
    async dispose() {
      if (running !== undefined) await stop(running.modelId, 'pause')
      broadcast.end()
    },
  }
}

function absent(model: CatalogueModel): ModelDownload {
  return {
    modelId: model.modelId,
    state: 'absent',
    receivedBytes: 0,
    totalBytes: model.sizeBytes,
    bytesPerSecond: null,
    canResume: true,
    file: null,
    error: null,
  }
}

/** Errors: `download/bad-size`, `download/bad-hash` before anything is fetched. */
function checkRemote(model: CatalogueModel, file: string, remote: RemoteFile): void {
  const { sizeBytes: expectedBytes, sha256 } = model
  const difference = Math.abs(remote.totalBytes - expectedBytes)
  if (remote.totalBytes > 0 && difference > expectedBytes * sizeTolerance)
    throw new AppError({ code: 'download/bad-size', file, sizeBytes: remote.totalBytes, expectedBytes })
  if (sha256 !== null && remote.sha256 !== null && sha256 !== remote.sha256)
    throw new AppError({ code: 'download/bad-hash', file })
}

/** Returns the free bytes of the disk with the folder, or of the one on which the folder will be made. */
async function freeBytesOf(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch (error) {
    const parent = dirname(folder)
    if (errorCode(error) !== 'ENOENT' || parent === folder) throw error
    return freeBytesOf(parent)
  }
}

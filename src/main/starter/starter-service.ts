import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { StarterStatus } from '../../shared/domain/model/model-catalogue.ts'
import { AppError, type ErrorInfo, isAppError } from '../../shared/errors.ts'
import type { Deps } from '../deps.ts'
import type { ModelService } from '../models/model-service.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import type { Machine } from './pip.ts'
import { chooseStarter, type StarterEntry, toStarterModel } from './starter-catalogue.ts'

export type StarterSetting = {
  deps: Pick<Deps, 'clock' | 'log' | 'hostId' | 'locale' | 'resourcesDir'>
  /** The folder of the models of this data folder. */
  modelsDir: string
  catalogue: readonly StarterEntry[]
  machine?: Machine
  freeBytes?: (folder: string) => Promise<number>
  models: Pick<ModelService, 'status' | 'use' | 'profiles' | 'refresh' | 'discover'>
}

/** Whether the host fetches a first model when it starts, and which. Shape: `starterId` is null where none was named. */
export type StarterWish = { isWanted: boolean; starterId: string | null; canInstallPip: boolean }

/** Fetches a first model. Goes online only in `begin` and `fetch`, which run only after the user has agreed. */
export type StarterService = ReturnType<typeof createStarterService>

export function createStarterService(setting: StarterSetting) {
  const { deps, catalogue, modelsDir, models } = setting
  const broadcast = createBroadcast<StarterStatus>()
  let mayInstallPip = false
  let running: { controller: AbortController; ended: Promise<void> } | undefined
  let status: StarterStatus = {
    models: catalogue.map(toStarterModel),
    state: 'idle',
    starterId: null,
    receivedBytes: 0,
    totalBytes: 0,
    error: null,
  }

  function change(patch: Partial<StarterStatus>): void {
    status = { ...status, ...patch }
    broadcast.send(status)
  }

  async function run(entry: StarterEntry, signal: AbortSignal): Promise<void> {
    change({ state: 'preparing', ...nothingYet(entry) })
    try {
      const file = (await findFetched(modelsDir, entry)) ?? (await fetchIt(entry, signal))
      const { state, isDemo } = models.status()
      // A model that the user chose meanwhile stays in use.
      if (state === 'none' || isDemo) await models.use({ backend: 'embedded', file })
      change({ state: 'ready', receivedBytes: entry.sizeBytes, totalBytes: entry.sizeBytes })
    } catch (error) {
      if (signal.aborted) change({ state: 'cancelled', receivedBytes: 0 })
      else change({ state: 'failed', error: toInfo(error) })
    }
  }

  async function fetchIt(entry: StarterEntry, signal: AbortSignal): Promise<string> {
    const { fetchStarter } = await import('./fetch-starter.ts')
    return fetchStarter(
      entry,
      {
        machine: setting.machine ?? {
          platform: process.platform,
          env: process.env,
          isRoot: process.getuid?.() === 0,
        },
        clock: deps.clock,
        modelsDir,
        hostId: deps.hostId,
        mayInstallPip,
        onProgress: change,
        freeBytes: setting.freeBytes ?? nodeDisk.freeBytes,
      },
      signal,
    )
  }

  function toInfo(error: unknown): ErrorInfo {
    return isAppError(error)
      ? error.info
      : { code: 'internal/bug', logId: deps.log.bug(error, 'starter.fetch') }
  }

  const service = {
    status: (): StarterStatus => status,

    /** Yields the status now, and each later one; ends when `signal` aborts or the service is disposed of. */
    async *watch(signal: AbortSignal): AsyncGenerator<StarterStatus, void, void> {
      const later = broadcast.subscribe(signal)
      yield status
      yield* later
    },

    /**
     * Asks the chosen model for its status. Where none is chosen, and none is found on this machine or `wanted` names
     * one, begins with the starter model.
     */
    async start(wanted: StarterWish, chosenId: string | null): Promise<void> {
      if (models.profiles().some(({ id }) => id === chosenId)) return models.refresh()
      const { isWanted, starterId, canInstallPip } = wanted
      if (!isWanted) return
      if (starterId === null && (await models.discover(new AbortController().signal)).length > 0) return
      service.begin({ asked: starterId, mayInstallPip: canInstallPip })
    },

    /** Downloads the model that the start asked for, or offers it where its terms must be accepted. `asked`: an id. */
    begin(request: { asked: string | null; mayInstallPip: boolean }): void {
      mayInstallPip = request.mayInstallPip
      const { asked } = request
      const entry = chooseStarter(catalogue, asked, deps.locale)
      if (entry === undefined) {
        change({ state: 'failed', error: { code: 'starter/failed', reason: `--model ${asked}` } })
        return
      }
      service.fetch({ starterId: entry.starterId, areTermsAccepted: entry.termsId === null })
    },

    /**
     * Starts a fetch, unless one is running. A model whose terms are not accepted is only offered. The call of `begin`
     * decides whether pip may be installed.
     */
    fetch({ starterId, areTermsAccepted }: { starterId: string; areTermsAccepted: boolean }): void {
      if (running !== undefined) return
      const entry = catalogue.find((each) => each.starterId === starterId)
      if (entry === undefined) throw new AppError({ code: 'starter/failed', reason: starterId })
      if (entry.termsId !== null && !areTermsAccepted) {
        change({ state: 'offered', ...nothingYet(entry) })
        return
      }
      const controller = new AbortController()
      const ended = run(entry, controller.signal).finally(() => {
        running = undefined
      })
      running = { controller, ended }
    },

    /** Stops the running fetch, or takes an offer back. */
    cancel(): void {
      running?.controller.abort()
      if (status.state === 'offered') change({ state: 'idle', starterId: null })
    },

    /** Errors: `file/not-found` for unknown terms. */
    async terms(termsId: string, language: 'ja' | 'en'): Promise<string> {
      const isKnown = catalogue.some((entry) => entry.termsId === termsId)
      if (!isKnown) throw new AppError({ code: 'file/not-found', path: termsId })
      return readSmallText(path.join(deps.resourcesDir, 'terms', `${termsId}.${language}.md`))
    },

    /** Removes files of interrupted downloads; resolves when no fetch is running. */
    async sweep(): Promise<void> {
      const { sweepFetches } = await import('./fetch-starter.ts')
      await sweepFetches(modelsDir)
    },
    /** Resolves when the running fetch has ended, also with an error. */
    settled: async (): Promise<void> => running?.ended,

    async dispose(): Promise<void> {
      service.cancel()
      await service.settled()
      broadcast.end()
    },
  }
  return service
}

/** Finds a fetched model by its size, which is enough: a file gets its name only after its hash was verified. */
async function findFetched(modelsDir: string, entry: StarterEntry): Promise<string | undefined> {
  const file = path.join(modelsDir, entry.file)
  const stats = await stat(file).catch(() => undefined)
  return stats?.size === entry.sizeBytes ? file : undefined
}

/** Returns the status of a fetch of which nothing has arrived. */
function nothingYet({ starterId, downloadBytes }: StarterEntry) {
  return { starterId, receivedBytes: 0, totalBytes: downloadBytes, error: null }
}

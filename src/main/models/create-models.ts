import { basename, join } from 'node:path'
import {
  defaultTimeouts,
  type ModelProfile,
  type ServedProfile,
} from '../../shared/domain/model/model-profile.ts'
import type { TemplatePack } from '../../shared/domain/model/template-pack.ts'
import type { Deps } from '../deps.ts'
import type { EngineProcess, EngineProcessOptions } from '../engine/engine-process.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import { withCountMemory } from '../tokens/counting-client.ts'
import type { ModelClient } from './client/model-client.ts'
import { ControlTable, controlStringsOf } from './completion/break-control-strings.ts'
import { RequestQueue } from './completion/request-queue.ts'
import { createDemoClient, loadDemoScripts } from './demo/demo-client.ts'
import { loadKnownModels, loadKnownWindows } from './discovery/known-models.ts'
import { ownApis } from './discovery/own-apis.ts'
import { guessTemplate, loadTemplateNames, turnMarkers } from './discovery/template-guess.ts'
import { createModelService, type ModelService, type ModelServiceDeps } from './model-service.ts'
import { loadCacheMarks } from './openai/cache-marks.ts'
import { isServed } from './profiles/model-profiles.ts'
import { loadSamplerPresets, type PresetStore } from './profiles/sampler-presets.ts'
import { loadTemplates } from './profiles/template-pack.ts'

type CreateModelsInput = {
  deps: Deps
  settings: Pick<SettingsService, 'get' | 'update'>
  profiles: ModelServiceDeps['profiles']
  /** The store of the user's own sampler presets. */
  store: PresetStore
  /** Creates the engine of a model file; it starts with the first request. */
  createEngine(options: EngineProcessOptions): Promise<EngineProcess>
  /** Addresses of servers to look for; absent: the usual ones. */
  addresses?: readonly string[]
}

/** An embedded model without a request for this long is unloaded. Units: milliseconds. */
const idleUnloadMs = 30 * 60_000

/** Creates the model service: data from `resources`, a client for each backend, discovery and probing. */
export async function createModels(input: CreateModelsInput): Promise<ModelService> {
  const { deps, settings, profiles, store, addresses } = input
  const { clock, random, log, resourcesDir, dataDir } = deps
  const resource = (name: string) => join(resourcesDir, name)
  const [templates, names, presets, scripts, known, namesTell, cacheMarksOf, table] = await Promise.all([
    loadTemplates(resource('templates')),
    loadTemplateNames(resource('template-names.json')),
    loadSamplerPresets(resource('samplers.json'), store),
    loadDemoScripts(resourcesDir),
    loadKnownModels(resource('model-catalogue.json')),
    loadKnownWindows(resource('context-windows.json')),
    loadCacheMarks(resource('cloud-caches.json')),
    readSmallText(resource('control-strings.json')),
  ])
  const controls = controlStringsOf(templates.values(), ControlTable.parse(JSON.parse(table)))
  const queues = new Map<string, RequestQueue>()

  /** Slots of a llama-server share one cache, whatever the model: all running requests together must fit in it. */
  function queueOf(profile: ServedProfile): RequestQueue {
    const { address, backend } = profile
    const model = backend === 'openai' && profile.flavour !== 'llama.cpp' ? profile.model : null
    const place = JSON.stringify([new URL(address).host, model])
    const queue = queues.get(place) ?? new RequestQueue()
    queues.set(place, queue)
    return queue
  }

  /**
   * Creates the client of a profile in use, whose code is loaded with it. Clients of one model on one server share a
   * queue.
   */
  async function clientOf(
    profile: ModelProfile,
    template: TemplatePack,
    key: () => Promise<string | undefined>,
  ): Promise<ModelClient> {
    const { contextTokens } = profile
    switch (profile.backend) {
      case 'openai': {
        const { address, model, flavour, timeouts, canCallTools, continuation, takesImages } = profile
        const server = { address, model, flavour, timeouts, key, ...cacheMarksOf(address, model) }
        const findings = { canCallTools, continuation, contextTokens, takesImages }
        const { createOpenaiClient } = await import('./openai/openai-client.ts')
        return createOpenaiClient(
          { clock, queue: queueOf(profile) },
          { ...server, ...findings, ...namesTell, controls },
        )
      }
      case 'embedded': {
        const { file } = profile
        const statesDir = join(dataDir, 'engine-states')
        const options = { file, contextTokens, idleUnloadMs, statesDir, checkFile: readFile }
        const engine = await input.createEngine(options)
        const { createEmbeddedClient } = await import('./embedded/embedded-client.ts')
        return createEmbeddedClient({ clock, engine }, { template, contextTokens })
      }
      case 'demo':
        return createDemoClient({ clock }, { scripts, language: profile.language, template, contextTokens })
      default: {
        const parts = { clock, random, queue: queueOf(profile), template, controls, key }
        return (await ownApis[profile.backend].load()).createClient(parts, profile)
      }
    }
  }

  /** Reads the head of a model file. Files that are in the catalogue have the catalogue's name and languages. */
  async function readFile(file: string, markers: readonly string[] = []) {
    const { readGgufMetadata } = await import('./embedded/gguf-metadata.ts')
    const metadata = await readGgufMetadata(file, markers)
    const { name = metadata.modelName, languages = metadata.languages } = known.get(basename(file)) ?? {}
    return { ...metadata, name, languages }
  }

  const serverAt = (address: string, key: string | undefined) => {
    return { clock, address, timeouts: defaultTimeouts, key: async () => key }
  }

  return createModelService({
    clock,
    random,
    log,
    secrets: deps.shell.secrets,
    profiles,
    selected: {
      get: (role) => settings.get()[`${role}ProfileId`],
      set: (role, profileId) => void settings.update({ [`${role}ProfileId`]: profileId }),
    },
    presets,
    templates,
    createClient: async (profile, template, key) =>
      withCountMemory(await clientOf(profile, template, key), profile.name, contentHash),
    async discover(signal) {
      const { discover } = await import('./discovery/discovery.ts')
      const folders = [join(dataDir, 'models'), ...settings.get().ggufFolders]
      return discover({ clock, log, folders, addresses, readFile }, signal)
    },
    async identify(address, key, signal) {
      const { identifyServer } = await import('./discovery/identify-server.ts')
      return identifyServer(serverAt(address, key), signal)
    },
    async templateOf(choice, key) {
      const { templateEvidence } = await import('./discovery/served-template.ts')
      // A server that does not answer now reports why at the first request.
      const evidence = await templateEvidence(serverAt(choice.address, key), choice).catch(() => null)
      return evidence && guessTemplate({ templates, names }, evidence).catch(() => null)
    },
    async probe(client, sampler, signal) {
      const { probe } = await import('./discovery/probe.ts')
      return probe({ clock, random }, client, sampler, signal)
    },
    async readModelFile(file) {
      const markers = [...templates.values()].flatMap(turnMarkers)
      const { name, languages, chatTemplate, tokens } = await readFile(file, markers)
      const isToken = tokens && (async (marker: string) => tokens.has(marker))
      // A file without a chat template of its own is a base model, whatever its name says.
      const evidence = { chatTemplate, modelName: null, isToken }
      const templateId = (await guessTemplate({ templates, names }, evidence)) ?? 'plain'
      return { name, languages, templateId }
    },
    async languagesOf(profile) {
      if (profile.backend === 'demo') return [profile.language]
      if (isServed(profile)) return []
      // A missing file gives no languages; loading it reports the error.
      const metadata = await readFile(profile.file).catch(() => null)
      return metadata?.languages ?? []
    },
  })
}

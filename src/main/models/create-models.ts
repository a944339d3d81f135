import { basename, join } from 'node:path'
import { defaultTimeouts } from '../../shared/domain/model/model-profile.ts'
import type { Deps } from '../deps.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { readSmallText } from '../platform/files/read-regular-file.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import { withCountMemory } from '../tokens/counting-client.ts'
import { ControlTable, controlStringsOf } from './completion/break-control-strings.ts'
import { clientMaker } from './create-client.ts'
import { loadDemoScript } from './demo/demo-client.ts'
import { discover } from './discovery/discovery.ts'
import { identifyServer } from './discovery/identify-server.ts'
import { loadKnownModels } from './discovery/known-models.ts'
import { loadKnownWindows } from './discovery/known-windows.ts'
import { guessTemplate, loadTemplateNames, turnMarkers } from './discovery/template-guess.ts'
import type { GgufMetadata } from './embedded/gguf-metadata.ts'
import { createModelService, type ModelService, type ModelServiceDeps } from './model-service.ts'
import { isServed } from './profiles/lost-model.ts'
import { loadSamplerPresets, type PresetStore } from './profiles/sampler-presets.ts'
import { loadTemplates } from './profiles/template-pack.ts'

export type CreateModelsInput = {
  deps: Deps
  settings: Pick<SettingsService, 'get' | 'update'>
  profiles: ModelServiceDeps['profiles']
  /** Where the user's own sampler presets are kept. */
  store: PresetStore
  /** Addresses of servers to look for; absent: the usual ones. */
  addresses?: readonly string[]
}

/** Creates the model service: data from `resources`, a client for each backend, discovery and probing. */
export async function createModels(input: CreateModelsInput): Promise<ModelService> {
  const { deps, settings, profiles } = input
  const { clock, random, log, resourcesDir } = deps
  const [templates, names, presets, ja, en, known, namesTell, cacheMarksOf] = await Promise.all([
    loadTemplates(join(resourcesDir, 'templates')),
    loadTemplateNames(join(resourcesDir, 'template-names.json')),
    loadSamplerPresets(join(resourcesDir, 'samplers.json'), input.store),
    loadDemoScript(join(resourcesDir, 'demo'), 'ja'),
    loadDemoScript(join(resourcesDir, 'demo'), 'en'),
    loadKnownModels(join(resourcesDir, 'model-catalogue.json')),
    loadKnownWindows(join(resourcesDir, 'context-windows.json')),
    import('./openai/load-cache-marks.ts').then(({ loadCacheMarks }) =>
      loadCacheMarks(join(resourcesDir, 'cloud-caches.json')),
    ),
  ])
  const table = await readSmallText(join(resourcesDir, 'control-strings.json'))
  const createClient = clientMaker({
    ...deps,
    scripts: { ja, en },
    controls: controlStringsOf(templates.values(), ControlTable.parse(JSON.parse(table))),
    ...namesTell,
    cacheMarksOf,
  })
  const nameFile = (file: string, metadata: GgufMetadata) => {
    const { name, languages } = known.get(basename(file)) ?? {
      name: metadata.modelName,
      languages: metadata.languages,
    }
    return { name, languages }
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
    createClient: (profile, template, key) =>
      withCountMemory(createClient(profile, template, key), profile.name, contentHash),
    discover: (signal) =>
      discover(
        {
          clock,
          log,
          folders: [join(deps.dataDir, 'models'), ...settings.get().ggufFolders],
          nameFile,
          ...(input.addresses === undefined ? {} : { addresses: input.addresses }),
        },
        signal,
      ),
    identify: (address, key, signal) =>
      identifyServer({ clock, address, timeouts: defaultTimeouts, key: async () => key }, signal),
    templateOf: async (choice, key) => {
      const { address } = choice
      const server = { clock, address, timeouts: defaultTimeouts, key: async () => key }
      const { templateEvidence } = await import('./discovery/served-template.ts')
      // A server that does not answer now reports why at the first request.
      const evidence = await templateEvidence(server, choice).catch(() => null)
      return evidence && guessTemplate({ templates, names }, evidence).catch(() => null)
    },
    async probe(client, sampler, signal) {
      const { probe } = await import('./discovery/probe.ts')
      return probe({ clock, random }, client, sampler, signal)
    },
    async readModelFile(file) {
      const markers = [...templates.values()].flatMap(turnMarkers)
      const { readGgufMetadata } = await import('./embedded/gguf-metadata.ts')
      const metadata = await readGgufMetadata(file, markers)
      const { chatTemplate, tokens } = metadata
      const isToken = tokens && (async (marker: string) => tokens.has(marker))
      // A file without a chat template of its own is a base model, whatever its name says.
      const evidence = { chatTemplate, modelName: null, isToken }
      return {
        ...nameFile(file, metadata),
        templateId: (await guessTemplate({ templates, names }, evidence)) ?? 'plain',
      }
    },
    async languagesOf(profile) {
      if (profile.backend === 'demo') return [profile.language]
      if (isServed(profile)) return []
      // A missing file gives no languages; loading it reports the error.
      const { readGgufMetadata } = await import('./embedded/gguf-metadata.ts')
      const metadata = await readGgufMetadata(profile.file).catch(() => null)
      return metadata === null ? [] : nameFile(profile.file, metadata).languages
    },
  })
}

import { basename, join } from 'node:path'
import type { ModelProfile } from '../../shared/domain/model-profile.ts'
import type { TemplatePack } from '../../shared/domain/template-pack.ts'
import type { Deps } from '../deps.ts'
import { EngineProcess } from '../engine/engine-process.ts'
import { contentHash } from '../platform/content-hash.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import { withCountMemory } from '../tokens/counting-client.ts'
import { DemoClient, type DemoScript, loadDemoScript } from './demo-client.ts'
import { discover } from './discovery.ts'
import { EmbeddedClient } from './embedded-client.ts'
import { type GgufMetadata, readGgufMetadata } from './gguf-metadata.ts'
import { loadKnownModels } from './known-models.ts'
import { KoboldClient } from './kobold-client.ts'
import type { ModelClient } from './model-client.ts'
import { createModelService, type ModelService, type ModelServiceDeps } from './model-service.ts'
import { probe } from './probe.ts'
import { loadSamplerPresets, type PresetStore } from './sampler-presets.ts'
import { guessTemplateId, loadTemplates } from './template-pack.ts'

/** A model that nobody has asked for this long gives its memory back. */
const idleUnloadMs = 30 * 60_000

export type CreateModelsInput = {
  deps: Deps
  settings: Pick<SettingsService, 'get' | 'update'>
  profiles: ModelServiceDeps['profiles']
  /** Where the user's own sampler presets are kept. */
  store: PresetStore
  /** Servers to look for; absent: where they usually listen. */
  addresses?: readonly string[]
}

/** Puts the models together: data from `resources`, a client for each backend, discovery and probing. */
export async function createModels(input: CreateModelsInput): Promise<ModelService> {
  const { deps, settings, profiles } = input
  const { clock, random, log, resourcesDir } = deps
  const [templates, presets, ja, en, known] = await Promise.all([
    loadTemplates(join(resourcesDir, 'templates')),
    loadSamplerPresets(join(resourcesDir, 'samplers.json'), input.store),
    loadDemoScript(join(resourcesDir, 'demo'), 'ja'),
    loadDemoScript(join(resourcesDir, 'demo'), 'en'),
    loadKnownModels(join(resourcesDir, 'model-catalogue.json')),
  ])
  const scripts = { ja, en }
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
      get: () => settings.get().mainProfileId,
      set: (mainProfileId) => void settings.update({ mainProfileId }),
    },
    presets,
    templates,
    createClient: (profile, template, key) =>
      withCountMemory(createClient(deps, scripts, profile, template, key), contentHash),
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
    probe: (client, sampler, signal) => probe({ clock, random }, client, sampler, signal),
    async readModelFile(file) {
      const metadata = await readGgufMetadata(file)
      return {
        ...nameFile(file, metadata),
        // A file without a chat template of its own is a base model.
        templateId: guessTemplateId(metadata.chatTemplate) ?? 'plain',
      }
    },
    async languagesOf(profile) {
      if (profile.backend === 'demo') return [profile.language]
      if (profile.backend === 'koboldcpp') return []
      // A file that is gone says nothing; loading it will tell why.
      const metadata = await readGgufMetadata(profile.file).catch(() => null)
      return metadata === null ? [] : nameFile(profile.file, metadata).languages
    },
  })
}

function createClient(
  deps: Deps,
  scripts: Record<'ja' | 'en', DemoScript>,
  profile: ModelProfile,
  template: TemplatePack,
  key: () => Promise<string | undefined>,
): ModelClient {
  const { clock, random } = deps
  const { contextTokens } = profile
  switch (profile.backend) {
    case 'koboldcpp': {
      const { address, timeouts } = profile
      return new KoboldClient({ clock, random }, { address, timeouts, template, contextTokens, key })
    }
    case 'embedded': {
      const statesDir = join(deps.dataDir, 'engine-states')
      const engine = new EngineProcess(deps, { file: profile.file, contextTokens, idleUnloadMs, statesDir })
      return new EmbeddedClient({ clock, engine }, { template, contextTokens })
    }
    case 'demo':
      return new DemoClient({ clock }, { script: scripts[profile.language], template, contextTokens })
  }
}

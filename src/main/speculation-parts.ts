import type { AgentWords } from './agent/model/prompt/agent-words.ts'
import type { GateService } from './gates/gate-service.ts'
import type { SessionPartsInput } from './session-parts.ts'
import { createAcceptance } from './speculation/accept/acceptance.ts'
import { type NextSuggestionDeps, suggestAfter } from './speculation/following-suggestion.ts'
import { createOverlays } from './speculation/overlay/open-overlay.ts'
import {
  createSpeculationService,
  pausingBy,
  type SpeculationService,
  type SpeculationServiceDeps,
} from './speculation/speculation-service.ts'
import { createSpeculationStarter, type SpeculationStarterDeps } from './speculation/speculation-starter.ts'
import { respellText, shownText } from './tools/edits/respell-text.ts'
import { createWorkspaceSearch } from './workspace/search/workspace-search.ts'
import type { WritableFolder } from './workspace/writable-folder.ts'

type SpeculationPartsInput = Omit<SessionPartsInput, 'windowLanguage' | 'works' | 'watcher' | 'checkpoints'> &
  Pick<SpeculationServiceDeps, 'host' | 'rewinds' | 'trust'> &
  Pick<SpeculationStarterDeps, 'host' | 'sandbox' | 'shellCheck' | 'submits' | 'toolsOf'> & {
    gates: GateService
    writableFolder(root: string, added: readonly string[]): WritableFolder
    words(language: 'ja' | 'en'): AgentWords
    suggesting: Pick<NextSuggestionDeps, 'cost' | 'filterReason' | 'models'>
  }

/** Creates the service of speculations with all its parts. */
export async function createSpeculationParts(input: SpeculationPartsInput): Promise<SpeculationService> {
  const { deps, disk, store, settings, workSettings } = input
  const { clock, log } = deps
  const texts = { read: shownText, respell: respellText }
  const overlays = createOverlays({
    ...deps,
    disk,
    searchIn: (place) => createWorkspaceSearch({ ...place, disk }),
  })
  await overlays.sweep()
  store.speculations.interruptLeftovers()
  const suggesting = { ...input.suggesting, clock, log, host: input.host, workSettings }
  return createSpeculationService({
    ...input,
    ...deps,
    events: store.speculations,
    pausing: pausingBy(store.speculations, store.settings),
    check: (sessionId) => void store.sessions.get(sessionId),
    start: createSpeculationStarter({ ...input, clock, overlays, unsent: store.unsentMessages }),
    suggest: (run, signal) => suggestAfter(suggesting, run, signal),
    acceptance: createAcceptance({
      ...deps,
      repository: store.sessions,
      gates: input.gates,
      folder: input.writableFolder,
      texts,
      words: input.words,
    }),
    texts,
    unsent: input.unsent.changes,
    changes: (signal) => [settings.watch(signal), workSettings.changes(signal)],
  })
}

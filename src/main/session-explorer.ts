import type { ModelRole } from '../shared/domain/model/model-profile.ts'
import { exploreRole } from '../shared/suggestion/single-slot.ts'
import { repairArguments } from './agent/model/written-calls.ts'
import type { Random } from './deps.ts'
import { createExplorer, type Explorer, exploringTools } from './explore/explorer.ts'
import type { GateService } from './gates/gate-service.ts'
import type { ModelService } from './models/model-service.ts'
import type { AgentPrompts } from './prompts/agent-prompts.ts'
import { fillPlaces } from './prompts/fill-places.ts'
import type { RequestLog } from './sessions/request-log.ts'
import type { SessionPlace } from './sessions/session-host.ts'
import { consentContext } from './sessions/session-view.ts'
import type { SettingsService } from './settings/settings-service.ts'
import { createToolbox } from './tools/create-toolbox.ts'
import type { ToolWords } from './tools/defining/tool-words.ts'
import type { PreparedCall } from './tools/prepared-call.ts'
import { declareTools } from './tools/tool-schema.ts'

export type ExploringDeps = {
  models: Pick<ModelService, 'active' | 'profiles'>
  settings: Pick<SettingsService, 'get'>
  gates: Pick<GateService, 'weigh' | 'settle'>
  requests: RequestLog
  random: Random
}

/** Returns the model that explores now; null where the conversation would lose its cache, or exploring is off. */
export function roleThatExplores({ models, settings }: ExploringDeps): ModelRole | null {
  const { mainProfileId, fastProfileId, isExploreOn } = settings.get()
  const profileOf = (id: string | null) => models.profiles().find((profile) => profile.id === id) ?? null
  const main = profileOf(mainProfileId)
  return isExploreOn && main !== null ? exploreRole(main, profileOf(fastProfileId)) : null
}

/** Creates the explorer of a session's folder, in its language, with its own toolbox over the same files and rules. */
export function createSessionExplorer(
  deps: ExploringDeps,
  { session, folder }: SessionPlace,
  prompts: AgentPrompts,
  words: ToolWords,
  tools: Omit<Parameters<typeof createToolbox>[0], 'ledger' | 'words'>,
): Explorer {
  const { models, gates, requests, random } = deps
  const tell = (key: 'explore.only-reads' | 'explore.needs-leave', values: Record<string, string>): string =>
    fillPlaces(words.results[key], values)
  return createExplorer({
    active: (signal) => models.active(signal, roleThatExplores(deps) ?? 'main'),
    words: {
      system: () => prompts.render('explore', {}),
      question: (question, listing) => prompts.render('explore-question', { question, listing }),
      last: () => prompts.render('explore-last', {}),
      unknownTool: (name) => tell('explore.only-reads', { name, tools: exploringTools.join(', ') }),
      needsLeave: (title) => tell('explore.needs-leave', { title }),
    },
    toolbox: () => ({
      ...createToolbox({ ...tools, words }),
      declarations: declareTools(words, exploringTools),
    }),
    async refused(calls: readonly PreparedCall[]) {
      const context = consentContext(session, folder.root)
      const weighed = await gates.weigh(context, calls)
      const { denied } = gates.settle(context, weighed)
      const reasons = new Map(denied.map(({ callId, reason }) => [callId, reason]))
      const refused = weighed
        .filter(({ verdict }) => verdict.kind !== 'grant')
        .map(({ assessment }) => assessment.call)
      return new Map(refused.map(({ callId }) => [callId, reasons.get(callId) ?? null]))
    },
    repair: repairArguments,
    random,
    sessionId: session.sessionId,
    requests,
  })
}

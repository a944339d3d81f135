import type { ModelRole } from '../../shared/domain/model/model-profile.ts'
import { exploreRole } from '../../shared/suggestion/single-slot.ts'
import type { GateService } from '../gates/gate-service.ts'
import type { ModelService } from '../models/model-service.ts'
import type { AgentPrompts } from '../prompts/agent-prompts.ts'
import { fillPlaces } from '../prompts/fill-places.ts'
import type { SessionPlace } from '../sessions/session-host.ts'
import { consentContext } from '../sessions/session-view.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import type { ToolWords } from '../tools/defining/tool-words.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import { createExplorer, type Explorer, type ExplorerDeps, exploringTools } from './explorer.ts'

type ExploringDeps = Pick<ExplorerDeps, 'random' | 'repair' | 'requests'> & {
  models: Pick<ModelService, 'active' | 'profiles'>
  settings: Pick<SettingsService, 'get'>
  gates: Pick<GateService, 'weigh' | 'settle'>
}

/** Returns the model that explores now; null where the conversation would lose its cache, or exploring is off. */
function roleThatExplores({ models, settings }: ExploringDeps): ModelRole | null {
  const { mainProfileId, fastProfileId, isExploreOn } = settings.get()
  const profileOf = (id: string | null) => models.profiles().find((profile) => profile.id === id) ?? null
  const main = profileOf(mainProfileId)
  return isExploreOn && main !== null ? exploreRole(main, profileOf(fastProfileId)) : null
}

/**
 * Creates the explorer of a session's folder, in its language. `toolbox` makes one over the same files and rules.
 *
 * Shape: the function returns null while exploring is off, or would lose the cache of the conversation.
 */
export function createSessionExplorer(
  deps: ExploringDeps,
  { session, folder }: SessionPlace,
  prompts: AgentPrompts,
  words: ToolWords,
  toolbox: ExplorerDeps['toolbox'],
): () => Explorer | null {
  const { models, gates } = deps
  const tell = (key: 'explore.only-reads' | 'explore.needs-leave', values: Record<string, string>): string =>
    fillPlaces(words.results[key], values)
  const explorer = createExplorer({
    ...deps,
    active: (signal) => models.active(signal, roleThatExplores(deps) ?? 'main'),
    words: {
      system: () => prompts.render('explore', {}),
      question: (question, listing) => prompts.render('explore-question', { question, listing }),
      last: () => prompts.render('explore-last', {}),
      unknownTool: (name) => tell('explore.only-reads', { name, tools: exploringTools.join(', ') }),
      needsLeave: (title) => tell('explore.needs-leave', { title }),
    },
    toolbox,
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
    sessionId: session.sessionId,
  })
  return () => (roleThatExplores(deps) === null ? null : explorer)
}

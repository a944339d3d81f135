import type { Api, sessionGroupContract } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import type { RuleService } from '../gates/rules/rule-service.ts'
import type { TrustService } from '../gates/trust-service.ts'
import { readImageHeader } from '../images/image-header.ts'
import type { ImageStore } from '../images/image-store.ts'
import type { ServerProposals } from '../mcp/proposed-servers.ts'
import type { ToolServers } from '../mcp/tool-servers.ts'
import type { ReferenceCompletion } from '../references/reference-completion.ts'
import type { CommandSandbox } from '../sandbox/command-sandbox.ts'
import type { SessionService } from '../sessions/session-service.ts'
import type { bindSessionVerbs } from '../sessions/session-verbs.ts'
import type { SpeculationService } from '../speculation/speculation-service.ts'
import type { SessionStore } from '../store/session-store.ts'
import type { SuggestionService } from '../suggestions/suggestion-service.ts'
import type { AppliedTexts } from '../tools/edits/applied-texts.ts'
import { done } from './done.ts'

/** Creates the API of sessions and of what belongs to them. */
export function createSessionApi(parts: {
  sessions: SessionService
  verbs: ReturnType<typeof bindSessionVerbs>
  trust: TrustService
  sandbox: Pick<CommandSandbox, 'status' | 'recheck' | 'isOn' | 'folders' | 'setOn'>
  rules: RuleService
  /** Errors: `work/not-open`. */
  rootOf(workId: string): string
  texts: AppliedTexts
  /** Returns the commands that a folder's own files name. */
  findCommands(root: string): Promise<readonly { line: string }[]>
  serverProposals: ServerProposals
  servers: ToolServers
  suggestions: SuggestionService
  speculations: SpeculationService
  completion: ReferenceCompletion
  images: Pick<ImageStore, 'keep' | 'read'>
  store: Pick<SessionStore, 'audit' | 'suggestions' | 'speculations'>
}): Pick<Api, keyof typeof sessionGroupContract> {
  const { sessions, trust, sandbox, rules, rootOf, texts, servers, completion, images, store } = parts
  return {
    ...parts.verbs,
    'check.proposed': async ({ workId }) => ({
      lines: (await parts.findCommands(rootOf(workId))).map(({ line }) => line),
    }),
    'session.watchList': ({ workId }, { signal }) => sessions.watchList(workId, signal),
    'session.create': async ({ workId }) => ({ session: sessions.create(workId) }),
    'session.remove': done(({ sessionId }) => sessions.remove(sessionId)),
    'session.watch': ({ sessionId, afterSeq }, { signal }) => sessions.watch(sessionId, afterSeq, signal),
    'session.search': async ({ query, workId }) => ({ hits: sessions.search(query, workId) }),
    'session.requests': async ({ sessionId }) => ({ requests: sessions.requests(sessionId) }),
    'session.audit': async ({ sessionId, ...page }) => store.audit.list(sessionId, page),
    'session.previewApply': ({ workId, path }) => texts.now(workId, path),
    'session.applyText': ({ workId, ...text }) => texts.apply(workId, text),

    'trust.watch': ({ workId }, { signal }) => trust.watch(rootOf(workId), signal),
    'trust.set': done(({ workId, isTrusted }) => trust.set(rootOf(workId), isTrusted)),
    async 'sandbox.get'({ workId, isTriedAgain }) {
      const status = await (isTriedAgain ? sandbox.recheck() : sandbox.status())
      return { status, isOn: sandbox.isOn(rootOf(workId)) }
    },
    'sandbox.set': done(({ workId, isOn }) => sandbox.setOn(rootOf(workId), isOn)),
    'sandbox.folders': async () => ({ folders: sandbox.folders() }),
    'sandbox.turnOff': done(({ folder }) => sandbox.setOn(folder, false)),
    async 'rule.list'({ workId, sessionId }) {
      const root = rootOf(workId)
      return { rules: await rules.list(root, sessionId), problems: await rules.problems(root) }
    },
    async *'rule.watch'({ workId }, { signal }) {
      for await (const problems of rules.watch(rootOf(workId), signal)) yield { problems }
    },
    'rule.save': async ({ workId, rule }) => ({ rule: rules.saveForFolder(rootOf(workId), rule) }),
    'rule.remove': done(({ workId, ruleId, sessionId }) => rules.remove(rootOf(workId), ruleId, sessionId)),

    ...suggestionApi(parts.suggestions, store),
    ...speculationApi(parts.speculations, parts.suggestions, store),

    'toolServer.watch': (_, { signal }) => servers.watch(signal),
    'toolServer.proposed': ({ workId }) => parts.serverProposals.of(workId),
    'toolServer.start': done(({ name }) => servers.start(name)),
    'toolServer.setKey': done(({ name, key, value }) => servers.setKey(name, key, value)),
    'reference.complete': async ({ workId, ...query }) => completion.complete(rootOf(workId), query),
    'reference.refresh': done(({ workId }) => completion.refresh(rootOf(workId))),
    'image.add': async ({ name, data }) => ({ image: await images.keep(Buffer.from(data, 'base64'), name) }),
    async 'image.get'({ imageId }) {
      const bytes = await images.read(imageId)
      const header = readImageHeader(bytes)
      if (header === null) throw new AppError({ code: 'file/not-found', path: imageId })
      return { mediaType: header.mediaType, data: bytes.toString('base64') }
    },
  }
}

function suggestionApi(
  suggestions: SuggestionService,
  store: Pick<SessionStore, 'suggestions' | 'speculations'>,
) {
  return {
    'suggestion.watch': ({ sessionId, isAttended }, { signal }) =>
      suggestions.watch(sessionId, isAttended, signal),
    'suggestion.outcome': async ({ sessionId, suggestionId, outcome }) => ({
      isFirst: suggestions.outcome(sessionId, suggestionId, outcome),
    }),
    'suggestion.other': done(({ sessionId, suggestionId, step }) =>
      suggestions.other(sessionId, suggestionId, step),
    ),
    'suggestion.list': async (query) => ({
      ...store.suggestions.list(query),
      summary: store.suggestions.summary(),
      pauses: suggestions.pauses(),
    }),
    'suggestion.erase': async () => {
      store.suggestions.erase()
      // The speculations of suggestions are erased with them.
      store.speculations.erase()
      return {}
    },
    'suggestion.resume': done(() => suggestions.resume()),
  } satisfies Partial<Api>
}

function speculationApi(
  speculations: SpeculationService,
  suggestions: Pick<SuggestionService, 'outcome'>,
  store: Pick<SessionStore, 'speculations'>,
) {
  return {
    'speculation.watch': ({ sessionId }, { signal }) => speculations.watch(sessionId, signal),
    async 'speculation.accept'({ sessionId, speculationId, suggestion }) {
      if (suggestion !== undefined) suggestions.outcome(sessionId, suggestion.suggestionId, suggestion)
      const ofSession = speculations.known(sessionId)
      const isAccepted = ofSession?.isAccepted(speculationId) ?? false
      return { isFirst: ofSession?.accept(speculationId) ?? false, isAccepted }
    },
    'speculation.preview': async ({ sessionId, speculationId }) =>
      speculations.known(sessionId)?.preview(speculationId) ?? null,
    'speculation.decide': async ({ sessionId, speculationId, decision }) => ({
      isAnswered: (await speculations.known(sessionId)?.decide(speculationId, decision)) ?? false,
    }),
    'speculation.reject': async ({ sessionId, speculationId }) => ({
      isFirst: speculations.known(sessionId)?.reject(speculationId) ?? false,
    }),
    'speculation.rerun': async ({ sessionId, speculationId }) => ({
      isFirst: (await speculations.known(sessionId)?.rerun(speculationId)) ?? false,
    }),
    'speculation.resume': done(() => speculations.resume()),
    'speculation.list': async (query) => ({
      ...store.speculations.list(query),
      summary: store.speculations.summary(),
      pause: speculations.pausing.get(),
    }),
  } satisfies Partial<Api>
}

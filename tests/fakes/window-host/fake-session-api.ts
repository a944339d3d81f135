import type { Api } from '../../../src/shared/contract/index.ts'
import { sessionContract } from '../../../src/shared/contract/session.ts'
import { segmentsText } from '../../../src/shared/domain/session/message-segment.ts'
import { AppError } from '../../../src/shared/errors.ts'
import type { FakeHost } from './fake-host.ts'
import { refuseSecrets } from './fake-reference-api.ts'

/** Methods that no test of the window calls. */
const absent = Object.fromEntries(
  Object.keys(sessionContract).map((method) => [
    method,
    () => Promise.reject(new AppError({ code: 'rpc/unknown-method', method })),
  ]),
) as unknown as Pick<Api, keyof typeof sessionContract>

export function sessionApi(host: FakeHost) {
  const { sessions } = host
  return {
    ...absent,
    'session.watchList': (_, { signal }) => sessions.listTopic.follow(signal, [sessions.list()]),
    'check.proposed': async () => ({ lines: ['npm test'] }),
    'session.create': async ({ workId }) => {
      await sessions.heldCreation
      return { session: sessions.add({ workId, title: '' }).state.session }
    },
    'session.rename': async ({ sessionId, title }) => {
      const session = sessions.get(sessionId)
      session.listed = { ...session.listed, title }
      sessions.publishList()
      sessions.change(sessionId, { session: { ...session.state.session, title } })
      return {}
    },
    'session.remove': async ({ sessionId }) => {
      const { refusal } = sessions
      sessions.refusal = null
      if (refusal) throw new AppError(refusal)
      sessions.byId.delete(sessionId)
      sessions.publishList()
      return {}
    },
    'session.branch': async ({ sessionId, turn }) => {
      const { listed, items } = sessions.get(sessionId)
      const kept = items.filter((item) => item.turn <= turn)
      const title = `${listed.title} 2`
      return { session: sessions.add({ title, branchedFrom: sessionId }, kept).state.session }
    },
    'session.watch': ({ sessionId, afterSeq }, { signal }) => sessions.watch(sessionId, afterSeq, signal),
    'session.items': async ({ sessionId, before, limit }) => sessions.page(sessionId, before, limit),
    'session.send': async ({ segments, references }) => {
      const { refusal } = sessions
      sessions.refusal = null
      if (refusal) throw new AppError(refusal)
      refuseSecrets(host, segments, references)
      return { became: sessions.became }
    },
    'session.removeQueued': async ({ sessionId, messageId }) => {
      const { queue } = sessions.get(sessionId).state
      const segments = queue.find((one) => one.messageId === messageId)?.segments ?? []
      sessions.change(sessionId, { queue: queue.filter((one) => one.messageId !== messageId) })
      return { segments }
    },
    'session.sendQueued': async ({ sessionId }) => {
      sessions.change(sessionId, { queue: [], isQueueHeld: false })
      return {}
    },
    'session.stop': async ({ sessionId }) => {
      sessions.change(sessionId, {
        activity: null,
        isQueueHeld: sessions.get(sessionId).state.queue.length > 0,
        position: {
          ...sessions.get(sessionId).state.position,
          status: 'REQUIRES_USER_INPUT',
          waiting: 'none',
        },
      })
      return {}
    },
    'session.recover': async () => ({}),
    'session.reset': async () => ({}),
    'session.resend': async ({ segments = [], references }) => {
      refuseSecrets(host, segments, references)
      return {}
    },
    'session.carryOut': async ({ sessionId }) => {
      sessions.change(sessionId, { mode: 'ask' })
      return {}
    },
    'session.setMode': async ({ sessionId, mode }) => {
      sessions.change(sessionId, { mode })
      return {}
    },
    'session.editCourse': async ({ sessionId, edit }) => {
      const { course, pinned, learnedPatterns, proposedPatterns } = sessions.get(sessionId).state
      if (edit.kind === 'learn' || edit.kind === 'forget' || edit.kind === 'decline') {
        const kept = learnedPatterns.filter((pattern) => pattern !== edit.pattern)
        sessions.change(sessionId, {
          learnedPatterns: edit.kind === 'learn' ? [...kept, edit.pattern] : kept,
          proposedPatterns: proposedPatterns.filter((pattern) => pattern !== edit.pattern),
        })
        return {}
      }
      const others = pinned.filter((item) => item !== edit.item)
      sessions.change(sessionId, {
        pinned: edit.kind === 'unpin' ? others : [...others, edit.item],
        ...(edit.kind === 'write' ? { course: { ...course, [edit.item]: edit.value } } : {}),
      })
      return {}
    },
    'session.answerQuestion': async ({ sessionId, callId, segments, references }) => {
      refuseSecrets(host, segments, references)
      for (const item of sessions.get(sessionId).items) {
        if (item.kind === 'question' && item.callId === callId) {
          sessions.put(sessionId, { ...item, answer: segmentsText(segments), isOpen: false })
        }
      }
      return {}
    },
    'session.compact': async () => ({}),
    'session.assessFolder': async ({ path }) => ({
      path,
      problem: sessions.folderProblem,
      isTrusted: sessions.trustsFolder,
    }),
    'session.addFolder': async ({ sessionId, path, isTrusted }) => {
      const problem = sessions.folderProblem
      if (problem !== null) throw new AppError({ code: 'folder/refused', path, problem })
      const folder = { path, isTrusted: isTrusted ?? sessions.trustsFolder }
      sessions.change(sessionId, { folders: [...sessions.get(sessionId).state.folders, folder] })
      return { folder }
    },
    'session.removeFolder': async ({ sessionId, path }) => {
      const { folders } = sessions.get(sessionId).state
      sessions.change(sessionId, { folders: folders.filter((folder) => folder.path !== path) })
      return {}
    },
    'session.trustFolder': async ({ sessionId, path, isTrusted }) => {
      const { folders } = sessions.get(sessionId).state
      sessions.change(sessionId, {
        folders: folders.map((folder) => (folder.path === path ? { path, isTrusted } : folder)),
      })
      return {}
    },
    'gate.answer': async ({ sessionId, answer }) => {
      if (answer.sincePaintedMs < 700) throw new AppError({ code: 'gate/too-early' })
      const session = sessions.get(sessionId)
      const item = session.items.find((one) => one.kind === 'gate' && one.gate.gateId === answer.gateId)
      if (item?.kind !== 'gate') throw new AppError({ code: 'gate/not-open', gateId: answer.gateId })
      const state = answer.verdict === 'approve' ? 'approved' : 'rejected'
      sessions.put(sessionId, { ...item, state, reason: answer.reason })
      const openGates = session.state.openGates.filter((one) => one !== answer.gateId)
      sessions.change(sessionId, { openGates })
      return {}
    },
    'gate.diff': async ({ callId, path }) => {
      const diff = sessions.diffs.find((one) => one.path === path && (one.callId ?? callId) === callId)
      if (!diff) throw new AppError({ code: 'file/not-found', path })
      return diff
    },
    'session.leftFile': async () => ({ current: 'theirs\n', wanted: 'ours\n' }),
    'session.turnFiles': async () => ({ files: sessions.turnFiles }),
    'session.undoPreview': async ({ turn }) => ({ ...sessions.preview, turn }),
    'session.undo': async ({ sessionId, turn, what }) => {
      if (what !== 'files') sessions.cut(sessionId, turn)
      return { kept: [], left: [], canRedo: what !== 'conversation' }
    },
    'session.redoPreview': async () => sessions.preview,
    'session.redo': async () => ({ kept: [], left: [], canRedo: false }),
    'session.search': async ({ query }) => ({
      hits: sessions.hits.filter((hit) => hit.excerpt.includes(query)),
    }),
    'session.export': async ({ sessionId }) => ({
      markdown: `# ${sessions.get(sessionId).listed.title}\n`,
      fileName: `${sessions.get(sessionId).listed.title}.md`,
    }),
    'session.context': async () => ({ messages: sessions.context }),
    'session.stats': async () => ({
      requests: 12,
      promptTokens: 40_944,
      reusedTokens: 39_310,
      completionTokens: 1776,
      modelMs: 39_000,
      calls: 9,
      failedCalls: 1,
      changedFiles: 2,
      turns: 4,
    }),
    'session.requests': async () => ({ requests: sessions.requests }),
    'session.audit': async () => ({ entries: sessions.audit, hasMore: false }),
    'session.previewApply': async ({ path }) => ({
      text: host.documents.get(path)?.authority.text.toString() ?? null,
      hash: host.documents.has(path) ? 'hash' : null,
    }),
    'session.applyText': async () => ({ undoId: 'undo-1' }),
    'trust.watch': (_, { signal }) => sessions.trustTopic.follow(signal, [sessions.trust]),
    'trust.set': async ({ isTrusted }) => {
      sessions.trust = { isTrusted, isAsked: true }
      sessions.trustTopic.publish(sessions.trust)
      return {}
    },
    'sandbox.get': async () => ({ status: sessions.sandbox, isOn: false }),
    'sandbox.set': async () => ({}),
    'sandbox.folders': async () => ({ folders: [...sessions.sandboxFolders] }),
    'sandbox.turnOff': async ({ folder }) => {
      sessions.sandboxFolders.delete(folder)
      return {}
    },
    'rule.list': async () => ({ rules: sessions.rules, problems: sessions.ruleProblems }),
    'rule.watch': (_, { signal }) =>
      sessions.rulesTopic.follow(signal, [{ problems: sessions.ruleProblems }]),
    'rule.save': async ({ rule }) => {
      const saved = { ...rule, ruleId: `rule-${sessions.rules.length + 1}`, scope: 'folder' as const }
      sessions.rules = [...sessions.rules, saved]
      return { rule: saved }
    },
    'rule.remove': async ({ ruleId }) => {
      sessions.rules = sessions.rules.filter((rule) => rule.ruleId !== ruleId)
      return {}
    },
  } satisfies Partial<Api>
}

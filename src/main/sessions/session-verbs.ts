import type { Api } from '../../shared/contract/index.ts'
import type { CallContext } from '../../shared/contract/method.ts'
import type { sessionContract } from '../../shared/contract/session.ts'
import { noSessionStats, type Session } from '../../shared/domain/session/session.ts'
import { AppError } from '../../shared/errors.ts'
import { atRest } from '../agent/agent-machine.ts'
import type { Clock } from '../deps.ts'
import type { SessionRepository } from '../store/sessions/session-repository.ts'
import { createMessageSending, type MessageSendingDeps } from './message-sending.ts'
import { submitOf } from './prompt-submit.ts'
import type { Rewinds } from './rewinds.ts'
import { exportSession } from './session-export.ts'
import type { SessionFolderList } from './session-folders.ts'
import type { OpenSession, SessionHost } from './session-host.ts'
import { endedItem } from './session-items.ts'
import { cutConversation, type SessionUndo } from './session-undo.ts'
import type { UnsentMessages } from './unsent-messages.ts'

/** Methods that need no session in memory, or are about something else. */
type OtherMethod =
  | 'session.watchList'
  | 'session.create'
  | 'session.remove'
  | 'session.watch'
  | 'session.search'
  | 'session.requests'
  | 'session.audit'
  | 'session.previewApply'
  | 'session.applyText'
  | `trust.${string}`
  | 'check.proposed'
  | `sandbox.${string}`
  | `rule.${string}`

type VerbName = Exclude<keyof typeof sessionContract, OtherMethod>

/**
 * The handler of a method that a window calls on one open session. A handler's types are those of its method; one whose
 * method answers with an empty object returns nothing.
 */
type Verb<M extends keyof Api> = (
  open: OpenSession,
  input: Parameters<Api[M]>[0],
  context: CallContext,
) => Awaited<ReturnType<Api[M]>> extends Record<string, never> ? Promise<void> : ReturnType<Api[M]>

type SessionVerbs = { [M in VerbName]: Verb<M> }

type SessionVerbsDeps = MessageSendingDeps & {
  rewinds: Rewinds
  clock: Clock
  repository: SessionRepository
  host: Pick<SessionHost, 'listChanged'>
  undo: SessionUndo
  folders: SessionFolderList
  unsent: Pick<UnsentMessages, 'sent'>
  language(): 'ja' | 'en'
}

/** Binds each verb to its session, which stays in memory meanwhile. Errors: `session/not-found`, `work/not-open`. */
export function bindSessionVerbs(host: Pick<SessionHost, 'use'>, verbs: SessionVerbs): Pick<Api, VerbName> {
  type AnyVerb = (open: OpenSession, input: unknown, context: CallContext) => Promise<unknown>
  const bound = Object.entries(verbs as unknown as Record<string, AnyVerb>).map(([name, verb]) => [
    name,
    (input: { sessionId: string }, context: CallContext) =>
      host.use(input.sessionId, async (open) => (await verb(open, input, context)) ?? {}),
  ])
  return Object.fromEntries(bound) as Pick<Api, VerbName>
}

export function createSessionVerbs(deps: SessionVerbsDeps): SessionVerbs {
  const { repository, gates, undo, folders, unsent, rewinds, speculations } = deps
  const sending = createMessageSending(deps)

  return {
    'session.rename': async ({ session }, { title }) => session.rename(title),
    'session.branch': async (open, { turn }) => ({ session: branch(deps, open, turn) }),
    'session.items': async ({ session }, { before, limit }) => session.page({ before, limit }),
    async 'session.send'(open, { sessionId, ...message }, { signal }) {
      const became = await sending.send(open, message, signal)
      unsent.sent(sessionId, message.segments)
      return { became }
    },
    'session.removeQueued': async ({ session }, { messageId }) => ({
      segments: session.dequeue(messageId)?.segments ?? [],
    }),
    async 'session.sendQueued'(open) {
      await rewinds.over(open)
      open.runner.sendQueued()
    },
    'session.stop': async ({ runner }) => runner.stop(),
    async 'session.recover'(open) {
      await rewinds.over(open)
      open.session.setCanRecover(false)
      open.session.holdQueue(false)
      open.runner.dispatch({ type: 'recover' })
    },
    'session.reset': async ({ runner }) => runner.dispatch({ type: 'user.reset' }),
    async 'session.resend'(open, { sessionId, turn, segments, references }, { signal }) {
      const sent = repository
        .itemsOfTurn(sessionId, turn)
        .find((item) => item.kind === 'user' && item.how !== 'beside')
      const wanted = segments ?? (sent?.kind === 'user' ? sent.segments : undefined)
      if (wanted === undefined) throw new AppError({ code: 'session/empty-message' })
      await deps.needModel(signal)
      const message = { segments: wanted, how: 'send' as const, references }
      const items = await deps.submits.submit(submitOf(open, message, signal))
      await rewinds.run(open, speculations, () => {
        cutConversation(open, turn)
        open.runner.begin(wanted, 'send', items)
      })
      if (segments !== undefined) unsent.sent(sessionId, segments)
    },
    async 'session.carryOut'(open) {
      await rewinds.over(open)
      open.runner.dispatch({ type: 'user.carry-out' })
    },
    async 'session.setMode'(open, { mode }) {
      open.runner.dispatch({ type: 'user.mode', mode })
      speculations.known(open.session.sessionId)?.revalidate()
    },
    'session.editCourse': async ({ runner }, { edit }) => runner.dispatch({ type: 'user.course', edit }),
    async 'session.answerQuestion'(open, { sessionId, ...answer }, { signal }) {
      await sending.answer(open, answer, signal)
      unsent.sent(sessionId, answer.segments)
    },
    async 'session.compact'(open) {
      await rewinds.over(open)
      await open.runner.compact()
    },
    'session.assessFolder': (open, { path }) => folders.look(open, path),
    'session.addFolder': async (open, { path, isTrusted }) => ({
      folder: await folders.add(open, path, isTrusted),
    }),
    'session.removeFolder': async (open, { path }) => folders.remove(open, path),
    'session.trustFolder': (open, { path, isTrusted }) => folders.setTrusted(open, path, isTrusted),
    'gate.answer': ({ runner }, { answer }) => runner.answerGate(answer),
    'gate.diff': async (_, { sessionId, gateId, callId, path }) =>
      gates.diff(sessionId, gateId, callId, path),
    'session.turnFiles': async (open, { turn }) => ({ files: await undo.turnFiles(open, turn) }),
    'session.leftFile': (open, { itemId, path }) => undo.leftFile(open, itemId, path),
    'session.undoPreview': (open, { turn }) => undo.preview(open, turn),
    'session.undo': (open, { turn, what, choices }) =>
      rewinds.run(open, speculations, async () => {
        const result = await undo.undo(open, { turn, what, choices })
        open.session.setCanRecover(false)
        return result
      }),
    'session.redoPreview': (open) => undo.redoPreview(open),
    'session.redo': (open, { choices }) => rewinds.run(open, speculations, () => undo.redo(open, choices)),
    async 'session.export'({ session }) {
      session.flush()
      const items = repository.allItems(session.sessionId)
      return exportSession(session.session, items, deps.language())
    },
    'session.context': async ({ session }) => ({ messages: session.sent }),
    'session.stats': async ({ session }) => session.record.stats,
  }
}

/** Copies a session up to a turn, at rest. */
function branch(
  { repository, clock, random, folders, host }: SessionVerbsDeps,
  { session }: OpenSession,
  turn: number,
): Session {
  const { sessionId } = session
  const from = session.record
  const next = repository.turnStart(sessionId, turn + 1)
  const end = { epoch: from.epoch, entries: session.log.length, state: atRest(session.state) }
  const { epoch, entries, state } = next ?? end
  const sessionCopy: Session = {
    ...from.session,
    sessionId: random.id(),
    createdAt: clock.now(),
    updatedAt: clock.now(),
    messages: turn,
    branchedFrom: sessionId,
  }
  session.flush()
  repository.together(() => {
    const bare = { rules: [], stats: noSessionStats, queue: [] }
    repository.add({ ...from, session: sessionCopy, turn, epoch, state, ...bare })
    repository.copy(sessionId, sessionCopy.sessionId, turn, { epoch, entries })
    // Items that are open in the session that was copied are ended in the copy.
    for (const item of repository.openItems(sessionCopy.sessionId)) {
      const ended = endedItem(item)
      if (ended !== null) repository.saveItem(sessionCopy.sessionId, ended)
    }
  })
  folders.branched(sessionCopy.sessionId, from.folders)
  host.listChanged(sessionCopy.workId)
  return sessionCopy
}

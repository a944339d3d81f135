import type { ReferenceAnswers } from '../../shared/domain/session/file-reference.ts'
import { type MessageSegment, segmentsText } from '../../shared/domain/session/message-segment.ts'
import { AppError, isAppError } from '../../shared/errors.ts'
import type { Replacement } from '../../shared/text/difference/word-difference.ts'
import { languageOfText } from '../../shared/text/text-language.ts'
import { isSteerable } from '../agent/tables/table-row.ts'
import type { Random } from '../deps.ts'
import type { GateService } from '../gates/gate-service.ts'
import type { SpeculationService } from '../speculation/speculation-service.ts'
import { type PromptSubmit, type PromptSubmits, submitOf } from './prompt-submit.ts'
import type { Rewinds } from './rewinds.ts'
import type { OpenSession } from './session-host.ts'
import type { SessionUndo } from './session-undo.ts'

export type MessageSendingDeps = {
  random: Random
  gates: GateService
  speculations: Pick<SpeculationService, 'known'>
  /** Errors: `model/none`. */
  needModel(signal: AbortSignal): Promise<unknown>
  submits: Pick<PromptSubmits, 'submit'>
  undo: Pick<SessionUndo, 'replacedWords'>
  rewinds: Pick<Rewinds, 'over'>
  /** Checks now what a message names that has to wait. Errors: `reference/secret`. */
  checkWaiting(submit: PromptSubmit): Promise<void>
}

type SendResult = 'message' | 'queued' | 'beside' | 'approval' | 'refusal'

type OutgoingMessage = {
  segments: MessageSegment[]
  how: 'send' | 'steer' | 'beside'
  gate: { gateId: string; sincePaintedMs: number } | null
  references?: ReferenceAnswers | undefined
  /** The user knows that an acceptance waits, and gives its speculation up. */
  dropsSpeculation?: boolean | undefined
}

/** Sends messages and answers of a user, with the files that they name. */
export function createMessageSending(deps: MessageSendingDeps) {
  const { gates, random, rewinds, submits, speculations } = deps

  /** Finds words that the user has replaced. A file that cannot be read counts as unchanged: the message is sent. */
  async function replacedSince(open: OpenSession): Promise<Replacement[]> {
    if (open.runner.isBusy) return []
    try {
      return await deps.undo.replacedWords(open)
    } catch (error) {
      if (!isAppError(error)) throw error
      return []
    }
  }

  return {
    /**
     * Errors: `model/none`, `session/empty-message`, `session/cancelled`, `reference/secret`, `speculation/asking`.
     */
    async send(
      open: OpenSession,
      { segments, how, gate, references, dropsSpeculation }: OutgoingMessage,
      signal: AbortSignal,
    ): Promise<SendResult> {
      const { session, runner } = open
      const { sessionId } = session
      refuseEmpty(segments)
      const text = segmentsText(segments)
      const word = gate === null ? null : gates.typed(sessionId, { text, ...gate })
      // A refusal with more text may also be a question beside the turn.
      if (word !== null && gate !== null && (word.reason === null || how !== 'beside')) {
        const { verdict, reason } = word
        const answer = gates.wholeAnswer(sessionId, gate.gateId, verdict, gate.sincePaintedMs, reason)
        if ((await speculations.known(sessionId)?.answerGate(answer)) !== true)
          await runner.answerGate(answer)
        return verdict === 'approve' ? 'approval' : 'refusal'
      }
      await deps.needModel(signal)
      await rewinds.over(open)
      const speculation = speculations.known(sessionId)
      if (speculation?.isAccepting === true) {
        if (dropsSpeculation !== true) throw new AppError({ code: 'speculation/asking' })
        await speculation.leave()
      }
      // The first message sets the language of the prompts, before anything is sent.
      const language = session.turn > 0 ? null : languageOfText(text)
      if (language !== null) session.keep({ language })
      const submit = submitOf(open, { segments, how, references }, signal)
      const isSteering = (): boolean => how === 'steer' && isSteerable(session.state)
      const isBeside = (): boolean => how === 'beside' || (session.state.gates.length > 0 && !isSteering())
      const mustWait = (): boolean => how === 'send' && runner.isBusy && !isBeside()
      const enqueue = (): SendResult => {
        session.holdQueue(false)
        session.enqueue({ messageId: random.id(), segments, ...(references ? { references } : {}) })
        return 'queued'
      }
      if (mustWait()) await deps.checkWaiting(submit)
      if (mustWait()) return enqueue()
      // Before the turn begins: from then on the assistant may change the same files.
      const [items, replaced] = await Promise.all([submits.submit(submit), replacedSince(open)])
      await rewinds.over(open)
      // Another message was quicker: the attachments of this one are read again when its turn comes.
      if (mustWait()) return enqueue()
      const asked = session.state.calls.find(({ kind, stage }) => kind === 'question' && stage === 'running')
      const question = how === 'send' ? asked?.callId : undefined
      if (question !== undefined && runner.answerQuestion(question, segments, items)) return 'message'
      if (isBeside()) {
        runner.beside(segments, items)
        return 'beside'
      }
      runner.begin(segments, runner.isBusy || isSteering() ? 'steer' : 'send', items)
      runner.corrected(replaced)
      return 'message'
    },
    /**
     * An answer to a question of the model. Errors: `session/empty-message`, `session/cancelled`, `reference/secret`,
     * `session/question-closed`.
     */
    async answer(
      open: OpenSession,
      { callId, segments, references }: Pick<OutgoingMessage, 'segments' | 'references'> & { callId: string },
      signal: AbortSignal,
    ): Promise<void> {
      refuseEmpty(segments)
      const submit = submitOf(open, { segments, how: 'send', references }, signal)
      const items = await submits.submit(submit)
      await rewinds.over(open)
      if (!open.runner.answerQuestion(callId, segments, items))
        throw new AppError({ code: 'session/question-closed' })
    },
  }
}

function refuseEmpty(segments: readonly MessageSegment[]): void {
  if (segmentsText(segments).trim() === '') throw new AppError({ code: 'session/empty-message' })
}

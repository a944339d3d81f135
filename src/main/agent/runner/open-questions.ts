import { type MessageSegment, segmentsText } from '../../../shared/domain/session/message-segment.ts'
import type { SubmitItem } from '../../sessions/prompt-submit.ts'
import type { AgentEffect } from '../agent-effects.ts'
import type { CallRegistry } from './call-registry.ts'
import type { ModelQueue } from './model-queue.ts'
import type { RunnerDeps } from './runner-deps.ts'
import { modelTextOf, type SentMessages } from './sent-messages.ts'

type Answer = { segments: readonly MessageSegment[]; items: readonly SubmitItem[] }

/** What the model asks the user, as it stands in the conversation, and what was answered. */
export class OpenQuestions {
  readonly #deps: Pick<RunnerDeps, 'session'>
  readonly #modelQueue: ModelQueue
  readonly #calls: CallRegistry
  readonly #messages: SentMessages
  readonly #answers = new Map<string, Answer>()

  constructor(
    deps: Pick<RunnerDeps, 'session'>,
    { modelQueue, calls, messages }: { modelQueue: ModelQueue; calls: CallRegistry; messages: SentMessages },
  ) {
    this.#deps = deps
    this.#modelQueue = modelQueue
    this.#calls = calls
    this.#messages = messages
  }

  ask(callId: string, question: string): void {
    const { session } = this.#deps
    const item = this.#item(callId)
    const options = this.#calls.options(callId)
    if (item !== undefined) session.change(item.itemId, 'question', { isOpen: true })
    else session.add({ kind: 'question', callId, question, options, answer: null, isOpen: true })
  }

  /** Plays `take`, in which the machine may end the question with this answer; says whether it did. */
  answer(callId: string, answer: Answer, take: () => void): boolean {
    this.#answers.set(callId, answer)
    take()
    return !this.#answers.delete(callId)
  }

  /** Ends a call that is no tool's. What an answer names goes behind the results, with the next request. */
  end({ callId, outcome, reason }: Extract<AgentEffect, { type: 'call.result' }>): void {
    const item = this.#item(callId)
    const given = this.#answers.get(callId)
    this.#answers.delete(callId)
    const answer = given === undefined ? null : segmentsText(given.segments)
    if (item !== undefined) this.#deps.session.change(item.itemId, 'question', { isOpen: false, answer })
    this.#calls.end(callId, outcome, given === undefined ? reason : modelTextOf(given.segments, given.items))
    for (const entry of this.#messages.bring(given?.items ?? [])) this.#modelQueue.hold(entry)
  }

  #item(callId: string) {
    return this.#deps.session.itemsAbout('question', callId)[0]
  }
}

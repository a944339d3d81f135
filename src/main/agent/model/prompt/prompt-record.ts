import type { ModelUsage } from '../../../../shared/domain/model/model-status.ts'
import { sharedLength } from '../../../../shared/text/difference/text-similarity.ts'
import { estimateTextTokens } from '../../../tokens/token-estimate.ts'
import type { FittedPrompt } from './prompt-room.ts'

type Sent = { text: string; tokens: number }

const mostSessions = 20

/**
 * Keeps what the last request of each session sent and cost: to tell what the next one shares with it, and to scale
 * estimates for a model that has no counter.
 */
export class PromptRecord {
  /** In order of use, oldest first. */
  readonly #sent = new Map<string, Sent>()
  readonly #calibrations = new Map<string, number>()

  /** Copies what another record knows of a session, and its calibrations. */
  take(other: PromptRecord, sessionId: string): void {
    const sent = other.#sent.get(sessionId)
    if (sent !== undefined) this.#sent.set(sessionId, sent)
    for (const [modelName, calibration] of other.#calibrations) this.#calibrations.set(modelName, calibration)
  }

  /** Returns how many tokens of `prompt` the session's last request shares with it, by our own comparison. */
  shared(sessionId: string, prompt: FittedPrompt): number {
    const text = flat(prompt)
    const last = this.#sent.get(sessionId)?.text ?? ''
    const share = text === '' ? 0 : sharedLength(text, last) / text.length
    return Math.floor(share * prompt.promptTokens)
  }

  /** Units: tokens of the session's last request and its answer; undefined before the first. */
  lastTokens(sessionId: string): number | undefined {
    return this.#sent.get(sessionId)?.tokens
  }

  /** Tokens of this model for one estimated token. */
  calibration(modelName: string): number {
    return this.#calibrations.get(modelName) ?? 1
  }

  keep(
    sessionId: string,
    modelName: string,
    prompt: FittedPrompt,
    text: string,
    usage: ModelUsage | null,
  ): void {
    const promptTokens = usage?.promptTokens ?? prompt.promptTokens
    const tokens = promptTokens + (usage?.completionTokens ?? Math.ceil(estimateTextTokens(text)))
    this.#sent.delete(sessionId)
    this.#sent.set(sessionId, { text: flat(prompt) + text, tokens })
    const [oldest] = this.#sent.keys()
    if (this.#sent.size > mostSessions && oldest !== undefined) this.#sent.delete(oldest)
    const estimate = estimateTextTokens(prompt.parts.map((part) => part.text).join('\n'))
    const hasImages = prompt.parts.some(({ imageTokens = 0 }) => imageTokens > 0)
    if (usage?.isExact === true && estimate > 0 && !hasImages)
      this.#calibrations.set(modelName, promptTokens / estimate)
  }

  forget(sessionId: string): void {
    this.#sent.delete(sessionId)
  }
}

/** Returns a prompt as one text: tools first, as in templates. */
function flat({ tools, messages }: FittedPrompt): string {
  const head = tools === undefined ? '' : JSON.stringify(tools)
  return head + messages.map((message) => message.role + message.content + callsOf(message)).join('')
}

function callsOf(message: FittedPrompt['messages'][number]): string {
  if (message.role !== 'assistant' || message.toolCalls === undefined) return ''
  return (message.reasoning?.text ?? '') + JSON.stringify(message.toolCalls)
}

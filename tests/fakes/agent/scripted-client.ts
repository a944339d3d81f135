import type {
  ChatMessage,
  ChatRequest,
  CompletionRequest,
  ModelCapabilities,
  ModelClient,
  ModelEvent,
  ReasoningField,
  ToolCall,
} from '../../../src/main/models/client/model-client.ts'
import type { CompletionEnd } from '../../../src/shared/domain/model/model-status.ts'

export type ScriptedAnswer = {
  text?: string
  reasoning?: string
  /** The API's field that it comes in. */
  reasoningField?: ReasoningField
  calls?: ToolCall[]
  end?: CompletionEnd
  reusedTokens?: number
}

export type ScriptedOptions = {
  contextTokens?: number
  capabilities?: Partial<ModelCapabilities>
  hasCounter?: boolean
  /** Returns the answer to each request; `index` counts them from 0. */
  answer(request: ChatRequest, index: number): ScriptedAnswer | string
}

/** A model client whose answers a test writes; it counts four characters as a token. */
export class ScriptedClient implements ModelClient {
  readonly requests: ChatRequest[] = []
  counts = 0
  readonly capabilities: ModelCapabilities
  readonly countTokens = null
  readonly countChat: ModelClient['countChat']
  readonly #options: ScriptedOptions

  constructor(options: ScriptedOptions) {
    this.#options = options
    this.capabilities = {
      hasCounter: true,
      constraints: ['json-schema'],
      hasTools: false,
      hasReuseCount: true,
      ...options.capabilities,
    }
    this.countChat =
      options.hasCounter === false
        ? null
        : async (chat) => {
            this.counts += 1
            return scriptedTokens(chat)
          }
  }

  describe = async () => ({ modelName: 'scripted', version: null, context: null, needsKey: false })
  contextWindow = async () => ({ tokens: this.#options.contextTokens ?? 16_384, source: 'server' as const })
  dispose = async () => undefined

  // biome-ignore lint/correctness/useYield: nobody completes plain text here
  async *complete(_request: CompletionRequest): AsyncGenerator<ModelEvent, void, void> {
    throw new Error('only conversations')
  }

  async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    this.requests.push(structuredClone(request))
    const said = this.#options.answer(request, this.requests.length - 1)
    const {
      text = '',
      reasoning = '',
      reasoningField,
      calls = [],
      end,
      reusedTokens,
    } = typeof said === 'string' ? ({ text: said } as ScriptedAnswer) : said
    yield { type: 'phase', phase: 'writing', progress: null }
    if (reasoning !== '')
      yield { type: 'reasoning', text: reasoning, ...(reasoningField && { field: reasoningField }) }
    let written = ''
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) {
      if (signal.aborted) break
      written += piece
      yield { type: 'text', text: piece }
    }
    for (const call of calls) yield { type: 'tool-call', call }
    const usage = {
      promptTokens: scriptedTokens(request),
      reusedTokens: reusedTokens ?? null,
      isReuseEstimated: false,
      completionTokens: Math.ceil(written.length / 4),
      msPrompt: 1,
      msTotal: 2,
      tokensPerSecond: 10,
      isExact: true,
    }
    yield { type: 'usage', usage }
    yield { type: 'done', stopReason: signal.aborted ? 'aborted' : (end ?? 'stop') }
  }
}

export function scriptedTokens({ messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>): number {
  const text = messages.map(flatMessage).join('') + (tools === undefined ? '' : JSON.stringify(tools))
  return Math.ceil(text.length / 4)
}

/** Returns all parts of a message that a template would write. */
export function flatMessage(message: ChatMessage): string {
  if (message.role !== 'assistant') return `<${message.role}>${message.content}`
  const calls = JSON.stringify(message.toolCalls ?? [])
  return `<assistant>${message.reasoning?.text ?? ''}${message.content}${calls === '[]' ? '' : calls}`
}

import { fileURLToPath } from 'node:url'
import type { RequestContext, RequestHooks } from '../../../src/main/agent/model/agent-model.ts'
import type { AgentModelDeps } from '../../../src/main/agent/model/agent-request.ts'
import { createAgentModel } from '../../../src/main/agent/model/create-agent-model.ts'
import type { PromptEntry } from '../../../src/main/agent/model/prompt/prompt-entry.ts'
import type { ModelClient, ToolDeclaration } from '../../../src/main/models/client/model-client.ts'
import type { ActiveModel } from '../../../src/main/models/profiles/active-model.ts'
import { loadPrompts } from '../../../src/main/prompts/load-prompts.ts'
import type { Backend } from '../../../src/shared/domain/model/model-profile.ts'
import type { AgentDecision } from '../../../src/shared/domain/session/agent-decision.ts'
import { type AgentState, newAgentState } from '../../../src/shared/domain/session/agent-state.ts'
import type { ContextMeter, SentMessage } from '../../../src/shared/domain/session/session.ts'
import { seededRandom, templatePack } from '../rigs/fake-draft.ts'
import { decision } from './agent-session.ts'

export const prompts = await loadPrompts(
  fileURLToPath(new URL('../../../resources/prompts', import.meta.url)),
)

/** Two tools, as a toolbox declares them. */
export const declarations: ToolDeclaration[] = [
  {
    name: 'read_file',
    description: 'Reads lines of a file.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, from: { type: 'integer' } },
      required: ['path'],
    },
  },
  {
    name: 'submit_review',
    description: 'Ends the review.',
    parameters: {
      type: 'object',
      properties: { verdict: { enum: ['approve', 'revise', 'reject'] } },
      required: ['verdict'],
    },
  },
]

const shortPath = { type: 'string', maxLength: 20 }

/** The schema of calls of those tools, short enough for a model that never stops by itself. */
export const callSchema = {
  type: 'object',
  properties: {
    calls: {
      type: 'array',
      maxItems: 2,
      items: {
        anyOf: declarations.map(({ name, parameters }) => ({
          type: 'object',
          properties: {
            tool: { const: name },
            args: JSON.parse(
              JSON.stringify(parameters).replace('{"type":"string"}', JSON.stringify(shortPath)),
            ),
          },
          required: ['tool', 'args'],
        })),
      },
    },
  },
  required: ['calls'],
}

export function activeModel(client: ModelClient, backend: Backend = 'embedded'): ActiveModel {
  const template = templatePack('chatml')
  const sampler = { temperature: 0.7, topK: 40, topP: 0.95, minP: 0.05, repeatPenalty: 1.05, repeatRange: 64 }
  const profile = { backend } as ActiveModel['profile']
  return { client, template, sampler, profile, modelName: 'scripted', isDemo: false, languages: [] }
}

/** A session as its runner sees it: each request adds its entries to the log. */
export class AgentTalk {
  log: PromptEntry[] = []
  state: AgentState = newAgentState()
  turn = 0
  language: 'ja' | 'en' = 'en'
  text = ''
  reasoning = ''
  sent: { messages: SentMessage[]; meter: ContextMeter }[] = []
  readonly signal = new AbortController()
  readonly model: ReturnType<typeof createAgentModel>

  constructor(active: ActiveModel, deps: Partial<AgentModelDeps> = {}) {
    const next = seededRandom(1)
    const hex = () => Math.floor(next() * 16).toString(16)
    this.model = createAgentModel({
      activeModel: async () => active,
      prompts,
      toolbox: { declarations, callSchema: async () => callSchema, filesInUse: () => [] },
      readLines: async () => null,
      random: { next, id: () => Array.from({ length: 32 }, hex).join('') },
      ...deps,
    })
  }

  readonly hooks: RequestHooks = {
    onPhase: () => undefined,
    onText: (text) => {
      this.text += text
    },
    onReasoning: (text) => {
      this.reasoning += text
    },
    onReplace: (text) => {
      this.text = text
    },
    onSent: (sent) => void this.sent.push(sent),
  }

  get context(): RequestContext {
    const { language, turn, log, state } = this
    return { sessionId: 'one', language, turn, log, state }
  }

  say(text: string): void {
    this.turn += 1
    this.log.push({ turn: this.turn, role: 'user', kind: 'message', text })
  }

  result(callId: string, text: string): void {
    this.log.push({ turn: this.turn, role: 'tool', kind: 'result', callId, text })
  }

  async decide() {
    return this.#added(await this.model.decide(this.context, this.hooks, this.signal.signal))
  }

  async reply(kind: 'plain' | 'question' | 'defer' = 'plain', about = '') {
    return this.#added(await this.model.reply(this.context, { kind, about }, this.hooks, this.signal.signal))
  }

  async work(step: AgentState['step'] = 'PLANNING') {
    return this.#added(await this.model.work(this.context, step, this.hooks, this.signal.signal))
  }

  async beside(question: string) {
    return this.#added(
      await this.model.beside(
        this.context,
        [{ turn: this.context.turn, role: 'user', kind: 'message', text: question }],
        this.hooks,
        this.signal.signal,
      ),
    )
  }

  async compact() {
    const result = await this.model.compact(this.context, this.hooks, this.signal.signal)
    this.log = result.log
    return result
  }

  #added<T extends { entries: PromptEntry[] }>(outcome: T): T {
    this.log.push(...outcome.entries)
    return outcome
  }
}

export function decisionText(parts: Partial<AgentDecision> = {}): string {
  return JSON.stringify(decision(parts))
}

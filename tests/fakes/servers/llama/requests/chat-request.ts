import type { Answer, ChatMessage, ChatTool } from '../answer.ts'
import type { LlamaCore } from '../core.ts'
import { proseFrom } from '../model-words.ts'
import { Refusal } from '../refusal.ts'
import type { Work } from '../work.ts'
import { knowsTools, type Rendered, renderChat } from './chat-template.ts'
import { type Constraint, formatConstraint, grammarConstraint, schemaConstraint } from './constraint.ts'
import { parseJson } from './json-reader.ts'
import { type Body, type Params, readParams } from './params.ts'
import { sampleOf } from './schema-sample.ts'

/** A chat as it was asked: what every chat route needs. */
export type Chat = {
  messages: ChatMessage[]
  tools: ChatTool[]
  rendered: Rendered
  /** Whether output that looks like a call is read as one. */
  readsCalls: boolean
  thoughts: 'field' | 'tags'
}

const reasoningFormats = ['none', 'auto', 'deepseek', 'deepseek-legacy']

/** Reads and renders a chat. Errors: `Refusal` as recorded. */
export function readChat(core: LlamaCore, body: unknown): Chat {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Body
  const tools = readTools(core, fields)
  const choice = readToolChoice(fields.tool_choice)
  const messages = readMessages(core, fields.messages)
  const format = fields.reasoning_format ?? 'auto'
  if (!reasoningFormats.includes(String(format))) {
    throw new Refusal(500, `Unknown reasoning format: ${String(format)}`)
  }
  const rendered = renderChat(core.template, {
    messages,
    tools: knowsTools(core.template) ? tools : [],
    isThinking: readThinking(fields),
    hasGenerationPrompt: fields.add_generation_prompt !== false || fields.continue_final_message === true,
  })
  return {
    messages,
    tools,
    rendered,
    readsCalls: knowsTools(core.template) && tools.length > 0 && choice !== 'none',
    thoughts: format === 'none' ? 'tags' : 'field',
  }
}

/** A chat that wants an answer. */
export function readChatWork(core: LlamaCore, path: string, body: unknown): { work: Work; chat: Chat } {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Body
  if (Array.isArray(fields.tools) && fields.tools.length > 0 && typeof fields.grammar === 'string') {
    throw new Refusal(400, 'Cannot use custom grammar constraints with tools.')
  }
  const chat = readChat(core, body)
  if (typeof fields.top_logprobs === 'number' && fields.logprobs !== true) {
    throw new Refusal(400, 'top_logprobs requires logprobs to be set to true')
  }
  const params = readParams(fields, chat.readsCalls ? 'peg-native' : 'Content-only')
  const constraint = readConstraint(fields)
  if (constraint === null && chat.readsCalls && fields.tool_choice === 'required')
    checkToolSchemas(chat.tools)
  const isRequired = fields.tool_choice === 'required' && chat.readsCalls
  return {
    chat,
    work: {
      params,
      promptTokens: core.vocabulary.encode(chat.rendered.prompt),
      asked: {
        path,
        body: fields,
        messages: fields.messages as ChatMessage[],
        tools: chat.tools,
        schema: constraint?.schema ?? null,
        prompt: chat.rendered.prompt,
      },
      form: {
        readsCalls: chat.readsCalls && constraint === null,
        thoughts: chat.thoughts,
        hasThinkingTemplate: core.template === 'thinking',
        prefill: chat.rendered.prefill,
      },
      fallback: () =>
        fallbackAnswer(params, constraint, chat.rendered.prefill, isRequired ? chat.tools[0] : undefined),
    },
  }
}

function fallbackAnswer(
  params: Params,
  constraint: Constraint | null,
  prefill: string,
  tool: ChatTool | undefined,
): Answer {
  if (constraint !== null) {
    // The beginning of the assistant's message counts as part of the constrained text.
    const sample = constraint.sample(params.seed)
    return { text: sample.startsWith(prefill) ? sample.slice(prefill.length) : sample }
  }
  if (tool === undefined) return { text: proseFrom(params.seed) }
  // "Required" only forbids to end without a call: prose comes first.
  const { name, parameters = {} } = tool.function
  return {
    text: proseFrom(params.seed),
    toolCalls: [{ name, arguments: sampleOf(parameters) as Record<string, unknown> }],
  }
}

function readConstraint(fields: Body): Constraint | null {
  const own =
    fields.json_schema === undefined
      ? null
      : { type: 'json_schema', json_schema: { schema: fields.json_schema } }
  return (
    formatConstraint(fields.response_format) ?? formatConstraint(own) ?? grammarConstraint(fields.grammar)
  )
}

function checkToolSchemas(tools: readonly ChatTool[]): void {
  const prefix = 'Unable to generate parser for this template. Automatic parser generation failed: '
  for (const tool of tools) schemaConstraint(tool.function.parameters ?? {}, prefix)
}

function readTools(core: LlamaCore, fields: Body): ChatTool[] {
  const { tools } = fields
  if (!Array.isArray(tools) || tools.length === 0) return []
  if (core.options.hasJinja === false) throw new Refusal(500, 'tools param requires --jinja flag')
  for (const tool of tools as ChatTool[]) {
    if (typeof tool.function?.name !== 'string') {
      const shown = JSON.stringify(tools, null, 2)
      throw new Refusal(
        500,
        `Failed to parse tools: [json.exception.out_of_range.403] key 'name' not found; tools = ${shown}`,
      )
    }
  }
  return tools as ChatTool[]
}

function readToolChoice(choice: unknown): string {
  // A named tool acts as "auto".
  if (typeof choice !== 'string') return 'auto'
  if (!['auto', 'none', 'required'].includes(choice)) throw new Refusal(400, `Invalid tool_choice: ${choice}`)
  return choice
}

function readThinking(fields: Body): boolean {
  if (fields.reasoning_effort === 'none') return false
  const kwargs = fields.chat_template_kwargs
  if (typeof kwargs !== 'object' || kwargs === null) return true
  const wanted = (kwargs as Body).enable_thinking ?? true
  if (typeof wanted === 'boolean') return wanted
  throw new Refusal(400, `invalid type for "enable_thinking" (expected boolean, got ${typeof wanted})`)
}

function readMessages(core: LlamaCore, messages: unknown): ChatMessage[] {
  if (messages === undefined || messages === null) throw new Refusal(400, "'messages' is required")
  if (!Array.isArray(messages)) throw new Refusal(400, "Expected 'messages' to be an array")
  const read = messages.map((message) => readMessage(core, message))
  if (read.at(-1)?.role === 'assistant' && read.at(-2)?.role === 'assistant') {
    throw new Refusal(400, 'Cannot have 2 or more assistant messages at the end of the list.')
  }
  return read
}

function readMessage(core: LlamaCore, message: unknown): ChatMessage {
  const fields = (typeof message === 'object' && message !== null ? message : {}) as Partial<ChatMessage>
  if (fields.role !== 'assistant' && fields.content === undefined) {
    throw new Refusal(400, "All non-assistant messages must contain 'content'")
  }
  checkContent(fields.content, core.options.hasVision === true)
  if (typeof fields.role !== 'string') {
    throw new Refusal(500, `Failed to parse messages: Missing 'role' in message: ${JSON.stringify(message)}`)
  }
  const calls = (fields.tool_calls ?? []).map((call) => ({
    ...call,
    function: { ...call.function, arguments: readArguments(core, call.function.arguments) },
  }))
  return {
    ...(fields as ChatMessage),
    role: fields.role === 'developer' ? 'system' : fields.role,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

/** Templates that write calls read their arguments; the others leave them alone. */
function readArguments(core: LlamaCore, given: unknown): unknown {
  if (typeof given !== 'string' || !knowsTools(core.template)) return given
  try {
    return parseJson(Buffer.from(given))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(500, `Failed to parse tool call arguments as JSON: ${error.message}`)
  }
}

function checkContent(content: unknown, hasVision: boolean): void {
  if (content === undefined || content === null || typeof content === 'string') return
  if (!Array.isArray(content)) throw new Refusal(400, "Expected 'content' to be a string or an array")
  for (const part of content as { type?: string }[]) {
    if (part.type === 'image_url' && hasVision) continue
    if (part.type === 'image_url') {
      throw new Refusal(
        500,
        'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
      )
    }
    if (part.type !== 'text') throw new Refusal(400, 'unsupported content[].type')
  }
}

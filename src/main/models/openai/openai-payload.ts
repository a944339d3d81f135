import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions'
import type { CompletionCreateParamsStreaming } from 'openai/resources/completions'
import type { OpenaiFlavour } from '../../../shared/domain/model/model-profile.ts'
import { AppError } from '../../../shared/errors.ts'
import {
  type ChatMessage,
  type ChatRequest,
  type CompletionRequest,
  type Prompt,
  promptText,
  type ToolDeclaration,
} from '../client/model-client.ts'
import { samplerBody } from '../client/sampler-table.ts'
import {
  breakControlStrings,
  breakInJson,
  breakInPrompt,
  breakInValue,
  type ControlStrings,
} from '../completion/break-control-strings.ts'
import { gbnfOf } from '../completion/json-schema-grammar.ts'
import { wireText } from '../completion/request-check.ts'
import { usableStops } from '../completion/stop-cutter.ts'
import { flavours } from '../flavours/flavours.ts'
import { withCacheMarks } from './cache-marks.ts'
import { imageParts, noImages, type ReadImages } from './chat-images.ts'

export type PayloadFrame = {
  flavour: OpenaiFlavour
  model: string
  controls: ControlStrings
  /** Optional fields that this server once refused by name; they are left out. */
  refused: ReadonlySet<string>
  /** The server keeps the parts of a prompt that are marked. */
  hasCacheMarks?: boolean | undefined
  /** The server groups requests by this field. */
  cacheKeyField?: string | undefined
}

type Body = Record<string, unknown>

/** The package's fields, and additional ones of some servers. */
export type ChatBody = ChatCompletionCreateParamsStreaming & Body
export type CompletionBody = CompletionCreateParamsStreaming & Body

/** Fields that a request cannot do without; a refusal of these is reported to the caller. */
const needed = new Set([
  'model',
  'messages',
  'prompt',
  'stream',
  'tools',
  'tool_choice',
  'response_format',
  'json_schema',
  'grammar',
])

/** True where a field can be left out (`max_tokens` then gets another name). */
export function isOptionalField(field: string): boolean {
  return !needed.has(field)
}

/** Returns the body of `POST chat/completions`. */
export function chatBody(
  request: ChatRequest,
  frame: PayloadFrame,
  hasTools: boolean,
  images: ReadImages = noImages,
): ChatBody {
  const isLlama = frame.flavour === 'llama.cpp'
  const tools = hasTools ? (request.tools ?? []) : []
  const messages = wireMessages(request.messages, frame.controls, images, frame.refused)
  const hasName = request.conversation !== undefined
  const isKept = frame.hasCacheMarks === true && hasName
  const body: Body = {
    ...common(request, frame),
    messages: isKept ? withCacheMarks(messages) : messages,
    stream_options: { include_usage: true },
    // The service finds its kept prompt by the field that names the conversation.
    ...(frame.cacheKeyField !== undefined && hasName && { [frame.cacheKeyField]: request.conversation }),
    ...(tools.length > 0 && { tools: wireTools(tools, frame.controls) }),
    // Not all servers follow a named or required tool choice; callers force a tool by a schema.
    ...(tools.length > 0 && request.toolChoice === 'none' && { tool_choice: 'none' }),
    ...chatConstraint(request, frame, tools.length > 0),
    ...(isLlama && request.isThinkingOff === true && { chat_template_kwargs: { enable_thinking: false } }),
  }
  return without(body, frame.refused) as ChatBody
}

/** Returns the body of `POST completions`, or of llama.cpp's `/completion`. */
export function completionBody(request: CompletionRequest, frame: PayloadFrame): CompletionBody {
  const isLlama = frame.flavour === 'llama.cpp'
  const body: Body = {
    ...common(request, frame),
    prompt: wirePrompt(request.prompt, frame.controls),
    ...(!isLlama && { stream_options: { include_usage: true } }),
    ...(isLlama && request.tellsChances === true && { n_probs: 1 }),
    // Our own grammar for a schema: keys in its order and no free white space.
    ...(request.constraint && { grammar: gbnfOf(request.constraint) }),
  }
  return without(body, frame.refused) as CompletionBody
}

/**
 * Turns a prompt into a conversation; the server adds its own markers. A begun line becomes a begun answer
 * (`prefill`), or part of an instruction.
 */
export function completionAsChat(
  { prompt, unfinished, ...rest }: CompletionRequest,
  continuation: 'prefill' | 'instruction',
): ChatRequest {
  const texts = prompt.filter(({ isSpecial }) => !isSpecial).map(({ text }) => text)
  if (unfinished === undefined || texts.at(-1) !== unfinished.line)
    return { ...rest, messages: [{ role: 'user', content: texts.join('\n\n') }] }
  const before = texts.slice(0, -1)
  if (continuation === 'prefill' && before.length > 0) {
    const begun = { role: 'assistant', content: unfinished.line } as const
    return { ...rest, messages: [{ role: 'user', content: before.join('\n\n') }, begun] }
  }
  const content = [...before, unfinished.instruction].join('\n\n')
  return { ...rest, messages: [{ role: 'user', content }], repeated: unfinished.line }
}

/** Returns a prompt as one text in which only its markers are control tokens. */
export function wirePrompt(prompt: string | Prompt, controls: ControlStrings): string {
  const segments = typeof prompt === 'string' ? [{ text: prompt, isSpecial: false }] : prompt
  return promptText(breakInPrompt(segments, controls))
}

/**
 * Returns messages in the API's form, with one system message at the head: a template may refuse or reorder later ones.
 * Control strings are broken in all of them, since the system message has a folder's own instructions.
 * Images that are not among `images` are left out.
 */
export function wireMessages(
  messages: readonly ChatMessage[],
  controls: ControlStrings,
  images: ReadImages = noImages,
  refused: ReadonlySet<string> = new Set(),
): Body[] {
  const safe = (text: string) => breakControlStrings(text, controls)
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  const rest = messages.filter(({ role }) => role !== 'system')
  const head: Body[] = system.length === 0 ? [] : [{ role: 'system', content: safe(system.join('\n\n')) }]
  return [...head, ...rest.map((message) => wireMessage(message, controls, images, refused))]
}

function wireMessage(
  message: ChatMessage,
  controls: ControlStrings,
  images: ReadImages,
  refused: ReadonlySet<string>,
): Body {
  const safe = (text: string) => breakControlStrings(text, controls)
  const content = safe(message.content)
  if (message.role === 'tool') return { role: 'tool', tool_call_id: safe(message.callId), content }
  if (message.role === 'user') {
    const shown = imageParts(message.images ?? [], images)
    return {
      role: 'user',
      content: shown.length === 0 ? content : [{ type: 'text', text: content }, ...shown],
    }
  }
  if (message.role !== 'assistant' || message.toolCalls === undefined || message.toolCalls.length === 0)
    return { role: message.role, content }
  const { reasoning } = message
  // A server names the field with its place: `messages[2].reasoning_content`.
  const isRefused = reasoning !== undefined && [...refused].some((name) => name.endsWith(reasoning.field))
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(reasoning !== undefined && !isRefused && { [reasoning.field]: safe(reasoning.text) }),
    tool_calls: message.toolCalls.map((call) => ({
      id: safe(call.id),
      type: 'function',
      function: { name: safe(call.name), arguments: breakInJson(call.arguments, controls) },
    })),
  }
}

/** Returns tools in the API's form. Servers write them into the prompt, and another program may have declared them. */
export function wireTools(tools: readonly ToolDeclaration[], controls: ControlStrings): Body[] {
  return tools.map((tool) => ({ type: 'function', function: breakInValue(tool, controls) }))
}

/** Returns the parts of a request with texts that are not ours, as `chatBody` sends them; without images. */
export function wireParts(
  { messages, tools = [], constraint }: ChatRequest,
  controls: ControlStrings,
  hasTools: boolean,
): unknown {
  const schema = constraint?.kind === 'json-schema' ? breakInValue(constraint.schema, controls) : null
  return [wireMessages(messages, controls), hasTools ? wireTools(tools, controls) : [], schema]
}

type Either = Omit<ChatRequest, 'messages'>

function common(request: Either, { flavour, model, refused }: PayloadFrame): Body {
  const dialect = flavours[flavour]
  const isLlama = flavour === 'llama.cpp'
  const stops = usableStops(request.stops).slice(0, dialect.stopLimit).map(wireText)
  const sampling = samplerBody(request.sampler, dialect.sampler)
  const limit = refused.has('max_tokens') ? 'max_completion_tokens' : 'max_tokens'
  return {
    model,
    stream: true,
    [limit]: request.maxTokens,
    ...sampling,
    seed: request.seed,
    ...(stops.length > 0 && { stop: stops }),
    ...(isLlama && { cache_prompt: true, return_progress: true, presence_penalty: 0, frequency_penalty: 0 }),
    ...(dialect.canBanEnd && { ignore_eos: request.isEosBanned === true && !request.constraint }),
    ...(isLlama &&
      request.bannedStarts && {
        logit_bias: [
          ...(request.sampler.logitBias ?? []).map(({ text, bias }) => [text, bias]),
          ...request.bannedStarts.map((text) => [text, false]),
        ],
      }),
  }
}

/** Returns the constraint: in llama.cpp a schema takes precedence over tools, and a grammar beside tools is refused. */
function chatConstraint(
  { constraint }: Either,
  { flavour, controls }: PayloadFrame,
  hasTools: boolean,
): Body {
  if (constraint === undefined) return {}
  if (constraint.kind === 'json-schema') {
    const schema = breakInValue(constraint.schema, controls)
    const strict = isStrict(schema)
    return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict } } }
  }
  if (!flavours[flavour].hasGbnf || hasTools)
    throw new AppError({ code: 'model/bad-request', reason: 'no grammar can be sent here' })
  return { grammar: constraint.grammar }
}

/**
 * True where OpenAI enforces a schema exactly; for other schemas it refuses the field `strict`.
 *
 * Source: OpenAI's guide to structured outputs, "All fields must be required".
 */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (typeof schema !== 'object' || schema === null) return true
  const { properties, required, additionalProperties } = schema as Body
  if (typeof properties === 'object' && properties !== null) {
    const names = Object.keys(properties)
    const isWhole = names.every((name) => Array.isArray(required) && required.includes(name))
    if (!isWhole || additionalProperties !== false) return false
  }
  return Object.values(schema).every(isStrict)
}

/** Removes refused fields; those that the package's types require are never among them: see `needed`. */
function without(body: Body, refused: ReadonlySet<string>): Body {
  return Object.fromEntries(Object.entries(body).filter(([field]) => !refused.has(field)))
}

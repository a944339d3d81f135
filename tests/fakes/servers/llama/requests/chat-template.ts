import type { ChatMessage, ChatTool } from '../answer.ts'
import { spacedJson } from './spaced-json.ts'

/** `no-tools` is SmolLM's own template, `tools` Qwen2.5's, `thinking` Qwen3's, `none` a model that has none. */
export type TemplateName = 'tools' | 'no-tools' | 'thinking' | 'none'

export type TemplateInput = {
  messages: readonly ChatMessage[]
  tools: readonly ChatTool[]
  isThinking: boolean
  hasGenerationPrompt: boolean
}

export type Rendered = {
  prompt: string
  /** The text of the last message where it is the assistant's: the answer goes on with it, and repeats it. */
  prefill: string
}

const systemOf: Partial<Record<TemplateName, string>> = {
  tools: 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.',
  'no-tools': 'You are a helpful AI assistant named SmolLM, trained by Hugging Face',
}

export function knowsTools(template: TemplateName): boolean {
  return template === 'tools' || template === 'thinking'
}

/**
 * Renders messages as the recorded templates do; an assistant's last message is left open.
 *
 * Source: llama-server as recorded, its answers to `/apply-template`.
 */
export function renderChat(template: TemplateName, input: TemplateInput): Rendered {
  const last = input.messages.at(-1)
  const isPrefilled = last?.role === 'assistant' && last.tool_calls === undefined
  const messages = isPrefilled ? input.messages.slice(0, -1) : input.messages
  const prefill = isPrefilled ? textOf(last) : ''
  const turns = messages.map((message, index) => turnOf(template, message, messages, index)).join('')
  const prompt = headOf(template, messages, input.tools) + turns
  if (!input.hasGenerationPrompt && !isPrefilled) return { prompt, prefill }
  const thought = template === 'thinking' && !input.isThinking ? '<think>\n\n</think>\n\n' : ''
  return { prompt: `${prompt}<|im_start|>assistant\n${thought}${prefill}`, prefill }
}

/** The text of a message; parts are joined by line ends. */
function textOf(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content
  if (!Array.isArray(message.content)) return ''
  return message.content.map((part: { text?: string }) => part.text ?? '').join('\n')
}

/** A call as the models write it and their templates write it back. */
export function callText(name: string, argumentsText: string): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${argumentsText}}\n</tool_call>`
}

function turn(role: string, text: string): string {
  return `<|im_start|>${role}\n${text}<|im_end|>\n`
}

function headOf(
  template: TemplateName,
  messages: readonly ChatMessage[],
  tools: readonly ChatTool[],
): string {
  const [first] = messages
  const own = first?.role === 'system' ? textOf(first) : undefined
  if (!knowsTools(template)) {
    const standard = systemOf[template]
    return first === undefined || own !== undefined || standard === undefined ? '' : turn('system', standard)
  }
  const system = own ?? systemOf[template]
  if (tools.length === 0) return system === undefined ? '' : turn('system', system)
  const list = tools.map((tool) => `\n${spacedJson(tool)}`).join('')
  return turn(
    'system',
    `${system === undefined ? '' : `${system}\n\n`}# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>${list}\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>`,
  )
}

function turnOf(
  template: TemplateName,
  message: ChatMessage,
  all: readonly ChatMessage[],
  index: number,
): string {
  const { role } = message
  if (!knowsTools(template)) return turn(role, textOf(message))
  if (role === 'system') return index === 0 ? '' : turn(role, textOf(message))
  if (role === 'user') return turn(role, textOf(message))
  if (role === 'assistant') return turn(role, assistantText(template, message, all, index))
  if (role !== 'tool') return ''
  const opens = all[index - 1]?.role === 'tool' ? '' : '<|im_start|>user'
  const closes = all[index + 1]?.role === 'tool' ? '' : '<|im_end|>\n'
  return `${opens}\n<tool_response>\n${textOf(message)}\n</tool_response>${closes}`
}

function assistantText(
  template: TemplateName,
  message: ChatMessage,
  all: readonly ChatMessage[],
  index: number,
): string {
  const calls = (message.tool_calls ?? []).map((call) =>
    callText(call.function.name, spacedJson(call.function.arguments)),
  )
  const text = textOf(message)
  const said = [...(text === '' && calls.length > 0 ? [] : [text]), ...calls].join('\n')
  const lastQuestion = all.findLastIndex(({ role }) => role === 'user')
  const thought = template === 'thinking' && index > lastQuestion ? message.reasoning_content : undefined
  return thought === undefined ? said : `<think>\n${thought.replace(/^\n+|\n+$/g, '')}\n</think>\n\n${said}`
}

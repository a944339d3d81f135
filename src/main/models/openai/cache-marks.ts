type Message = Record<string, unknown>

/**
 * What requests to a service have besides, so that it keeps their prompt for the next one.
 *
 * Shape: `cacheKeyField`: the field that names the conversation, where the service groups requests by it.
 */
export type CacheMarks = {
  headers?: Record<string, string> | undefined
  hasCacheMarks?: true | undefined
  cacheKeyField?: string | undefined
}

/** Returns what a service at this address takes for a model; nothing for a service that is not in the table. */
export type CacheMarksOf = (address: string, model: string) => CacheMarks

/**
 * A conversation whose head and end are kept for the next request of it: on DashScope five minutes, from 1,024 tokens
 * on. What goes beyond a mark is looked for up to twenty messages back, so that a request beside the conversation finds
 * what the last one left.
 *
 * Source: https://www.alibabacloud.com/help/en/model-studio/context-cache, "Explicit cache";
 * https://openrouter.ai/docs/guides/best-practices/prompt-caching, "Anthropic Claude" and "Alibaba Qwen".
 */
export function withCacheMarks(messages: readonly Message[]): Message[] {
  const last = messages.length - 1
  return messages.map((message, index) =>
    (index === last || message.role === 'system') && isText(message.content)
      ? { ...message, content: [marked(message.content)] }
      : message,
  )
}

function isText(content: unknown): content is string {
  return typeof content === 'string' && content !== ''
}

function marked(text: string): Message {
  return { type: 'text', text, cache_control: { type: 'ephemeral' } }
}

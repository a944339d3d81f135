type Message = Record<string, unknown>

/**
 * Additions to requests with which a service keeps their prompt for the next one.
 *
 * Shape: `cacheKeyField`: the field that names the conversation, where the service groups requests by it.
 */
export type CacheMarks = {
  headers?: Record<string, string> | undefined
  hasCacheMarks?: true | undefined
  cacheKeyField?: string | undefined
}

/** Returns the additions for a service and a model; none for a service that is not in the table. */
export type CacheMarksOf = (address: string, model: string) => CacheMarks

/**
 * Marks the head and the end of a conversation, which the service keeps for its next request: on DashScope for five
 * minutes, from 1,024 tokens on. The service searches up to twenty messages back for a mark, so that a request beside
 * the conversation finds the prompt that the last request left.
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

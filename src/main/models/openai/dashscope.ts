type Message = Record<string, unknown>

const hosts = /^(?:dashscope(?:-[a-z-]+)?|[a-z0-9.-]+\.maas)\.aliyuncs\.com$/

/** What requests to DashScope (Alibaba Cloud Model Studio, any region) have besides; nothing to any other host. */
export function cacheMarksOf(address: string): { headers?: Record<string, string>; hasCacheMarks?: true } {
  if (!hosts.test(new URL(address).hostname)) return {}
  return { headers: { 'x-dashscope-cachecontrol': 'enable' }, hasCacheMarks: true }
}

/**
 * A conversation whose head and end are kept for the next request of it: five minutes, from 1,024 tokens on. What
 * goes beyond a mark is looked for up to twenty messages back, so that a request beside the conversation finds
 * what the last one left.
 *
 * Source: https://www.alibabacloud.com/help/en/model-studio/context-cache, "Explicit cache".
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

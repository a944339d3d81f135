import { z } from 'zod'
import { readSmallText } from '../../platform/files/read-regular-file.ts'

const Service = z.strictObject({
  /** Names of hosts; `*` stands for any part of one. */
  hosts: z.array(z.string().regex(/^[a-z0-9.*-]+$/)).min(1),
  /** Prefixes of the model ids whose requests need cache marks. Absent: all models of the service need them. */
  models: z.array(z.string().min(1)).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  hasCacheMarks: z.literal(true).optional(),
  cacheKeyField: z.string().optional(),
})
const Table = z.strictObject({ services: z.array(Service) })

/**
 * Reads the table of services that keep a prompt only where a request asks for it. Returns the additions for a service
 * and a model; none for a service that is not in the table.
 */
export async function loadCacheMarks(file: string): Promise<(address: string, model: string) => CacheMarks> {
  const { services } = Table.parse(JSON.parse(await readSmallText(file)))
  return (address, model) => {
    const { hostname } = new URL(address)
    const found = services.find(
      ({ hosts, models }) =>
        hosts.some((host) => hostPattern(host).test(hostname)) &&
        (models === undefined || models.some((begins) => model.startsWith(begins))),
    )
    const { headers, hasCacheMarks, cacheKeyField } = found ?? {}
    return { headers, hasCacheMarks, cacheKeyField }
  }
}

function hostPattern(host: string): RegExp {
  return new RegExp(`^${host.replaceAll('.', '\\.').replaceAll('*', '[a-z0-9.-]+')}$`)
}

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
  return messages.map((message, index) => {
    const { role, content: text } = message
    if ((index !== last && role !== 'system') || typeof text !== 'string' || text === '') return message
    return { ...message, content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] }
  })
}

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LlamaOptions } from '../../fake-llama-server.ts'
import type { TemplateName } from '../requests/chat-template.ts'

export type Exchange = {
  name: string
  note: string
  server: string
  request: {
    method: string
    path: string
    headers: Record<string, string>
    body: string
  }
  response: {
    status_line: string | null
    headers: [string, string][]
    connection_closed_by: string
    body?: string
    reads?: { t_ms: number; data: string }[]
  }
}

export type Measurement = { name: string; note: string; server: string; measured: Record<string, unknown> }

const file = fileURLToPath(new URL('../../../../../../shared/llama-server/transcripts.json', import.meta.url))

/** What was recorded of the real server; empty where the folder is not there. */
export const recorded: (Exchange | Measurement)[] = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : []

export function isExchange(entry: Exchange | Measurement): entry is Exchange {
  return 'request' in entry
}

/** Returns the options of a fake like the server of an entry. */
export function optionsOf({ server, name }: Pick<Exchange, 'server' | 'name'>): LlamaOptions {
  const context = /-c (\d+)/.exec(server)?.[1]
  const cacheRam = /--cache-ram (\d+)/.exec(server)?.[1]
  const ping = /--sse-ping-interval (\d+)/.exec(server)?.[1]
  const tiny = /tiny-\w+\.gguf/.exec(server)?.[0]
  const hasKey = server.includes('--api-key')
  return {
    template: templateOf(server),
    contextTokens: context === undefined ? 2048 : Number(context),
    slots: Number(/--parallel (\d+)/.exec(server)?.[1] ?? 1),
    sharesContext: server.includes('no --parallel'),
    ...(cacheRam === undefined ? {} : { cacheRamMiB: Number(cacheRam) }),
    ...(ping === undefined ? {} : { pingMs: Number(ping) * 1000 }),
    ...(server.includes('--no-jinja') ? { hasJinja: false } : {}),
    ...(name.startsWith('loading_') ? { isLoading: true } : {}),
    ...(tiny === undefined ? {} : { alias: tiny }),
    ...(hasKey ? { apiKey: 'sk-test', hasSlotsRoute: false, hasPropsPost: true, alias: 'my-model' } : {}),
  }
}

function templateOf(server: string): TemplateName {
  if (/qwen25|Qwen2\.5/.test(server)) return 'tools'
  if (server.includes('qwen3')) return 'thinking'
  return /--no-jinja|tiny-/.test(server) ? 'none' : 'no-tools'
}

/** Long bodies were recorded by their ends, in between a repeating text of known length. */
export function bodyOf({ body }: Exchange['request']): Buffer {
  if (body.includes('\\xff')) return Buffer.from(body.replace('\\xff\\xfe', '\xff\xfe'), 'latin1')
  const gap = /…\[\+(\d+) chars\]/.exec(body)
  if (gap === null) return Buffer.from(body)
  const head = body.slice(0, gap.index)
  const period = periods.find((text) => head.includes(text + text)) ?? ''
  const unit = head.slice(-period.length)
  const length = Number(gap[1])
  const middle = unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
  return Buffer.from(head + middle + body.slice(gap.index + gap[0].length))
}

const periods = ['吾輩は猫である。名前はまだ無い。', 'The quick brown fox jumps. ', 'word ', 'a b ']

/** A stream as it was recorded: one text, or two where reads in the middle were left out. */
export function streamParts({ reads = [] }: Exchange['response']): string[] {
  const gap = reads.findIndex(({ data }) => /^…\[\d+ reads left out\]$/.test(data))
  const parts = gap === -1 ? [reads] : [reads.slice(0, gap), reads.slice(gap + 1)]
  return parts.map((list) => {
    const text = list.map(({ data }) => data).join('')
    // One entry shows the chunks' framing.
    return /^[0-9a-f]+\r\n/.test(text) ? text.replace(/(^|\r\n)[0-9a-f]+\r\n/g, '') : text
  })
}

/** The events of a stream: parsed data, `[DONE]` as it stands, comments left out. */
export function eventsOf(stream: string): unknown[] {
  return stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
    .map((data) => (data === '[DONE]' ? data : (JSON.parse(data) as unknown)))
}

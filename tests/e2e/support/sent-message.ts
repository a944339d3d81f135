import { fenced } from '../../../src/shared/text/manuscript/fenced.ts'
import type { OpenRoom } from './session-test.ts'

type Sent = { role: string; content: string | null }

/** Returns the exact content of the user's message with `part` in the last request to the model. */
export function sentTurn({ llama }: Pick<OpenRoom, 'llama'>, part: string): string {
  const { body } = llama.requests.findLast(({ path }) => path.endsWith('/chat/completions')) ?? {}
  const { messages = [] } = (body ?? {}) as { messages?: Sent[] }
  return messages.find(({ role, content }) => role === 'user' && content?.includes(part))?.content ?? ''
}

/** Returns a message as it is sent, with its attached files behind it. */
export function withFiles(message: string, ...files: [head: string, text: string][]): string {
  return [message, ...files.map(([head, text]) => fenced(`[${head}]\n${text}`))].join('\n\n')
}

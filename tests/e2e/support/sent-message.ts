import { fenced } from '../../../src/shared/text/manuscript/fenced.ts'
import type { OpenRoom } from './session-test.ts'

type Sent = { role: string; content: string | null }

/** What a user's turn that has `part` in it was in the last request to the model, to the byte. */
export function sentTurn({ llama }: Pick<OpenRoom, 'llama'>, part: string): string {
  const { body } = llama.requests.findLast(({ path }) => path.endsWith('/chat/completions')) ?? {}
  const { messages = [] } = (body ?? {}) as { messages?: Sent[] }
  return messages.find(({ role, content }) => role === 'user' && content?.includes(part))?.content ?? ''
}

/** A message as it is sent, with what was attached behind it. */
export function withFiles(message: string, ...files: [head: string, text: string][]): string {
  return [message, ...files.map(([head, text]) => fenced(`[${head}]\n${text}`))].join('\n\n')
}

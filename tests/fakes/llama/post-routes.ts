import { readChat, readChatWork } from './chat-request.ts'
import { chatWording } from './chat-wording.ts'
import type { LlamaCore } from './core.ts'
import type { Body } from './params.ts'
import { fixedErrors } from './refusal.ts'
import type { Reply } from './reply.ts'
import { writeBody } from './whole-faults.ts'
import { perform } from './work.ts'

/** Answers POST. An unknown path is told before the body is read. */
export async function answerPost(
  core: LlamaCore,
  reply: Reply,
  path: string,
  readBody: () => unknown,
): Promise<void> {
  switch (path) {
    case '/v1/chat/completions':
    case '/chat/completions': {
      const body = readBody()
      const { work, chat } = readChatWork(core, path, body)
      return perform(core, reply, work, chatWording(core, chat, body as Body))
    }
    case '/v1/chat/completions/input_tokens': {
      const { rendered } = readChat(core, readBody())
      const count = core.vocabulary.encode(rendered.prompt).length
      return writeBody(reply, 200, { input_tokens: count, object: 'response.input_tokens' })
    }
    case '/apply-template':
      return writeBody(reply, 200, { prompt: readChat(core, readBody()).rendered.prompt })
    default:
      return reply.json(...fixedErrors.notFound)
  }
}

import { closedRoute } from './closed-routes.ts'
import type { LlamaCore } from './core.ts'
import { fixedErrors, Refusal } from './refusal.ts'
import { readChat, readChatWork } from './requests/chat-request.ts'
import { readCompletionWork } from './requests/completion-request.ts'
import type { Body } from './requests/params.ts'
import { detokenize, tokenize } from './token-routes.ts'
import { writeBody } from './whole-faults.ts'
import { chatWording } from './wording/chat-wording.ts'
import { completionWording } from './wording/completion-wording.ts'
import type { Reply } from './wording/reply.ts'
import { textWording } from './wording/text-wording.ts'
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
    case '/completion':
    case '/completions':
      return perform(core, reply, readCompletionWork(core, path, readBody()), completionWording(core))
    case '/v1/completions':
      return perform(core, reply, readCompletionWork(core, path, readBody()), textWording(core))
    case '/v1/chat/completions/input_tokens': {
      const { rendered } = readChat(core, readBody())
      const count = core.vocabulary.encode(rendered.prompt).length
      return writeBody(reply, 200, { input_tokens: count, object: 'response.input_tokens' })
    }
    case '/apply-template':
      return writeBody(reply, 200, { prompt: readChat(core, readBody()).rendered.prompt })
    case '/tokenize':
      return writeBody(reply, 200, tokenize(core, readBody()))
    case '/detokenize':
      return writeBody(reply, 200, detokenize(core, readBody()))
    case '/v1/chat/completions/control':
      throw new Refusal(400, 'missing completion id')
    case '/props':
      if (core.options.hasPropsPost !== true) throwClosed(path)
      return writeBody(reply, 200, { success: true })
    default:
      throwClosed(path)
      return reply.json(...fixedErrors.notFound)
  }
}

function throwClosed(path: string): void {
  const refusal = closedRoute(path)
  if (refusal !== null) throw refusal
}

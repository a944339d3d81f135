import { z } from 'zod'
import { cutList, defineTool, shortLine, shortText } from '../defining/tool.ts'

export const askUserTool = defineTool({
  name: 'ask_user',
  args: z.strictObject({ question: shortText(500), options: cutList(shortText(100), 4).optional() }),
  about: 'question',
  async prepare({ question, options = [] }, { callId, title }) {
    return {
      kind: 'session',
      title,
      call: { kind: 'question', callId, question: shortLine(question, 500) },
      options: options.map((option) => shortLine(option, 100)),
    }
  },
})

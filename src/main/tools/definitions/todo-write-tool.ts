import { z } from 'zod'
import { TodoList } from '../../../shared/domain/session/agent-plan.ts'
import { defineTool, shortLine, shortText } from '../defining/tool.ts'

export const todoWriteTool = defineTool({
  name: 'todo_write',
  args: z.strictObject({
    todos: z
      .array(z.strictObject({ text: shortText(100), done: z.boolean() }))
      .min(1)
      .max(20),
  }),
  about: 'todos',
  async prepare({ todos }, { callId, title }) {
    const list = todos.map(({ text, done }) => ({ text: shortLine(text, 100), isDone: done }))
    return {
      kind: 'session',
      title: title || (list.find((todo) => !todo.isDone) ?? list[0])?.text || '',
      call: { kind: 'todo', callId, todos: TodoList.parse(list) },
      options: [],
    }
  },
})

import { z } from 'zod'

/** The tools of a session. Source: `docs/decisions/sessions.md`, Tools. */
export const ToolName = z.enum([
  'read_file',
  'list_directory',
  'glob',
  'grep',
  'edit',
  'write_file',
  'delete_file',
  'move_file',
  'run_command',
  'command_output',
  'command_stop',
  'todo_write',
  'propose_plan',
  'submit_review',
  'ask_user',
])
export type ToolName = z.infer<typeof ToolName>

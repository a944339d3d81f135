import type { ToolName } from '../../../shared/domain/session/tool-name.ts'
import type { Tool } from '../defining/tool.ts'
import { askUserTool } from './ask-user-tool.ts'
import { commandOutputTool } from './command-output-tool.ts'
import { commandStopTool } from './command-stop-tool.ts'
import { deleteFileTool } from './delete-file-tool.ts'
import { editTool } from './edit-tool.ts'
import { exploreTool } from './explore-tool.ts'
import { globTool } from './glob-tool.ts'
import { grepTool } from './grep-tool.ts'
import { listDirectoryTool } from './list-directory-tool.ts'
import { mcpTool } from './mcp-tool.ts'
import { moveFileTool } from './move-file-tool.ts'
import { proposePlanTool } from './propose-plan-tool.ts'
import { readFileTool } from './read-file-tool.ts'
import { runCommandTool } from './run-command-tool.ts'
import { submitReviewTool } from './submit-review-tool.ts'
import { todoWriteTool } from './todo-write-tool.ts'
import { updateCourseTool } from './update-course-tool.ts'
import { webFetchTool } from './web-fetch-tool.ts'
import { writeFileTool } from './write-file-tool.ts'

/** Every tool of a session, by its name. */
export const allTools: Readonly<Record<ToolName, Tool>> = {
  ask_user: askUserTool,
  command_output: commandOutputTool,
  command_stop: commandStopTool,
  delete_file: deleteFileTool,
  edit: editTool,
  explore: exploreTool,
  glob: globTool,
  grep: grepTool,
  list_directory: listDirectoryTool,
  mcp: mcpTool,
  move_file: moveFileTool,
  propose_plan: proposePlanTool,
  read_file: readFileTool,
  run_command: runCommandTool,
  submit_review: submitReviewTool,
  todo_write: todoWriteTool,
  update_course: updateCourseTool,
  web_fetch: webFetchTool,
  write_file: writeFileTool,
}

export function toolNamed(name: string): Tool | undefined {
  return Object.values(allTools).find((tool) => tool.name === name)
}

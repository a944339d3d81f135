import { describe, expect, it } from 'vitest'
import { AgentMode } from '../../shared/domain/session/agent-step.ts'
import { ToolName, toolTraits } from '../../shared/domain/session/tool-name.ts'
import { classifyCall } from './forked-toolbox.ts'

const settings = { mode: 'ask', stopsAtFirstWrite: false } as const
const classOf = (tool: string, args: Record<string, unknown>) =>
  classifyCall({ tool, args, isReadOnly: false }, settings).action

describe('what a speculation does with a call', () => {
  it('is said for every tool, and nothing else is let through', () => {
    const known: Partial<Record<ToolName, string>> = {
      read_file: 'allow read',
      list_directory: 'allow read',
      explore: 'boundary asks',
      glob: 'allow read',
      grep: 'allow read',
      edit: 'redirect write',
      write_file: 'redirect write',
      delete_file: 'redirect write',
      move_file: 'redirect write',
      run_command: 'boundary shell',
      command_output: 'allow read',
      command_stop: 'boundary asks',
      todo_write: 'boundary asks',
      propose_plan: 'boundary asks',
      submit_review: 'boundary asks',
      ask_user: 'boundary asks',
      update_course: 'boundary asks',
      web_fetch: 'boundary unknown',
      mcp: 'boundary unknown',
    }
    const byAccess = {
      read: 'allow read',
      write: 'redirect write',
      run: 'boundary shell',
      session: 'boundary asks',
      web: 'boundary unknown',
      service: 'boundary unknown',
    }
    for (const tool of ToolName.options) {
      const args = Object.fromEntries(Object.keys(toolTraits[tool].paths).map((place) => [place, 'a']))
      const { action, kind } = classifyCall({ tool, args, isReadOnly: false }, settings)
      expect(`${action} ${kind}`, tool).toBe(known[tool] ?? byAccess[toolTraits[tool].access])
    }
    for (const tool of ['constructor', 'toString', 'READ_FILE', 'read_file ', '', 'mcp__x__read_file'])
      expect(classifyCall({ tool, args: {}, isReadOnly: true }, settings)).toEqual({
        action: 'boundary',
        kind: 'unknown',
      })
  })

  it('runs only commands that only read, and none beside it', () => {
    const command = (args: object, isReadOnly: boolean) =>
      classifyCall({ tool: 'run_command', args: { line: 'ls', ...args }, isReadOnly }, settings).action
    expect(command({}, true)).toBe('allow')
    expect(command({ background: false }, true)).toBe('allow')
    expect(command({ background: true }, true)).toBe('boundary')
    expect(command({}, false)).toBe('boundary')
  })

  it('redirects writes by the mode, and none without a place', () => {
    const inMode = (mode: AgentMode, stopsAtFirstWrite: boolean) =>
      classifyCall({ tool: 'edit', args: { path: 'a' }, isReadOnly: false }, { mode, stopsAtFirstWrite })
        .action
    expect(AgentMode.options.map((mode) => [mode, inMode(mode, false), inMode(mode, true)])).toEqual([
      ['plan', 'boundary', 'boundary'],
      ['ask', 'redirect', 'boundary'],
      ['auto-edit', 'redirect', 'redirect'],
      ['full', 'redirect', 'redirect'],
    ])
    expect(classOf('edit', { path: '' })).toBe('boundary')
    expect(classOf('write_file', { content: 'x' })).toBe('boundary')
    expect(classOf('delete_file', { path: ['a'] })).toBe('boundary')
    expect(classOf('move_file', { path: 'a' })).toBe('boundary')
    expect(classOf('move_file', { path: 'a', to: 'b' })).toBe('redirect')
  })
})

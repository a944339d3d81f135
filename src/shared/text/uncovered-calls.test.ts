import { expect, it } from 'vitest'
import { ItemMaker } from '../../../tests/fakes/window-host/session-fixtures.ts'
import { uncoveredCalls } from './uncovered-calls.ts'

const make = new ItemMaker()
const command = {
  kind: 'command',
  commandId: '',
  exitCode: 0,
  signal: null,
  durationMs: 1,
  isCut: false,
} as const

it('names the commands that could change files, each once', () => {
  const ran = (line: string, isReadOnly: boolean) =>
    make.call(1, 'run_command', line, { view: { ...command, line, end: 'exited', isReadOnly } })
  const items = [ran('git log', true), ran('fmt', false), ran('fmt', false), make.call(1, 'edit', 'a.ts')]
  expect(uncoveredCalls(items)).toEqual(['fmt'])
})

it('names the tools of MCP servers that were called, whose changes would else be passed over in silence', () => {
  const call = (title: string, change: Parameters<ItemMaker['call']>[3]) =>
    make.call(1, 'mcp', title, { name: `mcp__${title.replace('/', '__')}`, ...change })
  const items = [
    call('files/write', { state: 'done', view: { kind: 'text' } }),
    call('files/move', { state: 'failed', view: { kind: 'text' } }),
    call('files/copy', { state: 'running' }),
    call('files/link', { state: 'refused', outcome: 'interrupted' }),
    call('files/wipe', { state: 'refused', outcome: 'rejected' }),
    call('files/list', { state: 'asked' }),
  ]
  expect(uncoveredCalls(items)).toEqual(['files/write', 'files/move', 'files/copy', 'files/link'])
})

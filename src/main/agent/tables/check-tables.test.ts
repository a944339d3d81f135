import { describe, expect, it } from 'vitest'
import { errorTable, hostTable } from './agent-tables.ts'
import { tableProblems } from './check-tables.ts'
import type { TableRow } from './table-row.ts'

const rows = [...hostTable, ...errorTable]
const wrong: [TableRow, string][] = [
  [
    { id: 'x', causes: ['work.finished'], from: 'AWAITING_APPROVAL/U', to: 'EXECUTION/P work', actions: [] },
    'lets the model leave',
  ],
  [
    {
      id: 'x',
      causes: ['call.finished'],
      from: 'EXECUTION/P',
      to: 'EXECUTION/S none',
      when: 'is-busy',
      actions: [],
    },
    'no resting place',
  ],
  [
    { id: 'x', causes: ['error'], from: 'AWAITING_APPROVAL/P', to: 's/E none', actions: [] },
    'no session is ever there',
  ],
  [
    {
      id: 'x',
      causes: ['recover'],
      from: 'AWAITING_APPROVAL/U',
      to: 'PLANNING/P decision',
      actions: [{ type: 'use-recovery' }],
    },
    'without an end',
  ],
  [
    { id: 'x', causes: ['user.stop'], from: 'AWAITING_APPROVAL/U', to: 'EXECUTION/P work', actions: [] },
    'never gets here',
  ],
  [
    { id: 'error', causes: ['recover'], from: 'AWAITING_APPROVAL/U', to: 'unchanged', actions: [] },
    'its id is in use',
  ],
]

describe('the tables', () => {
  it('are sound', () => {
    expect(tableProblems()).toEqual([])
  })

  it.each(wrong)('would not start with %j', (row, problem) => {
    expect(tableProblems([...rows, row]).join()).toContain(problem)
  })
})

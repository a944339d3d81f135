import { expect, it } from 'vitest'
import { testCounts } from './test-counts.ts'

it.each([
  [' Test Files  2 passed (2)\n      Tests  54 passed (54)\n', { passed: 54, failed: 0 }],
  [
    ' Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 53 passed (54)\n',
    { passed: 53, failed: 1 },
  ],
  ['Test Suites: 1 passed, 1 total\nTests:       2 failed, 4 passed, 6 total\n', { passed: 4, failed: 2 }],
  ['===== 1 failed, 53 passed, 2 warnings in 0.12s =====\n', { passed: 53, failed: 1 }],
  ['12 passed in 0.01s', { passed: 12, failed: 0 }],
  ['  7 passing (9ms)\n  1 failing\n', { passed: 7, failed: 1 }],
  ['# tests 3\n# pass 2\n# fail 1\n', { passed: 2, failed: 1 }],
  ['test result: ok. 5 passed; 0 failed; 0 ignored\n', { passed: 5, failed: 0 }],
  ['All is well, 3 files changed.\n', null],
  ['', null],
])('reads %j as %j', (output, counts) => {
  expect(testCounts(output)).toEqual(counts)
})

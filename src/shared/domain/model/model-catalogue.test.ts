import { expect, it } from 'vitest'
import { misfitOf } from './model-catalogue.ts'

const model = { sizeBytes: 5_000, memoryBytes: 6_000 }
const machine = { memoryBytes: 8_000, freeDiskBytes: 3_000 }

it.each([
  ['absent', 0, true],
  ['fetching', 1_000, true],
  ['fetching', 2_500, false],
  ['paused', 2_500, false],
  // The whole file is on the disk already, however much of it was read for the check.
  ['checking', 0, false],
  ['ready', 0, false],
] as const)('says whether the disk has room for the rest: %s, %d bytes', (state, receivedBytes, disk) => {
  expect(misfitOf(model, { state, receivedBytes }, machine)).toEqual({ memory: false, disk })
})

import { expect, it } from 'vitest'
import { onFirstUse } from './first-use.ts'

it('makes nothing before its first use, and one thing for all of them', () => {
  let made = 0
  const thing = onFirstUse(() => ({ at: ++made }))
  expect(made).toBe(0)
  expect(thing()).toBe(thing())
  expect(made).toBe(1)
})

import { describe, expect, it } from 'vitest'
import { nodeVersionProblem } from './guard-node.ts'

describe('the Node guard', () => {
  it.each(['v20.20.2', 'v18.0.0', 'v21.7.3'])('explains %s', (version) => {
    expect(nodeVersionProblem(version)).toContain(version)
  })

  it.each(['v22.22.2', 'v24.21.0'])('lets %s pass', (version) => {
    expect(nodeVersionProblem(version)).toBeUndefined()
  })
})

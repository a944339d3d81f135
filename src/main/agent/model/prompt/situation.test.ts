import { describe, expect, it } from 'vitest'
import { prompts } from '../../../../../tests/fakes/agent-talk.ts'
import { newAgentState } from '../../../../shared/domain/session/agent-state.ts'
import { situationOf } from './situation.ts'

describe('the line of the session', () => {
  const session = { sessionId: 's-1', conversations: 12, updatedAt: Date.UTC(2026, 10, 23, 9, 5) }

  it.each([
    ['en', 'This session: s-1, 12 conversations so far, last update 2026-11-23T09:05Z'],
    ['ja', 'このセッション: s-1、これまでの会話 12 件、最後の更新 2026-11-23T09:05Z'],
  ] as const)('stands once, where everything is told: %s', (language, line) => {
    const { lines, once } = situationOf(newAgentState(), prompts[language].situation, [], session)
    expect(once.session).toBe(line)
    expect(Object.values(lines).join()).not.toContain('s-1')
  })

  it('is left out before the first conversation has ended', () => {
    expect(situationOf(newAgentState(), prompts.en.situation).once).not.toHaveProperty('session')
  })
})

import { describe, expect, it } from 'vitest'
import { fixtureSession, fixtureState } from '../../../tests/fakes/window-host/session-fixtures.ts'
import type { SessionState } from '../../shared/domain/session/session.ts'
import { createTranslate } from '../../shared/i18n/translate.ts'
import { positionText } from './position-words.ts'

const t = createTranslate('ja')
const said = (change: Partial<SessionState>, messages = 1) =>
  positionText(t, fixtureState(fixtureSession({ messages }), change))

describe('where a session stands, in words', () => {
  it('says once what it waits for', () => {
    const at = (step: SessionState['position']['step'], waiting: SessionState['position']['waiting']) =>
      said({ position: { step, status: 'REQUIRES_USER_INPUT', waiting } })
    expect(at('AWAITING_APPROVAL', 'gate')).toBe('承認待ち')
    expect(at('EXECUTION', 'gate')).toBe('実行 · 承認待ち')
    expect(at('PLANNING', 'answer')).toBe('計画 · 返事待ち')
    expect(at('REVIEW', 'none')).toBe('見直し · 返事待ち')
  })

  it('says what goes on, and that nothing has begun', () => {
    const activity = { phase: 'writing', progress: null, startedAt: 0 } as const
    expect(said({ activity })).toBe('計画 · 作業中')
    expect(said({ activity }, 0)).toBe('計画 · 作業中')
    expect(said({}, 0)).toBe('まだ始めていません')
  })
})

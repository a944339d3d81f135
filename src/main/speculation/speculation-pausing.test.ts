import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import type { SpeculationEvent } from '../../shared/domain/session/speculation.ts'
import { createSettingRepository } from '../store/app/setting-repository.ts'
import { openDatabase } from '../store/database/database.ts'
import { createSpeculationRepository } from '../store/sessions/speculation-repository.ts'
import { pausingBy } from './speculation-service.ts'

function opened() {
  const db = openDatabase(`${tempFolder()}/tsugi.db`)
  const events = createSpeculationRepository(db)
  const settings = createSettingRepository(db)
  let count = 0
  const add = (times: number, outcome: SpeculationEvent['outcome'], isFinished = true): void => {
    for (let index = 0; index < times; index++) {
      count += 1
      events.add({
        speculationId: `run ${count}`,
        suggestionId: '',
        sessionId: 's',
        at: count,
        depth: 0,
        modelName: '',
        outcome,
        reason: null,
        isFinished,
        boundary: outcome === 'boundary' ? 'shell' : null,
        turnsUsed: 2,
        filesWritten: 0,
        toolUseCount: 0,
        durationMs: 0,
        hadPipelinedSuggestion: false,
        refusedHunks: 0,
        promptTokens: 100,
        reusedTokens: 90,
        completionTokens: 5,
      })
    }
  }
  return { events, settings, add, pausing: pausingBy(events, settings) }
}

it('a run that a killed host has left ends as aborted, and one that was decided on stays as it is', () => {
  const { events, add } = opened()
  for (const outcome of ['running', 'completed', 'boundary', 'accepted', 'rejected'] as const) add(1, outcome)
  events.interruptLeftovers()
  expect(events.list({ limit: 9 }).events.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['rejected', null],
    ['accepted', null],
    ['aborted', 'interrupted'],
    ['aborted', 'interrupted'],
    ['aborted', 'interrupted'],
  ])
})

describe('a pause for too few acceptances', () => {
  it('begins below a fifth of the last twenty finished runs that were decided on, and not before twenty', () => {
    const { add, pausing } = opened()
    add(3, 'accepted')
    add(16, 'rejected')
    // Neither was ever seen to its end, nor decided on.
    add(30, 'aborted', false)
    add(5, 'completed')
    pausing.judge()
    expect(pausing.get()).toBeNull()
    add(1, 'aborted')
    pausing.judge()
    expect(pausing.get()).toEqual({ accepted: 3, finished: 20 })
  })

  it('does not begin at a fifth', () => {
    const { add, pausing } = opened()
    add(16, 'rejected')
    add(4, 'accepted')
    pausing.judge()
    expect(pausing.get()).toBeNull()
  })

  it('lasts over the end of the host, until the user resumes; then only newer runs count', () => {
    const { add, pausing, events, settings } = opened()
    add(20, 'rejected')
    pausing.judge()
    const next = pausingBy(events, settings)
    add(20, 'accepted')
    next.judge()
    expect(next.get()).toEqual({ accepted: 0, finished: 20 })
    next.resume()
    expect(next.get()).toBeNull()
    add(19, 'rejected')
    next.judge()
    expect(next.get()).toBeNull()
    add(1, 'rejected')
    next.judge()
    expect(next.get()).toEqual({ accepted: 0, finished: 20 })
  })
})

describe('the record of speculations', () => {
  it('is read newest first, summed up, and erased', () => {
    const { add, events } = opened()
    add(2, 'accepted')
    add(1, 'boundary')
    events.change('run 1', { outcome: 'rejected', reason: 'refused' })
    events.change('no such run', { outcome: 'accepted' })
    expect(events.list({ limit: 2 })).toMatchObject({
      events: [{ speculationId: 'run 3' }, { speculationId: 'run 2' }],
      hasMore: true,
    })
    expect(events.summary()).toEqual({
      started: 3,
      finished: 3,
      accepted: 1,
      outcomes: { rejected: 1, accepted: 1, boundary: 1 },
      boundaries: { shell: 1 },
      promptTokens: 300,
      reusedTokens: 270,
      completionTokens: 15,
    })
    events.erase()
    expect(events.list({ limit: 2 }).events).toEqual([])
  })
})

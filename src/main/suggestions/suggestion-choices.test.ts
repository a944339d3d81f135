import { describe, expect, it } from 'vitest'
import { dismissed, SuggestionStage, settled } from '../../../tests/fakes/rigs/suggestion-stage.ts'
import type { Tokenless } from './tokenless-suggestions.ts'

describe('several suggestions after one turn', () => {
  const tip: Tokenless = { text: 'run the tests', source: 'tip' }
  const option: Tokenless = { text: 'the second way', source: 'option' }

  async function offered(free: Tokenless[]): Promise<SuggestionStage> {
    const stage = new SuggestionStage()
    stage.free = free
    await stage.open()
    await stage.turn()
    return stage
  }
  const other = async (stage: SuggestionStage, step: 1 | -1): Promise<void> => {
    stage.coordinator.other(stage.last?.suggestionId ?? '', step)
    await settled()
  }
  const shown = ({ last }: SuggestionStage) => [last?.text, last?.place?.number, last?.place?.count]

  it('stand behind each other, the model’s own last, and each counts as shown once', async () => {
    const stage = await offered([tip, option, tip])
    expect(shown(stage)).toEqual([tip.text, 1, 3])
    await other(stage, 1)
    expect(shown(stage)).toEqual([option.text, 2, 3])
    expect(stage.signal).toBeUndefined()
    await other(stage, 1)
    expect(stage.last?.place?.isMaking).toBe(true)
    stage.answer('write the notes')
    await settled()
    expect(shown(stage)).toEqual(['write the notes', 3, 3])
    await other(stage, 1)
    expect(shown(stage)).toEqual([tip.text, 1, 3])
    await other(stage, -1)
    expect(shown(stage)).toEqual(['write the notes', 3, 3])
    expect([...stage.recorded.values()].map(({ source }) => source)).toEqual(['tip', 'option', 'model'])
  })

  it('follow two presses of a window that has not heard of the first one yet', async () => {
    const todo: Tokenless = { text: 'write the notes', source: 'todo' }
    const stage = await offered([tip, option, todo])
    const first = stage.last?.suggestionId ?? ''
    stage.coordinator.other(first, -1)
    stage.coordinator.other(first, -1)
    await settled()
    expect(shown(stage)).toEqual([option.text, 2, 3])
  })

  it('are fewer where the model says the same or nothing', async () => {
    const stage = await offered([tip])
    await other(stage, 1)
    stage.answer(tip.text)
    await settled()
    expect(stage.last).toEqual({ suggestionId: 'id1', text: tip.text, source: 'tip', suppressed: null })
    expect(stage.reasons('suppressed')).toEqual(['repeated'])
  })

  it('end with the one that is taken, and what is no longer there turns to nothing', async () => {
    const stage = await offered([tip, option])
    const first = stage.last?.suggestionId ?? ''
    await other(stage, 1)
    const second = stage.last?.suggestionId ?? ''
    const accepted = {
      outcome: 'accepted',
      method: 'tab',
      timeMs: 1,
      firstKeystrokeMs: null,
      wasFocused: true,
    } as const
    expect(stage.coordinator.outcome(first, accepted)).toBe(false)
    expect(stage.coordinator.outcome(second, accepted)).toBe(true)
    await settled()
    expect(stage.last?.text).toBeNull()
    expect(stage.reads[0]?.signal.aborted).toBe(true)
    stage.coordinator.other(second, 1)
    await settled()
    expect(stage.last?.text).toBeNull()
  })

  it.each(['accepted', 'ignored'] as const)(
    'have a run for the first alone, which goes on while another is shown and ends where that is %s',
    async (outcome) => {
      const stage = new SuggestionStage(true)
      stage.free = [tip, option]
      await stage.open()
      await stage.turn()
      expect(stage.speculated.splice(0).at(-1)).toBe(`offered: ${tip.text}`)
      await other(stage, 1)
      await other(stage, -1)
      await other(stage, 1)
      expect(stage.last?.text).toBe(option.text)
      expect([stage.speculated, stage.reads]).toEqual([[], []])
      const method = outcome === 'accepted' ? 'tab' : null
      stage.coordinator.outcome(stage.last?.suggestionId ?? '', { ...dismissed, outcome, method })
      await settled()
      expect(stage.speculated).toEqual(['withdrawn: ignored'])
    },
  )

  it('take the model’s own away with the others, where a turn begins meanwhile', async () => {
    const stage = await offered([tip])
    await other(stage, 1)
    stage.isWorking = true
    stage.coordinator.revalidate()
    stage.answer('too late')
    await settled()
    expect(stage.last?.text).toBeNull()
    expect(stage.reasons('aborted')).toContain('run_active')
  })
})

import { describe, expect, it } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { noGhost, SuggestionController } from './suggestion-controller.ts'

function rig() {
  const clock = manualClock()
  const log: unknown[] = []
  const failures: unknown[] = []
  const controller = new SuggestionController({
    clock,
    onState: ({ suggestion }) => log.push(suggestion),
    onOutcome: ({ outcome, timeMs, length }) => log.push(`${outcome} ${timeMs} ${length}`),
    onAccept(text) {
      log.push(`took ${text}`)
      if (text === 'bad one') throw new Error('no')
    },
    onFailure: (error) => failures.push(error),
  })
  return { clock, log, failures, controller }
}

describe('the ghost of a suggestion', () => {
  it('is visible after 300 ms and takes its outcome once', async () => {
    const { clock, log, controller } = rig()
    controller.set('は👨‍👩‍👧い')
    await clock.advance(299)
    expect(controller.accept('tab')).toBe(false)
    controller.set('は👨‍👩‍👧い')
    await clock.advance(300)
    await clock.advance(40)
    expect([controller.accept('tab'), controller.accept('tab')]).toEqual([true, false])
    await Promise.resolve()
    controller.dismiss()
    expect(log).toEqual(['は👨‍👩‍👧い', 'accepted 40 3', null, 'took は👨‍👩‍👧い'])
  })

  it('never appears under a key that was meant for something else', async () => {
    const { clock, log, controller } = rig()
    controller.set('run it')
    await clock.advance(200)
    controller.accept('enter')
    await clock.advance(1_000)
    expect(log).toEqual([])
  })

  it('is not there while switched off, and a failing taker does not lock it', async () => {
    const { clock, log, failures, controller } = rig()
    controller.set('bad one')
    await clock.advance(300)
    controller.accept('right')
    await clock.advance(100)
    expect(failures).toHaveLength(1)
    controller.enable(false)
    controller.set('not seen')
    await clock.advance(300)
    controller.enable(true)
    controller.set('seen again')
    await clock.advance(300)
    expect(controller.accept('tab', { skipOnAccept: true })).toBe(true)
    expect(log).toEqual([
      'bad one',
      'accepted 0 7',
      null,
      'took bad one',
      null,
      'seen again',
      'accepted 0 10',
      null,
    ])
  })

  it('leaves no timer behind, and its beginning cannot be changed', async () => {
    const { clock, controller } = rig()
    controller.set('run it')
    controller.cleanup()
    controller.set('run it')
    expect(clock.pending).toBe(0)
    expect(Object.isFrozen(noGhost)).toBe(true)
    expect(controller.state).toBe(noGhost)
  })
})

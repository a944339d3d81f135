import { describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../../tests/fakes/eventually.ts'
import { type Play, type Stage, setStage } from '../../../../tests/fakes/sessions/runner-stage.ts'
import { AppError } from '../../../shared/errors.ts'

const forever = new Promise<void>(() => undefined)
const said = (stage: Stage): string[] =>
  stage.session.page({ limit: 200 }).items.flatMap((item) => (item.kind === 'answer' ? item.text : []))

/** A session that writes without an end, with a message that waits for it. */
async function working(...next: Play[]): Promise<Stage> {
  const stage = setStage()
  stage.play({}, { say: ['one'], until: forever }, ...next)
  stage.say('first')
  stage.session.enqueue({ messageId: 'q', segments: [{ kind: 'text', text: 'second' }] })
  await eventually(() => expect(said(stage)).toEqual(['one']))
  return stage
}

describe('a message that waits when the user stops what runs', () => {
  it('goes on waiting, and the window is told so', async () => {
    const stage = await working()
    expect(stage.session.view().isQueueHeld).toBe(false)
    stage.runner.stop()
    await stage.idle()
    expect(said(stage)).toEqual(['one'])
    expect(stage.session.view()).toMatchObject({
      isQueueHeld: true,
      queue: [{ messageId: 'q' }],
      activity: null,
    })
  })

  it('is sent when the user says so', async () => {
    const stage = await working({}, { say: ['two'] })
    stage.runner.stop()
    await stage.idle()
    stage.runner.sendQueued()
    await stage.idle()
    expect(said(stage)).toEqual(['one', 'two'])
    expect(stage.session.view()).toMatchObject({ isQueueHeld: false, queue: [] })
  })

  it('follows the next message of the user', async () => {
    const stage = await working({}, { say: ['three'] }, {}, { say: ['two'] })
    stage.runner.stop()
    await stage.idle()
    stage.say('third')
    await stage.idle()
    expect(said(stage)).toEqual(['one', 'three', 'two'])
    expect(stage.session.queue).toEqual([])
  })

  it('does not begin because of something else that ends', async () => {
    const stage = await working({ say: ['beside'] })
    stage.runner.stop()
    await stage.idle()
    stage.runner.beside([{ kind: 'text', text: 'a question' }])
    stage.runner.dispatch({ type: 'user.mode', mode: 'plan' })
    await stage.idle()
    expect(said(stage)).toEqual(['one', 'beside'])
    expect(stage.session.queue).toHaveLength(1)
  })

  it('outlasts the host, and waits in the next one for the user', async () => {
    const stage = await working()
    const later = stage.reopen()
    expect(later.session.view()).toMatchObject({
      isQueueHeld: true,
      queue: [{ messageId: 'q', segments: [{ kind: 'text', text: 'second' }] }],
    })
    await later.runner.resume(() => Promise.resolve([]))
    expect(said(later)).not.toContain('two')
    later.play({}, { say: ['two'] })
    later.runner.sendQueued()
    await later.idle()
    expect(said(later)).toContain('two')
    expect(later.session.queue).toEqual([])
    expect(stage.reopen().session.view()).toMatchObject({ isQueueHeld: false, queue: [] })
  })
})

describe('a message that has waited, while what it attaches is read', () => {
  /** A session whose first turn has ended, and whose queued message is read until `go` is called. */
  async function reading(...next: Play[]) {
    let go = (): void => undefined
    let isRead = false
    const until = new Promise<void>((resolve) => {
      go = resolve
    })
    const submit = async () => {
      isRead = true
      await until
      return []
    }
    const stage = setStage({ parts: { submit } })
    stage.play({}, { say: ['one'] }, ...next)
    stage.say('first')
    stage.session.enqueue({ messageId: 'q', segments: [{ kind: 'text', text: 'second' }] })
    await eventually(() => expect(isRead).toBe(true))
    return { stage, go }
  }

  it('is not sent where the user stops', async () => {
    const { stage, go } = await reading()
    stage.runner.stop()
    go()
    await stage.idle()
    expect(said(stage)).toEqual(['one'])
    expect(stage.session.view()).toMatchObject({
      isQueueHeld: true,
      queue: [{ messageId: 'q' }],
      activity: null,
    })
    expect(stage.logged).toEqual([])
  })

  it('is not sent where the user takes it back', async () => {
    const { stage, go } = await reading()
    expect(stage.session.dequeue('q')?.segments).toEqual([{ kind: 'text', text: 'second' }])
    go()
    await stage.idle()
    expect(said(stage)).toEqual(['one'])
    expect(stage.session.view()).toMatchObject({ queue: [], activity: null })
  })

  it('follows a message that the user sends at once, and does not end its turn', async () => {
    const { stage, go } = await reading({}, { say: ['three'] }, {}, { say: ['two'] })
    stage.say('third', 'steer')
    go()
    await stage.idle()
    expect(said(stage)).toEqual(['one', 'three', 'two'])
    expect(stage.session.queue).toEqual([])
  })

  it('waits in the next host where this one ends', async () => {
    const { stage, go } = await reading()
    const closing = stage.runner.close()
    go()
    await closing
    expect(stage.reopen().session.view()).toMatchObject({ isQueueHeld: true, queue: [{ messageId: 'q' }] })
    expect(stage.logged).toEqual([])
  })
})

describe('a message whose turn cannot be stored', () => {
  it('waits until the user sends it, and is lost nowhere', async () => {
    const stage = await working({}, { say: ['two'] })
    stage.runner.stop()
    await stage.idle()
    const full = vi.spyOn(stage.session, 'startTurn').mockImplementation(() => {
      throw new AppError({ code: 'file/disk-full', path: '' })
    })
    stage.runner.sendQueued()
    await stage.idle()
    expect(stage.session.view()).toMatchObject({ isQueueHeld: true, queue: [{ messageId: 'q' }] })
    expect(stage.session.page({ limit: 1 }).items).toMatchObject([{ kind: 'error', failure: 'disk-full' }])
    full.mockRestore()
    stage.runner.sendQueued()
    await stage.idle()
    expect(said(stage)).toEqual(['one', 'two'])
    expect(stage.session.queue).toEqual([])
  })
})

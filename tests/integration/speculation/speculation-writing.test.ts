import { expect, it } from 'vitest'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { longAnswer, type Thought, workIn } from '../../fakes/sessions/scripted-mind.ts'
import type { SessionHost } from '../../fakes/sessions/session-host.ts'
import { openRoom, type SpeculationRoom } from '../../fakes/sessions/speculation-room.ts'
import { requestsOf } from '../../fakes/sessions/suggestion-watch.ts'

const context = { signal: new AbortController().signal }
/** What takes longer than the notes are written. */
const slow: Thought = { text: 'word '.repeat(40), tokenMs: 10 }
const long = [workIn('PLANNING'), { say: 'I look.' }, longAnswer]

/** Writes into the session's message box, as a window tells it. */
function write({ app, workId, sessionId }: SessionHost, text: string) {
  const segments = text === '' ? [] : [{ kind: 'text' as const, text }]
  return app.api['unsent.keep']({ workId, message: { sessionId, about: null, segments } }, context)
}

async function playedRequests({ host }: SpeculationRoom): Promise<number> {
  return (await requestsOf(host)).filter(({ purpose }) => purpose === 'speculation').length
}

it('text written before the start keeps the run from beginning, until the box is empty', async () => {
  const room = await openRoom(long, {
    prepare: async (host) => void (await write(host, 'wait')),
  })
  const { host, speculations, ghosts } = room
  await ghosts.shown()
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(await playedRequests(room)).toBe(0)
  await write(host, '')
  await speculations.becomes({ phase: 'running' })
  expect(await speculations.events()).toHaveLength(1)
})

it('text written while the run is being prepared keeps it from beginning, until the box is empty', async () => {
  const atFolder = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const disk = {
    ...nodeDisk,
    async makeFolder(path: string, mode?: number) {
      if (path.endsWith('bytes')) {
        atFolder.resolve()
        await held.promise
      }
      await nodeDisk.makeFolder(path, mode)
    },
  }
  const room = await openRoom(long, { disk })
  const { host, speculations } = room
  await atFolder.promise
  await write(host, 'wait')
  held.resolve()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect([await playedRequests(room), await speculations.events()]).toEqual([0, []])
  await write(host, '')
  await speculations.becomes({ phase: 'running' })
  expect(await speculations.events()).toHaveLength(1)
})

it('text written while the run goes on ends it with its request; it begins anew once the box is empty', async () => {
  const room = await openRoom([...long, ...long])
  const { host, speculations, llama } = room
  const { speculationId } = await speculations.becomes({ phase: 'running', turns: 2 })
  await expect.poll(() => llama.pendingCount).toBe(1)
  await write(host, 'wait')
  expect(await speculations.gone()).toBe('typed')
  await expect.poll(() => llama.pendingCount).toBe(0)
  expect(await speculations.events()).toMatchObject([{ speculationId, outcome: 'aborted', reason: 'typed' }])
  await write(host, '')
  const again = await speculations.becomes({ phase: 'running' })
  expect(again.speculationId).not.toBe(speculationId)
})

it('the beginning of the suggestion, and a note that answers something else, end nothing', async () => {
  const room = await openRoom([workIn('PLANNING'), slow, { decide: {} }, { say: 'Done.' }])
  const { host, speculations } = room
  const { speculationId } = await speculations.becomes({ phase: 'running' })
  for (const text of ['u', 'use port', 'use port two', '  ', '']) await write(host, text)
  const { app, workId, sessionId } = host
  const segments = [{ kind: 'text' as const, text: 'wait' }]
  await app.api['unsent.keep']({ workId, message: { sessionId, about: 'a call', segments } }, context)
  await app.api['unsent.keep']({ workId, message: { sessionId: null, about: null, segments } }, context)
  await speculations.becomes({ phase: 'completed', speculationId })
})

it('the beginning of the suggestion in the box lets the run begin', async () => {
  const prepare = async (host: SessionHost) => void (await write(host, 'use '))
  const { speculations } = await openRoom(long, { prepare })
  await speculations.becomes({ phase: 'running' })
})

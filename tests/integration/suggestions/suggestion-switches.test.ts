import { afterEach, describe, expect, it } from 'vitest'
import type { SuggestionState } from '../../../src/shared/domain/session/suggestion.ts'
import type { WorkSettingsPatch } from '../../../src/shared/domain/work/work-settings.ts'
import { scriptedMind, type Thought } from '../../fakes/sessions/scripted-mind.ts'
import { createSessionHost, type SessionHost } from '../../fakes/sessions/session-host.ts'

const context = { signal: new AbortController().signal }
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const reply = (text: string): Thought[] => [{ decide: {} }, { say: text }]

/** A session whose next message is predicted, in a window that watches. */
async function opened() {
  const mind = scriptedMind(...reply('One.'), ...reply('Two.'), ...reply('Three.'))
  let predictions = 0
  const session = await createSessionHost({
    language: 'en',
    answer: (request) => {
      if (!JSON.stringify(request.messages?.at(-1) ?? '').includes('SUGGESTION MODE'))
        return mind.answer(request)
      predictions += 1
      return { text: 'run the tests' }
    },
  })
  closing.push(() => session.close())
  // Not every request of the model: what was predicted is read in advance at some moment after it was shown.
  return { ...session, predictions: () => predictions }
}

async function chooseForFolder({ app, workId }: SessionHost, patch: WorkSettingsPatch): Promise<void> {
  await app.api['work.updateSettings']({ workId, patch }, context)
}

async function chooseForApp({ app }: SessionHost, isOn: boolean): Promise<void> {
  await app.api['settings.update']({ patch: { enableFollowupSuggestions: isOn } }, context)
}

async function turn(session: SessionHost, message: string): Promise<void> {
  await session.say(message)
  await session.rest()
}

function watching({ app, sessionId }: SessionHost) {
  const end = new AbortController()
  let last: SuggestionState | undefined
  const reading = (async () => {
    for await (const state of app.api['suggestion.watch']({ sessionId, isAttended: true }, end)) last = state
  })()
  closing.push(async () => {
    end.abort()
    await reading
  })
  return (wanted: Partial<SuggestionState>) => expect.poll(() => last).toMatchObject(wanted)
}

describe('the switches of suggestions', () => {
  it('of the folder win over the app’s, at once and in an open session', async () => {
    const session = await opened()
    const becomes = watching(session)
    await turn(session, 'tell me about the cat')
    await turn(session, 'and now the dog')
    await becomes({ text: 'run the tests' })
    expect(session.predictions()).toBe(1)

    await chooseForFolder(session, { enableFollowupSuggestions: false })
    await becomes({ text: null, suppressed: 'setting_off' })
    await turn(session, 'and the bird')
    await becomes({ suppressed: 'setting_off' })
    expect(session.predictions()).toBe(1)
    expect(session.llama.counts.generations.length).toBeGreaterThanOrEqual(7)
  })

  it('of the folder turn on what the app has off', async () => {
    const session = await opened()
    await chooseForApp(session, false)
    await chooseForFolder(session, { enableFollowupSuggestions: true })
    const becomes = watching(session)
    await turn(session, 'tell me about the cat')
    await turn(session, 'and now the dog')
    await becomes({ text: 'run the tests' })
    await chooseForFolder(session, { enableFollowupSuggestions: null })
    await becomes({ text: null, suppressed: 'setting_off' })
  })

  it('let a folder keep its cache to itself', async () => {
    const session = await opened()
    await chooseForFolder(session, { enableCacheSharing: false })
    const becomes = watching(session)
    await turn(session, 'tell me about the cat')
    await turn(session, 'and now the dog')
    await becomes({ text: null, suppressed: 'cache_sharing_off' })
    expect(session.predictions()).toBe(0)
    expect(session.llama.counts.generations).toHaveLength(4)
  })

  it('of a folder that is not open are refused', async () => {
    const { app } = await opened()
    const patch = { enableFollowupSuggestions: false }
    await expect(app.api['work.updateSettings']({ workId: 'nowhere', patch }, context)).rejects.toMatchObject(
      {
        info: { code: 'work/not-open' },
      },
    )
  })
})

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CourseEdit } from '../../../src/shared/domain/session/agent-course.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { calls, isForSuggestion, type Thought } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, scriptedHost } from '../../fakes/sessions/session-host.ts'

const context = { signal: new AbortController().signal }

const write = (path: string, content: string): Thought =>
  calls(['write_file', { path, content, reason: 'r' }])

/** Patterns that the conversation has proposed to remember. */
async function proposed(session: SessionHost): Promise<string[]> {
  return (await session.items()).flatMap((item) =>
    item.kind === 'notice' && item.notice.kind === 'pattern-proposed' ? item.notice.pattern : [],
  )
}

async function edit(session: SessionHost, courseEdit: CourseEdit): Promise<void> {
  const { sessionId } = session
  await session.app.api['session.editCourse']({ sessionId, edit: courseEdit }, context)
}

/** The last request of the conversation itself. */
function lastAsked({ llama }: SessionHost): string {
  const bodies = llama.requests
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => body as Parameters<typeof isForSuggestion>[0] & { max_tokens?: number })
  return JSON.stringify(bodies.findLast((body) => !isForSuggestion(body) && body.max_tokens !== 1)?.messages)
}

describe('what the user corrects three times', () => {
  it('is proposed from the reasons of refusals, and told to the model only once it is remembered', async () => {
    const session = await scriptedHost([], { decideFirst: 'auto' })
    const reasons = ['Use tabs', 'use tabs.', 'No jokes', 'USE TABS', 'use tabs', 'no jokes', 'no jokes!']
    const seen: string[][] = []
    for (const [at, reason] of reasons.entries()) {
      session.mind.think(write(`${at}.txt`, 'x\n'), { say: 'I leave it.' })
      await session.say(`write ${at}`)
      await session.rest()
      await session.answer('refuse', { reason })
      const state = await session.rest()
      seen.push(state.proposedPatterns)
      expect(state.learnedPatterns).toEqual([])
    }
    expect(seen.slice(0, 4)).toEqual([[], [], [], ['USE TABS']])
    expect(seen.at(-1)).toEqual(['USE TABS', 'no jokes!'])
    expect(await proposed(session)).toEqual(['USE TABS', 'no jokes!'])
    expect(lastAsked(session)).not.toContain('To remember')

    await edit(session, { kind: 'learn', pattern: 'USE TABS' })
    await edit(session, { kind: 'decline', pattern: 'no jokes!' })
    session.mind.think({ say: 'Hello.' })
    await session.say('hello')
    const state = await session.rest()
    expect(state).toMatchObject({ learnedPatterns: ['USE TABS'], proposedPatterns: [] })
    expect(lastAsked(session)).toContain('To remember:\\n- USE TABS')
    expect(lastAsked(session)).not.toContain('- no jokes!')

    // What was declined stays declined, also after the host has started anew.
    const again = Object.assign(await session.restart(), { mind: session.mind })
    session.mind.think(write('last.txt', 'x\n'), { say: 'I leave it.' })
    await again.say('write the last one')
    await again.rest()
    await again.answer('refuse', { reason: 'No jokes' })
    expect(await again.rest()).toMatchObject({ learnedPatterns: ['USE TABS'], proposedPatterns: [] })
    expect(await proposed(again)).toHaveLength(2)
    await again.close()
  })

  it('is counted over all sessions of a folder, also while they are open at the same time', async () => {
    const one = await scriptedHost([], { decideFirst: 'auto' })
    const other = await one.open({ root: one.root })
    const elsewhere = await one.open({ root: tempFolder() })
    const release = new AbortController()
    for (const { sessionId } of [one, other, elsewhere]) {
      // A window looks at each of them all the time.
      const events = one.app.api['session.watch']({ sessionId }, { signal: release.signal })
      void (async () => {
        for await (const _ of events);
      })().catch(() => undefined)
    }
    const places = [one, other, one]
    const seen: string[][] = []
    for (const [at, session] of places.entries()) {
      one.mind.think(write(`${at}.txt`, 'x\n'), { say: 'I leave it.' })
      await session.say(`write ${at}`)
      await session.rest()
      await session.answer('refuse', { reason: 'Use tabs' })
      seen.push((await session.rest()).proposedPatterns)
    }
    expect(seen).toEqual([[], [], ['Use tabs']])
    expect((await other.state()).proposedPatterns).toEqual(['Use tabs'])
    expect((await elsewhere.state()).proposedPatterns).toEqual([])

    // What one session is taught, the others know at once.
    await one.app.api['session.editCourse'](
      { sessionId: other.sessionId, edit: { kind: 'learn', pattern: 'Use tabs' } },
      context,
    )
    expect(await one.state()).toMatchObject({ learnedPatterns: ['Use tabs'], proposedPatterns: [] })
    one.mind.think({ say: 'Hello.' })
    await one.say('hello')
    await one.rest()
    expect(lastAsked(one)).toContain('To remember:\\n- Use tabs')
    release.abort()
  })

  it('is proposed from words that they replace in what was written, in Japanese as in English', async () => {
    const session = await scriptedHost([], { decideFirst: 'auto', language: 'ja' })
    for (const at of [1, 2, 3, 4]) {
      const path = `${at}.txt`
      session.mind.think(write(path, `僕は扉を${at}回叩いた。\n返事はなかった。\n`), { say: '書きました。' })
      await session.say(`場面${at}を書いて`)
      await session.approveAll()
      expect(await proposed(session)).toEqual(at < 4 ? [] : ['「僕」ではなく「私」と書く。'])
      const text = readFileSync(join(session.root, path), 'utf8')
      writeFileSync(join(session.root, path), text.replace('僕', '私'))
    }
    const other = await session.app.api['session.create']({ workId: await workOf(session) }, context)
    const { signal } = new AbortController()
    for await (const event of session.app.api['session.watch'](
      { sessionId: other.session.sessionId },
      { signal },
    )) {
      expect(event.type === 'snapshot' && event.state.proposedPatterns).toEqual([
        '「僕」ではなく「私」と書く。',
      ])
      break
    }
  })
})

async function workOf({ app, sessionId }: SessionHost): Promise<string> {
  const { signal } = new AbortController()
  for await (const event of app.api['session.watch']({ sessionId }, { signal }))
    if (event.type === 'snapshot') return event.state.session.workId
  throw new Error('no such session')
}

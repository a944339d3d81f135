/** The demo for new users without a model: its script in a whole session, with real tools and gates. */
import { readdirSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { fastClock } from '../../fakes/fast-clock.ts'
import { openTestApp, type SessionPlayer } from '../../fakes/sessions/session-host.ts'
import { storedSession } from '../../fakes/sessions/stored-session.ts'

const asked = {
  ja: { question: 'この作品は何についてですか？', change: 'メモを作ってください' },
  en: { question: 'What is this book about?', change: 'Please make a note' },
}

describe.each(['ja', 'en'] as const)('the demo in a session, %s', (language) => {
  const { question, change } = asked[language]

  it('answers a question without touching anything', async () => {
    const session = await demoSession(language)
    await session.say(question)
    const { position } = await session.rest()
    const items = await session.items()
    expect(callsIn(items)).toEqual([])
    expect(repliesIn(items)[0]).toContain(question)
    expect(repliesIn(items)[0]).toMatch(/AI/)
    expect(position).toMatchObject({ step: 'PLANNING', status: 'SUCCESS' })
    expectSound(session, items)
  })

  it('plans, edits behind gates, looks, reviews, and is done; twice in one folder', async () => {
    const session = await demoSession(language)
    await session.say(question)
    await session.rest()
    await session.say(change)
    await session.approveAll()
    const items = await session.items()
    expect(callsIn(items)).toEqual([
      'list_directory: done',
      'propose_plan: accepted',
      'write_file: done',
      'edit: done',
      'edit: done',
      'list_directory: done',
      'read_file: done',
      'submit_review: accepted',
    ])
    const gates = items.flatMap((item) =>
      item.kind === 'gate' ? [item.gate.calls.map(({ tool }) => tool)] : [],
    )
    expect(gates).toEqual([['write_file'], ['edit', 'edit']])
    expect(session.read('tsugi-demo.md')).toContain(change)
    const { state } = storedSession(session.dataDir, session.sessionId)
    expect(state).toMatchObject({ step: 'PLANNING', status: 'SUCCESS', plan: null, course: { goal: change } })

    await session.say(`${change} 2`)
    expect((await session.approveAll()).position.status).toBe('SUCCESS')
    expect(session.read('tsugi-demo-2.md')).toContain(`${change} 2`)
    const decisions = (await session.items()).filter(({ kind }) => kind === 'decision')
    expect(decisions).toHaveLength(5)
    expectSound(session, await session.items())
  })

  it('leaves out what was refused, and takes the next request', async () => {
    const session = await demoSession(language)
    await session.say(change)
    for (let state = await session.rest(); state.openGates.length > 0; state = await session.rest())
      await session.answer('refuse', { reason: 'not now' })
    expect(callsIn(await session.items())).toContain('write_file: rejected')
    expect(repliesIn(await session.items())).toHaveLength(1)
    expect(readdirSync(session.root)).toEqual(['chapter.txt'])
    await session.say(question)
    await session.rest()
    expect(repliesIn(await session.items())[1]).toContain(question)
    expectSound(session, await session.items())
  })
})

async function demoSession(language: 'ja' | 'en'): Promise<SessionPlayer & { dataDir: string }> {
  const dataDir = tempFolder()
  const model = { backend: 'demo', language } as const
  const opened = await openTestApp({ dataDir, language, model, clock: fastClock(100) })
  onTestFinished(() => opened.app.close())
  const player = await opened.open({ root: tempFolder(), files: { 'chapter.txt': 'Once.\n' } })
  return { ...player, dataDir }
}

/** Expects that each answer fitted its schema: no repeated request, no repair, no error. */
function expectSound({ bugs }: SessionPlayer, items: readonly SessionItem[]): void {
  expect(bugs).toEqual([])
  const unsound = items.filter(
    (item) => item.kind === 'error' || (item.kind === 'decision' && item.isRepaired),
  )
  expect(unsound).toEqual([])
}

const callsIn = (items: readonly SessionItem[]): string[] =>
  items.flatMap((item) => (item.kind === 'call' ? [`${item.name}: ${item.outcome ?? item.state}`] : []))

const repliesIn = (items: readonly SessionItem[]): string[] =>
  items.flatMap((item) => (item.kind === 'answer' && item.purpose === 'reply' ? [item.text] : []))

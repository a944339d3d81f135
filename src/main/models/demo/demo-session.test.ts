import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AgentTalk, activeModel } from '../../../../tests/fakes/agent-talk.ts'
import { templatePack } from '../../../../tests/fakes/fake-draft.ts'
import { type Consent, PlayedSession } from '../../../../tests/fakes/played-session.ts'
import { toolRig } from '../../../../tests/fakes/tool-rig.ts'
import { decisionSchema } from '../../agent/decision/decision-format.ts'
import { systemClock } from '../../platform/clock.ts'
import type { ChatRequest } from '../client/model-client.ts'
import { DemoClient, DemoScript } from './demo-client.ts'

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0]

/** The demo, looked at: whatever is constrained must be what its schema takes. */
class CheckedDemo extends DemoClient {
  checked = 0

  override async *chat(request: ChatRequest, signal: AbortSignal) {
    let text = ''
    for await (const event of super.chat(request, signal)) {
      if (event.type === 'text') text += event.text
      yield event
    }
    if (request.constraint?.kind !== 'json-schema') return
    this.checked += 1
    const schema = z.fromJSONSchema(request.constraint.schema as JsonSchema)
    expect(schema.safeParse(JSON.parse(text)).error).toBeUndefined()
  }
}

async function demoSession(language: 'ja' | 'en', consent?: Consent) {
  const file = new URL(`../../../../resources/demo/${language}.json`, import.meta.url)
  const script = DemoScript.parse(JSON.parse(readFileSync(file, 'utf8')))
  const template = templatePack('plain')
  const client = new CheckedDemo(
    { clock: systemClock },
    { scripts: { ja: script, en: script }, language, template, contextTokens: undefined, tokenMs: 0 },
  )
  const rig = await toolRig({ language })
  rig.write('chapter.txt', 'Once.\n')
  const talk = new AgentTalk(activeModel(client, 'demo'), { toolbox: rig.toolbox })
  talk.language = language
  return { client, rig, talk, session: new PlayedSession(talk, rig, consent) }
}

const asked = {
  ja: { question: 'この作品は何についてですか？', change: 'メモを作ってください' },
  en: { question: 'What is this book about?', change: 'Please make a note' },
}

describe.each(['ja', 'en'] as const)('the demo in a session, %s', (language) => {
  it('answers a question without touching anything', async () => {
    const { session, talk } = await demoSession(language)
    await session.say(asked[language].question)
    expect(session.calls).toEqual([])
    expect(session.replies[0]).toContain(asked[language].question)
    expect(session.replies[0]).toMatch(/AI/)
    expect(talk.state).toMatchObject({ step: 'PLANNING', status: 'SUCCESS' })
  })

  it('plans, edits behind gates, looks, reviews, and is done; twice in one folder', async () => {
    const gates: string[][] = []
    const { session, talk, rig, client } = await demoSession(language, (tools) => gates.push(tools) > 0)
    await session.say(asked[language].question)
    await session.say(asked[language].change)
    expect(session.calls).toEqual([
      'list_directory: ok',
      'propose_plan: accepted',
      'write_file: ok',
      'edit: ok',
      'edit: ok',
      'list_directory: ok',
      'read_file: ok',
      'submit_review: accepted',
    ])
    expect(gates).toEqual([['write_file'], ['edit', 'edit']])
    expect(rig.text('tsugi-demo.md')).toContain(asked[language].change)
    expect(talk.state).toMatchObject({ step: 'PLANNING', status: 'SUCCESS', plan: null })
    expect(talk.state.course.goal).toBe(asked[language].change)

    await session.say(`${asked[language].change} 2`)
    expect(rig.text('tsugi-demo-2.md')).toContain(`${asked[language].change} 2`)
    expect(talk.state.status).toBe('SUCCESS')
    expect(client.checked).toBeGreaterThan(15)
  })

  it('leaves out what was refused, and takes the next request', async () => {
    const { session, rig } = await demoSession(language, () => false)
    await session.say(asked[language].change)
    expect(session.calls).toContain('write_file: rejected')
    expect(session.replies).toHaveLength(1)
    expect(() => rig.text('tsugi-demo.md')).toThrow()
    await session.say(asked[language].question)
    expect(session.replies[1]).toContain(asked[language].question)
  })
})

describe('the demo’s decision', () => {
  it('is what the schema of decisions takes', async () => {
    const { session } = await demoSession('en')
    await session.say('Please make a note')
    const schema = z.fromJSONSchema(decisionSchema as JsonSchema)
    for (const decision of session.decisions) expect(schema.safeParse(decision).error).toBeUndefined()
  })
})

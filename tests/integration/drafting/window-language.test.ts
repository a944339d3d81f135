import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { eventually } from '../../fakes/eventually.ts'
import { openTestApp, type TestApp } from '../../fakes/sessions/session-host.ts'

const context = { signal: new AbortController().signal }

describe('on a host whose system speaks English, in a Japanese browser', () => {
  let app: TestApp['app']
  let workId: string
  beforeEach(async () => {
    const model = { backend: 'demo', language: 'ja' } as const
    const opened = await openTestApp({ dataDir: tempFolder(), model, language: 'en' })
    onTestFinished(() => opened.app.close())
    app = opened.app
    workId = (await app.api['work.open']({ path: tempFolder() }, context)).workId
    await app.api['host.info']({ language: 'ja-JP' }, context)
  })

  it('asks for ideas of an empty work in Japanese', async () => {
    const request = { workId, path: '', mode: 'idea', ideaTarget: 'all' } as const
    const { parts } = await app.api['draft.preview'](request, context)
    expect(parts.map(({ text }) => text).join('')).toContain('自由に小説のアイデア')
  })

  it('exports a session with Japanese headings', async () => {
    const { session } = await app.api['session.create']({ workId }, context)
    const { sessionId } = session
    const segments = [{ kind: 'text' as const, text: 'Hello' }]
    await app.api['session.send']({ sessionId, segments, how: 'send', gate: null }, context)
    await eventually(async () => {
      const { markdown } = await app.api['session.export']({ sessionId }, context)
      expect(markdown).toContain('利用者')
    })
  })
})

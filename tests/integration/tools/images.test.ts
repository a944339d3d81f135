/** Images of messages, files and results, as a vision model's API is sent them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import type { MessageSegment } from '../../../src/shared/domain/session/message-segment.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { redPixel } from '../../fakes/sample-image.ts'
import { calls, isForSuggestion, type Thought } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, type SessionHostOptions, scriptedHost } from '../../fakes/sessions/session-host.ts'

const context: CallContext = { signal: new AbortController().signal }
const address = `data:image/png;base64,${redPixel.toString('base64')}`

type Content = string | { type: string; text?: string; image_url?: { url: string } }[] | null
type Asked = { messages: { role: string; content: Content }[]; max_tokens?: number }

function seeing(
  thoughts: readonly Thought[],
  options: Omit<SessionHostOptions, 'answer'> = {},
): Promise<SessionHost> {
  return scriptedHost(thoughts, { decideFirst: 'auto', llama: { hasVision: true }, ...options })
}

/** The images of each request of the conversation. */
function sentImages({ llama }: Pick<SessionHost, 'llama'>): string[][] {
  const bodies = llama.requests
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => body as Asked)
    .filter((body) => !isForSuggestion(body as never) && body.max_tokens !== 1)
  return bodies.map(({ messages }) =>
    messages.flatMap(({ content }) =>
      Array.isArray(content) ? content.flatMap(({ image_url }) => image_url?.url ?? []) : [],
    ),
  )
}

async function imageSegment({ app }: SessionHost, bytes: Buffer = redPixel): Promise<MessageSegment> {
  const data = bytes.toString('base64')
  const { image } = await app.api['image.add']({ name: 'shot', data }, context)
  return { kind: 'image', image }
}

function send({ app, sessionId }: SessionHost, segments: MessageSegment[]) {
  return app.api['session.send']({ sessionId, segments, how: 'send', gate: null }, context)
}

describe('images', () => {
  it('of a message are sent with it and with every later request, also by another host', async () => {
    const dataDir = tempFolder()
    const session = await seeing([{ say: 'A red pixel.' }, { say: 'Still red.' }, { say: 'Red.' }], {
      dataDir,
    })
    await send(session, [{ kind: 'text', text: 'What is this?' }, await imageSegment(session)])
    await session.rest()
    await session.say('And now?')
    await session.rest()
    expect(sentImages(session)).toEqual([[address], [address]])
    const items = await session.items()
    expect(items.find((item) => item.kind === 'file')).toMatchObject({
      state: 'ok',
      text: '[Image: shot, 1×1]',
      image: { width: 1, height: 1, mediaType: 'image/png' },
    })
    const again = await session.restart()
    try {
      await again.say('And after a restart?')
      await again.rest()
      expect(sentImages(again).at(-1)).toEqual([address])
    } finally {
      await again.close()
    }
  })

  it('that the message names and that read_file reads are sent, once each', async () => {
    const session = await seeing(
      [calls(['read_file', { path: 'b.png' }], ['read_file', { path: 'a.txt' }]), { say: 'Two pixels.' }],
      { files: { 'a.txt': 'one\n', 'a.png': redPixel, 'b.png': redPixel } },
    )
    await session.say('Compare @a.png and b.png')
    await session.rest()
    expect(sentImages(session)).toEqual([[address], [address, address]])
    const call = (await session.items()).find((item) => item.kind === 'call' && item.view?.kind === 'image')
    expect(call).toMatchObject({ state: 'done', title: 'b.png', view: { image: { name: 'b.png' } } })
    const last = session.llama.requests.findLast(({ path }) => path.endsWith('/chat/completions'))
    const roles = (last?.body as Asked | undefined)?.messages.map(({ role }) => role)
    expect(roles?.slice(-4)).toEqual(['assistant', 'tool', 'tool', 'user'])
  })

  it('are refused before anything is sent where the model takes none, and the user may say that it does', async () => {
    const session = await seeing([{ say: 'Red.' }], { llama: {}, files: { 'a.png': redPixel } })
    const segment = await imageSegment(session)
    const message: MessageSegment[] = [{ kind: 'text', text: 'What is this?' }, segment]
    await expect(send(session, message)).rejects.toMatchObject({ info: { code: 'model/no-images' } })
    expect(await session.items()).toEqual([])
    expect(sentImages(session)).toEqual([])

    const { profiles } = await session.app.api['profile.list']({}, context)
    const [profile] = profiles
    if (profile?.backend !== 'openai') throw new Error('no profile')
    session.llama.options.hasVision = true
    await session.app.api['profile.save']({ profile: { ...profile, takesImages: true } }, context)
    await send(session, message)
    await session.rest()
    expect(sentImages(session)).toEqual([[address]])
  })

  it('are named in their place, and read_file says why, where the model takes none', async () => {
    const session = await seeing([calls(['read_file', { path: 'a.png' }]), { say: 'I cannot see it.' }], {
      llama: {},
      files: { 'a.png': redPixel },
    })
    await session.say('What is on @a.png?')
    await session.rest()
    const items = await session.items()
    expect(items.find((item) => item.kind === 'file')).toMatchObject({ state: 'no-images' })
    const call = items.find((item) => item.kind === 'call')
    expect(call).toMatchObject({ state: 'failed' })
    expect(call?.kind === 'call' && call.text).toContain('takes none')
  })

  it('are bounded: a large one, no image at all, and too many of them', async () => {
    const session = await seeing([])
    const large = Buffer.concat([redPixel, Buffer.alloc(3_600_000)])
    await expect(imageSegment(session, large)).rejects.toMatchObject({ info: { code: 'image/too-large' } })
    const text = Buffer.from('no image')
    await expect(imageSegment(session, text)).rejects.toMatchObject({ info: { code: 'image/unreadable' } })
    const many = Array.from({ length: 11 }, () => imageSegment(session))
    const refused = send(session, await Promise.all(many))
    await expect(refused).rejects.toMatchObject({ info: { code: 'image/too-many', limit: 10 } })
  })

  it('that nothing names any more are removed after a start; the others stay', async () => {
    const dataDir = tempFolder()
    const session = await seeing([{ say: 'Red.' }], { dataDir })
    await send(session, [{ kind: 'text', text: 'This:' }, await imageSegment(session)])
    await session.rest()
    await imageSegment(session, Buffer.concat([redPixel, Buffer.from('unused')]))
    const kept = () =>
      readdirSync(join(dataDir, 'images'), { recursive: true }).filter((name) => `${name}`.length > 60)
    expect(kept()).toHaveLength(2)
    const again = await session.restart()
    try {
      again.app.begin({ isWanted: false, starterId: null, canInstallPip: false })
      await expect.poll(kept).toHaveLength(1)
    } finally {
      await again.close()
    }
  })
})

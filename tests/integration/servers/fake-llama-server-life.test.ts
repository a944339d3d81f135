import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  createFakeLlamaServer,
  type FakeLlamaServer,
  type LlamaOptions,
} from '../../fakes/servers/fake-llama-server.ts'

let fake: FakeLlamaServer
afterEach(() => fake.close())

async function start(options: LlamaOptions): Promise<FakeLlamaServer> {
  fake = await createFakeLlamaServer(options)
  return fake
}

function complete(body: Record<string, unknown>, signal?: AbortSignal): Promise<Response> {
  const init = { method: 'POST', body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) }
  return fetch(`${fake.address}/completion`, init)
}

/** Begins a stream and waits for its first bytes. */
async function beginStream(body: Record<string, unknown>, signal?: AbortSignal): Promise<Response> {
  const response = await complete({ stream: true, ...body }, signal)
  const reader = response.clone().body?.getReader()
  await reader?.read()
  return response
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    if (isTrue()) return
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  throw new Error('never became true')
}

const long = { prompt: 'Once upon a time', n_predict: 300, ignore_eos: true }

describe('slots and their queue', () => {
  it('answers in the order in which it was asked, one after the other', async () => {
    await start({ tokenMs: 2 })
    const ends: number[] = []
    const asked = [60, 3, 3, 3].map(async (n_predict, index) => {
      const response = await complete({ prompt: `Hello ${index}`, n_predict, ignore_eos: true })
      await response.text()
      ends.push(index)
    })
    await Promise.all(asked)
    expect(ends).toEqual([0, 1, 2, 3])
    expect(fake.counts.generations.map(({ predictedTokens }) => predictedTokens)).toEqual([60, 3, 3, 3])
  })

  it('sends a queued stream no headers until its slot is free, a running one at once', async () => {
    let finish = () => undefined as unknown
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    await start({ answer: ({ index }) => (index === 0 ? held.then(() => ({ text: 'a' })) : { text: 'b' }) })
    const first = await complete({ prompt: 'x', stream: true })
    let hasSecond = false
    const second = complete({ prompt: 'y', stream: true }).then((response) => {
      hasSecond = true
      return response
    })
    await until(() => fake.pendingCount === 2)
    const slots = await fetch(`${fake.address}/slots?fail_on_no_slot=1`)
    expect([slots.status, hasSecond]).toEqual([503, false])
    finish()
    expect(await first.text()).toContain('"content":"a"')
    expect(await (await second).text()).toContain('"content":"b"')
  })

  it('runs as many at once as it has slots', async () => {
    await start({ slots: 2, tokenMs: 2 })
    await Promise.all([beginStream(long), beginStream({ ...long, prompt: 'Twice' })])
    const slots = (await (await fetch(`${fake.address}/slots`)).json()) as {
      is_processing: boolean
      n_ctx: number
    }[]
    expect(slots.map((slot) => [slot.is_processing, slot.n_ctx])).toEqual([
      [true, 4096],
      [true, 4096],
    ])
  })

  it('fails both requests that together are larger than a shared context', async () => {
    await start({ sharesContext: true, contextTokens: 2048, tokenMs: 1 })
    const words = 'word '.repeat(1299)
    const [streamed, whole] = await Promise.all([
      complete({ prompt: `a ${words}`, n_predict: 50, stream: true }).then((response) => response.text()),
      complete({ prompt: `b ${words}`, n_predict: 50 }),
    ])
    expect(streamed).toMatch(
      /data: \{"error":\{"code":500,"message":"Context size has been exceeded\.".*\}\}\n\n$/,
    )
    expect(whole.status).toBe(500)
    expect(await whole.json()).toMatchObject({ error: { message: 'Context size has been exceeded.' } })
  })
})

describe('the prompt cache of a chat', () => {
  it('rereads only what an append-only history adds, with calls and their results', async () => {
    const call = { name: 'read_file', arguments: { path: 'src/猫.ts', lines: [1, 20] } }
    await start({
      answer: ({ index }) => (index === 0 ? { text: '見ます。', toolCalls: [call] } : { text: 'ok' }),
    })
    const tools = [{ type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } }]
    const question = { role: 'user', content: 'What is in it?' }
    const first = await chat([question], { tools })
    const said = first.choices[0]?.message
    expect(said?.tool_calls?.[0]?.function).toEqual({
      name: 'read_file',
      arguments: '{"path": "src/猫.ts", "lines": [1, 20]}',
    })
    await chat([question, said, { role: 'tool', tool_call_id: 'x', content: 'nothing' }], { tools })
    const [before, after] = fake.counts.generations
    // All but the end of turn, which was said but not read.
    expect(after?.reusedTokens).toBe((before?.promptTokens ?? 0) + (before?.predictedTokens ?? 0) - 1)
    expect(after?.reprocessedTokens).toBeLessThan(20)
  })

  it('is not lost to a prompt that was refused', async () => {
    await start({ contextTokens: 256, answer: () => ({ text: 'ok' }) })
    for (const count of [100, 300, 100]) await chat([{ role: 'user', content: 'word '.repeat(count) }], {})
    const [first, refused, again] = fake.counts.generations
    expect(refused).toMatchObject({ predictedTokens: 0, reprocessedTokens: 0 })
    expect(again?.reusedTokens).toBe((first?.promptTokens ?? 0) - 1)
  })

  it('rereads everything after a clock in the head', async () => {
    await start({ answer: () => ({ text: 'ok' }) })
    const history = [{ role: 'user', content: 'word '.repeat(200) }]
    for (const clock of ['12:01', '12:02'])
      await chat([{ role: 'system', content: `Now ${clock}.` }, ...history], {})
    expect(fake.counts.generations[1]?.reusedTokens).toBeLessThan(12)
    expect(fake.counts.generations[1]?.reprocessedTokens).toBeGreaterThan(200)
  })
})

type Spoken = { content: string; tool_calls?: { function: { name: string; arguments: string } }[] }

async function chat(messages: unknown[], more: object): Promise<{ choices: { message: Spoken }[] }> {
  const body = JSON.stringify({ messages, ...more })
  const response = await fetch(`${fake.address}/v1/chat/completions`, { method: 'POST', body })
  return (await response.json()) as { choices: { message: Spoken }[] }
}

describe('askers that go away', () => {
  it('stops a stream at once when it is closed', async () => {
    await start({ tokenMs: 2 })
    const leave = new AbortController()
    await beginStream(long, leave.signal)
    leave.abort()
    await until(() => fake.counts.aborted === 1)
    expect(fake.pendingCount).toBe(0)
    expect(fake.counts.generations[0]).toMatchObject({ isAborted: true })
    expect(fake.counts.generations[0]?.predictedTokens).toBeLessThan(150)
  })

  it('notices within a second that nobody waits for a whole answer', async () => {
    await start({ tokenMs: 5 })
    const leave = new AbortController()
    const asked = complete({ ...long, n_predict: 1000 }, leave.signal)
    await until(() => fake.pendingCount === 1)
    leave.abort()
    await expect(asked).rejects.toThrow('aborted')
    await until(() => fake.counts.aborted === 1)
    const { predictedTokens = 0 } = fake.counts.generations[0] ?? {}
    expect(predictedTokens).toBeGreaterThan(5)
    expect(predictedTokens).toBeLessThan(400)
  })

  it('frees the slot when its script never answers', async () => {
    await start({ answer: ({ index }) => (index === 0 ? new Promise(() => undefined) : { text: 'ok' }) })
    const leave = new AbortController()
    const first = await complete({ prompt: 'x', stream: true }, leave.signal)
    leave.abort()
    expect(first.status).toBe(200)
    expect(await (await complete({ prompt: 'x' })).json()).toMatchObject({ content: 'ok' })
  })

  it('never runs a request that was closed in the queue', async () => {
    await start({ tokenMs: 2 })
    const running = await beginStream({ ...long, n_predict: 60 })
    const leave = new AbortController()
    const queued = complete({ prompt: 'never', n_predict: 200 }, leave.signal)
    await until(() => fake.pendingCount === 2)
    leave.abort()
    await expect(queued).rejects.toThrow('aborted')
    await running.text()
    await until(() => fake.counts.generations.length === 2)
    expect(fake.counts.generations[0]).toMatchObject({ isAborted: true, slot: -1, predictedTokens: 0 })
  })

  it('closes streams and refuses connections when it is killed', async () => {
    await start({ tokenMs: 2 })
    const running = await beginStream(long)
    const queued = complete({ prompt: 'x' })
    await until(() => fake.pendingCount === 2)
    const ends = Promise.allSettled([running.text(), queued])
    fake.die()
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(fetch(`${fake.address}/health`)).rejects.toThrow('fetch failed')
  })
})

describe('connections', () => {
  it('are kept for a hundred requests', async () => {
    await start({})
    const socket = open()
    let text = ''
    socket.on('data', (part) => {
      text += part.toString()
    })
    const ended = once(socket, 'end')
    for (let count = 1; count <= 100; count += 1) {
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
      await until(() => text.split('{"status":"ok"}').length === count + 1)
    }
    await ended
    expect(text.match(/Keep-Alive: timeout=5, max=100/g)).toHaveLength(99)
    expect(text.slice(text.lastIndexOf('HTTP/1.1 200'))).toContain('Connection: close')
  })

  it('are closed by an error', async () => {
    await start({})
    const socket = open()
    socket.resume()
    socket.write('POST /tokenize HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{')
    await once(socket, 'end')
  })

  it('bring chunked bodies, and bodies that wait for a word', async () => {
    await start({})
    const socket = open()
    let text = ''
    socket.on('data', (part) => {
      text += part.toString()
    })
    socket.write(
      'POST /tokenize HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n11\r\n{"content": "Hi"}\r\n0\r\n\r\n',
    )
    await until(() => /\{"tokens":\[\d+\]\}$/.test(text))
    socket.write('POST /tokenize HTTP/1.1\r\nHost: x\r\nContent-Length: 17\r\nExpect: 100-continue\r\n\r\n')
    await until(() => text.includes('HTTP/1.1 100 Continue'))
    socket.end('{"content": "Hi"}')
    await until(() => text.split('"tokens"').length === 3)
  })

  it('pings a stream that has nothing to say', async () => {
    await start({
      pingMs: 5,
      answer: () => ({ text: 'late', fault: { name: 'slow-first-token', delayMs: 60 } }),
    })
    const text = await (await complete({ prompt: 'x', stream: true })).text()
    expect(text.match(/^:\n\n/)).not.toBeNull()
    expect(text).toContain('"content":"late"')
  })
})

function open(): Socket {
  return connect(Number(new URL(fake.address).port), '127.0.0.1')
}

import { afterEach, describe, expect, it } from 'vitest'
import { createFakeLlamaServer, type FakeLlamaServer } from '../../fakes/servers/fake-llama-server.ts'
import { type Answer, type FaultName, faultNames } from '../../fakes/servers/llama/answer.ts'

let fake: FakeLlamaServer
afterEach(() => fake.close())

const words: Answer = {
  text: '猫が見た。 Then it slept on the warm stone.',
  toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }],
}
const tools = [{ type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } }]

/** The client's view of one chat: the status and every byte until the end, and how it ended. */
type Seen = { status: number; type: string; body: string; end: 'whole' | 'cut' | 'silent' | 'refused' }

/** Makes a request and gives up after `patienceMs` without a byte, which is short only for silent faults. */
async function ask(isStream: boolean, patienceMs = 20_000): Promise<Seen> {
  const seen: Seen = { status: 0, type: '', body: '', end: 'whole' }
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), patienceMs)
  const parts: Buffer[] = []
  try {
    const response = await fetch(`${fake.address}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ messages: [{ role: 'user', content: 'x' }], tools, stream: isStream }),
      redirect: 'manual',
      signal: silence.signal,
    })
    seen.status = response.status
    seen.type = response.headers.get('content-type') ?? ''
    for await (const part of response.body ?? []) {
      parts.push(Buffer.from(part))
      timer.refresh()
    }
  } catch {
    seen.end = silence.signal.aborted ? 'silent' : seen.status === 0 ? 'refused' : 'cut'
  }
  clearTimeout(timer)
  return { ...seen, body: Buffer.concat(parts).toString('utf8') }
}

type Expected = Partial<Omit<Seen, 'body'>> & { body: RegExp }

const streamed: Record<FaultName, Expected> = {
  'connection-refused': { status: 0, end: 'refused', body: /^$/ },
  'closed-before-headers': { status: 0, end: 'refused', body: /^$/ },
  'never-answers': { status: 0, end: 'silent', body: /^$/ },
  loading: { status: 503, body: /"Loading model"/ },
  'busy-queue': { status: 200, body: /\[DONE\]\n\n$/ },
  'slow-first-token': { status: 200, body: /\[DONE\]\n\n$/ },
  'silent-midway': { status: 200, end: 'silent', body: /"content":"猫"\}[^\n]*\n\n$/ },
  'cut-in-text': { status: 200, end: 'cut', body: /\n\ndata: \{"choices":[^\n]+$/ },
  'cut-in-character': { status: 200, end: 'cut', body: /"content":"\ufffd$/ },
  'cut-in-tool-call': { status: 200, end: 'cut', body: /"tool_calls"[^\n]*$/ },
  'no-end': {
    status: 200,
    end: 'whole',
    body: /^(?![\s\S]*("tool_calls",|\[DONE\]))[\s\S]*"arguments":"[^\n]*\n\n$/,
  },
  'no-done': { status: 200, end: 'whole', body: /"finish_reason":"tool_calls"[^\n]*\n\n$/ },
  'error-under-200': {
    status: 200,
    end: 'whole',
    body: /"content":"猫"[\s\S]*data: \{"error":\{"code":500,[^\n]*\n\n$/,
  },
  'error-after-generating': {
    status: 200,
    body: /^(?![\s\S]*"content":")[\s\S]*data: \{"error":\{"code":500,[^\n]*\n\n$/,
  },
  'garbage-sse': { status: 200, type: 'text/event-stream', body: /\?\?\?\n\n$/ },
  'not-json': { status: 200, type: 'application/json; charset=utf-8', body: /: $/ },
  'html-page': { status: 200, type: 'text/html; charset=utf-8', body: /^<!DOCTYPE html>/ },
  'wrong-content-type': { status: 200, type: 'text/plain', body: /\[DONE\]\n\n$/ },
  unauthorized: { status: 401, body: /"Invalid API Key"/ },
  'not-found': { status: 404, body: /"File Not Found"/ },
  'context-exceeded': { status: 400, body: /"exceed_context_size_error"/ },
  redirect: { status: 307, body: /Sign in/ },
}

const whole: Partial<Record<FaultName, Expected>> = {
  'busy-queue': { status: 200, body: /"finish_reason":"tool_calls"/ },
  'slow-first-token': { status: 200, body: /"finish_reason":"tool_calls"/ },
  'silent-midway': { status: 200, end: 'silent', body: /^\{"choices":/ },
  'cut-in-text': { status: 200, end: 'cut', body: /^\{"choices":/ },
  'cut-in-character': { status: 200, end: 'cut', body: /"content":"\ufffd$/ },
  'cut-in-tool-call': { status: 200, end: 'cut', body: /^\{"choices":/ },
  'error-under-200': { status: 200, body: /^\{"error":/ },
  'error-after-generating': { status: 500, body: /peg-native/ },
  'garbage-sse': { status: 200, type: 'text/event-stream', body: /\?\?\?\n\n$/ },
  'wrong-content-type': { status: 200, type: 'text/plain', body: /"finish_reason":"tool_calls"/ },
}

function delayed(name: FaultName) {
  return { name, delayMs: 20 }
}

const silentMs = 600

function patience({ end }: Expected): number {
  return end === 'silent' ? silentMs : 20_000
}

function check(seen: Seen, { body, ...rest }: Expected): void {
  expect(seen).toMatchObject({ end: 'whole', ...rest })
  expect(seen.body).toMatch(body)
}

describe('faults of an answer', () => {
  it.each(faultNames.map((name) => [name]))('%s in a stream', async (name) => {
    fake = await createFakeLlamaServer({ answer: () => ({ ...words, fault: delayed(name) }) })
    check(await ask(true, patience(streamed[name])), streamed[name])
    expect(fake.requests).toHaveLength(1)
  })

  it.each(Object.entries(whole))('%s without a stream', async (name, expected) => {
    fake = await createFakeLlamaServer({ answer: () => ({ ...words, fault: delayed(name as FaultName) }) })
    check(await ask(false, patience(expected)), expected)
  })

  it('come as late as a script wants: nothing can be taken back then', async () => {
    const late = () =>
      new Promise<Answer>((resolve) => setTimeout(() => resolve({ fault: 'unauthorized' }), 300))
    fake = await createFakeLlamaServer({ answer: late })
    check(await ask(true), { status: 200, end: 'cut', body: /^$/ })
  })

  it.each(['cut-in-character', 'cut-in-tool-call'] as const)('%s needs something to cut', async (fault) => {
    fake = await createFakeLlamaServer({ answer: () => ({ text: 'plain', fault }) })
    expect((await ask(true)).end).toBe('cut')
    expect(fake.scriptErrors.map(String)).toEqual([expect.stringContaining('to cut')])
  })

  it('refuse connections until told to accept them', async () => {
    fake = await createFakeLlamaServer({
      answer: ({ index }) => (index === 0 ? { fault: 'connection-refused' } : words),
    })
    await ask(true)
    check(await ask(true), { status: 0, end: 'refused', body: /^$/ })
    await fake.accept()
    check(await ask(true), { status: 200, body: /\[DONE\]\n\n$/ })
  })

  it('leave the slot free for the next request', async () => {
    fake = await createFakeLlamaServer({
      answer: ({ index }) => (index === 0 ? { ...words, fault: 'silent-midway' } : words),
    })
    check(await ask(true, silentMs), { status: 200, end: 'silent', body: /"content":"猫"/ })
    check(await ask(true), { status: 200, body: /\[DONE\]\n\n$/ })
    expect(fake.counts.aborted).toBe(1)
  })
})

describe('faults of every request', () => {
  it('reach the routes that say nothing of a model, too', async () => {
    fake = await createFakeLlamaServer({ fault: ({ path }) => (path === '/props' ? 'html-page' : undefined) })
    expect(await (await fetch(`${fake.address}/props`)).text()).toContain('Sign in')
    expect((await fetch(`${fake.address}/health`)).status).toBe(200)
    fake.options.fault = 'cut-in-text'
    await expect(fetch(`${fake.address}/props`).then((response) => response.json())).rejects.toThrow(
      'terminated',
    )
  })

  it('never pass for an answer when a script itself fails', async () => {
    fake = await createFakeLlamaServer({
      answer: () => {
        throw new Error('wrong test')
      },
    })
    await expect(ask(true)).resolves.toMatchObject({ status: 0, end: 'refused' })
    expect(fake.scriptErrors.map(String)).toEqual(['Error: wrong test'])
  })
})

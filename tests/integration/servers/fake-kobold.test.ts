import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { type FakeKobold, type FakeKoboldOptions, startFakeKobold } from '../../fakes/servers/fake-kobold.ts'

type Recorded = {
  name: string
  note: string
  request?: {
    method: string
    path: string
    headers: Record<string, string>
    body?: string
    body_base64?: string
    body_truncated?: string
  }
  response?: {
    status_line: string
    headers: [string, string][]
    connection_closed_by: string
    body?: string
    body_truncated?: string
  }
}

const file = fileURLToPath(new URL('../../../../shared/kobold/transcripts.json', import.meta.url))
const recorded: Recorded[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []

/** Exchanges that the fake does not answer as recorded, with the reasons. */
const different: [RegExp, string][] = [
  [/^oai_|^password_oai|^multiuser0_busy_oai/, 'the OpenAI routes are not used: the native API is'],
  [/^get_(api_docs|api_redirect|root_lite|ollama_tags|v1)$/, 'pages for people and other APIs'],
  [/^idle_sockets_24$/, 'a limit of threads that only a real server has'],
  [/^tokencount_over_32MB$/, 'its request was never sent whole'],
  [/^stream_client_disconnect$/, 'its answer was cut by the client; the client tests do that'],
]

/** Values of generated text and ids belong to the recorded model; the shape is compared instead. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]))
  }
  return typeof value
}

/** Bodies that must be the same to the letter, not only in shape. */
const literal =
  /^(abort_|password_(abort|check|generate|stream|tokencount|model|version).*(none|wrong|basic|bearer)|.*(bad_json|busy_503|no_body|invalid_utf8|chunked)|tokencount_(bad|empty|lone|prompt_|body|50000|ascii_300KB|japanese_300KB)|generate_(max_length_(string|float|null)|grammar_number|prompt_number|temperature_string|lone|bad_stop|eos|ban_eos|max_length_0)|get_(info|extra|config_max|soft|true|sd|preload)|post_|put|delete)/

let fake: FakeKobold | undefined
afterEach(() => fake?.close())

function optionsFor(name: string): FakeKoboldOptions {
  if (name.startsWith('password_')) return { password: 'himitsu' }
  if (name.startsWith('multiuser0')) return { queueLimit: 0, tokenMs: 20 }
  if (name.endsWith('ctx8192')) return { contextTokens: 8192 }
  if (name === 'preloadstory_set') {
    const { body = '{}' } = recorded.find((entry) => entry.name === name)?.response ?? {}
    return { preloadStory: JSON.parse(body) }
  }
  const isSlow = /running|queue|busy|while_generating|aborted|abort_stream/.test(name)
  return isSlow && name !== 'generate_running_with_queue' ? { tokenMs: 5 } : {}
}

/** Brings the server into the state that the entry was recorded in. */
async function prepare(server: FakeKobold, entry: Recorded): Promise<void> {
  const generate = (genkey: string) => post(server, '/api/v1/generate', running(genkey))
  const { name } = entry
  const key = /running_(no_genkey|wrong_genkey)$|aborted_no_genkey/.test(name) ? '' : 'KCPP1234'
  if (/^(abort_running|check_running|perf_running$|abort_stream)/.test(name) && !name.includes('queue')) {
    void generate(key)
  } else if (/queue_full|busy_503|multiuser0/.test(name)) {
    for (let index = 0; index < 7; index += 1) void generate(`Q${index}`)
  } else if (/queue|queued/.test(name) && !name.startsWith('generate_running')) {
    void generate('A')
    await until(() => server.current?.isRunning === true)
    if (name !== 'generate_queued_then_deferred_abort' && name !== 'stream_queued') void generate('B')
  } else if (/while_busy|while_generating/.test(name)) void generate('A')
  if (server.requests.length > 0 || /running|queue|busy/.test(name)) {
    await until(() => server.current?.isRunning !== false && server.requests.length > 0).catch(
      () => undefined,
    )
  }
}

async function abortSoon(server: FakeKobold): Promise<void> {
  await until(() => (server.current?.tokens ?? 0) > 3)
  await post(server, '/api/extra/abort', JSON.stringify({ genkey: server.current?.genkey }))
}

const running = (genkey: string) =>
  JSON.stringify({
    prompt: '[INST]続き[/INST]',
    max_length: 40,
    ban_eos_token: true,
    sampler_seed: 7,
    genkey,
  })

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (isTrue()) return
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  throw new Error('never became true')
}

function post(server: FakeKobold, path: string, body: string): Promise<unknown> {
  return send(server, 'POST', path, {}, Buffer.from(body))
}

type Answer = { status: string; headers: string[]; body: string; isClosed: boolean }

/** Sends the bytes themselves, so that no client library tidies them up. */
function send(
  server: FakeKobold,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1')
    let text = ''
    let isClosed = false
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      const [head = '', ...rest] = text.split('\r\n\r\n')
      const [status = '', ...lines] = head.split('\r\n')
      const names = lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
      resolve({ status, headers: names, body: rest.join('\r\n\r\n'), isClosed })
    }
    // A long prompt takes a busy machine a while to send; what has begun to answer is soon done.
    let timer = setTimeout(finish, 20_000)
    socket.on('data', (piece) => {
      text += piece.toString('utf8')
      clearTimeout(timer)
      timer = setTimeout(finish, 1_500)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      isClosed = true
      finish()
    })
    const all = { ...headers, ...(body.length > 0 ? { 'Content-Length': String(body.length) } : {}) }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    socket.write(body)
  })
}

function bodyOf(request: NonNullable<Recorded['request']>): Buffer {
  if (request.body_base64 !== undefined) return Buffer.from(request.body_base64, 'base64')
  if (request.body !== undefined) return Buffer.from(request.body)
  // Long bodies were recorded by their beginning: the same prompt, as long as it was.
  const { body_chars: chars = 0 } = request as { body_chars?: number }
  if (request.path.includes('tokencount')) {
    const word = request.body_truncated?.includes('" a a') ? ' a' : '吾'
    // One word more for the token that the real vocabulary spends on the space in front.
    return Buffer.from(JSON.stringify({ prompt: word.repeat((chars - 14) / word.length + 1) }))
  }
  return Buffer.from(JSON.stringify({ prompt: '吾'.repeat(chars), max_length: 16 }))
}

describe.skipIf(recorded.length === 0)(
  'the fake KoboldCpp answers as recorded (skipped without the recording)',
  () => {
    const entries = recorded.filter(
      (entry) =>
        entry.request !== undefined &&
        entry.response !== undefined &&
        !different.some(([names]) => names.test(entry.name)),
    )

    it('replays most of the recording', () => {
      expect(recorded).toHaveLength(249)
      expect(entries.length).toBeGreaterThan(205)
    })

    it.each(entries.map((entry) => [entry.name, entry] as const))('%s', async (_name, entry) => {
      const { request, response } = entry
      if (request === undefined || response === undefined) throw new Error('no exchange')
      fake = await startFakeKobold(optionsFor(entry.name))
      await prepare(fake, entry)
      if (/aborted/.test(entry.name)) void abortSoon(fake)
      const { 'Content-Length': _length, ...headers } = request.headers
      const got = await send(fake, request.method, request.path, headers, bodyOf(request))

      expect(got.status).toBe(response.status_line)
      expect(got.headers).toEqual(response.headers.map(([name]) => name.toLowerCase()))
      expect(got.isClosed).toBe(response.connection_closed_by !== 'timeout')
      compareBodies(entry, got.body)
    })
  },
)

function compareBodies(entry: Recorded, got: string): void {
  const wanted = entry.response?.body
  if (wanted === undefined) expect(got).not.toBe('')
  else if (wanted.startsWith('event: ')) compareStreams(entry, wanted, got)
  else if (literal.test(entry.name) || !wanted.startsWith('{')) expect(got).toBe(wanted)
  else {
    expect(shapeOf(JSON.parse(got))).toEqual(shapeOf(JSON.parse(wanted)))
    expect(got).toMatch(/^[\x20-\x7e]*$/)
    const finish = /"finish_reason": "(\w+)"/
    // How often a grammar's `+` repeats depends on the model, and the fake is another model.
    const isChance = entry.name.startsWith('generate_stop') || entry.request?.body?.includes(']+"') === true
    if (!isChance) expect(finish.exec(got)?.[1]).toBe(finish.exec(wanted)?.[1])
  }
}

function compareStreams(entry: Recorded, wanted: string, got: string): void {
  const ends = (text: string) => [...text.matchAll(/"finish_reason": "(\w+)"/g)].map((match) => match[1])
  expect(got).toMatch(/^(event: message\ndata: \{"token": "[\x20-\x7e]*", "finish_reason": "\w+"\}\n\n)+$/)
  expect(
    ends(got)
      .slice(0, -1)
      .every((end) => end === 'null'),
  ).toBe(true)
  if (entry.request?.body?.includes(']+"') !== true) expect(ends(got).at(-1)).toBe(ends(wanted).at(-1))
}

import type { FakeKobold, LoggedRequest } from '../fake-kobold.ts'
import { tokenId, tokenize, tokenLimit } from '../fake-tokenizer.ts'
import type { Payload } from './fake-model.ts'
import type { Generator } from './generation.ts'
import { integerKeys, readPayload } from './payload.ts'
import { parseJson, pythonJson } from './python-json.ts'
import { commonHeaders, type RawReply, type RawRequest } from './raw-http.ts'
import { sendBusy, sendJson, sendMissing, sendUnauthorized, sendUnreadable } from './replies.ts'

/** Exactly `Bearer KEY`: "bearer" and Basic are refused. */
export function isAuthorized(fake: FakeKobold, request: RawRequest): boolean {
  const { password } = fake.options
  return password === undefined || request.headers.get('authorization') === `Bearer ${password}`
}

export async function answerPost(
  fake: FakeKobold,
  generator: Generator,
  request: RawRequest,
  reply: RawReply,
  logged: LoggedRequest,
): Promise<void> {
  const path = request.path.replace(/\/$/, '')
  const isOpen = isAuthorized(fake, request)
  const body = readBody(request)
  logged.body = body
  if (path.endsWith('/api/extra/tokencount')) {
    if (fake.faults.dropsCounts === true) return reply.drop()
    return isOpen ? answerCount(body, fake.options.hasBos !== false, reply) : sendUnauthorized(reply)
  }
  if (path.endsWith('/api/extra/abort')) {
    if (!isOpen) return sendUnauthorized(reply)
    const answer = await generator.abort(genkeyOf(body))
    return sendJson(reply, '200 OK', { success: String(answer.success), done: String(answer.done) })
  }
  if (path.endsWith('/api/extra/generate/check')) {
    if (!isOpen) return sendUnauthorized(reply)
    return sendJson(reply, '200 OK', { results: [{ text: generator.checkText(genkeyOf(body)) }] })
  }
  if (path.endsWith('/api/extra/generate/stream')) {
    const { dropsStreams, busy = 0 } = fake.faults
    if (dropsStreams === true) return reply.drop()
    if (busy > 0) {
      fake.faults.busy = busy - 1
      return sendBusy(reply)
    }
  }
  // Everything else, known or not, waits for the model.
  const turn = await generator.enter(genkeyOf(body))
  if (turn === null) return sendBusy(reply)
  try {
    if (fake.options.isPaced === true) await sleep(50)
    if (fake.faults.hangAfterTokens === 0) return
    await answerModel(fake, generator, path, body, isOpen, reply, logged)
  } finally {
    turn.leave()
  }
}

async function answerModel(
  fake: FakeKobold,
  generator: Generator,
  path: string,
  body: unknown,
  isOpen: boolean,
  reply: RawReply,
  logged: LoggedRequest,
): Promise<void> {
  const { unlikely } = fake.options
  if (unlikely !== undefined && path.endsWith('/api/extra/last_logprobs')) {
    const content = tokenize(generator.checkText(genkeyOf(body))).map((token) => ({
      token,
      logprob: unlikely.includes(token) ? -3.5 : -0.5,
    }))
    return sendJson(reply, '200 OK', { logprobs: { content } })
  }
  const isStream = path.endsWith('/api/extra/generate/stream')
  if (!isStream && !/\/api\/(v1|latest)\/generate$/.test(path)) return sendMissing(reply)
  if (!isOpen) return sendUnauthorized(reply)
  if (body === undefined) return sendUnreadable(reply)
  // A list where an object is wanted ends the server's handler: no reply at all.
  if (Array.isArray(body) || typeof body !== 'object' || body === null) return reply.drop()
  const contextTokens = fake.options.contextTokens ?? 2048
  const payload = readPayload(body as Record<string, unknown>, contextTokens)
  if (payload === null) return isStream ? beginStream(reply) : sendJson(reply, '200 OK', null)
  if (payload.max_length <= -1000) return fake.die()
  if (isStream) return answerStream(fake, generator, payload, reply, logged)
  const result = await generator.generate(payload, logged, () => undefined)
  const isTold = (body as Record<string, unknown>).logprobs === true
  const told = isTold ? { logprobs: chancesOf(result.reply.text, fake.options.otherChances) } : {}
  if (reply.isOpen) sendJson(reply, '200 OK', { results: [{ ...result.reply, ...told }] })
}

/** What `logprobs` tells of the first token: five, itself the likeliest. */
function chancesOf(text: string, others: readonly string[] = ['風', '猫', '道', '朝']) {
  const [first = ''] = [...text]
  const token = (chance: string, rank: number) => ({
    token: chance,
    logprob: -0.5 - rank,
    bytes: [...Buffer.from(chance)],
  })
  const top = [first, ...others].map(token)
  return { content: [{ ...top[0], top_logprobs: top }] }
}

/** Wrong types leave the stream like this: headers, no event, open for ever. */
function beginStream(reply: RawReply): void {
  reply.begin('200 OK', [
    ['cache-control', 'no-cache'],
    ['connection', 'keep-alive'],
    ...commonHeaders('text/event-stream'),
  ])
}

async function answerStream(
  fake: FakeKobold,
  generator: Generator,
  payload: Payload,
  reply: RawReply,
  logged: LoggedRequest,
): Promise<void> {
  beginStream(reply)
  reply.onClose(() => generator.stopIfRunning(payload.genkey))
  if (fake.options.isPaced === true) await sleep(300)
  let sent = 0
  const event = (token: string, finish: string) => {
    sent += 1
    if (fake.faults.cutsInCharacter === true && sent === 3) {
      // The server writes other characters than ASCII as `\u96e8`.
      reply.write('event: message\ndata: {"token": "\\u96')
      return reply.drop()
    }
    if (fake.faults.isGarbage === true) return reply.write('event: message\ndata: {"token": ???\n\n')
    const data = pythonJson({ token, finish_reason: finish })
    reply.write(`event: message\ndata: ${data}\n\n`)
  }
  const result = await generator.generate(payload, logged, (piece) => event(piece, 'null'))
  const { cutAfterTokens, cutsOnce, hangAfterTokens } = fake.faults
  const { tokens = 0 } = generator.current ?? {}
  if (cutAfterTokens !== undefined && tokens >= cutAfterTokens) {
    if (cutsOnce === true) fake.faults = {}
    return reply.drop()
  }
  if (hangAfterTokens !== undefined && tokens >= hangAfterTokens) return
  event(result.unsent, result.reply.finish_reason)
  if (fake.options.isPaced === true) await sleep(200)
  if (fake.faults.neverCloses !== true) reply.end()
}

function answerCount(body: unknown, hasBos: boolean, reply: RawReply): void {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const { prompt = '', special = true } = isObject ? (body as Record<string, unknown>) : { prompt: null }
  if (typeof prompt !== 'string' || !prompt.isWellFormed()) {
    sendJson(reply, '400 Bad Request', { value: -1 })
    return
  }
  const tokens = tokenize(prompt)
  if (special !== false && hasBos) tokens.unshift('<s>')
  const ids = tokens.length >= tokenLimit ? [] : tokens.map(tokenId)
  sendJson(reply, '200 OK', { value: ids.length, ids })
}

function readBody(request: RawRequest): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(request.body)
    return parseJson(text, integerKeys)
  } catch {
    return undefined
  }
}

function genkeyOf(body: unknown): string {
  const key = (body as { genkey?: unknown } | undefined | null)?.genkey
  return typeof key === 'string' ? key : ''
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

import type { Answer, AskedRequest, Fault } from './answer.ts'
import { faultOf } from './answer.ts'
import type { LlamaCore } from './core.ts'
import { type Ending, pauseWhile, type Step, speak } from './generation.ts'
import { contextRefusal, Refusal, unreadableOutput } from './refusal.ts'
import type { Params } from './requests/params.ts'
import type { Delta } from './shower.ts'
import type { Lease } from './slot-pool.ts'
import { isWholeFault, playBodyFault, playWholeFault } from './whole-faults.ts'
import { EventStream, type StreamEvent } from './wording/event-stream.ts'
import { type Reply, randomId } from './wording/reply.ts'
import { type SpeechForm, tokensOf } from './wording/speech.ts'

/** One request for words, read and found right. */
export type Work = {
  params: Params
  promptTokens: readonly number[]
  asked: Omit<AskedRequest, 'index'>
  form: SpeechForm
  /** What is said when no script answers. */
  fallback: () => Answer
}

/** A running or ended generation, for the code that writes its reply. */
export type Run = {
  id: string
  created: number
  work: Work
  lease: Lease
  timings: (predicted: number) => Record<string, unknown>
  /** Whether calls were said. */
  hasCalls: boolean
}

/** How one API words the replies to a generation. */
export type Wording = {
  /** Before the first token. */
  before(run: Run): StreamEvent[]
  step(run: Run, step: Step): StreamEvent[]
  last(run: Run, ending: Ending): StreamEvent[]
  whole(run: Run, said: readonly Delta[], ending: Ending, tokens: readonly number[]): unknown
}

/** Time after which the headers are sent although the script has not answered yet. */
const headersAfterMs = 20

/** Queues a request, lets the script answer it and writes the reply, with its faults. */
export async function perform(core: LlamaCore, reply: Reply, work: Work, wording: Wording): Promise<void> {
  const gone = goneSignal(reply, work.params.isStream)
  const lease = await core.pool.acquire({
    taskId: core.nextTaskId(),
    tokens: work.promptTokens,
    idSlot: work.params.idSlot,
    usesCache: work.params.usesCache,
    params: work.params.settings,
    signal: reply.gone,
  })
  if (lease === null) return core.countUnstarted(work)
  const spoken: number[] = []
  try {
    if (work.promptTokens.length >= core.contextTokens) {
      throw contextRefusal(work.promptTokens.length, core.contextTokens)
    }
    const run: Run = {
      id: randomId('chatcmpl-'),
      created: Math.floor(Date.now() / 1000),
      work,
      lease,
      timings: timer(lease),
      hasCalls: false,
    }
    await answerRun(core, reply, run, wording, gone, spoken)
  } finally {
    core.count(work, lease, reply.gone.aborted)
    core.pool.release(lease, spoken)
  }
}

async function answerRun(
  core: LlamaCore,
  reply: Reply,
  run: Run,
  wording: Wording,
  gone: AbortSignal,
  spoken: number[],
): Promise<void> {
  const { work, lease } = run
  const index = core.nextIndex()
  const pending = Promise.resolve(core.options.answer?.({ ...work.asked, index }) ?? work.fallback())
  const quick = await Promise.race([pending, pauseWhile(headersAfterMs, gone)])
  let stream: EventStream | null = null
  if (quick === undefined && work.params.isStream) stream = new EventStream(reply, null, core.pingMs)
  const answer = quick ?? (await Promise.race([pending, gonePromise(gone)]))
  if (answer === undefined) return
  const own = faultOf(answer.fault)
  if (own !== null && stream !== null && isWholeFault(own)) return reply.cut()
  if (own !== null && stream === null && (await playWholeFault(own, reply, core.faultPlace))) return
  if (gone.aborted) return
  const fault = own ?? reply.fault
  if (work.params.isStream) {
    stream ??= new EventStream(reply, fault, core.pingMs)
    stream.fault = fault
    if (fault?.name === 'slow-first-token') await pauseWhile(fault.delayMs ?? 300, gone)
  }
  const unread = lease.promptTokens.length - lease.reusedTokens
  await pauseWhile(unread * (core.options.promptTokenMs ?? 0), gone)
  lease.isRead = !gone.aborted
  const steps = speak(
    {
      lease,
      tokens: tokensOf(answer, work.form, core.vocabulary),
      endsByLimit: answer.finish === 'length',
      maxTokens: work.params.maxTokens,
      contextTokens: core.contextTokens,
      stops: work.params.stops,
      ignoresEnd: work.params.ignoresEnd,
      tokenMs: answer.tokenMs ?? core.options.tokenMs ?? 0,
      signal: gone,
    },
    core.vocabulary,
    core.pool,
  )
  if (stream === null) await writeWhole(reply, run, wording, steps, fault, spoken)
  else await writeStream(reply, run, wording, steps, stream, fault, spoken)
}

async function writeStream(
  reply: Reply,
  run: Run,
  wording: Wording,
  steps: AsyncGenerator<Step, Ending>,
  stream: EventStream,
  fault: Fault | null,
  spoken: number[],
): Promise<void> {
  const isLost = fault?.name === 'error-after-generating'
  try {
    await stream.send(wording.before(run))
    for (;;) {
      const next = await steps.next()
      if (reply.gone.aborted) return
      if (next.done === true) {
        if (isLost) throw unreadableOutput()
        if (!(await stream.send(wording.last(run, next.value)))) return
        break
      }
      spoken.push(next.value.tokenId)
      if (next.value.deltas.some(({ kind }) => kind === 'call')) run.hasCalls = true
      const words = wording.step(run, next.value)
      if (!(await stream.send(isLost ? words.filter(({ kind }) => kind === 'other') : words))) return
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await stream.send([{ kind: 'other', data: error.body }])
  }
  stream.end()
}

async function writeWhole(
  reply: Reply,
  run: Run,
  wording: Wording,
  steps: AsyncGenerator<Step, Ending>,
  fault: Fault | null,
  spoken: number[],
): Promise<void> {
  const said: Delta[] = []
  for (;;) {
    const next = await steps.next()
    if (reply.gone.aborted && next.done === true) return
    if (next.done === true) {
      if (next.value.hasPartialCharacter) said.push({ kind: 'text', text: '\ufffd' })
      const body = wording.whole(run, said, next.value, spoken)
      if (fault === null || !(await playBodyFault(fault, reply, body))) reply.json(200, body)
      return
    }
    spoken.push(next.value.tokenId)
    if (next.value.deltas.some(({ kind }) => kind === 'call')) run.hasCalls = true
    said.push(...next.value.deltas)
  }
}

function gonePromise(gone: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (gone.aborted) resolve(undefined)
    else gone.addEventListener('abort', () => resolve(undefined))
  })
}

/** A stream that is closed is noticed at once; for other requests the server looks once a second. */
function goneSignal(reply: Reply, isStream: boolean): AbortSignal {
  if (isStream) return reply.gone
  const noticed = new AbortController()
  const from = Date.now()
  reply.gone.addEventListener('abort', () => {
    const timer = setTimeout(() => noticed.abort(), 1000 - ((Date.now() - from) % 1000))
    timer.unref()
  })
  return noticed.signal
}

function timer(lease: Lease): Run['timings'] {
  const from = performance.now()
  const prompt = lease.promptTokens.length - lease.reusedTokens
  let promptMs: number | null = null
  return (predicted) => {
    const now = performance.now() - from
    promptMs ??= Math.max(0.001, now / 2)
    const predictedMs = Math.max(0.001, now - promptMs)
    return {
      cache_n: lease.reusedTokens,
      prompt_n: prompt,
      prompt_ms: promptMs,
      prompt_per_token_ms: promptMs / Math.max(1, prompt),
      prompt_per_second: (prompt / promptMs) * 1000,
      predicted_n: predicted,
      predicted_ms: predictedMs,
      predicted_per_token_ms: predictedMs / Math.max(1, predicted),
      predicted_per_second: (predicted / predictedMs) * 1000,
    }
  }
}

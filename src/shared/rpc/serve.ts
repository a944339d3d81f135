import type { z } from 'zod'
import type { ApiOf, CallContext, CallMethod, Contract, Method, StreamMethod } from '../contract/method.ts'
import { AppError, type ErrorInfo } from '../errors.ts'
import type { HostPort, RequestFrame } from '../wire.ts'
import {
  type CallTurnLimits,
  REQUEST_LIMITS,
  type RequestLimits,
  STREAM_LIMITS,
  type StreamLimits,
} from './limits.ts'
import { findNotJson } from './plain-json.ts'
import { readRequest } from './read-frame.ts'
import { serveStream } from './serve-stream.ts'

/** The log of the dispatcher; the host's `Log` is one. */
type ServeLog = {
  write(level: 'debug' | 'info' | 'warn' | 'error', event: string, data?: Record<string, unknown>): void
  bug(error: unknown, where: string): string
}

export type ServeOptions = {
  log: ServeLog
  /** Also checks the answers of services; for tests. */
  isOutputChecked?: boolean
  limits?: Partial<StreamLimits & RequestLimits>
}

export type Served = {
  /** Stops all open requests and closes the connection. */
  dispose(): void
  openCount(): number
}

type Service = (input: unknown, context: CallContext) => unknown

/**
 * Answers the requests of one connection: the only place where frames meet services.
 *
 * Shape: exactly one of `result`, `end`, `failed` for each id; a request with an id that is still open is
 * dropped, since any answer would close the first.
 * Errors: an AppError goes out as its info; any other error is logged and goes out as `internal/bug`. A request beyond
 * the limits goes out as `rpc/too-many`; calls beyond those that may run wait for their turn; a caller that does
 * not even read these refusals loses the connection.
 */
export function serve<C extends Contract>(
  port: HostPort,
  contract: C,
  api: ApiOf<C>,
  options: ServeOptions,
): Served {
  const { log } = options
  const limits = { ...STREAM_LIMITS, ...REQUEST_LIMITS, ...options.limits }
  const open = new Map<number, { kind: 'call' | 'stream'; leave(): void }>()
  const openByKind = { call: 0, stream: 0 }
  const turns = createCallTurns(limits)
  let isDisposed = false

  function translate(error: unknown, where: string): ErrorInfo {
    return error instanceof AppError ? error.info : { code: 'internal/bug', logId: report(error, where) }
  }

  function report(error: unknown, where: string): string {
    try {
      return log.bug(error, where)
    } catch {
      return 'not-logged' // A log that fails must not keep the answer back.
    }
  }

  /** Counts a request as open until its id is closed. */
  function keepOpen(id: number, kind: 'call' | 'stream', leave: () => void): void {
    openByKind[kind] += 1
    open.set(id, { kind, leave })
  }

  /** Returns true where the request was open. */
  function close(id: number): boolean {
    const request = open.get(id)
    if (request) openByKind[request.kind] -= 1
    return open.delete(id)
  }

  function fail(id: number, error: ErrorInfo): void {
    if (close(id)) port.send({ t: 'failed', id, error })
  }

  function refuseSurplus(id: number, limit: number): void {
    if (port.bufferedBytes() <= limits.bufferBytes) {
      refuse(id, { code: 'rpc/too-many', limit })
    } else {
      log.write('warn', 'rpc.unread-refusals')
      dispose()
    }
  }

  function refuse(id: number, error: ErrorInfo): void {
    port.send({ t: 'failed', id, error })
  }

  // A stopped service may fail with an error of the stop. Any other error is still a bug.
  function noteLate(error: unknown, where: string): void {
    const isStop = error instanceof AppError || (error instanceof Error && error.name === 'AbortError')
    if (!isStop) report(error, where)
  }

  function runCall(id: number, name: string, method: CallMethod, service: Service, input: unknown) {
    const controller = new AbortController()
    keepOpen(id, 'call', () => {
      turns.remove(id)
      controller.abort()
      fail(id, { code: 'rpc/aborted' })
    })
    turns.add(id, async () => {
      try {
        const value = await service(parseInput(name, method, input), { signal: controller.signal })
        if (controller.signal.aborted) return
        if (options.isOutputChecked) checkOutput(name, method.output, value)
        port.send({ t: 'result', id, value })
        close(id)
      } catch (error) {
        if (controller.signal.aborted) noteLate(error, name)
        else fail(id, translate(error, name))
      }
    })
  }

  function runStream(id: number, name: string, method: StreamMethod, service: Service, input: unknown) {
    const stream = serveStream({
      method,
      input,
      limits,
      start: (raw, signal) => service(parseInput(name, method, raw), { signal }) as AsyncIterable<unknown>,
      check(item) {
        if (options.isOutputChecked) checkOutput(name, method.event, item)
      },
      send(value) {
        try {
          port.send({ t: 'item', id, value })
        } catch (error) {
          stream.leave()
          fail(id, translate(error, name))
        }
      },
      bufferedBytes: () => port.bufferedBytes(),
      onEnd() {
        if (close(id)) port.send({ t: 'end', id })
      },
      onFailed: (error) => fail(id, translate(error, name)),
      onLateFailure: (error) => noteLate(error, name),
    })
    keepOpen(id, 'stream', () => {
      stream.leave()
      if (close(id)) port.send({ t: 'end', id })
    })
  }

  function start(frame: Extract<RequestFrame, { t: 'call' | 'stream' }>): void {
    const { id, method: name, input } = frame
    const method = Object.hasOwn(contract, name) ? contract[name] : undefined
    const service: Service = (value, context) => (api[name] as Service)(value, context)
    const limit = frame.t === 'stream' ? limits.openStreams : limits.openCalls
    if (openByKind[frame.t] >= limit) refuseSurplus(id, limit)
    else if (method?.kind !== frame.t) refuse(id, { code: 'rpc/unknown-method', method: name.slice(0, 100) })
    else if (method.kind === 'call') runCall(id, name, method, service, input)
    else runStream(id, name, method, service, input)
  }

  port.onFrame((received: unknown) => {
    if (isDisposed) return
    const frame = readRequest(received)
    if (!frame) return log.write('warn', 'rpc.unreadable-frame')
    if (frame.t === 'cancel') return open.get(frame.id)?.leave()
    if (open.has(frame.id)) return log.write('warn', 'rpc.duplicate-id', { id: frame.id })
    if (frame.t === 'malformed')
      return refuse(frame.id, { code: 'rpc/bad-input', method: '', issues: ['method'] })
    start(frame)
  })

  function dispose(): void {
    if (isDisposed) return
    isDisposed = true
    turns.dispose()
    const requests = [...open.values()]
    open.clear() // No answers are sent any more: the client fails all its open requests itself.
    for (const request of requests) request.leave()
    port.close()
  }

  port.onClose(dispose)
  return { dispose, openCount: () => open.size }
}

function parseInput(name: string, method: Method, input: unknown): unknown {
  const parsed = method.input.safeParse(input)
  if (parsed.success) return parsed.data
  throw new AppError({ code: 'rpc/bad-input', method: name, issues: describe(parsed.error) })
}

function checkOutput(name: string, schema: z.ZodType, value: unknown): void {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new Error(`${name} broke its contract: ${describe(parsed.error).join('; ')}`)
  const lost = findNotJson(value ?? null)
  if (lost) throw new Error(`${name} answered with something that is not JSON: ${lost}`)
}

function describe(error: z.ZodError): string[] {
  return error.issues.slice(0, 10).map((issue) => `${issue.path.join('.') || '.'}: ${issue.message}`)
}

/** Starts a connection's calls in order, a few at a time, so that no window delays the others. */
function createCallTurns({ runningCalls, callSpacingMs }: CallTurnLimits) {
  const waiting = new Map<number, () => Promise<void>>()
  let running = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function begin(start: () => Promise<void>): void {
    running += 1
    void start().then(() => {
      running -= 1
      // Not at once: other connections get a turn in between.
      if (running < runningCalls && waiting.size > 0) wait(0)
    })
  }

  function beginWaiting(): void {
    do {
      const [next] = waiting
      if (next === undefined) break
      waiting.delete(next[0])
      begin(next[1])
    } while (running < runningCalls)
    wait(callSpacingMs)
  }

  function wait(delayMs: number): void {
    clearTimeout(timer)
    timer = waiting.size === 0 ? undefined : setTimeout(beginWaiting, delayMs)
  }

  return {
    /** Starts the call now, or in its turn. Shape: `start` settles when the call is over, and never rejects. */
    add(id: number, start: () => Promise<void>): void {
      if (running < runningCalls && waiting.size === 0) begin(start)
      else {
        waiting.set(id, start)
        if (timer === undefined) wait(callSpacingMs)
      }
    },
    /** Removes a call that has not started. */
    remove(id: number): void {
      waiting.delete(id)
    },
    dispose(): void {
      waiting.clear()
      clearTimeout(timer)
    },
  }
}

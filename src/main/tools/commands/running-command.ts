import { StringDecoder } from 'node:string_decoder'
import { delay } from '../../../shared/delay.ts'
import type { Clock } from '../../deps.ts'
import { createKeptOutput } from './output/kept-output.ts'
import { createPlainOutput } from './output/plain-output.ts'
import { endGroup, isGoneWithin, type ShellExit, type ShellProcess } from './processes/process-group.ts'

/** How a command ended. Units: milliseconds from its start to the end of the shell. */
export type CommandEnd = {
  end: 'exited' | 'timeout' | 'stopped'
  exitCode: number | null
  signal: string | null
  durationMs: number
  hasLeftProcesses: boolean
}

export type RunningCommand = ReturnType<typeof followCommand>

/** How long the output may stay open after the shell's end before the processes that hold it are ended too. */
const drainMs = 500
/** Time for the reader of the joined outputs, which ends after the shell. */
const reapedMs = 250
const quietMs = 250
/** The interval, and the limit of bytes read in it: much output must leave the host time for other work. */
const paceMs = 100
const paceBytes = 2_000_000

/** Follows a started shell to its end: reads, keeps and passes on its output, and ends its whole group. */
export function followCommand(
  child: ShellProcess,
  options: {
    clock: Clock
    limitBytes: number
    graceMs: number
    /** The command is stopped when its output is longer. */
    endBytes?: number
    onOutput: (text: string) => void
  },
) {
  const { clock, graceMs } = options
  const startedAt = clock.now()
  const kept = createKeptOutput(options.limitBytes)
  const live = createLiveOutput(clock, options.onOutput)
  const spoke = Promise.withResolvers<void>()
  const take = (text: string): void => {
    if (text === '') return
    kept.append(text)
    live.push(text)
    spoke.resolve()
    if (kept.totalBytes > (options.endBytes ?? Number.POSITIVE_INFINITY)) stop('stopped')
  }
  const stop = (reason: 'timeout' | 'stopped'): void => {
    if (isOver || ending !== undefined) return
    why = reason
    void endAll().then((end) => {
      if (end === 'left') givenUp.resolve({ code: null, signal: null })
    })
  }
  const reader = readOutput(child, clock, take)

  let why: 'exited' | 'timeout' | 'stopped' = 'exited'
  let ending: ReturnType<typeof endGroup> | undefined
  let isOver = false
  const endAll = (): ReturnType<typeof endGroup> => {
    ending ??= endGroup(clock, child.groupId, graceMs)
    return ending
  }
  /** Resolves where a process is another user's, or stuck in the system, and cannot be waited for. */
  const givenUp = Promise.withResolvers<ShellExit>()

  const follow = async (): Promise<CommandEnd> => {
    const { code, signal } = await Promise.race([child.exited, givenUp.promise])
    const durationMs = clock.now() - startedAt
    reader.hurry()
    await Promise.race([child.closed, delay(clock, drainMs)])
    // After a stop the other processes of the group have the rest of the time that the shell had to end.
    const hasLeftProcesses = ending === undefined && !(await isGoneWithin(clock, child.groupId, reapedMs))
    if (hasLeftProcesses || ending !== undefined) await endAll()
    // From now on the id of the group may be reused.
    isOver = true
    await Promise.race([child.closed, delay(clock, drainMs)])
    reader.end()
    live.end()
    spoke.resolve()
    return { end: why, exitCode: code, signal, durationMs, hasLeftProcesses }
  }

  return {
    groupId: child.groupId,
    kept,
    /** Resolves when no process of the group runs any more, as far as the system lets us end them. Never rejects. */
    ended: follow(),
    /** Resolves when the command has written something, or has ended. */
    spoke: spoke.promise,
    stop,
    /** Stops passing output on. */
    mute: (): void => live.end(),
  }
}

/** Decodes the output into plain text, at a pace that leaves the host time. */
function readOutput(
  { output }: ShellProcess,
  clock: Clock,
  take: (text: string) => void,
): { hurry(): void; end(): void } {
  const decoder = new StringDecoder('utf8')
  const plain = createPlainOutput()
  let windowBytes = 0
  let isHurried = false
  let quiet: { cancel(): void } | undefined
  let window: { cancel(): void } | undefined

  const openWindow = (): void => {
    windowBytes = 0
    window = undefined
    output.resume()
  }
  output.on('data', (chunk: Buffer) => {
    take(plain.push(decoder.write(chunk)))
    quiet?.cancel()
    quiet = clock.setTimeout(() => take(plain.settle()), quietMs)
    windowBytes += chunk.length
    window ??= clock.setTimeout(openWindow, paceMs)
    if (windowBytes > paceBytes && !isHurried) output.pause()
  })

  return {
    hurry() {
      isHurried = true
      output.resume()
    },
    end() {
      quiet?.cancel()
      window?.cancel()
      output.removeAllListeners('data')
      output.destroy()
      take(plain.push(decoder.end()))
      take(plain.end())
    },
  }
}

const liveEveryMs = 100
/** Maximum length of the text that is passed on at a time. Units: UTF-16 code units. */
const liveLimit = 8192

/**
 * Passes an output on at intervals, in limited amounts: for display, not for keeping.
 *
 * Shape: only the end of the text of one interval is passed on, after `[…]` where some is missing.
 */
export function createLiveOutput(clock: Clock, onOutput: (text: string) => void) {
  let waiting = ''
  let timer: { cancel(): void } | null = null
  let isOver = false

  const flush = (): void => {
    timer = null
    if (waiting === '') return
    const text = waiting.length <= liveLimit ? waiting : `[…]\n${tailOf(waiting, liveLimit)}`
    waiting = ''
    onOutput(text)
  }

  return {
    push(text: string): void {
      if (isOver || text === '') return
      waiting += text
      // Cut to more than the limit, so that `flush` still marks the text as cut.
      if (waiting.length > 4 * liveLimit) waiting = tailOf(waiting, liveLimit + 2)
      timer ??= clock.setTimeout(flush, liveEveryMs)
    },
    /** Passes on the text that waits; later text is dropped. */
    end(): void {
      isOver = true
      timer?.cancel()
      flush()
    },
  }
}

/** Returns the end of a text, not beginning in the middle of a character. */
function tailOf(text: string, limit: number): string {
  const tail = text.slice(-limit)
  return /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail
}

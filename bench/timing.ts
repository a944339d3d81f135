import { readFile } from 'node:fs/promises'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** Units: milliseconds. */
export async function timed<T>(work: () => Promise<T> | T): Promise<{ ms: number; result: T }> {
  const from = performance.now()
  const result = await work()
  return { ms: performance.now() - from, result }
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Runs `work` some times, one after the other. Units: milliseconds; the middle one. */
export async function medianTime(times: number, work: () => Promise<unknown> | unknown): Promise<number> {
  const all: number[] = []
  for (let i = 0; i < times; i++) all.push((await timed(work)).ms)
  return median(all)
}

/** How long this thread itself was at work, waits left out. Units: milliseconds. */
export function threadWork(): () => number {
  const from: EventLoopUtilization = performance.eventLoopUtilization()
  return () => performance.eventLoopUtilization(from).active
}

/** Processor time of a process so far, all its threads. Units: milliseconds, in steps of 10. Source: Linux `proc(5)`. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name before it may hold anything, blanks and brackets too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Resident memory of a process. Units: MB (2²⁰ bytes). Source: Linux `proc(5)`. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

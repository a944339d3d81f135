import type { z } from 'zod'

/** A method that answers once. */
export type CallMethod<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  kind: 'call'
  input: I
  output: O
}

/**
 * How a stream behaves towards a reader that cannot keep up (1 MB buffered).
 *
 * `fail`: the stream ends with `rpc/too-slow`.
 * `snapshot`: the buffer is dropped and, once the reader reads again, the method is called anew with
 * the same input without `afterSeq`, so that its first item is a fresh snapshot (a run's watch). Such an
 * input must therefore be valid without `afterSeq`.
 */
type SlowReader = 'fail' | 'snapshot'

/**
 * Returns one event that equals `older` and then `newer`, or undefined where the two cannot be merged.
 *
 * A stream that declares it is coalesced to about one frame per 20 ms, and its backlog stays short. Pure;
 * a merged event carries the number of the newer one.
 */
export type Merge<T> = (older: T, newer: T) => T | undefined

/** A method that answers with items until it ends; a subscription is a stream without an end. */
export type StreamMethod<I extends z.ZodType = z.ZodType, E extends z.ZodType = z.ZodType> = {
  kind: 'stream'
  input: I
  event: E
  slowReader: SlowReader
  // Method syntax: a stream of particular events still is a `StreamMethod`.
  merge?(older: z.input<E>, newer: z.input<E>): z.input<E> | undefined
}

export type Method = CallMethod | StreamMethod
export type Contract = Record<string, Method>

export function call<I extends z.ZodType, O extends z.ZodType>(input: I, output: O): CallMethod<I, O> {
  return { kind: 'call', input, output }
}

export function stream<I extends z.ZodType, E extends z.ZodType>(
  input: I,
  event: E,
  options: { slowReader?: SlowReader; merge?: Merge<z.input<E>> } = {},
): StreamMethod<I, E> {
  return {
    kind: 'stream',
    input,
    event,
    slowReader: options.slowReader ?? 'fail',
    ...(options.merge && { merge: options.merge }),
  }
}

/** Passed beside the input of every method; aborting `signal` stops the work that this request owns. */
export type CallContext = { signal: AbortSignal }

/** The functions that main implements for a contract, with inputs as they are after validation. */
export type ApiOf<C extends Contract> = {
  [K in keyof C]: C[K] extends CallMethod<infer I, infer O>
    ? (input: z.output<I>, context: CallContext) => Promise<z.input<O>>
    : C[K] extends StreamMethod<infer I, infer E>
      ? (input: z.output<I>, context: CallContext) => AsyncIterable<z.input<E>>
      : never
}

/**
 * The client that the renderer receives from `connect(port)`.
 *
 * Shape: no function throws synchronously. A stream is requested by the first `next()` of each iteration; leaving the
 * loop or aborting `signal` ends it quietly, while an aborted call rejects with `rpc/aborted`.
 */
export type ClientOf<C extends Contract> = {
  [K in keyof C]: C[K] extends CallMethod<infer I, infer O>
    ? (input: z.input<I>, options?: { signal?: AbortSignal }) => Promise<z.output<O>>
    : C[K] extends StreamMethod<infer I, infer E>
      ? (input: z.input<I>, options?: { signal?: AbortSignal }) => AsyncIterable<z.output<E>>
      : never
}

/** Returns the input with which a watch gives a fresh snapshot; see `SlowReader`. */
export function withoutAfterSeq(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const { afterSeq: _, ...rest } = input as Record<string, unknown>
  return rest
}

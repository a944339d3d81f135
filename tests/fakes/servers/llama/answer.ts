/** All faults of a request, by name. Each can be applied to any request. */
export const faultNames = [
  /** Resets this connection and refuses new ones until `accept()`. */
  'connection-refused',
  'closed-before-headers',
  /** Takes the request and never sends a byte. */
  'never-answers',
  /** 503 as while the model loads. */
  'loading',
  /** Not even headers for `delayMs`, as behind a running stream. */
  'busy-queue',
  /** Headers at once, then nothing (but pings) for `delayMs`. */
  'slow-first-token',
  /** Sends no more after `afterDeltas` and keeps the connection open. */
  'silent-midway',
  /** Ends the connection inside an event that carries text. */
  'cut-in-text',
  /** Likewise, between two bytes of one character. */
  'cut-in-character',
  /** Likewise, inside an event that carries a part of a call's arguments. */
  'cut-in-tool-call',
  /** Everything is said, then a clean close without `finish_reason` and `[DONE]`. */
  'no-end',
  /** As `no-end`, but with the `finish_reason`. */
  'no-done',
  /** Under 200: an error object, in a stream after the first deltas. */
  'error-under-200',
  /** 500 after all was generated; in a stream the role and the error. */
  'error-after-generating',
  /** Events whose data is no JSON. */
  'garbage-sse',
  /** 200 `application/json` with a body that is none. */
  'not-json',
  /** 200 with a page, as a proxy or a router's login would answer. */
  'html-page',
  /** The right body under `text/plain`. */
  'wrong-content-type',
  'unauthorized',
  'not-found',
  'context-exceeded',
  /** 307 to another path of the same server, which does not exist. */
  'redirect',
] as const

export type FaultName = (typeof faultNames)[number]

/** Units: deltas are events that carry something; milliseconds. */
export type Fault = { name: FaultName; afterDeltas?: number; delayMs?: number }

export type AnsweredCall = {
  name: string
  /** An object is written as the chat template writes it back, so that the prompt cache finds it again. */
  arguments: Record<string, unknown> | string
}

/** What the model says to one request. */
export type Answer = {
  /** A list is said piece by piece, one token each; so are thoughts. */
  text?: string | readonly string[]
  reasoning?: string | readonly string[]
  toolCalls?: readonly AnsweredCall[]
  /** `length`: the model is cut after these words. Without it: `tool_calls` where there are calls, else `stop`. */
  finish?: 'stop' | 'length' | 'tool_calls'
  /** Time for each token, in place of the server's. */
  tokenMs?: number
  fault?: FaultName | Fault
}

export type ChatMessage = {
  role: string
  content?: unknown
  reasoning_content?: string
  tool_calls?: { id?: string; type?: string; function: { name: string; arguments: unknown } }[]
  tool_call_id?: string
}

export type ChatTool = {
  type: 'function'
  function: { name: string; description?: string; parameters?: Record<string, unknown> }
}

/** The parts of a generation request that a script receives. */
export type AskedRequest = {
  path: string
  body: Record<string, unknown>
  /** As they were sent; empty for plain completions. */
  messages: readonly ChatMessage[]
  tools: readonly ChatTool[]
  /** The JSON schema that the answer must have; `{}` for any JSON. */
  schema: Record<string, unknown> | null
  /** The prompt as the model reads it. */
  prompt: string
  /** Number of the generation request, from 0, in the order in which they are answered. */
  index: number
}

export type AnswerScript = (request: AskedRequest) => Answer | Promise<Answer>

export function faultOf(fault: FaultName | Fault | undefined): Fault | null {
  if (fault === undefined) return null
  return typeof fault === 'string' ? { name: fault } : fault
}

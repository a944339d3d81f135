import type { Fault, FaultName } from './answer.ts'
import { contextRefusal, fixedErrors, unreadableOutput } from './refusal.ts'
import type { Reply } from './wording/reply.ts'

const page =
  '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>\n'

/**
 * Plays the faults that replace a whole reply. False: the reply goes on, as it should or with a fault inside.
 *
 * Units: `contextTokens` is what a refusal for length tells.
 */
export async function playWholeFault(
  fault: Fault,
  reply: Reply,
  server: { refuse: () => void; contextTokens: number },
): Promise<boolean> {
  switch (fault.name) {
    case 'connection-refused':
      server.refuse()
      reply.reset()
      return true
    case 'closed-before-headers':
      reply.cut()
      return true
    case 'never-answers':
      await new Promise((resolve) => reply.gone.addEventListener('abort', resolve))
      return true
    case 'loading':
      reply.json(...fixedErrors.loading)
      return true
    case 'unauthorized':
      reply.json(...fixedErrors.unauthorized)
      return true
    case 'not-found':
      reply.json(...fixedErrors.notFound)
      return true
    case 'context-exceeded': {
      const refusal = contextRefusal(server.contextTokens * 2, server.contextTokens)
      reply.json(refusal.status, refusal.body)
      return true
    }
    case 'html-page':
      reply.send(200, 'text/html; charset=utf-8', page)
      return true
    case 'not-json':
      reply.send(200, 'application/json; charset=utf-8', '{"choices": [{"message": ')
      return true
    case 'redirect':
      reply.send(307, 'text/html', page, [['Location', '/moved/v1']])
      return true
    case 'busy-queue':
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs ?? 300))
      return false
    default:
      return false
  }
}

const insideFaults: readonly FaultName[] = [
  'busy-queue',
  'slow-first-token',
  'silent-midway',
  'cut-in-text',
  'cut-in-character',
  'cut-in-tool-call',
  'no-end',
  'no-done',
  'error-under-200',
  'error-after-generating',
  'garbage-sse',
  'wrong-content-type',
]

/** Whether the fault replaces the whole reply: it is too late for it when the headers are out. */
export function isWholeFault(fault: Fault): boolean {
  return !insideFaults.includes(fault.name)
}

/** Plays the faults inside a reply that is no stream. True: nothing is left to do. */
export async function playBodyFault(fault: Fault, reply: Reply, body: unknown): Promise<boolean> {
  const type = 'application/json; charset=utf-8'
  const text = JSON.stringify(body)
  switch (fault.name) {
    case 'slow-first-token':
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs ?? 300))
      return false
    case 'silent-midway':
      reply.sendPart(type, text)
      await new Promise((resolve) => reply.gone.addEventListener('abort', resolve))
      return true
    case 'cut-in-character': {
      const bytes = Buffer.from(text)
      const at = bytes.findIndex((byte) => byte >= 0xc0)
      reply.sendPart(type, text, at === -1 ? 0.5 : (at + 1) / bytes.length)
      reply.cut()
      return true
    }
    case 'cut-in-text':
    case 'cut-in-tool-call':
    case 'no-end':
    case 'no-done':
      reply.sendPart(type, text)
      reply.cut()
      return true
    case 'error-under-200':
      reply.json(200, unreadableOutput().body)
      return true
    case 'error-after-generating':
      reply.json(500, unreadableOutput().body)
      return true
    case 'garbage-sse':
      reply.send(200, 'text/event-stream', 'data: {"choices": [{"delta": ???\n\n')
      return true
    case 'wrong-content-type':
      reply.json(200, body, 'text/plain')
      return true
    default:
      return false
  }
}

/** A body of 200 with the fault that may lie in it. */
export async function writeBody(reply: Reply, status: number, body: unknown): Promise<void> {
  const { fault } = reply
  if (fault === null || !(await playBodyFault(fault, reply, body))) reply.json(status, body)
}

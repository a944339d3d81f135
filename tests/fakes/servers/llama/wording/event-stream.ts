import type { Fault } from '../answer.ts'
import { unreadableOutput } from '../refusal.ts'
import type { Reply } from './reply.ts'

/** `delta` carries something, `call` a part of a call; `end` has the reason, `done` is what stands after it. */
export type StreamEvent = { kind: 'other' | 'delta' | 'call' | 'end' | 'done'; data: unknown }

/** A server-sent-event stream as the server frames it, with the faults that happen inside streams. */
export class EventStream {
  readonly #reply: Reply
  /** Set after the stream has begun where a script is slow. */
  fault: Fault | null
  readonly #timer: NodeJS.Timeout
  #deltas = 0

  constructor(reply: Reply, fault: Fault | null, pingMs: number) {
    this.#reply = reply
    this.fault = fault
    reply.beginStream(fault?.name === 'wrong-content-type' ? 'text/plain' : 'text/event-stream')
    this.#timer = setInterval(() => reply.write(':\n\n'), pingMs)
    reply.gone.addEventListener('abort', () => clearInterval(this.#timer))
  }

  /** False: nothing more is to be sent, the fault has happened. */
  async send(events: readonly StreamEvent[]): Promise<boolean> {
    let whole = ''
    for (const event of events) {
      if (this.#fails(event, whole)) {
        if (this.fault?.name === 'silent-midway') await closed(this.#reply)
        clearInterval(this.#timer)
        return false
      }
      if (event.kind === 'delta' || event.kind === 'call') this.#deltas += 1
      if (!this.#isLeftOut(event)) whole += frame(this.fault?.name === 'garbage-sse' ? garbage : event.data)
    }
    if (whole !== '') {
      this.#timer.refresh()
      this.#reply.write(whole)
    }
    return true
  }

  end(): void {
    clearInterval(this.#timer)
    this.#reply.end()
  }

  /** Plays the fault when its moment has come; `before` is what goes out with it. */
  #fails(event: StreamEvent, before: string): boolean {
    const fault = this.fault
    if (fault === null || this.#deltas < (fault.afterDeltas ?? 1)) return false
    const isDelta = event.kind === 'delta' || event.kind === 'call'
    const isMoment = isDelta || event.kind === 'end'
    switch (fault.name) {
      case 'silent-midway':
        if (isMoment) this.#reply.write(before)
        return isMoment
      case 'cut-in-text':
        return isMoment && this.#cut(before, Buffer.from(frame(event.data)), 0.6)
      case 'cut-in-character': {
        const bytes = Buffer.from(frame(event.data))
        const at = bytes.findIndex((byte) => byte >= 0xc0)
        if (event.kind === 'end' && at === -1) throw new Error('the answer has no character to cut')
        return isMoment && at !== -1 && this.#cut(before, bytes, (at + 1) / bytes.length)
      }
      case 'cut-in-tool-call':
        if (event.kind === 'end') throw new Error('the answer has no call to cut')
        return event.kind === 'call' && this.#cut(before, Buffer.from(frame(event.data)), 0.6)
      case 'error-under-200':
        if (!isMoment) return false
        this.#reply.write(before + frame(unreadableOutput().body))
        this.#reply.end()
        return true
      default:
        return false
    }
  }

  #cut(before: string, bytes: Buffer, share: number): boolean {
    this.#reply.write(
      Buffer.concat([Buffer.from(before), bytes.subarray(0, Math.ceil(bytes.length * share))]),
    )
    this.#reply.cut()
    return true
  }

  #isLeftOut({ kind }: StreamEvent): boolean {
    if (this.fault?.name === 'no-end') return kind === 'end' || kind === 'done'
    return this.fault?.name === 'no-done' && kind === 'done'
  }
}

const garbage = Symbol('garbage')

function frame(data: unknown): string {
  if (data === garbage) return 'data: {"choices": [{"delta": ???\n\n'
  return `data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`
}

function closed(reply: Reply): Promise<void> {
  return new Promise((resolve) => {
    if (reply.gone.aborted) resolve()
    else reply.gone.addEventListener('abort', () => resolve())
  })
}

import type { Api } from '../../../src/shared/contract/index.ts'
import type { unsentContract } from '../../../src/shared/contract/message.ts'
import {
  segmentsText,
  type UnsentEvent,
  type UnsentMessage,
} from '../../../src/shared/domain/session/message-segment.ts'
import type { FakeHost } from './fake-host.ts'
import { createTopic } from './topic.ts'

/** The unsent messages in the only folder of a fake host. */
export class FakeUnsent {
  readonly topic = createTopic<UnsentEvent>()
  /** While set, calls to keep a message are received but answered only after this promise. */
  held: Promise<void> | undefined
  /** While set, windows that ask what is unsent are told only after this promise. */
  tellingHeld: Promise<void> | undefined
  #messages: UnsentMessage[] = []
  #seq = 0

  /** By session, or by what the message is about. */
  text(of: string | null): string | undefined {
    const found = this.#messages.find(({ sessionId, about }) => (about ?? sessionId) === of)
    return found?.segments.map((one) => (one.kind === 'file-ref' ? one.path : segmentsText([one]))).join('')
  }

  keep(message: UnsentMessage): number {
    const isOther = (one: UnsentMessage) => one.sessionId !== message.sessionId || one.about !== message.about
    const others = this.#messages.filter(isOther)
    this.#messages = message.segments.length === 0 ? others : [...others, message]
    this.#seq += 1
    this.topic.publish({ seq: this.#seq, isAll: false, messages: [message] })
    return this.#seq
  }

  all(): UnsentEvent {
    return { seq: this.#seq, isAll: true, messages: this.#messages }
  }
}

export function unsentApi({ unsent }: FakeHost): Pick<Api, keyof typeof unsentContract> {
  return {
    async *'unsent.watch'(_, { signal }) {
      await unsent.tellingHeld
      yield* unsent.topic.follow(signal, [unsent.all()])
    },
    async 'unsent.keep'({ message }) {
      const seq = unsent.keep(message)
      await unsent.held
      return { seq }
    },
  }
}

import type { ReplyKind } from '../agent/agent-effects.ts'
import type { AgentModel, RequestContext } from '../agent/model/agent-model.ts'

/** Called before each request of a fork to its model. Aborts the signal of a request that may not be made. */
export type ModelWatch = {
  before(context: RequestContext, reply: ReplyKind | null): Promise<void>
  /** The conversation has no room for more. */
  full(): void
}

/** Returns the model of a fork: requests are made only while the run may go on, and the prompt is never compacted. */
export function watchedModel(model: AgentModel, watch: ModelWatch): AgentModel {
  return {
    ...model,
    async decide(context, hooks, signal) {
      await watch.before(context, null)
      signal.throwIfAborted()
      return model.decide(context, hooks, signal)
    },
    async reply(context, wanted, hooks, signal) {
      await watch.before(context, wanted.kind)
      signal.throwIfAborted()
      return model.reply(context, wanted, hooks, signal)
    },
    async work(context, step, hooks, signal) {
      await watch.before(context, null)
      signal.throwIfAborted()
      return model.work(context, step, hooks, signal)
    },
    async needsCompaction(context, signal) {
      if (await model.needsCompaction(context, signal)) watch.full()
      signal.throwIfAborted()
      return false
    },
  }
}

import type { CallAccess } from '../../shared/domain/agent-state.ts'
import type { ToolName } from '../../shared/domain/tool-name.ts'
import { contentHash } from '../platform/content-hash.ts'
import type { CallFacts, CallResult, PreparedCall, ReadCall } from './prepared-call.ts'
import { limited } from './result-text.ts'
import { type CallSite, failedResult, refusalOf, say } from './tool.ts'

export type RunHooks = { onOutput: (text: string) => void; signal: AbortSignal }

/**
 * A call that changes no file: a read or a command.
 *
 * Shape: `what` is all that is done, for its hash. What `run` throws for a file or a stop is a result.
 */
export function worldCall(
  site: CallSite & { title: string },
  call: {
    tool: ToolName
    access: Exclude<CallAccess, 'write'>
    facts: CallFacts
    what: unknown
    isReadOnly?: boolean
    reason?: string
    alternatives?: string[]
    run(hooks: RunHooks): Promise<CallResult>
  },
): ReadCall {
  const prepared: PreparedCall = {
    callId: site.callId,
    tool: call.tool,
    access: call.access,
    isReadOnly: call.isReadOnly ?? false,
    hash: contentHash(JSON.stringify([call.tool, call.what])),
    title: site.title,
    reason: call.reason ?? null,
    alternatives: call.alternatives ?? [],
    facts: call.facts,
    changes: [],
    without: () => prepared,
    renew: async () => prepared,
    run: (hooks) => settled(site, hooks, () => call.run(hooks)),
  }
  return { kind: 'world', call: prepared }
}

/** Carries `work` out; a stop and what a tool can meet become results. */
export async function settled(
  { context }: Pick<CallSite, 'context'>,
  { signal }: RunHooks,
  work: () => Promise<CallResult>,
): Promise<CallResult> {
  try {
    signal.throwIfAborted()
    const result = await work()
    return { ...result, text: limited(result.text) }
  } catch (error) {
    if (signal.aborted) return failedResult(say(context, 'call.stopped'))
    return failedResult(limited(refusalOf(error, context).text))
  }
}

import { toolTraits } from '../../../shared/domain/session/tool-name.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import type { CallFacts, CallHooks, CallResult, PreparedCall, ReadCall } from '../prepared-call.ts'
import { limited } from './result-text.ts'
import { type CallSite, failedResult, refusalOf, say, type ToolSite } from './tool.ts'

const factsOf = { read: 'read', session: 'read', run: 'command', web: 'outside', service: 'outside' } as const

/**
 * Prepares a call that changes no file: a read, a command or a question to a site.
 *
 * Shape: `what` is all that the call does, for its hash. Errors of `run` about files, and a stop, become results.
 * Errors: throws where the tool's row has another access, since that decides how consent is asked.
 */
export function worldCall(
  site: ToolSite,
  call: {
    facts: Exclude<CallFacts, { kind: 'change' }>
    what: unknown
    isReadOnly?: boolean
    reason?: string
    alternatives?: string[]
    run(hooks: CallHooks): Promise<CallResult>
    reopened?: NonNullable<PreparedCall['reopened']>
  },
): ReadCall {
  const { access } = toolTraits[site.tool]
  if (access === 'write' || factsOf[access] !== call.facts.kind)
    throw new Error(`${site.tool}: its row says ${access}, its call is of the kind ${call.facts.kind}`)
  const prepared: PreparedCall = {
    callId: site.callId,
    tool: site.tool,
    access: access === 'run' || access === 'service' ? 'execute' : 'read',
    isReadOnly: call.isReadOnly ?? false,
    hash: contentHash(JSON.stringify([site.tool, call.what])),
    title: site.title,
    reason: call.reason ?? null,
    alternatives: call.alternatives ?? [],
    facts: call.facts,
    changes: [],
    without: () => prepared,
    renew: async () => prepared,
    run: (hooks) => settled(site, hooks, () => call.run(hooks)),
    ...(call.reopened === undefined ? {} : { reopened: call.reopened }),
  }
  return { kind: 'world', call: prepared }
}

/** Runs `work`; a stop and the errors that a tool can meet become results. */
export async function settled(
  { context }: Pick<CallSite, 'context'>,
  { signal }: CallHooks,
  work: () => Promise<CallResult>,
): Promise<CallResult> {
  try {
    signal.throwIfAborted()
    const result = await work()
    return { ...result, text: limited(result.text, context.resultBytes()) }
  } catch (error) {
    if (signal.aborted) return failedResult(say(context, 'call.stopped'))
    return failedResult(limited(refusalOf(error, context).text))
  }
}

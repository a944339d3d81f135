import type { AuditEntry } from '../../../../shared/domain/session/consent-rule.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

const pageLength = 100

const initial = {
  /** Null until they were asked for. */
  entries: null as AuditEntry[] | null,
  hasMore: false,
  isLoading: false,
  error: null as ErrorInfo | null,
}

/** What was decided about the calls of the open session, newest first. */
export function createAuditSlice(context: SliceContext) {
  const { client, get, patch } = context
  let asked = 0

  const page = async (before: number | undefined) => {
    const sessionId = get().conversation.current?.sessionId
    if (sessionId === undefined) return
    const mine = ++asked
    patch('audit', { isLoading: true, error: null })
    try {
      const answer = await client['session.audit']({
        sessionId,
        limit: pageLength,
        ...(before === undefined ? {} : { before }),
      })
      if (mine !== asked) return
      const { entries, hasMore } = get().audit
      if (before !== undefined) {
        patch('audit', { entries: [...(entries ?? []), ...answer.entries], hasMore: answer.hasMore })
      } else {
        const last = answer.entries.at(-1)?.seq ?? 0
        const isJoined = entries?.some((entry) => entry.seq === last) ?? false
        const older = isJoined ? (entries ?? []).filter((entry) => entry.seq < last) : []
        patch('audit', {
          entries: [...answer.entries, ...older],
          hasMore: isJoined ? hasMore : answer.hasMore,
        })
      }
    } catch (error) {
      if (mine === asked) patch('audit', { error: infoOf(error) })
    } finally {
      if (mine === asked) patch('audit', { isLoading: false })
    }
  }

  return {
    ...initial,

    /** The newest ones; older ones that are loaded stay where these join them. */
    load: () => page(undefined),
    loadMore: () => page(get().audit.entries?.at(-1)?.seq),
    clear() {
      asked += 1
      patch('audit', initial)
    },
  }
}

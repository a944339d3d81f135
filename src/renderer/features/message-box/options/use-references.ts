import { useEffect, useState } from 'react'
import type { ReferenceCandidate } from '../../../../shared/domain/session/file-reference.ts'
import type { ReferenceQuery } from '../../../editor/message/reference-query.ts'
import type { AppState } from '../../../state/app-state.ts'
import { useApp, useAppStore } from '../../../state/store-context.tsx'

/** A query and its answer. */
type Found = { query: string; candidates: ReferenceCandidate[] }

/**
 * The completions behind the `@` at the caret.
 *
 * Shape: `isCurrent` false: the options are those of what was typed before; none of them is to be taken.
 */
export type References = { options: ReferenceOption[]; isCurrent: boolean; close(): void }

/** `isWhole`: the folder itself, not what lies in it. */
export type ReferenceOption = ReferenceCandidate & { isWhole: boolean }

/** Delay after which a folder that is still being read is asked again. Units: ms. */
const askAgainMs = 300
const shownCandidates = 50
const sentPaths = 200

export function useReferences(reference: ReferenceQuery | null): References {
  const store = useAppStore()
  const workId = useApp((state) => state.work.current?.workId)
  const [found, setFound] = useState<Found | null>(null)
  const [closedAt, setClosedAt] = useState<number | null>(null)
  const from = reference?.from ?? null
  const query = from === null || from === closedAt ? null : (reference?.path ?? null)

  // Closing the list holds for this one `@`.
  useEffect(() => {
    if (from !== closedAt) setClosedAt(null)
  }, [from, closedAt])

  useEffect(() => {
    if (query === null || workId === undefined) return setFound(null)
    const asked = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async () => {
      const openPaths = openFiles(store.getState())
      const input = { workId, query, limit: shownCandidates, openPaths }
      const answer = await store.client['reference.complete'](input, { signal: asked.signal })
      if (asked.signal.aborted) return
      setFound({ query, candidates: answer.candidates })
      if (!answer.isComplete) timer = setTimeout(() => void ask().catch(forget), askAgainMs)
    }
    // On failure nothing is offered: the path can be typed as well, and an error shows where the path is used.
    const forget = () => {
      if (!asked.signal.aborted) setFound(null)
    }
    void ask().catch(forget)
    return () => {
      asked.abort()
      clearTimeout(timer)
    }
  }, [store, workId, query])

  useEffect(() => {
    if (workId === undefined) return
    const refresh = () => {
      // On failure only the offered options are older.
      store.client['reference.refresh']({ workId }).catch(() => undefined)
    }
    window.addEventListener('focus', refresh)
    return () => window.removeEventListener('focus', refresh)
  }, [store, workId])

  return {
    options: query === null || found === null ? [] : optionsOf(found),
    isCurrent: found?.query === query,
    close: () => setClosedAt(from),
  }
}

function optionsOf({ query, candidates }: Found): ReferenceOption[] {
  const options: ReferenceOption[] = candidates
    .filter((one) => one.kind === 'file' || one.path !== query)
    .map((one) => ({ ...one, isWhole: false }))
  const isInside = query.endsWith('/') && candidates.length > 0
  return isInside ? [...options, { path: query, kind: 'folder', isWhole: true }] : options
}

/** The files of the window's tabs, the one in sight first. */
function openFiles({ documents }: AppState): string[] {
  const { activePath, byPath } = documents
  const others = Object.keys(byPath).filter((path) => path !== activePath)
  return [...(activePath === null ? [] : [activePath]), ...others].slice(0, sentPaths)
}

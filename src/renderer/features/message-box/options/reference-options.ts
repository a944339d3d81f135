import { type RefObject, useEffect, useRef, useState } from 'react'
import type { ReferenceCandidate } from '../../../../shared/domain/session/file-reference.ts'
import type { MessageEditor } from '../../../editor/message/message-editor.ts'
import { begunFolder, type ReferenceQuery } from '../../../editor/message/reference-query.ts'
import type { AppState } from '../../../state/app-state.ts'
import { useApp, useAppStore, useWords } from '../../../state/store-context.tsx'
import type { BoxOption } from './option-list.tsx'

/** The completions behind the `@` at an editor's caret, and the way to take one. */
type ReferenceOptions = { options: BoxOption[]; take(index: number): void; close(): void }

/** Completes the reference at the caret: a file becomes a chip, a folder is entered. */
export function useReferenceOptions(
  editor: RefObject<MessageEditor | null>,
  reference: ReferenceQuery | null,
): ReferenceOptions {
  const { t } = useWords()
  const found = useReferences(reference)
  /** The reference for which a key took an option before it arrived: the best option is taken if it still applies. */
  const wanted = useRef<ReferenceQuery | null>(null)

  const take = (index: number) => {
    const at = editor.current?.value().reference ?? null
    const option = found.options[index]
    wanted.current = found.isCurrent && isSame(at, reference) ? null : at
    if (!at || !option || wanted.current !== null) return
    const { path, kind, isWhole } = option
    const isEnd = kind === 'file' || isWhole
    editor.current?.replace(
      at,
      isEnd ? { kind: 'file-ref', path, range: at.range } : { kind: 'text', text: begunFolder(path) },
    )
  }
  const takeNow = useRef(take)
  takeNow.current = take

  const { isCurrent } = found
  useEffect(() => {
    if (isCurrent && wanted.current !== null && isSame(wanted.current, reference)) takeNow.current(0)
  }, [isCurrent, reference])

  return {
    options: found.options.map((one) => boxOption(one, t('reference.wholeFolder'))),
    take,
    close: found.close,
  }
}

function isSame(one: ReferenceQuery | null, other: ReferenceQuery | null): boolean {
  return one?.from === other?.from && one?.to === other?.to && one?.path === other?.path
}

function boxOption({ path, kind, isWhole }: ReferenceOption, wholeFolder: string): BoxOption {
  const isFolder = kind === 'folder'
  const plain = isFolder ? path.slice(0, -1) : path
  const at = plain.lastIndexOf('/') + 1
  return {
    id: isWhole ? 'whole' : path,
    name: path.slice(at),
    detail: isWhole ? wholeFolder : plain.slice(0, Math.max(0, at - 1)),
    icon: isFolder ? 'folder' : 'file',
  }
}

type Found = { query: string; candidates: ReferenceCandidate[] }

/** Completions of the `@` at the caret. `isCurrent` false: of what was typed before, not to be taken. */
type References = { options: ReferenceOption[]; isCurrent: boolean; close(): void }

/** `isWhole`: the folder itself, not what lies in it. */
type ReferenceOption = ReferenceCandidate & { isWhole: boolean }

/** Delay after which a folder that is still being read is asked again. Units: ms. */
const askAgainMs = 300
const shownCandidates = 50
const sentPaths = 200

function useReferences(reference: ReferenceQuery | null): References {
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

/** Returns the files of the window's tabs, the one in sight first. */
function openFiles({ documents }: AppState): string[] {
  const { activePath, byPath } = documents
  const others = Object.keys(byPath).filter((path) => path !== activePath)
  return [...(activePath === null ? [] : [activePath]), ...others].slice(0, sentPaths)
}

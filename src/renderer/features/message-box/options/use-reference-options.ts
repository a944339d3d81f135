import { type RefObject, useEffect, useRef } from 'react'
import type { MessageEditor } from '../../../editor/message/message-editor.ts'
import { begunFolder, type ReferenceQuery } from '../../../editor/message/reference-query.ts'
import { useWords } from '../../../state/store-context.tsx'
import type { BoxOption } from './option-list.tsx'
import { type ReferenceOption, useReferences } from './use-references.ts'

/** The completions behind the `@` at an editor's caret, and the way to take one. */
export type ReferenceOptions = { options: BoxOption[]; take(index: number): void; close(): void }

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

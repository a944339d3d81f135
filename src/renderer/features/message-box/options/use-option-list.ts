import { type RefObject, useEffect, useId, useState } from 'react'
import type { MessageEditor } from '../../../editor/message/message-editor.ts'
import { type BoxOption, optionId } from './option-list.tsx'

/** A list of options over an editor. `chosen`: -1 where there is none. */
export type OpenList = { id: string; chosen: number; choose(step: 1 | -1): void; chooseFirst(): void }

/** Keeps which of the options is chosen; the editor says it to screen readers. */
export function useOptionList(
  editor: RefObject<MessageEditor | null>,
  options: readonly BoxOption[],
): OpenList {
  const id = useId()
  const [at, setAt] = useState(0)
  const chosen = Math.min(at, options.length - 1)
  const chosenId = chosen < 0 ? null : optionId(id, chosen)
  useEffect(
    () => editor.current?.setChosenOption(chosenId === null ? null : { list: id, option: chosenId }),
    [editor, chosenId, id],
  )
  return {
    id,
    chosen,
    choose: (step) => setAt((chosen + options.length + step) % options.length),
    chooseFirst: () => setAt(0),
  }
}
